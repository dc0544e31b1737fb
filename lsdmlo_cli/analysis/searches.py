"""Who searches neighbours: threads of this process, or a cluster. The lists are the same, to the last bit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.numeric.neighbors import WORKSPACE, LabelSearch, Search
from lsdmlo_cli.numeric.neighbors.search import Watch

if TYPE_CHECKING:
    from lsdmlo_cli.analysis.blockwise import BlockwiseLabelSearch, BlockwiseSearch


class Searches:
    """Searches over threads of this process."""

    def __init__(self, threads: int = 1) -> None:
        self.threads = threads

    def settled(self, E: Matrix) -> Matrix:
        """The rows of E, which will be searched often, where they lie best."""
        return E

    def euclidean(self, E: Matrix, watch: Watch = lambda done, total: None) -> Search | BlockwiseSearch:
        """Among the rows of E (n, e), by Euclidean distance."""
        return Search(E, threads=self.threads, watch=watch)

    def by_label(self, E: Matrix, theta: np.ndarray) -> LabelSearch | BlockwiseLabelSearch:
        """Among the rows of E under weights (l, e) of labels; several threads may do so at once."""
        return LabelSearch(E, theta, WORKSPACE // self.threads)


@contextmanager
def searching(cluster: Any, threads: int) -> Iterator[Searches]:
    """The workers of a cluster, as `cluster.connected` takes it, or threads where it is None. Errors: those of `connected`."""
    if cluster is None:
        yield Searches(threads)
        return
    from lsdmlo_cli.analysis.blockwise import SENT, BlockwiseSearches
    from lsdmlo_cli.analysis.spool import Spool
    from lsdmlo_cli.cluster import blind, connected

    with TemporaryDirectory(prefix="lsdmlo-", ignore_cleanup_errors=True) as folder, connected(cluster, SENT) as found:
        spool = None if blind(found.client) else Spool(folder)
        yield BlockwiseSearches(found, 2 * found.workers, Searches(threads), spool)
