# Made by `make stub` from the fields of the samplers; a change by hand is lost.

from collections.abc import Iterable
from typing import Any, Literal

from numpy.random import Generator, RandomState

from lsdmlo_cli.analysis import Analysis as Analysis
from lsdmlo_cli.analysis import Settings as Settings
from lsdmlo_cli.data import Attribute as Attribute
from lsdmlo_cli.data import Dataset as Dataset
from lsdmlo_cli.dataset_measures import MEASURES as MEASURES
from lsdmlo_cli.errors import DataError as DataError
from lsdmlo_cli.errors import FileError as FileError
from lsdmlo_cli.errors import FormatError as FormatError
from lsdmlo_cli.errors import LsdmloError as LsdmloError
from lsdmlo_cli.errors import ParameterError as ParameterError
from lsdmlo_cli.estimators import ESTIMATORS as ESTIMATORS
from lsdmlo_cli.estimators import Estimator as Estimator
from lsdmlo_cli.evaluation.learners.by_path import br as br
from lsdmlo_cli.evaluation.learners.by_path import cc as cc
from lsdmlo_cli.exchange import from_arff as from_arff
from lsdmlo_cli.exchange import from_skmultilearn as from_skmultilearn
from lsdmlo_cli.exchange import to_arff as to_arff
from lsdmlo_cli.functions.evaluation import evaluate as evaluate
from lsdmlo_cli.functions.feature_weights import weights as weights
from lsdmlo_cli.functions.imbalance import stats as stats
from lsdmlo_cli.functions.recommendation import recommend as recommend
from lsdmlo_cli.parameters import Ratio as Ratio
from lsdmlo_cli.pipeline import analyse as analyse
from lsdmlo_cli.pipeline import resample as resample
from lsdmlo_cli.samplers import SAMPLERS as SAMPLERS
from lsdmlo_cli.schema import report_schema as report_schema

__version__: str

def read(path: str, labels: str | None = None, ignore: Iterable[str | int] | None = None) -> Dataset: ...

class LSDMLO(Estimator):
    """Oversamples minority labels around rows that lie near their boundaries, with one distance per label.

    Steps: feature weights W (Eq. 2), label-specific distances (Eq. 4, 5), instance weights u (Eq. 6 to 10), floor(p n)
    synthetic rows (Eq. 11, 12). Where the paper is open or slips, this is what is done:

    - the soft threshold is lambda1 / L with w + eps below -eps (the appendix prints lambda2 and w - eps), the step is
      the exact Lipschitz constant or smaller (the printed one is no upper bound), and the weights are certified by a
      duality gap;
    - MeanIR and LImb are means over the labels that have a positive;
    - alpha is drawn for each attribute (`interpolation="attribute"`), as otherwise no label's distance could differ
      from the Euclidean;
    - an outlier (every neighbour lacks the label) has no local imbalance weight but keeps its label correlation weight,
      as the equations say; `outliers="drop"` follows the text;
    - ties go to the lower row, to the seed, to the value declared first, to the label pair that comes first;
    - under nested labels a label that is set sets its ancestors.

    Three choices go beyond the paper, whose own are the defaults; `lsdmlo-pos` takes all three. Why, and what they are worth, is
    on the documentation's page about choosing a method:

    - reference: "positives" chooses the reference among the min(k, n_j - 1) nearest rows that have the label as well; a label
      with one positive has it cloned;
    - seeds: "root" shares the rows over the minority labels in proportion to sqrt(n_j), by largest remainder, and takes the
      positives of a label in random order, each equally often. It uses no u, so tr and outliers are refused;
    - assign: "union" sets the labels of either parent, "vote" the label itself and those that more than half of the seed and
      its neighbours have.

    p: new rows as a share of n; rows: their number, in place of p. tr: the share of correlated label pairs that is kept.
    Errors: ParameterError for a value out of range.
    k, lambda1, lambda2, scale, tol, max_iter, max_seconds: as in Settings. categorical_features: the columns of X that are
    nominal though they hold numbers: indices, names (of a frame), or a mask, a truth value for each column. Truth values, text
    and categories are nominal anyhow. Other whole-number types stay whole.
    ignore: columns of X, named in the same ways, that stay out of every distance; a new row has its seed's value (an id, say).
    random_state: the seed, a whole number; None is 0, so that every run gives the same rows. Of a Generator or RandomState of
    numpy a seed is drawn at each call.
    n_jobs: threads, which change no result; None is 1, -1 as many as there are cores for this process.
    verbose: 1 tells progress on standard error, a bar on a terminal and elsewhere a line every half a minute; 0 nothing.

    After fit_resample: sample_indices_, the rows of X that stay, which come first in what is returned; provenance_, the parents
    of the new rows, which follow; extras_, the further arrays that were given, of the rows that stay and of the new rows' seeds.
    After fit as well: n_features_in_, and feature_names_in_ where the columns of X have names.
    """

    def __init__(
        self,
        *,
        p: Ratio | None = 0.1,
        tr: Ratio = 0.1,
        interpolation: Literal["attribute", "instance"] = "attribute",
        outliers: Literal["keep", "drop"] = "keep",
        reference: Literal["neighbors", "positives"] = "neighbors",
        seeds: Literal["u", "root"] = "u",
        assign: Literal["nearer", "vote", "union"] = "nearer",
        rows: int | None = None,
        k: int | None = None,
        lambda1: float = 1.0,
        lambda2: float = 1.0,
        scale: Literal["none", "range", "std"] = "none",
        tol: float = 0.0001,
        max_iter: int = 100000,
        max_seconds: float | None = None,
        categorical_features: Iterable[Any] | None = None,
        ignore: Iterable[Any] | None = None,
        random_state: int | Generator | RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class LSDMLOPos(Estimator):
    """LSDMLO with three of its choices changed: references that have the label, seeds from every minority label, labels by union.

    In the paper's method most references lack the label that a row is made for, and a label whose positives are all outliers may
    get no seed. Here floor(p n) rows are shared over the minority labels in proportion to sqrt(n_j); the seeds of a label are its
    positives in random order, each equally often; the reference is one of the k nearest other positives by the label's distance;
    the new row has the labels of both parents. Everything else is as in `lsdmlo`, whose options hold here.

    p: new rows as a share of n; rows: their number, in place of p. Errors: ParameterError for a value out of range.
    k, lambda1, lambda2, scale, tol, max_iter, max_seconds: as in Settings. categorical_features: the columns of X that are
    nominal though they hold numbers: indices, names (of a frame), or a mask, a truth value for each column. Truth values, text
    and categories are nominal anyhow. Other whole-number types stay whole.
    ignore: columns of X, named in the same ways, that stay out of every distance; a new row has its seed's value (an id, say).
    random_state: the seed, a whole number; None is 0, so that every run gives the same rows. Of a Generator or RandomState of
    numpy a seed is drawn at each call.
    n_jobs: threads, which change no result; None is 1, -1 as many as there are cores for this process.
    verbose: 1 tells progress on standard error, a bar on a terminal and elsewhere a line every half a minute; 0 nothing.

    After fit_resample: sample_indices_, the rows of X that stay, which come first in what is returned; provenance_, the parents
    of the new rows, which follow; extras_, the further arrays that were given, of the rows that stay and of the new rows' seeds.
    After fit as well: n_features_in_, and feature_names_in_ where the columns of X have names.
    """

    def __init__(
        self,
        *,
        p: Ratio | None = 0.3,
        tr: Ratio = 0.1,
        interpolation: Literal["attribute", "instance"] = "attribute",
        outliers: Literal["keep", "drop"] = "keep",
        reference: Literal["neighbors", "positives"] = "positives",
        seeds: Literal["u", "root"] = "root",
        assign: Literal["nearer", "vote", "union"] = "union",
        rows: int | None = None,
        k: int | None = None,
        lambda1: float = 1.0,
        lambda2: float = 1.0,
        scale: Literal["none", "range", "std"] = "none",
        tol: float = 0.0001,
        max_iter: int = 100000,
        max_seconds: float | None = None,
        categorical_features: Iterable[Any] | None = None,
        ignore: Iterable[Any] | None = None,
        random_state: int | Generator | RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class MLROS(Estimator):
    """Clones random rows of minority labels, the labels in turn, up to floor(p n) clones.

    c_j starts as n_j. A label j in turn with n_max / c_j <= MeanIR leaves for good; for any other a row of the original
    positives of j is drawn, with replacement, and c_h grows by 1 for every label h of the row. Fewer than floor(p n)
    rows are made where no label is left.

    Where sources conflict Mulan is followed: MeanIR and n_max are those of the start, and a label that left stays away
    (mldr.resampling clones whole rounds, beyond p, and never stops a label). `refresh_max`: n_max follows the counts.

    p: clones as a share of n; rows: their number, in place of p. Errors: ParameterError for a value out of range.
    k, lambda1, lambda2, scale, tol, max_iter, max_seconds: as in Settings. categorical_features: the columns of X that are
    nominal though they hold numbers: indices, names (of a frame), or a mask, a truth value for each column. Truth values, text
    and categories are nominal anyhow. Other whole-number types stay whole.
    ignore: columns of X, named in the same ways, that stay out of every distance; a new row has its seed's value (an id, say).
    random_state: the seed, a whole number; None is 0, so that every run gives the same rows. Of a Generator or RandomState of
    numpy a seed is drawn at each call.
    n_jobs: threads, which change no result; None is 1, -1 as many as there are cores for this process.
    verbose: 1 tells progress on standard error, a bar on a terminal and elsewhere a line every half a minute; 0 nothing.

    After fit_resample: sample_indices_, the rows of X that stay, which come first in what is returned; provenance_, the parents
    of the new rows, which follow; extras_, the further arrays that were given, of the rows that stay and of the new rows' seeds.
    After fit as well: n_features_in_, and feature_names_in_ where the columns of X have names.
    """

    def __init__(
        self,
        *,
        p: Ratio | None = 0.1,
        refresh_max: bool = False,
        rows: int | None = None,
        k: int | None = None,
        lambda1: float = 1.0,
        lambda2: float = 1.0,
        scale: Literal["none", "range", "std"] = "none",
        tol: float = 0.0001,
        max_iter: int = 100000,
        max_seconds: float | None = None,
        categorical_features: Iterable[Any] | None = None,
        ignore: Iterable[Any] | None = None,
        random_state: int | Generator | RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class MLRUS(Estimator):
    """Removes random rows of majority labels (IRLbl < MeanIR), the labels in turn, up to floor(p n) rows.

    c_j starts as n_j. A label j in turn with n_max / c_j >= MeanIR leaves for good, as does one without a row left;
    for any other a random row of j is removed, and c_h falls by 1 for every label h of the row. The last row of a label
    is never removed. Fewer than floor(p n) rows are removed where no label is left.

    As in Mulan, MeanIR and n_max are those of the start; other than there, a label that runs out of rows is skipped (Mulan
    stops with an error) and keeps its last row. `protect_minority`: as in mldr.resampling, rows without a minority label
    are removed at random whatever the counts, but without replacement (there with it, so that fewer go).

    p: rows to remove as a share of n; rows: their number, in place of p. Errors: ParameterError for a value out of range,
    DataError for more rows than there are.
    k, lambda1, lambda2, scale, tol, max_iter, max_seconds: as in Settings. categorical_features: the columns of X that are
    nominal though they hold numbers: indices, names (of a frame), or a mask, a truth value for each column. Truth values, text
    and categories are nominal anyhow. Other whole-number types stay whole.
    ignore: columns of X, named in the same ways, that stay out of every distance; a new row has its seed's value (an id, say).
    random_state: the seed, a whole number; None is 0, so that every run gives the same rows. Of a Generator or RandomState of
    numpy a seed is drawn at each call.
    n_jobs: threads, which change no result; None is 1, -1 as many as there are cores for this process.
    verbose: 1 tells progress on standard error, a bar on a terminal and elsewhere a line every half a minute; 0 nothing.

    After fit_resample: sample_indices_, the rows of X that stay, which come first in what is returned; provenance_, the parents
    of the new rows, which follow; extras_, the further arrays that were given, of the rows that stay and of the new rows' seeds.
    After fit as well: n_features_in_, and feature_names_in_ where the columns of X have names.
    """

    def __init__(
        self,
        *,
        p: Ratio | None = 0.1,
        protect_minority: bool = False,
        rows: int | None = None,
        k: int | None = None,
        lambda1: float = 1.0,
        lambda2: float = 1.0,
        scale: Literal["none", "range", "std"] = "none",
        tol: float = 0.0001,
        max_iter: int = 100000,
        max_seconds: float | None = None,
        categorical_features: Iterable[Any] | None = None,
        ignore: Iterable[Any] | None = None,
        random_state: int | Generator | RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class REMEDIAL(Estimator):
    """Replaces each row i with SCUMBLE_i > SCUMBLE by two rows with its features.

    The first has its labels with IRLbl <= MeanIR, the second those with IRLbl > MeanIR; both name the dropped row as
    their seed. Nothing is random. SCUMBLE_i that exceed the mean by rounding alone are not above it.

    A row whose labels all lie on one side of MeanIR leaves a half without labels, as in Mulan and every other published
    code; `skip_one_sided` leaves such a row whole. Under nested labels a half keeps the ancestors of its labels too.
    k, lambda1, lambda2, scale, tol, max_iter, max_seconds: as in Settings. categorical_features: the columns of X that are
    nominal though they hold numbers: indices, names (of a frame), or a mask, a truth value for each column. Truth values, text
    and categories are nominal anyhow. Other whole-number types stay whole.
    ignore: columns of X, named in the same ways, that stay out of every distance; a new row has its seed's value (an id, say).
    random_state: the seed, a whole number; None is 0, so that every run gives the same rows. Of a Generator or RandomState of
    numpy a seed is drawn at each call.
    n_jobs: threads, which change no result; None is 1, -1 as many as there are cores for this process.
    verbose: 1 tells progress on standard error, a bar on a terminal and elsewhere a line every half a minute; 0 nothing.

    After fit_resample: sample_indices_, the rows of X that stay, which come first in what is returned; provenance_, the parents
    of the new rows, which follow; extras_, the further arrays that were given, of the rows that stay and of the new rows' seeds.
    After fit as well: n_features_in_, and feature_names_in_ where the columns of X have names.
    """

    def __init__(
        self,
        *,
        skip_one_sided: bool = False,
        k: int | None = None,
        lambda1: float = 1.0,
        lambda2: float = 1.0,
        scale: Literal["none", "range", "std"] = "none",
        tol: float = 0.0001,
        max_iter: int = 100000,
        max_seconds: float | None = None,
        categorical_features: Iterable[Any] | None = None,
        ignore: Iterable[Any] | None = None,
        random_state: int | Generator | RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class RHwRSMT(Estimator):
    """Decouples rows as REMEDIAL does, learns minority labels and neighbours anew, then makes rows as MLSMOTE does.

    It gives the rows that both methods give one after the other, the second on the first one's result. Parents are
    named by the original rows: a half stands for the row that was dropped for it.

    skip_one_sided: as in REMEDIAL. p, rows, ranking_ties, vdm_power: as in MLSMOTE, p as a share of the rows after REMEDIAL,
    rows without the halves; the strategy is ranking. Errors: ParameterError for a value out of range.
    k, lambda1, lambda2, scale, tol, max_iter, max_seconds: as in Settings. categorical_features: the columns of X that are
    nominal though they hold numbers: indices, names (of a frame), or a mask, a truth value for each column. Truth values, text
    and categories are nominal anyhow. Other whole-number types stay whole.
    ignore: columns of X, named in the same ways, that stay out of every distance; a new row has its seed's value (an id, say).
    random_state: the seed, a whole number; None is 0, so that every run gives the same rows. Of a Generator or RandomState of
    numpy a seed is drawn at each call.
    n_jobs: threads, which change no result; None is 1, -1 as many as there are cores for this process.
    verbose: 1 tells progress on standard error, a bar on a terminal and elsewhere a line every half a minute; 0 nothing.

    After fit_resample: sample_indices_, the rows of X that stay, which come first in what is returned; provenance_, the parents
    of the new rows, which follow; extras_, the further arrays that were given, of the rows that stay and of the new rows' seeds.
    After fit as well: n_features_in_, and feature_names_in_ where the columns of X have names.
    """

    def __init__(
        self,
        *,
        p: Ratio | None = None,
        skip_one_sided: bool = False,
        ranking_ties: Literal["drop", "keep"] = "drop",
        vdm_power: Literal[1, 2] = 1,
        rows: int | None = None,
        k: int | None = None,
        lambda1: float = 1.0,
        lambda2: float = 1.0,
        scale: Literal["none", "range", "std"] = "none",
        tol: float = 0.0001,
        max_iter: int = 100000,
        max_seconds: float | None = None,
        categorical_features: Iterable[Any] | None = None,
        ignore: Iterable[Any] | None = None,
        random_state: int | Generator | RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class MLSMOTE(Estimator):
    """Makes one row for each positive x of each minority label, with the k nearest positives N of that label.

    A reference is drawn from N; numbers lie between x and reference, nominal values are the most frequent in N (ties:
    declared first; none: that of x). Labels come from the counts C over x and N: `union` C > 0, `ranking` C > (|N| + 1) / 2,
    `intersection` C = |N| + 1. A label with one positive has no neighbour and is skipped.

    Distances are Euclidean on numbers with the value difference metric of nominal attributes added under the root
    (`vdm_power` 1, or 2: squared). Where sources conflict:

    - `ranking_ties="drop"`: more than half, as published; "keep": at least half, as in Mulan;
    - rows made for one label are not seen by the next, as in mldr.resampling, so that the order of labels does not matter.
      `see_new`, as published and in Mulan: labels in order, and a row made for one that has the next is a seed (without p and
      rows), a neighbour and a vote there like any other. It is named in the provenance by its own seed;
    - the ranges of `scale="range"` are those of the whole data (Mulan: those of each label's bag; with `see_new` and ties kept
      emotions grows to 1,449 rows there, to 1,435 here);
    - x itself has no vote on nominal values (Mulan: it has);
    - a minority label has an IRLbl above MeanIR (Mulan: or at it), and minority labels are those of the original data;
    - U is union and R is ranking, as in the text of the comparison, whose appendix has them the other way round.

    p, rows: without either a row for each seed; with p floor(p n) rows, with rows as many, all seeds as often as they go in
    and a random choice of them for the rest. Errors: ParameterError for a value out of range.
    k, lambda1, lambda2, scale, tol, max_iter, max_seconds: as in Settings. categorical_features: the columns of X that are
    nominal though they hold numbers: indices, names (of a frame), or a mask, a truth value for each column. Truth values, text
    and categories are nominal anyhow. Other whole-number types stay whole.
    ignore: columns of X, named in the same ways, that stay out of every distance; a new row has its seed's value (an id, say).
    random_state: the seed, a whole number; None is 0, so that every run gives the same rows. Of a Generator or RandomState of
    numpy a seed is drawn at each call.
    n_jobs: threads, which change no result; None is 1, -1 as many as there are cores for this process.
    verbose: 1 tells progress on standard error, a bar on a terminal and elsewhere a line every half a minute; 0 nothing.

    After fit_resample: sample_indices_, the rows of X that stay, which come first in what is returned; provenance_, the parents
    of the new rows, which follow; extras_, the further arrays that were given, of the rows that stay and of the new rows' seeds.
    After fit as well: n_features_in_, and feature_names_in_ where the columns of X have names.
    """

    def __init__(
        self,
        *,
        p: Ratio | None = None,
        strategy: Literal["union", "ranking", "intersection"] = "ranking",
        ranking_ties: Literal["drop", "keep"] = "drop",
        vdm_power: Literal[1, 2] = 1,
        see_new: bool = False,
        interpolation: Literal["attribute", "instance"] = "attribute",
        rows: int | None = None,
        k: int | None = None,
        lambda1: float = 1.0,
        lambda2: float = 1.0,
        scale: Literal["none", "range", "std"] = "none",
        tol: float = 0.0001,
        max_iter: int = 100000,
        max_seconds: float | None = None,
        categorical_features: Iterable[Any] | None = None,
        ignore: Iterable[Any] | None = None,
        random_state: int | Generator | RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class MLSOL(Estimator):
    """Makes floor(p n) rows from seeds drawn by w_i and references among their k neighbours by Euclidean distance.

    Minority cells, their types and w are those of numeric/minority_types.py, for every label (a label's minority value is
    the one that fewer rows have, be it 0). Numbers lie between the parents, one alpha for each attribute; nominal values
    are either parent's. Labels: where the parents agree, theirs. Else let a be the parent with the minority value, and
    cd = d(a, g) / (d(s, g) + d(r, g)), 1/2 where both distances are 0; the new row takes a's value if cd is at most 0.5 for a
    SAFE cell, 0.75 for a BORDER cell, always for a RARE one, never for an OUTLIER.

    Where sources conflict: the thresholds of the types are 0.3 and 0.7, as in Mulan (mldr.resampling: 1/3 and 2/3); SAFE and
    BORDER neighbours promote a RARE cell, as published (a slip in Mulan leaves SAFE alone). Where every w_i is 0 seeds are
    drawn evenly from the rows with a minority cell (Mulan takes the first row).

    p: new rows as a share of n; rows: their number, in place of p. Errors: ParameterError for a value out of range.
    k, lambda1, lambda2, scale, tol, max_iter, max_seconds: as in Settings. categorical_features: the columns of X that are
    nominal though they hold numbers: indices, names (of a frame), or a mask, a truth value for each column. Truth values, text
    and categories are nominal anyhow. Other whole-number types stay whole.
    ignore: columns of X, named in the same ways, that stay out of every distance; a new row has its seed's value (an id, say).
    random_state: the seed, a whole number; None is 0, so that every run gives the same rows. Of a Generator or RandomState of
    numpy a seed is drawn at each call.
    n_jobs: threads, which change no result; None is 1, -1 as many as there are cores for this process.
    verbose: 1 tells progress on standard error, a bar on a terminal and elsewhere a line every half a minute; 0 nothing.

    After fit_resample: sample_indices_, the rows of X that stay, which come first in what is returned; provenance_, the parents
    of the new rows, which follow; extras_, the further arrays that were given, of the rows that stay and of the new rows' seeds.
    After fit as well: n_features_in_, and feature_names_in_ where the columns of X have names.
    """

    def __init__(
        self,
        *,
        p: Ratio | None = 0.1,
        interpolation: Literal["attribute", "instance"] = "attribute",
        rows: int | None = None,
        k: int | None = None,
        lambda1: float = 1.0,
        lambda2: float = 1.0,
        scale: Literal["none", "range", "std"] = "none",
        tol: float = 0.0001,
        max_iter: int = 100000,
        max_seconds: float | None = None,
        categorical_features: Iterable[Any] | None = None,
        ignore: Iterable[Any] | None = None,
        random_state: int | Generator | RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class MLBOTE(Estimator):
    """MLBOTE-style: makes rows from self-borderline, cross-borderline and interior seeds and rows with the same labelset.

    This is built after the abstract and what others say of the method, not after its authors' code. Known: the three groups
    of seeds; needy labels by IRLbl and by one-vs-rest imbalance; parents of one labelset; k_b = 3 and k_w = 5 neighbours; a rate
    of 0.01 to 0.1; th_c = 7; 10 loops. Assumed:

    - needy labels T: the minority labels, and those with ImR_j above the mean ImR and n_j < n / 2;
    - for j in T a cell (i, j) with y_ij = 1 is on the border of its own label if at least half but not all of its k_b nearest
      rows lack j (all: noise), one with y_ij = 0 crosses the border if at least half of them have j. A row with the former
      is self-borderline; else with the latter, cross-borderline; else, with a label of T and no noise, interior; else no seed;
    - weights with k_w neighbours: self, sum over its labels in T of IRLbl_j / MeanIR times the share that lacks j; cross, the sum
      over crossed labels of the share that has j, and only from th_c on; interior, sum over T of IRLbl_j / MeanIR;
    - p is the rate of each group: in each of n_lps loops floor(p n) / n_lps rows come from self-borderline seeds, as many from
      cross-borderline ones and as many from interior ones, of which those count whose labels are minority labels still. Counts
      are updated after each loop; the loops end when no label of T is needy. So up to 3 floor(p n) rows are made. `rows` is how
      many the groups that have a seed make together, in turn, or fewer with a warning;
    - the reference is one of the k_w nearest rows with the seed's labelset, without one the seed is cloned. Numbers lie
      between with one alpha for the row, nominal values are either parent's, labels are the seed's.

    th_c is taken as a bound on the cross weight: at 7 it lets in rows that cross many borders, and none where there are
    fewer than 7 labels. Where rare labels are scattered (no positive near another one) there may be no seed at all.

    The authors' code (github.com/T-zeyuteng/MLBOTE) does otherwise: a label's border rows are the k_b nearest rows without it of
    its positives, and the k_b nearest positives of these; weights are ratios of mean distances to rows with and without the
    label, and th_c bounds the square of such a ratio, the one of densities; the number of rows follows from the mean ImR and
    from these ratios; interior rows are made at the end, until rare labels are as frequent as the others; a seed whose
    labelset is its own makes no row. Errors: ParameterError for a value out of range.
    k, lambda1, lambda2, scale, tol, max_iter, max_seconds: as in Settings. categorical_features: the columns of X that are
    nominal though they hold numbers: indices, names (of a frame), or a mask, a truth value for each column. Truth values, text
    and categories are nominal anyhow. Other whole-number types stay whole.
    ignore: columns of X, named in the same ways, that stay out of every distance; a new row has its seed's value (an id, say).
    random_state: the seed, a whole number; None is 0, so that every run gives the same rows. Of a Generator or RandomState of
    numpy a seed is drawn at each call.
    n_jobs: threads, which change no result; None is 1, -1 as many as there are cores for this process.
    verbose: 1 tells progress on standard error, a bar on a terminal and elsewhere a line every half a minute; 0 nothing.

    After fit_resample: sample_indices_, the rows of X that stay, which come first in what is returned; provenance_, the parents
    of the new rows, which follow; extras_, the further arrays that were given, of the rows that stay and of the new rows' seeds.
    After fit as well: n_features_in_, and feature_names_in_ where the columns of X have names.
    """

    def __init__(
        self,
        *,
        p: Ratio | None = 0.1,
        k_b: int = 3,
        k_w: int = 5,
        th_c: float = 7.0,
        n_lps: int = 10,
        interpolation: Literal["attribute", "instance"] = "instance",
        rows: int | None = None,
        k: int | None = None,
        lambda1: float = 1.0,
        lambda2: float = 1.0,
        scale: Literal["none", "range", "std"] = "none",
        tol: float = 0.0001,
        max_iter: int = 100000,
        max_seconds: float | None = None,
        categorical_features: Iterable[Any] | None = None,
        ignore: Iterable[Any] | None = None,
        random_state: int | Generator | RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class MLONC(Estimator):
    """Makes rows for each minority label between natural neighbours among its positives.

    Label j gets floor(floor(p n) ImR_j / sum of ImR over minority labels) rows, ImR_j = max(n_j, n - n_j) / min(n_j, n - n_j).
    Its positives with natural neighbours (numeric/natural_neighbors.py) are the seeds, those with the fewest first, again
    and again; the others are noise. The reference is one of the seed's natural neighbours; numbers lie between, nominal
    values are the seed's. Labels: where the parents agree, theirs. Else let rel(l) be the label that occurs most often
    with l: l is set if the seed has rel(l) or the new row has it already; what the parents agree on is known from the
    start, the rest follows by falling co-occurrence of l and rel(l), ties in label order.

    Other than in the published code, budgets belong to labels also where one is skipped (a single positive, or noise
    alone), and the result does not depend on the order of labels. `redistribute`: budgets are shared among the labels that have
    seeds, without a remainder. Otherwise fewer than floor(p n) rows are made.

    p: new rows as a share of n; rows: their number, in place of p. Errors: ParameterError for a value out of range.
    k, lambda1, lambda2, scale, tol, max_iter, max_seconds: as in Settings. categorical_features: the columns of X that are
    nominal though they hold numbers: indices, names (of a frame), or a mask, a truth value for each column. Truth values, text
    and categories are nominal anyhow. Other whole-number types stay whole.
    ignore: columns of X, named in the same ways, that stay out of every distance; a new row has its seed's value (an id, say).
    random_state: the seed, a whole number; None is 0, so that every run gives the same rows. Of a Generator or RandomState of
    numpy a seed is drawn at each call.
    n_jobs: threads, which change no result; None is 1, -1 as many as there are cores for this process.
    verbose: 1 tells progress on standard error, a bar on a terminal and elsewhere a line every half a minute; 0 nothing.

    After fit_resample: sample_indices_, the rows of X that stay, which come first in what is returned; provenance_, the parents
    of the new rows, which follow; extras_, the further arrays that were given, of the rows that stay and of the new rows' seeds.
    After fit as well: n_features_in_, and feature_names_in_ where the columns of X have names.
    """

    def __init__(
        self,
        *,
        p: Ratio | None = 0.1,
        redistribute: bool = False,
        interpolation: Literal["attribute", "instance"] = "attribute",
        rows: int | None = None,
        k: int | None = None,
        lambda1: float = 1.0,
        lambda2: float = 1.0,
        scale: Literal["none", "range", "std"] = "none",
        tol: float = 0.0001,
        max_iter: int = 100000,
        max_seconds: float | None = None,
        categorical_features: Iterable[Any] | None = None,
        ignore: Iterable[Any] | None = None,
        random_state: int | Generator | RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class DRSMOTE(Estimator):
    """DR-SMOTE-style: floor(p n) rows around reliable positives of minority labels, within half the way to unlike rows.

    No code is public as far as we know; this is built after the abstract and what others say of the method. Known: labels are
    minority labels by imbalance ratio, seeds are minority samples that are not noise, a reference with other labels bounds
    the region, features are drawn at random in it, labels are the seed's, k = 5. Assumed:

    - a positive is reliable if one of its k neighbours by Euclidean distance has the label; a label without one gets no rows;
    - the rows are shared over the other minority labels in proportion to IRLbl, seeds are drawn evenly;
    - the reference is the nearest row with other labels than the seed's (`unlike="labelset"`), or the nearest without the label
      (`unlike="label"`);
    - numbers are x_s + delta. `region="box"`: for each attribute delta is uniform within +-|x_s - x_r| / 2. `region="normal"`: it
      is normal with deviation |x_s - x_r| / 3, truncated to these bounds. So the reference is nearer than the seed in no
      attribute; numbers may lie beyond the seed as seen from the reference. `region="half-ball"`: delta is uniform in the ball
      of radius d(s, r) / 2 around the seed, in its half towards the reference, d by the numbers in which the two differ.
      Integers are rounded;
    - a number that lies beyond all values of its attribute is put back to the nearest of them: no region as described stops
      there, and without this counts fall below 0;
    - nominal values are the seed's.

    p: new rows as a share of n; rows: their number, in place of p. Errors: ParameterError for a value out of range.
    k, lambda1, lambda2, scale, tol, max_iter, max_seconds: as in Settings. categorical_features: the columns of X that are
    nominal though they hold numbers: indices, names (of a frame), or a mask, a truth value for each column. Truth values, text
    and categories are nominal anyhow. Other whole-number types stay whole.
    ignore: columns of X, named in the same ways, that stay out of every distance; a new row has its seed's value (an id, say).
    random_state: the seed, a whole number; None is 0, so that every run gives the same rows. Of a Generator or RandomState of
    numpy a seed is drawn at each call.
    n_jobs: threads, which change no result; None is 1, -1 as many as there are cores for this process.
    verbose: 1 tells progress on standard error, a bar on a terminal and elsewhere a line every half a minute; 0 nothing.

    After fit_resample: sample_indices_, the rows of X that stay, which come first in what is returned; provenance_, the parents
    of the new rows, which follow; extras_, the further arrays that were given, of the rows that stay and of the new rows' seeds.
    After fit as well: n_features_in_, and feature_names_in_ where the columns of X have names.
    """

    def __init__(
        self,
        *,
        p: Ratio | None = 0.1,
        unlike: Literal["labelset", "label"] = "labelset",
        region: Literal["box", "normal", "half-ball"] = "box",
        rows: int | None = None,
        k: int | None = None,
        lambda1: float = 1.0,
        lambda2: float = 1.0,
        scale: Literal["none", "range", "std"] = "none",
        tol: float = 0.0001,
        max_iter: int = 100000,
        max_seconds: float | None = None,
        categorical_features: Iterable[Any] | None = None,
        ignore: Iterable[Any] | None = None,
        random_state: int | Generator | RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class AEMLO(Estimator):
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
    k, lambda1, lambda2, scale, tol, max_iter, max_seconds: as in Settings. categorical_features: the columns of X that are
    nominal though they hold numbers: indices, names (of a frame), or a mask, a truth value for each column. Truth values, text
    and categories are nominal anyhow. Other whole-number types stay whole.
    ignore: columns of X, named in the same ways, that stay out of every distance; a new row has its seed's value (an id, say).
    random_state: the seed, a whole number; None is 0, so that every run gives the same rows. Of a Generator or RandomState of
    numpy a seed is drawn at each call.
    n_jobs: threads, which change no result; None is 1, -1 as many as there are cores for this process.
    verbose: 1 tells progress on standard error, a bar on a terminal and elsewhere a line every half a minute; 0 nothing.

    After fit_resample: sample_indices_, the rows of X that stay, which come first in what is returned; provenance_, the parents
    of the new rows, which follow; extras_, the further arrays that were given, of the rows that stay and of the new rows' seeds.
    After fit as well: n_features_in_, and feature_names_in_ where the columns of X have names.
    """

    def __init__(
        self,
        *,
        p: Ratio | None = 0.1,
        latent: int = 500,
        hidden: int = 200,
        decoder_hidden: int = 100,
        epochs: int = 200,
        batch_rows: int = 128,
        learning_rate: float = 0.0001,
        orthogonality: float = 0.1,
        feature_loss: float = 1.0,
        label_loss: float = 1.0,
        latent_noise: float = 0.0,
        redraw: bool = False,
        rows: int | None = None,
        k: int | None = None,
        lambda1: float = 1.0,
        lambda2: float = 1.0,
        scale: Literal["none", "range", "std"] = "none",
        tol: float = 0.0001,
        max_iter: int = 100000,
        max_seconds: float | None = None,
        categorical_features: Iterable[Any] | None = None,
        ignore: Iterable[Any] | None = None,
        random_state: int | Generator | RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class LPROS(Estimator):
    """Clones random rows of labelsets that are smaller than the mean, up to floor(p n) clones.

    The largest of them comes first (ties: which occurs first). What is left of the budget is shared evenly among it and
    those that follow, rounded down; a bag takes it only up to the mean size, and what it does not take is shared
    by those that follow. Rows are drawn with replacement. Where all are full fewer rows are made: none where
    the mean size is below 2, as in data whose labelsets hardly repeat.

    p: clones as a share of n; rows: their number, in place of p. Errors: ParameterError for a value out of range.
    k, lambda1, lambda2, scale, tol, max_iter, max_seconds: as in Settings. categorical_features: the columns of X that are
    nominal though they hold numbers: indices, names (of a frame), or a mask, a truth value for each column. Truth values, text
    and categories are nominal anyhow. Other whole-number types stay whole.
    ignore: columns of X, named in the same ways, that stay out of every distance; a new row has its seed's value (an id, say).
    random_state: the seed, a whole number; None is 0, so that every run gives the same rows. Of a Generator or RandomState of
    numpy a seed is drawn at each call.
    n_jobs: threads, which change no result; None is 1, -1 as many as there are cores for this process.
    verbose: 1 tells progress on standard error, a bar on a terminal and elsewhere a line every half a minute; 0 nothing.

    After fit_resample: sample_indices_, the rows of X that stay, which come first in what is returned; provenance_, the parents
    of the new rows, which follow; extras_, the further arrays that were given, of the rows that stay and of the new rows' seeds.
    After fit as well: n_features_in_, and feature_names_in_ where the columns of X have names.
    """

    def __init__(
        self,
        *,
        p: Ratio | None = 0.1,
        rows: int | None = None,
        k: int | None = None,
        lambda1: float = 1.0,
        lambda2: float = 1.0,
        scale: Literal["none", "range", "std"] = "none",
        tol: float = 0.0001,
        max_iter: int = 100000,
        max_seconds: float | None = None,
        categorical_features: Iterable[Any] | None = None,
        ignore: Iterable[Any] | None = None,
        random_state: int | Generator | RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class LPRUS(Estimator):
    """Removes random rows of labelsets that are larger than the mean, up to floor(p n) rows.

    As LPROS, with the smallest of them first; no bag falls below the mean size, rounded down, so that no label is
    ever lost. Where all are at it fewer rows are removed.

    p: rows to remove as a share of n; rows: their number, in place of p. Errors: ParameterError for a value out of range,
    DataError for more rows than there are.
    k, lambda1, lambda2, scale, tol, max_iter, max_seconds: as in Settings. categorical_features: the columns of X that are
    nominal though they hold numbers: indices, names (of a frame), or a mask, a truth value for each column. Truth values, text
    and categories are nominal anyhow. Other whole-number types stay whole.
    ignore: columns of X, named in the same ways, that stay out of every distance; a new row has its seed's value (an id, say).
    random_state: the seed, a whole number; None is 0, so that every run gives the same rows. Of a Generator or RandomState of
    numpy a seed is drawn at each call.
    n_jobs: threads, which change no result; None is 1, -1 as many as there are cores for this process.
    verbose: 1 tells progress on standard error, a bar on a terminal and elsewhere a line every half a minute; 0 nothing.

    After fit_resample: sample_indices_, the rows of X that stay, which come first in what is returned; provenance_, the parents
    of the new rows, which follow; extras_, the further arrays that were given, of the rows that stay and of the new rows' seeds.
    After fit as well: n_features_in_, and feature_names_in_ where the columns of X have names.
    """

    def __init__(
        self,
        *,
        p: Ratio | None = 0.1,
        rows: int | None = None,
        k: int | None = None,
        lambda1: float = 1.0,
        lambda2: float = 1.0,
        scale: Literal["none", "range", "std"] = "none",
        tol: float = 0.0001,
        max_iter: int = 100000,
        max_seconds: float | None = None,
        categorical_features: Iterable[Any] | None = None,
        ignore: Iterable[Any] | None = None,
        random_state: int | Generator | RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class MLUL(Estimator):
    """Removes floor(p n) rows: those that stay are drawn without replacement in proportion to v_i.

    v_i = w_i - the mean, over the rows m that have i among their k neighbours, of sum_j S_mj, counted as above 0 where i and m
    differ on j and as below 0 where they agree; shifted so that the least v_i is 0 (w and S of numeric/minority_types.py).
    Rows of v_i = 0 go first, in random order. Mulan deletes by place from a list that shrinks, which hits other rows than
    were drawn; here the rows that were drawn stay.

    p: rows to remove as a share of n; rows: their number, in place of p. Errors: ParameterError for a value out of range,
    DataError for more rows than there are.
    k, lambda1, lambda2, scale, tol, max_iter, max_seconds: as in Settings. categorical_features: the columns of X that are
    nominal though they hold numbers: indices, names (of a frame), or a mask, a truth value for each column. Truth values, text
    and categories are nominal anyhow. Other whole-number types stay whole.
    ignore: columns of X, named in the same ways, that stay out of every distance; a new row has its seed's value (an id, say).
    random_state: the seed, a whole number; None is 0, so that every run gives the same rows. Of a Generator or RandomState of
    numpy a seed is drawn at each call.
    n_jobs: threads, which change no result; None is 1, -1 as many as there are cores for this process.
    verbose: 1 tells progress on standard error, a bar on a terminal and elsewhere a line every half a minute; 0 nothing.

    After fit_resample: sample_indices_, the rows of X that stay, which come first in what is returned; provenance_, the parents
    of the new rows, which follow; extras_, the further arrays that were given, of the rows that stay and of the new rows' seeds.
    After fit as well: n_features_in_, and feature_names_in_ where the columns of X have names.
    """

    def __init__(
        self,
        *,
        p: Ratio | None = 0.1,
        rows: int | None = None,
        k: int | None = None,
        lambda1: float = 1.0,
        lambda2: float = 1.0,
        scale: Literal["none", "range", "std"] = "none",
        tol: float = 0.0001,
        max_iter: int = 100000,
        max_seconds: float | None = None,
        categorical_features: Iterable[Any] | None = None,
        ignore: Iterable[Any] | None = None,
        random_state: int | Generator | RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class MLTL(Estimator):
    """Removes Tomek links: a row without a minority label and its nearest row, where they are unlike.

    clean: "majority" removes the row without a minority label, "both" its nearest row too. threshold: without it
    t = 1 / sqrt(MeanIR) decides: 0.5 for t >= 0.5, 0.3 for t >= 0.3, else 0.15. Nothing is random.

    The authors' tool (github.com/rodolfomp123/imb-mulan) takes 0.5 wherever SCUMBLE is above 0.3, looks at every row with a
    majority label, and divides the labels that differ by those that either row has, which gives larger distances. Errors:
    ParameterError for a value out of range.
    k, lambda1, lambda2, scale, tol, max_iter, max_seconds: as in Settings. categorical_features: the columns of X that are
    nominal though they hold numbers: indices, names (of a frame), or a mask, a truth value for each column. Truth values, text
    and categories are nominal anyhow. Other whole-number types stay whole.
    ignore: columns of X, named in the same ways, that stay out of every distance; a new row has its seed's value (an id, say).
    random_state: the seed, a whole number; None is 0, so that every run gives the same rows. Of a Generator or RandomState of
    numpy a seed is drawn at each call.
    n_jobs: threads, which change no result; None is 1, -1 as many as there are cores for this process.
    verbose: 1 tells progress on standard error, a bar on a terminal and elsewhere a line every half a minute; 0 nothing.

    After fit_resample: sample_indices_, the rows of X that stay, which come first in what is returned; provenance_, the parents
    of the new rows, which follow; extras_, the further arrays that were given, of the rows that stay and of the new rows' seeds.
    After fit as well: n_features_in_, and feature_names_in_ where the columns of X have names.
    """

    def __init__(
        self,
        *,
        threshold: Ratio | None = None,
        clean: Literal["majority", "both"] = "majority",
        k: int | None = None,
        lambda1: float = 1.0,
        lambda2: float = 1.0,
        scale: Literal["none", "range", "std"] = "none",
        tol: float = 0.0001,
        max_iter: int = 100000,
        max_seconds: float | None = None,
        categorical_features: Iterable[Any] | None = None,
        ignore: Iterable[Any] | None = None,
        random_state: int | Generator | RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class MLeNN(Estimator):
    """Removes each row without a minority label that is unlike at least half of its `k_edit` nearest rows.

    Rows with a minority label are spared, as published (the R tool takes every row with a majority label). Neighbours are
    those of the original data, by Euclidean distance. Nothing is random.

    threshold: the adjusted Hamming distance above which two rows are unlike (0.75; the R tool: 0.5). k_edit: lowered to
    n - 1 where there are fewer rows. Errors: ParameterError for a value out of range.
    k, lambda1, lambda2, scale, tol, max_iter, max_seconds: as in Settings. categorical_features: the columns of X that are
    nominal though they hold numbers: indices, names (of a frame), or a mask, a truth value for each column. Truth values, text
    and categories are nominal anyhow. Other whole-number types stay whole.
    ignore: columns of X, named in the same ways, that stay out of every distance; a new row has its seed's value (an id, say).
    random_state: the seed, a whole number; None is 0, so that every run gives the same rows. Of a Generator or RandomState of
    numpy a seed is drawn at each call.
    n_jobs: threads, which change no result; None is 1, -1 as many as there are cores for this process.
    verbose: 1 tells progress on standard error, a bar on a terminal and elsewhere a line every half a minute; 0 nothing.

    After fit_resample: sample_indices_, the rows of X that stay, which come first in what is returned; provenance_, the parents
    of the new rows, which follow; extras_, the further arrays that were given, of the rows that stay and of the new rows' seeds.
    After fit as well: n_features_in_, and feature_names_in_ where the columns of X have names.
    """

    def __init__(
        self,
        *,
        threshold: Ratio = 0.75,
        k_edit: int = 3,
        k: int | None = None,
        lambda1: float = 1.0,
        lambda2: float = 1.0,
        scale: Literal["none", "range", "std"] = "none",
        tol: float = 0.0001,
        max_iter: int = 100000,
        max_seconds: float | None = None,
        categorical_features: Iterable[Any] | None = None,
        ignore: Iterable[Any] | None = None,
        random_state: int | Generator | RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class MLRkNNOS(Estimator):
    """Makes rows for each label that fewer than half of the rows have, between positives and their reverse neighbours.

    Seeds are the positives that stand among the `k_reverse` nearest positives of another one; the reference is one of those
    others. Numbers lie between, one alpha for each attribute, nominal values are either parent's. The label is set; every
    other label of the row is predicted by a support vector machine (RBF) for it, trained on the original rows and the new
    rows of that label.

    The publication makes n - 2 n_j rows for each label, which multiplies the data by about q: here floor(p n) rows are shared
    in proportion to n - 2 n_j over the labels that have a seed. Needs scikit-learn: the extra [evaluate].

    p: new rows as a share of n; rows: their number, in place of p. Errors: ParameterError for a value out of range, or without
    scikit-learn.
    k, lambda1, lambda2, scale, tol, max_iter, max_seconds: as in Settings. categorical_features: the columns of X that are
    nominal though they hold numbers: indices, names (of a frame), or a mask, a truth value for each column. Truth values, text
    and categories are nominal anyhow. Other whole-number types stay whole.
    ignore: columns of X, named in the same ways, that stay out of every distance; a new row has its seed's value (an id, say).
    random_state: the seed, a whole number; None is 0, so that every run gives the same rows. Of a Generator or RandomState of
    numpy a seed is drawn at each call.
    n_jobs: threads, which change no result; None is 1, -1 as many as there are cores for this process.
    verbose: 1 tells progress on standard error, a bar on a terminal and elsewhere a line every half a minute; 0 nothing.

    After fit_resample: sample_indices_, the rows of X that stay, which come first in what is returned; provenance_, the parents
    of the new rows, which follow; extras_, the further arrays that were given, of the rows that stay and of the new rows' seeds.
    After fit as well: n_features_in_, and feature_names_in_ where the columns of X have names.
    """

    def __init__(
        self,
        *,
        p: Ratio | None = 0.1,
        k_reverse: int = 3,
        rows: int | None = None,
        k: int | None = None,
        lambda1: float = 1.0,
        lambda2: float = 1.0,
        scale: Literal["none", "range", "std"] = "none",
        tol: float = 0.0001,
        max_iter: int = 100000,
        max_seconds: float | None = None,
        categorical_features: Iterable[Any] | None = None,
        ignore: Iterable[Any] | None = None,
        random_state: int | Generator | RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...
