"""scikit-learn's own checks of estimators: those that make sense for a resampler are passed, the others are known.

The checks call fit, which learns nothing here, so that fit makes the rows in the estimators that are checked.
"""

from typing import Any

import pytest
from estimator_checks import UNFIT
from hooks import expanded

from lsdmlo_cli import ESTIMATORS
from lsdmlo_cli.estimators import Estimator

pytest.importorskip("sklearn", minversion="1.6")

from sklearn.utils.estimator_checks import estimator_checks_generator

SMALL = {"aemlo": {"epochs": 1, "latent": 2, "hidden": 2, "decoder_hidden": 2}}
WITHOUT_NEIGHBOURS = {"mlros", "mlrus", "remedial", "lpros", "lprus"}


def resampling(method: str) -> Estimator:
    """An estimator whose fit is fit_resample."""

    def fit(self: Any, X: Any, y: Any) -> Any:
        self.fit_resample(X, y)
        return self

    of = ESTIMATORS[method]
    globals()[of.__name__] = type(of.__name__, (of,), {"fit": fit, "__module__": __name__})  # where pickle looks for it
    return globals()[of.__name__](**SMALL.get(method, {}))


def checks(method: str) -> dict[str, Any]:
    """The checks that scikit-learn has for an estimator, by name and how often the name was there before."""
    found: dict[str, Any] = {}
    for estimator, check in estimator_checks_generator(resampling(method)):
        again = sum(name.partition(" ")[0] == check.func.__name__ for name in found)
        found[f"{check.func.__name__} {again or ''}".strip()] = lambda estimator=estimator, check=check: check(estimator)
    return found


CHECKS = {(method, name): check for method in ESTIMATORS for name, check in checks(method).items()}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("method", "name"), [(method, name) for method, name in CHECKS if name not in UNFIT])
def test_a_check_is_passed(method: str, name: str) -> None:
    CHECKS[method, name]()


def passes(method: str, name: str) -> bool:
    try:
        CHECKS[method, name]()
    except Exception:
        return False
    return True


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", UNFIT)
def test_a_check_that_is_listed_as_unfit_is(name: str) -> None:
    passing = {"check_fit2d_1sample": WITHOUT_NEIGHBOURS}
    assert {method for method in ESTIMATORS if passes(method, name)} == passing.get(name, set())


def test_the_page_lists_them() -> None:
    page = expanded("<!-- unfit checks -->")
    assert page.splitlines()[2:] == [f"| `{name}` | {why} |" for name, why in UNFIT.items()]
