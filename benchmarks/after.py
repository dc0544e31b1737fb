"""LImb and LImb_LSD after resampling: merged with what was found before, against found anew under the same W."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from benchmarks import data
from lsdmlo_cli import Analysis, Settings
from lsdmlo_cli.analysis import LocalImbalance, after, before
from lsdmlo_cli.numeric.matrix import stacked
from lsdmlo_cli.samplers import LSDMLOSampler

SMALL = ("yeast", "scene", "Corel5k")
LARGE = ("tmc2007-500", "delicious")
WANTED = 3


def table(full: bool) -> str:
    """Seconds of both and their ratio, p = 0.1."""
    rows = [_compared(name, times=10) for name in SMALL]
    if full:
        rows += [_compared(name, times=1) for name in LARGE]
    return data.markdown(
        "LImb and LImb_LSD after resampling, p = 0.1",
        ["data set", "new rows", "merged s", "anew s", "times faster", "wanted", "met"],
        rows,
        f"Both with {data.THREADS} threads and the same W; both give the same figures for every label.",
    )


def anew(analysis: Analysis, E: np.ndarray | csr_array, Y: csr_array) -> LocalImbalance:
    """The figures of the data set with rows E, Y behind it, from nothing but the encoding and W."""
    labels = stacked([analysis.dataset.Y, Y])
    whole = Analysis(replace(analysis.dataset, Y=labels), analysis.settings, threads=analysis.threads)
    for name, known in (
        ("encoding", analysis.encoding),
        ("E", stacked([analysis.E, E])),
        ("feature_weights", analysis.feature_weights),
    ):
        setattr(whole, name, known)
    return before(whole)


def _compared(name: str, times: int) -> list[str]:
    analysis = Analysis(data.dataset(name), Settings(measures="all"), threads=data.THREADS)
    old = before(analysis)
    batches = list(LSDMLOSampler(p=0.1).sample(analysis, np.random.default_rng(0)).batches)
    new = [analysis.encode(batch.X) for batch in batches]
    E = stacked(new)
    Y = csr_array(np.concatenate([batch.Y for batch in batches]).astype(np.float64))

    def check(merged: LocalImbalance, searched: LocalImbalance) -> None:
        for one, other in ((merged.limb, searched.limb), (merged.limb_lsd, searched.limb_lsd)):
            np.testing.assert_array_equal(one, other, err_msg=f"{name}: the two ways differ")
        if np.array_equal(old.limb, merged.limb, equal_nan=True):
            raise AssertionError(f"{name}: the new rows changed nothing")

    fast, slow = data.best_of_each(times, lambda: after(analysis, E, Y), lambda: anew(analysis, E, Y), check=check)
    return [name, str(E.shape[0]), data.short(fast), data.short(slow), *data.verdict(slow / fast, WANTED)]
