"""A data set in memory, whatever it was read from."""

from lsdmlo_cli.data.dataset import Attribute, Dataset, ExactNumbers, Kind, Origin
from lsdmlo_cli.data.truth import truth

__all__ = ["Attribute", "Dataset", "ExactNumbers", "Kind", "Origin", "truth"]
