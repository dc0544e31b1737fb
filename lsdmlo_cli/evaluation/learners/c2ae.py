"""C2AE: an autoencoder of labels whose latent space is also reached from the features (Yeh et al., 2017).

    Fx e-H-H-K,  Fe q-H-K,  Fd K-H-q;  leaky ReLU between layers, sigmoid - 0.5 at the end of Fx and Fe, sigmoid at the end of Fd
    latent   |Fx(x) - Fe(y)|^2 + orthogonality (|Fx'Fx - I|^2 + |Fe'Fe - I|^2)
    Gamma    sum_i 1 / (S |Y+| |Y-|) sum_{a in Y+, b in Y-} exp(-S (p_a - p_b)),  p = Fd(Fe(y)), S = 5
    loss     latent + gamma_loss Gamma + decay |weights|^2,  sums over the rows of a batch, not means
    answer   scores Fd(Fx(x)), a label has more than 0.5
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from lsdmlo_cli.checks import check_number, check_whole
from lsdmlo_cli.deep import column_range, load_torch, one_thread, scaled_tensor
from lsdmlo_cli.evaluation.learners.base import Predictor, above_half
from lsdmlo_cli.evaluation.prediction import Prediction
from lsdmlo_cli.numeric.matrix import Matrix

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

    Needs torch: the extra [deep]; one thread of the processor is used. Errors: ParameterError for a value out of range, or
    without torch.
    """

    name: ClassVar[str] = "c2ae"
    summary: ClassVar[str] = "an autoencoder of labels that features are mapped into"
    reference: ClassVar[str] = "Yeh et al., 2017"
    packages: ClassVar[tuple[str, ...]] = ("torch",)

    learning_rate: float = 1e-5
    batch_rows: int = 32
    epochs: int = 100
    hidden: int = 512
    orthogonality: float = 0.5
    gamma_loss: float = 0.5
    decay: float = 0.001

    def __post_init__(self) -> None:
        for name in ("batch_rows", "epochs", "hidden"):
            check_whole(name, getattr(self, name), 1)
        for name in ("learning_rate", "orthogonality", "gamma_loss", "decay"):
            check_number(name, getattr(self, name))

    def fit(self, E: Matrix, Y: csr_array, rng: np.random.Generator) -> Predictor:
        """Networks trained on E (n, e) and Y (n, q)."""
        torch = load_torch("c2ae")
        low, high = column_range(E)
        networks = Networks(E.shape[1], Y.shape[1], self.hidden, torch, rng)
        x, y = scaled_tensor(E, low, high, torch), torch.from_numpy(Y.toarray().astype(np.float32))
        self.train(networks, x, y, rng)

        def predict(E: Matrix) -> Prediction:
            with one_thread(torch), torch.no_grad():
                rows = scaled_tensor(E, low, high, torch)
                return above_half(networks.decode(networks.encode_features(rows)).double().numpy())

        return predict

    def train(self, networks: Networks, x: Any, y: Any, rng: np.random.Generator) -> list[float]:
        """Train on tensors x (n, e) and y (n, q); the loss of each epoch without the decay, summed over its batches."""
        torch = networks.torch
        # Adam adds weight_decay * W to the gradient: that of decay |W|^2, in half the time of having it in the loss.
        matrices = {"params": networks.parameters[::2], "weight_decay": 2 * self.decay}
        adam = torch.optim.Adam([matrices, {"params": networks.parameters[1::2]}], lr=self.learning_rate)
        losses = []
        with one_thread(torch):
            for _ in range(self.epochs):
                losses.append(0.0)
                for rows in torch.from_numpy(rng.permutation(len(x))).split(self.batch_rows):
                    adam.zero_grad()
                    loss = self.loss(networks, x[rows], y[rows])
                    loss.backward()
                    adam.step()
                    losses[-1] += float(loss.detach())
        return losses

    def loss(self, networks: Networks, x: Any, y: Any) -> Any:
        """Of a batch, x (m, e) and y (m, q), without the decay."""
        of_features, of_labels = networks.encode_features(x), networks.encode_labels(y)
        unit = networks.torch.eye(of_features.shape[1], dtype=of_features.dtype)
        orthogonality = sum((F.T @ F - unit).square().sum() for F in (of_features, of_labels))
        latent = (of_features - of_labels).square().sum() + self.orthogonality * orthogonality
        return latent + self.gamma_loss * gamma(y, networks.decode(of_labels))


class Networks:
    """The three networks, as layers of weights and biases."""

    def __init__(self, e: int, q: int, hidden: int, torch: Any, rng: np.random.Generator) -> None:
        H, K = hidden, max(1, round(LATENT_SHARE * q))
        self.torch = torch
        self.parameters: list[Any] = []
        for inputs, outputs in [(e, H), (H, H), (H, K), (q, H), (H, K), (K, H), (H, q)]:
            bound = 1 / np.sqrt(inputs)
            for shape in ((inputs, outputs), (outputs,)):
                drawn = rng.uniform(-bound, bound, shape)
                self.parameters.append(torch.tensor(drawn, dtype=torch.float32, requires_grad=True))

    def encode_features(self, x: Any) -> Any:
        """Fx: (m, e) to (m, K)."""
        return self._through((0, 1, 2), x).sigmoid() - 0.5

    def encode_labels(self, y: Any) -> Any:
        """Fe: (m, q) to (m, K)."""
        return self._through((3, 4), y).sigmoid() - 0.5

    def decode(self, z: Any) -> Any:
        """Fd: (m, K) to (m, q), in (0, 1)."""
        return self._through((5, 6), z).sigmoid()

    def _through(self, layers: tuple[int, ...], x: Any) -> Any:
        for layer in layers:
            x = x @ self.parameters[2 * layer] + self.parameters[2 * layer + 1]
            if layer != layers[-1]:
                x = self.torch.nn.functional.leaky_relu(x, SLOPE)
        return x


def gamma(y: Any, p: Any) -> Any:
    """Gamma of rows y (m, q) of 0 and 1 and decoded labels p (m, q): the sum over pairs is a product of two sums."""
    present, absent = y, 1 - y
    pairs = present.sum(dim=1) * absent.sum(dim=1)
    terms = (present * (-SHARPNESS * p).exp()).sum(dim=1) * (absent * (SHARPNESS * p).exp()).sum(dim=1)
    return (terms / (SHARPNESS * pairs.clamp(min=1))).sum()  # without a pair the product is 0 too
