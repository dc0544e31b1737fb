"""Which features matter for which label (Eq. 2): Gram matrices, label graph, and the solution of the convex problem."""

from lsdmlo_cli.numeric.weights.descent import Stop, late_after
from lsdmlo_cli.numeric.weights.gram_matrices import Gram, gram
from lsdmlo_cli.numeric.weights.graph import cosine_similarity, laplacian
from lsdmlo_cli.numeric.weights.solver import FeatureWeights, relevance, solve

__all__ = ["FeatureWeights", "Gram", "Stop", "cosine_similarity", "gram", "laplacian", "late_after", "relevance", "solve"]
