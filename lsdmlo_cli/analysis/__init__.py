"""What is learned from a data set, and its local imbalance before and after."""

from lsdmlo_cli.analysis.analysis import Analysis
from lsdmlo_cli.analysis.local_imbalance import LocalImbalance, after, before
from lsdmlo_cli.analysis.memory import DEFAULT_MEMORY_BYTES, matrix_bytes
from lsdmlo_cli.analysis.settings import OF_LEARNING, Settings

__all__ = ["DEFAULT_MEMORY_BYTES", "OF_LEARNING", "Analysis", "LocalImbalance", "Settings", "after", "before", "matrix_bytes"]
