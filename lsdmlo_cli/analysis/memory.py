"""How much memory the data of a run may take before it lies in temporary files."""

DEFAULT_MEMORY_BYTES = 2 << 30
OVERHEAD_BYTES = 400 << 20


def matrix_bytes(memory_bytes: int) -> int:
    """What X, E and the new rows may each take in memory: a third of what is left beside the libraries and the blocks at work."""
    return max(0, memory_bytes - OVERHEAD_BYTES) // 3
