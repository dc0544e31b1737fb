"""What is learned from a data set, and its local imbalance before and after."""

from lsdmlo_cli.analysis.analysis import DEFAULT_MEMORY_BYTES, Analysis, Settings, matrix_bytes
from lsdmlo_cli.analysis.local_imbalance import Picture, after, before

__all__ = ["DEFAULT_MEMORY_BYTES", "Analysis", "Picture", "Settings", "after", "before", "matrix_bytes"]
