"""AEMLO: synthetic rows out of an autoencoder of features and labels (Zhou et al., 2024)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.checks import check_number, check_whole
from lsdmlo_cli.deep import column_range, load_torch, one_thread, scaled_tensor
from lsdmlo_cli.numeric.decoding import decode
from lsdmlo_cli.numeric.matrix import in_form, take
from lsdmlo_cli.numeric.synthesis import gather, with_ancestors
from lsdmlo_cli.progress import track
from lsdmlo_cli.samplers.base import (
    BATCH_ROWS,
    Batch,
    Ratio,
    Sample,
    check_choices,
    check_size,
    label_rows,
    nobody,
    unchanged,
    wanted_rows,
)
from lsdmlo_cli.samplers.cells import carried, of_kind

SLOPE = 0.01
LARGEST_LOG = 30.0
"""Of the exponentials in the label loss, so that they do not overflow."""


@dataclass(frozen=True)
class AEMLO:
    """Learns to carry features and labels to one latent space and back, and decodes rows that have a minority label.

    Networks: Fx d-H-H-z and Fy q-H-gate-z encode, Dx z-H'-d and Dy z-H'-q decode; leaky ReLU, the gate is h sigmoid(Wh + b). Loss
    of a batch of B rows, with features scaled to [0, 1]:

        latent   |zx - zy|^2 + orthogonality (|zx'zx - I|^2 + |zy'zy - I|^2)
        feature  mean |x^ - x| + sum_{i != j} (|x_i - x_j|^2 - |x^_i - x^_j|^2)^2 / (B (B - 1))
        label    sum_i 1 / (|Y+| |Y-| + 1e-4) sum_{a in Y+, b in Y-} exp(y^_b - y^_a), 0 for rows without either
        loss     (latent + feature_loss * feature + label_loss * label) / B

    x^ = Dx(Fx(x)), y^ = Dy(Fy(y)). The weights of the epoch with the least loss are kept. Rows with a minority label, in random
    order and again and again, are seeds: x_g = Dx(Fx(x_s)), y_g = Dy(Fx(x_s)) above 0, never a label that no row has. A row
    without any label is dropped, so that fewer than floor(p n) may be made.

    In the published code both factors of the loss are 1 whatever is asked for, and its generator cannot run. Assumed: a nominal
    attribute is encoded and decoded as in numeric/encoding.py and decoding.py, texts are the seed's, numbers stay within
    the range of the data, constant columns are kept. As the same seed always gives the same row, `latent_noise` adds normal
    noise of that deviation to the latent row; `redraw` goes on, for up to ten times as many rows, in place of dropped ones.

    p: new rows as a share of n; rows: their number, in place of p.

    Needs torch: the extra [deep]; the processor is enough, one thread is used. Errors: ParameterError for a value out of range,
    or without torch.
    """

    name: ClassVar[str] = "aemlo"
    summary: ClassVar[str] = "makes rows out of an autoencoder of features and labels"
    reference: ClassVar[str] = 'Zhou et al., "AEMLO: AutoEncoder-guided multi-label oversampling", ECML PKDD 2024'
    packages: ClassVar[tuple[str, ...]] = ("torch",)

    p: Ratio | None = 0.1
    latent: int = 500
    hidden: int = 200
    decoder_hidden: int = 100
    epochs: int = 200
    batch_rows: int = 128
    learning_rate: float = 1e-4
    orthogonality: float = 0.1
    feature_loss: float = 1.0
    label_loss: float = 1.0
    latent_noise: float = 0.0
    redraw: bool = False
    rows: int | None = None

    def __post_init__(self) -> None:
        check_choices(self)
        check_size(self)
        for name in ("latent", "hidden", "decoder_hidden", "epochs", "batch_rows"):
            check_whole(name, getattr(self, name), 1)
        for name in ("learning_rate", "orthogonality", "feature_loss", "label_loss", "latent_noise"):
            check_number(name, getattr(self, name))

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        """Synthetic rows for the data set of an Analysis. Errors: DataError below two rows or without a feature."""
        analysis.require_neighbors()
        torch = load_torch("aemlo")
        data = analysis.dataset
        requested = wanted_rows(self, data.n)
        if not analysis.minority.any():
            return unchanged(analysis, requested)
        seeds = rng.permutation(np.flatnonzero(data.Y @ analysis.minority.astype(np.float64)))
        reason = "rows to which the autoencoder gives no label are dropped" + "; try --redraw" * (not self.redraw)
        return Sample(self._batches(analysis, seeds, requested, torch, rng), requested, reason=reason if requested else "")

    def _batches(
        self, analysis: Analysis, seeds: np.ndarray, requested: int, torch: Any, rng: np.random.Generator
    ) -> Iterator[Batch]:
        if requested == 0:
            return
        low, high = column_range(analysis.E)
        with one_thread(torch):
            networks = self._learned(analysis, low, high, torch, rng)
        made, tried, most = 0, 0, 10 * requested if self.redraw else requested
        while made < requested and tried < most:
            size = min(BATCH_ROWS, requested - made, most - tried)
            mine = seeds[np.arange(tried, tried + size) % len(seeds)]
            with one_thread(torch):
                E, Y = self._decoded(scaled_tensor(take(analysis.E, mine), low, high, torch), networks, torch, rng)
            E, Y = low + E * (high - low), Y & (analysis.dataset.counts > 0)
            labelled = np.flatnonzero(Y.any(axis=1))
            tried += size
            made += len(labelled)
            if len(labelled):
                yield self._batch(analysis, E[labelled], Y[labelled], mine[labelled], low, high)

    def _batch(
        self, analysis: Analysis, E: np.ndarray, Y: np.ndarray, seeds: np.ndarray, low: np.ndarray, high: np.ndarray
    ) -> Batch:
        data, encoding = analysis.dataset, analysis.encoding
        X = decode(encoding, E, low, high)
        X = np.where(of_kind(data, "integer"), np.rint(X), X) + 0.0
        constant = np.zeros(data.d, dtype=bool)
        constant[encoding.attribute[low == high]] = True  # of a nominal attribute, one value that no row has
        kept = carried(data) | (constant & of_kind(data, "numeric", "integer"))
        cells = gather(data.X, seeds[:, np.newaxis], kept)
        X[:, kept] = 0.0
        X[cells.row, cells.column] = cells.values[:, 0]
        Y = with_ancestors(Y, data.parents)
        return Batch(in_form(X, isinstance(data.X, np.ndarray)), Y, seeds, nobody(len(seeds)), nobody(len(seeds)))

    def _learned(self, analysis: Analysis, low: np.ndarray, high: np.ndarray, torch: Any, rng: np.random.Generator) -> Networks:
        n = analysis.dataset.n
        networks = Networks(analysis.encoding.width, analysis.dataset.q, self, torch, rng)
        adam = torch.optim.Adam(networks.parameters, lr=self.learning_rate)
        least, best = np.inf, [parameter.detach().clone() for parameter in networks.parameters]
        for _ in track(analysis.progress, "autoencoder", range(self.epochs), self.epochs):
            total, order = 0.0, rng.permutation(n)
            for start in range(0, n, self.batch_rows):
                rows = np.sort(order[start : start + self.batch_rows])
                x = scaled_tensor(take(analysis.E, rows), low, high, torch)
                y = torch.tensor(label_rows(analysis.dataset, rows), dtype=torch.float32)
                adam.zero_grad()
                loss = self._loss(networks, x, y, torch)
                loss.backward()
                adam.step()
                total += float(loss.detach())
            if total < least:
                least, best = total, [parameter.detach().clone() for parameter in networks.parameters]
        networks.parameters[:] = best
        return networks

    def _loss(self, networks: Networks, x: Any, y: Any, torch: Any) -> Any:
        zx, zy = networks.encode_features(x), networks.encode_labels(y)
        unit = torch.eye(self.latent)
        latent = (zx - zy).square().sum()
        latent = latent + self.orthogonality * ((zx.T @ zx - unit).square().sum() + (zy.T @ zy - unit).square().sum())
        feature = feature_loss(x, networks.decode_features(zx), torch)
        label = label_loss(y, networks.decode_labels(zy), torch)
        return (latent + self.feature_loss * feature + self.label_loss * label) / len(x)

    def _decoded(self, x: Any, networks: Networks, torch: Any, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Scaled features (m, e) and labels (m, q) bool of the rows behind x."""
        with torch.no_grad():
            z = networks.encode_features(x)
            if self.latent_noise > 0:
                z = z + self.latent_noise * torch.tensor(rng.standard_normal(tuple(z.shape)), dtype=torch.float32)
            return networks.decode_features(z).double().numpy(), (networks.decode_labels(z) > 0).numpy()


class Networks:
    """The four networks: layers of weights and biases, drawn evenly from +-1 / sqrt(inputs)."""

    def __init__(self, e: int, q: int, sizes: AEMLO, torch: Any, rng: np.random.Generator) -> None:
        H, D, z = sizes.hidden, sizes.decoder_hidden, sizes.latent
        self.torch = torch
        self.parameters: list[Any] = []
        for inputs, outputs in [(e, H), (H, H), (H, z), (q, H), (H, H), (H, z), (z, D), (D, e), (z, D), (D, q)]:
            bound = 1 / np.sqrt(inputs)
            for shape in ((inputs, outputs), (outputs,)):
                drawn = rng.uniform(-bound, bound, shape)
                self.parameters.append(torch.tensor(drawn, dtype=torch.float32, requires_grad=True))

    def encode_features(self, x: Any) -> Any:
        for layer in (0, 1, 2):
            x = self._leaky(self._linear(layer, x))
        return x

    def encode_labels(self, y: Any) -> Any:
        h = self._leaky(self._linear(3, y))
        return self._linear(5, h * self.torch.sigmoid(self._linear(4, h)))

    def decode_features(self, z: Any) -> Any:
        return self._linear(7, self._leaky(self._linear(6, z)))

    def decode_labels(self, z: Any) -> Any:
        return self._linear(9, self._leaky(self._linear(8, z)))

    def _linear(self, layer: int, x: Any) -> Any:
        return x @ self.parameters[2 * layer] + self.parameters[2 * layer + 1]

    def _leaky(self, x: Any) -> Any:
        return self.torch.nn.functional.leaky_relu(x, SLOPE)


def feature_loss(x: Any, decoded: Any, torch: Any) -> Any:
    """Mean |x^ - x|, and how far the squared distances of pairs differ."""
    loss = (decoded - x).abs().mean()
    rows = len(x)
    if rows < 2:
        return loss
    apart = ~torch.eye(rows, dtype=torch.bool)
    return loss + ((_pair_distances(x) - _pair_distances(decoded))[apart]).square().sum() / (rows * (rows - 1))


def label_loss(y: Any, decoded: Any, torch: Any) -> Any:
    """Sum over rows of the mean of exp(y^_b - y^_a) over pairs of a label a that the row has and a label b that it has not."""
    has, size = y > 0, y.sum(dim=1)
    sizes = size * (y.shape[1] - size)
    mixed = sizes > 0
    has, decoded, sizes = has[mixed], decoded[mixed], sizes[mixed]
    below = torch.where(has, -decoded, torch.full_like(decoded, -torch.inf)).logsumexp(dim=1)
    above = torch.where(has, torch.full_like(decoded, -torch.inf), decoded).logsumexp(dim=1)
    return ((below + above).clamp(max=LARGEST_LOG).exp() / (sizes + 1e-4)).sum()


def _pair_distances(x: Any) -> Any:
    squares = x.square().sum(dim=1)
    return squares[:, None] + squares[None, :] - 2 * (x @ x.T)
