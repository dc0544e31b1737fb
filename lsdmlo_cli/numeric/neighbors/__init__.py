"""The nearest rows, exactly: of every row, of the positives of a label by its own distance, in bags."""

from lsdmlo_cli.numeric.neighbors.by_label import batches, nearest_by_label
from lsdmlo_cli.numeric.neighbors.distances import pair_distances, squared_distances
from lsdmlo_cli.numeric.neighbors.search import WORKSPACE, WORTH_THREADS, Neighbors, iter_nearest, joined, nearest, nobody, taken

__all__ = [
    "WORKSPACE",
    "WORTH_THREADS",
    "Neighbors",
    "batches",
    "iter_nearest",
    "joined",
    "nearest",
    "nearest_by_label",
    "nobody",
    "pair_distances",
    "squared_distances",
    "taken",
]
