"""AEMLO: synthetic rows out of an autoencoder of features and labels (Zhou et al., 2024)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any, ClassVar

import numpy as np

from lsdmlo_cli import deep
from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.deep import Parameters
from lsdmlo_cli.numeric.decoding import decode
from lsdmlo_cli.numeric.encoding import observed_range
from lsdmlo_cli.numeric.matrix import in_form, take
from lsdmlo_cli.numeric.synthesis import gather, with_ancestors
from lsdmlo_cli.numeric.threads import one_blas_thread
from lsdmlo_cli.parameters import ROWS, Option, P, Ratio
from lsdmlo_cli.progress import track
from lsdmlo_cli.samplers.base import (
    BATCH_ROWS,
    Batch,
    Sample,
    Sampler,
    label_rows,
    nobody,
    unchanged,
    wanted_rows,
)
from lsdmlo_cli.samplers.cells import carried, of_kind
from lsdmlo_cli.samplers.publication import Publication

SLOPE = 0.01
LARGEST_LOG = 30.0
"""Of the exponentials in the label loss, so that they do not overflow."""


@dataclass(frozen=True)
class AEMLOSampler(Sampler):
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

    Needs autograd: the extra [deep]. One thread is used, so that threads change no bit. Errors: ParameterError for a value out
    of range, or without autograd.
    """

    name: ClassVar[str] = "aemlo"
    summary: ClassVar[str] = "makes rows out of an autoencoder of features and labels"
    publication: ClassVar[Publication] = Publication(
        authors=("Ao Zhou", "Bin Liu", "Jin Wang", "Kaiwei Sun", "Kelin Liu"),
        title="AEMLO: AutoEncoder-guided multi-label oversampling",
        venue="ECML PKDD",
        year=2024,
        doi="10.1007/978-3-031-70341-6_7",
        kind="inproceedings",
    )
    packages: ClassVar[tuple[str, ...]] = ("autograd",)

    p: Annotated[Ratio | None, P] = 0.1
    latent: Annotated[int, Option("Size of the latent space.", least=1)] = 500
    hidden: Annotated[int, Option("Size of the encoders' hidden layers.", least=1)] = 200
    decoder_hidden: Annotated[int, Option("Size of the decoders' hidden layers.", least=1)] = 100
    epochs: Annotated[int, Option("Passes over the data.", least=1)] = 200
    batch_rows: Annotated[int, Option("Number of rows per training step.", least=1)] = 128
    learning_rate: Annotated[float, Option("Learning rate of the optimiser.")] = 1e-4
    orthogonality: Annotated[float, Option("Weight of the orthogonality of the latent space.")] = 0.1
    feature_loss: Annotated[float, Option("Weight of the features' loss.")] = 1.0
    label_loss: Annotated[float, Option("Weight of the labels' loss.")] = 1.0
    latent_noise: Annotated[float, Option("Standard deviation of the noise added to a latent row.")] = 0.0
    redraw: Annotated[bool, Option("Replace generated rows that got no label by new draws.")] = False
    rows: Annotated[int | None, ROWS] = None

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        """Synthetic rows for the data set of an Analysis. Errors: DataError below two rows or without a feature."""
        analysis.require_neighbors()
        deep.need_autograd("aemlo")
        data = analysis.dataset
        requested = wanted_rows(self, data.n)
        if not analysis.minority.any():
            return unchanged(analysis, requested)
        seeds = rng.permutation(np.flatnonzero(data.Y @ analysis.minority.astype(np.float64)))
        reason = "rows to which the autoencoder gives no label are dropped" + "; try --redraw" * (not self.redraw)
        return Sample(self._batches(analysis, seeds, requested, rng), requested, reason=reason if requested else "")

    def _batches(self, analysis: Analysis, seeds: np.ndarray, requested: int, rng: np.random.Generator) -> Iterator[Batch]:
        if requested == 0:
            return
        low, high = observed_range(analysis.E)
        with one_blas_thread():
            networks = self._learned(analysis, low, high, rng)
        made, tried, most = 0, 0, 10 * requested if self.redraw else requested
        while made < requested and tried < most:
            size = min(BATCH_ROWS, requested - made, most - tried)
            mine = seeds[np.arange(tried, tried + size) % len(seeds)]
            with one_blas_thread():
                E, Y = self._decoded(deep.scaled(take(analysis.E, mine), low, high), networks, rng)
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

    def _learned(self, analysis: Analysis, low: np.ndarray, high: np.ndarray, rng: np.random.Generator) -> Parameters:
        """The parameters of the networks after the epoch with the least loss."""
        n, data = analysis.dataset.n, analysis.dataset

        def batches() -> Iterator[tuple[np.ndarray, np.ndarray]]:
            for _ in range(self.epochs):
                order = rng.permutation(n)
                for start in range(0, n, self.batch_rows):
                    rows = np.sort(order[start : start + self.batch_rows])
                    yield deep.scaled(take(analysis.E, rows), low, high), label_rows(data, rows).astype(np.float32)

        steps = deep.adam(self.loss, self.drawn(analysis.encoding.width, data.q, rng), batches(), self.learning_rate)
        least, best = np.inf, list[np.ndarray]()
        for _ in track(analysis.progress, "autoencoder", range(self.epochs), self.epochs):
            epoch = list(islice(steps, -(-n // self.batch_rows)))
            total = sum(value for value, _ in epoch)
            if total < least or not best:
                least, best = total, [parameter.copy() for parameter in epoch[-1][1]]
        return best

    def drawn(self, e: int, q: int, rng: np.random.Generator) -> Parameters:
        """The parameters before training, for e encoded features and q labels."""
        H, D, z = self.hidden, self.decoder_hidden, self.latent
        return deep.drawn([(e, H), (H, H), (H, z), (q, H), (H, H), (H, z), (z, D), (D, e), (z, D), (D, q)], rng)

    def loss(self, networks: Parameters, x: np.ndarray, y: np.ndarray) -> Any:
        """Of a batch, scaled features x (m, e) and labels y (m, q) of 0 and 1."""
        zx, zy = encode_features(networks, x), encode_labels(networks, y)
        apart = zx - zy
        latent = (apart * apart).sum() + self.orthogonality * (deep.orthogonality(zx) + deep.orthogonality(zy))
        feature = feature_loss(x, decode_features(networks, zx))
        label = label_loss(y, decode_labels(networks, zy))
        return (latent + self.feature_loss * feature + self.label_loss * label) / len(x)

    def _decoded(self, x: np.ndarray, networks: Parameters, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Scaled features (m, e) and labels (m, q) bool of the rows behind x."""
        z = encode_features(networks, x)
        if self.latent_noise > 0:
            z = z + (self.latent_noise * rng.standard_normal(z.shape)).astype(np.float32)
        return decode_features(networks, z).astype(np.float64), decode_labels(networks, z) > 0


def encode_features(networks: Parameters, x: Any) -> Any:
    """Fx: (m, e) to (m, z)."""
    for layer in (0, 1, 2):
        x = deep.leaky(deep.linear(networks, layer, x), SLOPE)
    return x


def encode_labels(networks: Parameters, y: Any) -> Any:
    """Fy: (m, q) to (m, z)."""
    h = deep.leaky(deep.linear(networks, 3, y), SLOPE)
    return deep.linear(networks, 5, h * deep.sigmoid(deep.linear(networks, 4, h)))


def decode_features(networks: Parameters, z: Any) -> Any:
    """Dx: (m, z) to (m, e)."""
    return deep.linear(networks, 7, deep.leaky(deep.linear(networks, 6, z), SLOPE))


def decode_labels(networks: Parameters, z: Any) -> Any:
    """Dy: (m, z) to (m, q)."""
    return deep.linear(networks, 9, deep.leaky(deep.linear(networks, 8, z), SLOPE))


def feature_loss(x: np.ndarray, decoded: Any) -> Any:
    """Mean |x^ - x|, and how far the squared distances of pairs differ."""
    loss = abs(decoded - x).mean()
    rows = len(x)
    if rows < 2:
        return loss
    differ = (_pair_distances(x) - _pair_distances(decoded)) * (1 - np.eye(rows, dtype=x.dtype))
    return loss + (differ * differ).sum() / (rows * (rows - 1))


def label_loss(y: np.ndarray, decoded: Any) -> Any:
    """Sum over rows of the mean of exp(y^_b - y^_a) over pairs of a label a that the row has and a label b that it has not."""
    has, size = y > 0, y.sum(axis=1)
    pairs = size * (y.shape[1] - size)
    mixed = pairs > 0
    has, decoded = has[mixed], decoded[mixed]
    logarithm = deep.log_sum_exp(-decoded, has) + deep.log_sum_exp(decoded, ~has)
    return (deep.exp(logarithm, LARGEST_LOG) / (pairs[mixed] + 1e-4)).sum()


def _pair_distances(x: Any) -> Any:
    squares = (x * x).sum(axis=1)
    return squares[:, np.newaxis] + squares[np.newaxis, :] - 2 * (x @ x.T)
