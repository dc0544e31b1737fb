"""Networks of leaky layers, and Adam, which trains them: numpy in float32, differentiated by autograd, an optional package.

autograd is loaded when it is asked for. What it differentiates may use the operators and methods of arrays, and what is below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from lsdmlo_cli.extras import optional
from lsdmlo_cli.numeric.matrix import Matrix, in_form

Parameters = list[np.ndarray]
"""Of each layer its weights (inputs, outputs) and its biases (outputs,), float32."""
Loss = Callable[..., Any]
"""Of parameters and the arrays of a batch."""

MEAN, SQUARE = 0.9, 0.999
"""Adam's decay of the running mean of gradients, and of that of their squares."""
TINY = 1e-8
"""Adam's epsilon; all three as Kingma and Ba (2015) give them."""


def need_autograd(what: str) -> None:
    """Load autograd. Errors: ParameterError, which says what needs it and how to install it."""
    optional("autograd", f"{what} needs autograd", "deep")


def scaled(rows: Matrix, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Rows (m, e) in float32, each column's range as [0, 1]; a constant column is 0."""
    span = np.where(high > low, high - low, 1.0)
    return ((in_form(rows, True) - low) / span).astype(np.float32)


def drawn(sizes: Sequence[tuple[int, int]], rng: np.random.Generator) -> Parameters:
    """First parameters of layers of (inputs, outputs): even in +-1 / sqrt(inputs).

    >>> [parameter.shape for parameter in drawn([(3, 2), (2, 1)], np.random.default_rng(0))]
    [(3, 2), (2,), (2, 1), (1,)]
    """
    shapes = [(inputs, shape) for inputs, outputs in sizes for shape in ((inputs, outputs), (outputs,))]
    return [rng.uniform(-1 / np.sqrt(inputs), 1 / np.sqrt(inputs), shape).astype(np.float32) for inputs, shape in shapes]


def linear(parameters: Parameters, layer: int, x: Any) -> Any:
    """Rows x (m, inputs) behind a layer, (m, outputs)."""
    return x @ parameters[2 * layer] + parameters[2 * layer + 1]


def leaky(x: Any, slope: float) -> Any:
    """The leaky ReLU: x above 0, slope x below."""
    return x * _numpy().where(x > 0, np.float32(1), np.float32(slope))


def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x)), without overflow."""
    return 0.5 * _numpy().tanh(0.5 * x) + 0.5


def exp(x: Any, largest: float = np.inf) -> Any:
    """exp(x), of `largest` where x is above it."""
    return _numpy().exp(x if largest == np.inf else _numpy().minimum(x, np.float32(largest)))


def log_sum_exp(x: Any, where: np.ndarray) -> Any:
    """Of each row of x (m, q) the logarithm of the sum of exp(x) over the columns where `where` (m, q) is true, one at least."""
    among = _numpy().where(where, x, np.float32(-np.inf))
    largest = among.max(axis=1, keepdims=True)
    return largest[:, 0] + _numpy().log(_numpy().exp(among - largest).sum(axis=1))


def orthogonality(z: Any) -> Any:
    """|z'z - I|^2 of z (m, k), by the smaller of z'z and zz': |zz'|^2 = |z'z|^2, and both have the trace |z|^2."""
    rows, columns = z.shape
    product = z @ z.T if rows < columns else z.T @ z
    return (product * product).sum() - 2 * (z * z).sum() + columns


def adam(
    loss: Loss, first: Parameters, batches: Iterable[tuple[np.ndarray, ...]], rate: float, decay: float = 0.0
) -> Iterator[tuple[float, Parameters]]:
    """Minimise loss(parameters, *batch) by Adam (Kingma and Ba, 2015), a step for each batch.

    Yields the loss before a step and the parameters after it, arrays that the next step writes to. `decay` stands for a further
    decay |W|^2 of the weights, not the biases, in what is minimised; it is not in the loss that is yielded. The bits depend on
    how BLAS sums: limit it to one thread.
    """
    parameters = [parameter.copy() for parameter in first]
    means, squares = ([np.zeros_like(parameter) for parameter in first] for _ in range(2))
    with_gradient = import_module("autograd").value_and_grad(loss)
    for step, batch in enumerate(batches, 1):
        value, gradients = with_gradient(parameters, *batch)
        for parameter, gradient, mean, square in zip(parameters, gradients, means, squares, strict=True):
            pull = 2 * decay * parameter if parameter.ndim == 2 and decay > 0 else 0.0
            _descend(parameter, gradient + pull, mean, square, step, rate)
        yield float(value), parameters


def _descend(parameter: np.ndarray, gradient: np.ndarray, mean: np.ndarray, square: np.ndarray, step: int, rate: float) -> None:
    """Write one step of Adam into the parameter and its running means."""
    mean *= MEAN
    mean += (1 - MEAN) * gradient
    square *= SQUARE
    square += (1 - SQUARE) * np.square(gradient)
    root = np.sqrt(square)
    root *= 1 / np.sqrt(1 - SQUARE**step)
    root += TINY
    parameter -= rate / (1 - MEAN**step) * mean / root


def _numpy() -> Any:
    """autograd's: on plain arrays it is numpy's."""
    return import_module("autograd.numpy")
