"""How much memory the data of a run may take before it lies in temporary files."""

DEFAULT_MEMORY_BYTES = 2 << 30
"""What a run may take by default: 2 GiB, a quarter of a small machine."""

OVERHEAD_BYTES = 400 << 20
"""What a run takes beside its data: the interpreter and its libraries (80 MB for `stats` of 593 rows), the work space of
searches (64 MiB), and blocks of 32 MB where files are read, encoded and written."""


def matrix_bytes(memory_bytes: int) -> int:
    """What X, E and the new rows may each take in memory: a third of what is left beside the libraries and the blocks at work."""
    return max(0, memory_bytes - OVERHEAD_BYTES) // 3
