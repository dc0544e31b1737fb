"""Networks and their training: formulas in plain double precision, and what holds of the bits."""

import subprocess
import sys

import numpy as np
import pytest

from lsdmlo_cli import deep
from lsdmlo_cli.numeric.encoding import observed_range

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("shape", [(5, 9), (9, 5), (1, 3), (3, 1)])
def test_orthogonality_by_the_smaller_product(shape):
    z = RNG.normal(size=shape)
    assert deep.orthogonality(z) == pytest.approx(np.square(z.T @ z - np.eye(shape[1])).sum())


def test_sums_of_exponentials_of_some_columns():
    x, where = RNG.normal(size=(4, 6)), RNG.random((4, 6)) < 0.5
    where[:, 0] = True
    expected = [np.log(sum(np.exp(x[i, j]) for j in np.flatnonzero(where[i]))) for i in range(4)]
    np.testing.assert_allclose(deep.log_sum_exp(x, where), expected, rtol=1e-12)
    np.testing.assert_allclose(deep.log_sum_exp(x + 1e4, where), np.add(expected, 1e4), rtol=1e-12)


def test_functions_of_one_number():
    x = np.array([-1e4, -2.0, 0.0, 3.0, 1e4])
    np.testing.assert_allclose(deep.leaky(x, 0.25), [-2500, -0.5, 0, 3, 1e4])
    np.testing.assert_allclose(deep.sigmoid(x), [0, 1 / (1 + np.exp(2)), 0.5, 1 / (1 + np.exp(-3)), 1], atol=1e-15)
    np.testing.assert_allclose(deep.exp(x[1:], 5.0), [np.exp(-2), 1, np.exp(3), np.exp(5)])


def test_first_parameters_are_even_within_their_bounds():
    W, b = deep.drawn([(400, 50)], np.random.default_rng(1))
    assert (W.shape, b.shape, W.dtype, b.dtype) == ((400, 50), (50,), np.float32, np.float32)
    bound = 1 / 20
    assert np.abs(W).max() <= bound and np.abs(b).max() <= bound
    assert np.histogram(W, 4, (-bound, bound))[0] == pytest.approx([5000] * 4, rel=0.05)


def papers_adam(gradient_of, values, batches, rate):
    """Algorithm 1 of Kingma and Ba (2015), in double precision."""
    m = v = np.zeros_like(values)
    for t, batch in enumerate(batches, 1):
        g = gradient_of(values, batch)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        values = values - rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return values


@pytest.mark.parametrize("decay", [0.0, 0.3])
def test_adam_is_that_of_its_paper(decay):
    """Least squares over batches; the gradients are written down, and the decay is a part of those of the weights."""
    X, Y = RNG.normal(size=(8, 6, 3)), RNG.normal(size=(8, 6, 2))
    W, b = deep.drawn([(3, 2)], np.random.default_rng(2))

    def gradient_of(values, batch):
        W, b = values[:6].reshape(3, 2), values[6:]
        apart = X[batch] @ W + b - Y[batch]
        return np.concatenate([(2 * X[batch].T @ apart + 2 * decay * W).ravel(), 2 * apart.sum(axis=0)])

    expected = papers_adam(gradient_of, np.concatenate([W.ravel(), b]).astype(float), range(8), 0.05)
    loss = lambda P, x, y: ((deep.linear(P, 0, x) - y) ** 2).sum()  # noqa: E731
    steps = list(deep.adam(loss, [W, b], zip(X, Y, strict=True), 0.05, decay))
    assert steps[0][0] == pytest.approx(np.square(X[0] @ W + b - Y[0]).sum(), rel=1e-5)
    found_W, found_b = steps[-1][1]
    np.testing.assert_allclose(np.concatenate([found_W.ravel(), found_b]), expected, atol=1e-5)
    assert not np.array_equal(found_W, W)  # the first parameters stay as they were
    assert found_W.dtype == found_b.dtype == np.float32


def test_scaled_columns_and_constant_ones():
    E = np.array([[1.0, 5.0, 0.0], [3.0, 5.0, 4.0], [2.0, 5.0, 1.0]])
    rows = deep.scaled(E, *observed_range(E))
    assert rows.dtype == np.float32
    assert rows.tolist() == [[0, 0, 0], [1, 0, 1], [0.5, 0, 0.25]]


def test_the_package_loads_autograd_only_where_it_is_needed():
    code = "import sys, lsdmlo_cli, lsdmlo_cli.deep, lsdmlo_cli.samplers; print('autograd' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
