"""A data set in memory, whatever it was read from."""

from lsdmlo_cli.data.dataset import Attribute, Dataset, ExactNumbers, Kind, Origin

__all__ = ["Attribute", "Dataset", "ExactNumbers", "Kind", "Origin"]
