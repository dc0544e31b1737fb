"""C2AE: an autoencoder of labels whose latent space is also reached from the features (Yeh et al., 2017).

Fx e-H-H-K,  Fe q-H-K,  Fd K-H-q;  leaky ReLU between layers, sigmoid - 0.5 at the end of Fx and Fe, sigmoid at the end of Fd
latent   |Fx(x) - Fe(y)|^2 + orthogonality (|Fx'Fx - I|^2 + |Fe'Fe - I|^2)
Gamma    sum_i 1 / (S |Y+| |Y-|) sum_{a in Y+, b in Y-} exp(-S (p_a - p_b)),  p = Fd(Fe(y)), S = 5
loss     latent + gamma_loss Gamma + decay |weights|^2,  sums over the rows of a batch, not means
answer   scores Fd(Fx(x)), a label has more than 0.5
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
import scipy

from lsdmlo_cli import deep
from lsdmlo_cli.deep import Parameters
from lsdmlo_cli.evaluation.learners.base import Predictor, above_half, check_options
from lsdmlo_cli.evaluation.prediction import Prediction
from lsdmlo_cli.numeric.encoding import observed_range
from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.numeric.threads import one_blas_thread
from lsdmlo_cli.parameters import Option

SLOPE = 0.1
SHARPNESS = 5.0
LATENT_SHARE = 0.8
"""K = round(0.8 q), at least 1."""


@dataclass(frozen=True)
class C2AE:
    """Canonical-correlated autoencoder: network and loss as in its authors' MATLAB code, training as in the LSDMLO paper.

    Where sources differ, here:
    - Learning rate 1e-5, batches of 32 rows and 100 epochs are the LSDMLO paper's (MATLAB: 1e-4 that falls by 2% an epoch,
      batches of 500, 50 epochs). It names no optimiser: Adam, with its usual 0.9 and 0.999 and a constant rate (MATLAB: momentum
      over root mean squares).
    - The orthogonality term takes F'F summed over the batch against I, as in MATLAB; the constraint of the publication is on
      all rows at once. It so depends on the batch.
    - Gamma counts by half of the publication's alpha = 1, as MATLAB halves it, and only on p = Fd(Fe(y)), not on Fd(Fx(x)).
      Rows with all labels or none add 0. Common ports leave out the sigmoids and the factor 5: here are both.
    - MATLAB computes label weights and never uses them: they are left out.
    - `decay` is on weights, not on biases, and part of the loss, not a decay beside it.
    - Nothing says how features are scaled: each column is scaled to [0, 1] by the training rows, else sigmoids would
      be saturated by raw numbers. First weights are even in +-1 / sqrt(inputs).
    - The last epoch's weights are kept.

    On small data the paper's rate moves the weights too little: learned on a half of emotions Macro-F is 0.27, with 1e-4 0.70.

    Needs autograd: the extra [deep]. One thread is used, so that threads change no bit. Errors: ParameterError for a value out
    of range, or without autograd.
    """

    name: ClassVar[str] = "c2ae"
    summary: ClassVar[str] = "an autoencoder of labels that features are mapped into"
    reference: ClassVar[str] = "Yeh et al., 2017"
    packages: ClassVar[tuple[str, ...]] = ("autograd",)

    learning_rate: Annotated[float, Option("Step length of Adam.")] = 1e-5
    batch_rows: Annotated[int, Option("Number of rows in a batch.", least=1)] = 32
    epochs: Annotated[int, Option("Number of passes over the rows.", least=1)] = 100
    hidden: Annotated[int, Option("Number of units in a hidden layer.", least=1)] = 512
    orthogonality: Annotated[float, Option("Weight of the orthogonality term.")] = 0.5
    gamma_loss: Annotated[float, Option("Weight of the loss of pairs of labels.")] = 0.5
    decay: Annotated[float, Option("Weight of the squared weights.")] = 0.001

    def __post_init__(self) -> None:
        check_options(self)

    def fit(self, E: Matrix, Y: scipy.sparse.csr_array, rng: np.random.Generator) -> Predictor:
        """Networks trained on E (n, e) and Y (n, q)."""
        deep.need_autograd("c2ae")
        low, high = observed_range(E)
        with one_blas_thread():
            first = self.drawn(E.shape[1], Y.shape[1], rng)
            networks, _ = self.train(first, deep.scaled(E, low, high), Y.toarray().astype(np.float32), rng)

        def predict(E: Matrix) -> Prediction:
            with one_blas_thread():
                return above_half(decode(networks, encode_features(networks, deep.scaled(E, low, high))).astype(np.float64))

        return predict

    def drawn(self, e: int, q: int, rng: np.random.Generator) -> Parameters:
        """The parameters before training, for e encoded features and q labels."""
        H, K = self.hidden, max(1, round(LATENT_SHARE * q))
        return deep.drawn([(e, H), (H, H), (H, K), (q, H), (H, K), (K, H), (H, q)], rng)

    def train(self, first: Parameters, x: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> tuple[Parameters, list[float]]:
        """The parameters after training on x (n, e) and y (n, q), and each epoch's loss: without the decay, its batches' sum."""
        starts = range(0, len(x), self.batch_rows)

        def batches() -> Iterator[tuple[np.ndarray, np.ndarray]]:
            for _ in range(self.epochs):
                order = rng.permutation(len(x))
                for start in starts:
                    rows = order[start : start + self.batch_rows]
                    yield x[rows], y[rows]

        steps = list(deep.adam(self.loss, first, batches(), self.learning_rate, self.decay))
        losses = np.reshape([value for value, _ in steps], (self.epochs, len(starts))).sum(axis=1)
        return steps[-1][1], losses.tolist()

    def loss(self, networks: Parameters, x: np.ndarray, y: np.ndarray) -> Any:
        """Of a batch, x (m, e) and y (m, q), without the decay."""
        of_features, of_labels = encode_features(networks, x), encode_labels(networks, y)
        apart = of_features - of_labels
        latent = (apart * apart).sum() + self.orthogonality * (deep.orthogonality(of_features) + deep.orthogonality(of_labels))
        return latent + self.gamma_loss * gamma(y, decode(networks, of_labels))


def encode_features(networks: Parameters, x: Any) -> Any:
    """Fx: (m, e) to (m, K)."""
    return _through(networks, (0, 1, 2), x) - 0.5


def encode_labels(networks: Parameters, y: Any) -> Any:
    """Fe: (m, q) to (m, K)."""
    return _through(networks, (3, 4), y) - 0.5


def decode(networks: Parameters, z: Any) -> Any:
    """Fd: (m, K) to (m, q), in (0, 1)."""
    return _through(networks, (5, 6), z)


def _through(networks: Parameters, layers: tuple[int, ...], x: Any) -> Any:
    for layer in layers[:-1]:
        x = deep.leaky(deep.linear(networks, layer, x), SLOPE)
    return deep.sigmoid(deep.linear(networks, layers[-1], x))


def gamma(y: np.ndarray, p: Any) -> Any:
    """Gamma of rows y (m, q) of 0 and 1 and decoded labels p (m, q): the sum over pairs is a product of two sums."""
    present, absent = y, 1 - y
    pairs = present.sum(axis=1) * absent.sum(axis=1)
    terms = (present * deep.exp(-SHARPNESS * p)).sum(axis=1) * (absent * deep.exp(SHARPNESS * p)).sum(axis=1)
    return (terms / (SHARPNESS * np.maximum(pairs, 1))).sum()  # without a pair the product is 0 too
