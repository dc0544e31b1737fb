"""LLSF as a classifier: the label-specific feature weights of the paper themselves predict, by E W."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import scipy

from lsdmlo_cli.evaluation.learners.base import Predictor, above_half, check_options
from lsdmlo_cli.evaluation.prediction import Prediction
from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.numeric.threads import one_blas_thread
from lsdmlo_cli.numeric.weights import Stop, cosine_similarity, gram, laplacian, solve
from lsdmlo_cli.parameters import Option


@dataclass(frozen=True)
class LLSF:
    """Linear scores E W, with the W of numeric/weights/; a label has a score above 0.5.

    There is no intercept and no scaling, as in the paper, which writes W x for what can only be x' W. lambda1: of |W|_1.
    lambda2: of the label graph. tol: relative gap at which W counts as found; max_iter: steps after which it is taken as it is.
    Errors: ParameterError for a value out of range.
    """

    name: ClassVar[str] = "llsf"
    summary: ClassVar[str] = "a linear model with the label-specific feature weights"
    reference: ClassVar[str] = "Huang et al., 2015"

    lambda1: Annotated[float, Option("Strength of the sparsity of the weights.", above=True)] = 1.0
    lambda2: Annotated[float, Option("Strength of the label graph.")] = 1.0
    tol: Annotated[float, Option("Relative gap at which the weights count as found.", above=True)] = 1e-4
    max_iter: Annotated[int, Option("Number of steps after which the weights are taken as they are.", least=1)] = 100_000

    def __post_init__(self) -> None:
        check_options(self)

    def fit(self, E: Matrix, Y: scipy.sparse.csr_array, rng: np.random.Generator) -> Predictor:
        """W (e, q) of E (n, e) and Y (n, q); no chance is in it."""
        sums = gram(E, Y)
        graph = laplacian(cosine_similarity(sums.YtY))
        found = solve(sums, graph, lambda1=self.lambda1, lambda2=self.lambda2, stop=Stop(self.tol, self.max_iter))
        W = found.W.toarray()

        def predict(E: Matrix) -> Prediction:
            with one_blas_thread():  # with more threads it would sum in another order
                return above_half(np.asarray(E @ W))

        return predict
