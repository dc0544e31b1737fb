"""The nearest rows, exactly: of every row, of queries, and of the positives of many labels, each by its label's own distance."""

from lsdmlo_cli.numeric.neighbors.distances import pair_distances, squared_distances
from lsdmlo_cli.numeric.neighbors.label_search import LabelSearch, batches
from lsdmlo_cli.numeric.neighbors.lists import Neighbors, joined, nobody, taken
from lsdmlo_cli.numeric.neighbors.search import WORKSPACE, WORTH_THREADS, Search

__all__ = [
    "WORKSPACE",
    "WORTH_THREADS",
    "LabelSearch",
    "Neighbors",
    "Search",
    "batches",
    "joined",
    "nobody",
    "pair_distances",
    "squared_distances",
    "taken",
]
