"""The gap of weights whose labels are made feasible one by one, against dense matrices and the minimum."""

from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from weighting import fit, label_metric, objective, text, whole_after

from lsdmlo_cli.numeric.weights import certificate
from lsdmlo_cli.numeric.weights import certificate_by_label as by_label

LAMBDA1 = 0.1


def corrected(whole, slack):
    """The Y of the correction that begins at 0."""
    of_W = whole.work.B - whole.WGM
    return by_label.corrected_by_label(whole.work, of_W, whole.bound, np.zeros_like(of_W), of_W, slack)


def rated(whole, Y):
    """F and the gap, and the dual point."""
    dual = certificate.residual_of(whole.work, whole.work.B - whole.WGM, Y)
    excess = by_label.excess_of_bound(dual.negative_gradient, whole.bound)
    return by_label.objective_and_gap_by_label(whole.problem, whole.work, whole.W, whole.WGM, dual, excess), dual


def dense_gap(E, Y, W, W_and_Z, lambda2):
    """F(W) less the dual value of the residual of W_and_Z, each column of R C' shrunk by itself; and the shares d."""
    C = np.linalg.cholesky(label_metric(Y, lambda2))
    T = Y @ np.linalg.inv(C).T
    P = (T - E @ W_and_Z @ C) @ C.T
    d = 1 / np.maximum(1, np.abs(E.T @ P).max(axis=0) / LAMBDA1)
    bound = 0.5 * np.vdot(Y, Y) - 0.5 * np.sum((T - P * d @ np.linalg.inv(C).T) ** 2)
    F = objective(E, Y, W, LAMBDA1, lambda2)
    return (F - bound) / F, d


@cache
def minimum(lambda2):
    """The least that F of the made text can be, but for a billionth of it."""
    return fit(*text(), lambda1=LAMBDA1, lambda2=lambda2, tol=1e-9).objective


@pytest.mark.parametrize("lambda2", [0.25, 1.0, 16.0])
@pytest.mark.parametrize("steps", [40, 120])
def test_the_gap_is_that_of_dense_matrices(steps, lambda2):
    E, Y = text()
    whole, found = whole_after(E, Y, steps, LAMBDA1, lambda2)
    (F, gap), dual = rated(whole, np.zeros_like(whole.W))
    W = found.W.toarray()
    expected, d = dense_gap(E.toarray(), Y, W, W, lambda2)
    assert len(set(d)) > 1
    assert pytest.approx(objective(E.toarray(), Y, W, LAMBDA1, lambda2), rel=1e-12) == F
    assert gap == pytest.approx(expected, rel=1e-7)
    assert gap < certificate.objective_and_gap(whole.problem, whole.work, whole.W, whole.WGM, dual)[1]
    assert gap >= 1 - minimum(lambda2) / F


def test_the_gap_of_another_residual_is_that_of_dense_matrices():
    E, Y = text()
    whole, found = whole_after(E, Y, 60, LAMBDA1)
    near = fit(E, Y, lambda1=LAMBDA1, tol=1e-12, max_iter=90).W.toarray()
    m, g, columns = whole.work.M.m, whole.work.g, whole.problem.columns
    Z = (near - found.W.toarray())[columns].T * g * m[:, None]
    (_, gap), dual = rated(whole, whole.work.M @ Z)
    np.testing.assert_allclose(dual.Z, Z, atol=1e-9)
    assert gap == pytest.approx(dense_gap(E.toarray(), Y, found.W.toarray(), near, 1.0)[0], rel=1e-6)


@pytest.mark.parametrize("steps", [60, 120])
def test_a_correction_brings_each_label_within_the_slack_and_the_gap_down(steps):
    whole, _ = whole_after(*text(), steps, LAMBDA1)
    Y = np.zeros_like(whole.W)
    (_, first), _ = rated(whole, Y)
    slack = np.sort(by_label.excess_of_bound(whole.work.B - whole.WGM, whole.bound))[1]
    found = corrected(whole, slack)
    (_, gap), dual = rated(whole, found)
    assert found.any(axis=1).sum() == len(Y) - 2  # two are within it as they are
    assert (by_label.excess_of_bound(dual.negative_gradient, whole.bound) <= slack).all()
    assert gap < first


def test_a_label_that_no_correction_helps_stays_as_it_is(monkeypatch):
    whole, _ = whole_after(*text(), 60, LAMBDA1)
    monkeypatch.setattr(certificate, "LARGEST_CORRECTION", 0)
    assert not corrected(whole, 1e-6).any()


def test_nearly_equal_columns_are_corrected():
    E, Y = text(e=200)
    double = E[:, :1] * 1.0
    double.data[0] += 1e-3
    E = sp.csr_array(sp.hstack([E, double]))
    whole, _ = whole_after(E, Y, 60, LAMBDA1)
    Y = corrected(whole, 1e-4)
    (_, gap), dual = rated(whole, Y)
    assert (by_label.excess_of_bound(dual.negative_gradient, whole.bound) <= 1e-4).all()
    assert gap < rated(whole, np.zeros_like(Y))[0][1] / 2
