"""The method once more, slow and plain: what the product's numbers are held against.

Nothing here is shared with the product. Rational quantities are computed as fractions and rounded once, sums
of floats whose bits matter are loops in row or column order, and neighbours come from all the distances. Rows
are lists of cells (float, str, None for missing) beside attributes (name, type), type being 'numeric',
'integer', 'string', 'date' or the list of declared values. Y is an n x q array of 0 and 1. Undefined figures
are None.
"""

import bz2
import gzip
import lzma
import math
import re
from fractions import Fraction
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import arff
import numpy as np

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


# ---- encoded features ------------------------------------------------------------------------------------


def nominal_codes(values):
    """Return {declared value: its encoded columns} of a nominal attribute."""
    return dict(_codes(tuple(values)))


@cache
def _codes(values):
    if len(values) == 1:
        return {values[0]: (0.0,)}
    if len(values) > 2:
        return {v: tuple(float(u == v) for u in values) for v in values}
    if all(DECIMAL.fullmatch(v) for v in values) and {float(v) for v in values} == {0.0, 1.0}:
        return {v: (float(v),) for v in values}
    if {v.upper() for v in values} in ({"YES", "NO"}, {"TRUE", "FALSE"}):
        return {v: (float(v.upper() in ("YES", "TRUE")),) for v in values}
    return {values[0]: (0.0,), values[1]: (1.0,)}


def sequential_sum(numbers):
    """Return the float sum, added one by one (the built-in sum compensates from Python 3.12 on)."""
    total = 0.0
    for number in numbers:
        total = total + number
    return total


def fit_encoding(rows, attributes, scale="none"):
    """Return per attribute (what a missing number becomes, divisor); divisor 0 zeroes a constant column."""
    fitted = []
    for a, (_, kind) in enumerate(attributes):
        if kind not in ("numeric", "integer"):
            fitted.append((None, 1.0))
            continue
        present = [row[a] for row in rows if row[a] is not None]
        fill = sequential_sum(present) / len(present) if present else 0.0
        column = [fill if row[a] is None else row[a] for row in rows]
        constant = not column or max(column) == min(column)
        if scale == "none":
            divisor = 1.0
        elif constant:
            divisor = 0.0
        elif scale == "range":
            divisor = max(column) - min(column)
        else:
            mean = sequential_sum(column) / len(column)
            divisor = math.sqrt(sequential_sum((x - mean) * (x - mean) for x in column) / len(column))
        fitted.append((fill, divisor))
    return fitted


def encode(rows, attributes, scale="none", fitted=None):
    """Return E (n x e) float64; `fitted` holds means and divisors, by default those of `rows`."""
    if fitted is None:
        fitted = fit_encoding(rows, attributes, scale)
    columns = []
    for a, ((_, kind), (fill, divisor)) in enumerate(zip(attributes, fitted, strict=True)):
        cells = [row[a] for row in rows]
        if isinstance(kind, list):
            codes = nominal_codes(kind)
            codes[None] = (0.0,) * len(codes[kind[0]])
            columns.extend(zip(*[codes[cell] for cell in cells], strict=True))
        elif kind in ("numeric", "integer"):
            filled = [fill if cell is None else float(cell) for cell in cells]
            columns.append([x / divisor if divisor else 0.0 for x in filled])
    return np.array(columns, dtype=float).reshape(len(columns), len(rows)).T.copy()


def encoded_names(attributes):
    """Return the names of the columns of E, a one-hot column being `attribute=value`."""
    names = []
    for name, kind in attributes:
        if isinstance(kind, list) and len(kind) > 2:
            names.extend(f"{name}={value}" for value in kind)
        elif kind not in ("string", "date"):
            names.append(name)
    return names


# ---- imbalance measures ----------------------------------------------------------------------------------


def counts(Y):
    """Return the positives of each label."""
    return [int(n) for n in np.asarray(Y, dtype=int).sum(axis=0)]


def exact_irlbl(Y):
    n_j = counts(Y)
    return [Fraction(max(n_j), n) if n else None for n in n_j]


def exact_meanir(Y):
    finite = [ratio for ratio in exact_irlbl(Y) if ratio is not None]
    return sum(finite) / len(finite) if finite else None


def as_float(number):
    return None if number is None else float(number)


def irlbl(Y):
    """Return max_h n_h / n_j a label, None for an empty one."""
    return [as_float(ratio) for ratio in exact_irlbl(Y)]


def meanir(Y):
    """Return the mean of the finite IRLbl."""
    return as_float(exact_meanir(Y))


def maxir(Y):
    """Return the largest finite IRLbl."""
    return max((ratio for ratio in irlbl(Y) if ratio is not None), default=None)


def cvir(Y):
    """Return the deviation (divisor count - 1) of the finite IRLbl over their mean, None below two."""
    finite = [ratio for ratio in exact_irlbl(Y) if ratio is not None]
    if len(finite) < 2:
        return None
    mean = sum(finite) / len(finite)
    return math.sqrt(sum((ratio - mean) ** 2 for ratio in finite) / (len(finite) - 1)) / float(mean)


def minority_labels(Y):
    """Return the columns j with IRLbl_j > MeanIR, compared exactly."""
    mean = exact_meanir(Y)
    return [j for j, ratio in enumerate(exact_irlbl(Y)) if ratio is not None and ratio > mean]


def card(Y):
    """Return the labels a row carries on average."""
    return sum(counts(Y)) / len(Y) if len(Y) else None


def dens(Y):
    """Return Card / q."""
    return sum(counts(Y)) / (len(Y) * np.shape(Y)[1]) if len(Y) else None


def labelsets(Y):
    """Return the number of distinct labelsets."""
    return len({tuple(int(y) for y in row) for row in Y})


def scumble_rows(Y):
    """Return 1 - GM/AM of the IRLbl of each row's labels; 0 for a row without a label."""
    ratios = irlbl(Y)
    answer = []
    for row in Y:
        active = [ratio for ratio, y in zip(ratios, row, strict=True) if y]
        if active:
            geometric = math.exp(math.fsum(math.log(ratio) for ratio in active) / len(active))
            answer.append(1 - geometric / (math.fsum(active) / len(active)))
        else:
            answer.append(0.0)
    return answer


def scumble(Y):
    """Return the mean SCUMBLE of the rows."""
    return math.fsum(scumble_rows(Y)) / len(Y) if len(Y) else None


def scumblelbl(Y):
    """Return the mean SCUMBLE of the rows that carry each label, None for an empty label."""
    of_rows = scumble_rows(Y)
    answer = []
    for j, n in enumerate(counts(Y)):
        carried = [s for s, row in zip(of_rows, Y, strict=True) if row[j]]
        answer.append(math.fsum(carried) / n if n else None)
    return answer


def tcs(Y, d):
    """Return ln(d * q * labelsets), None without features or rows."""
    size = d * np.shape(Y)[1] * labelsets(Y)
    return math.log(size) if size else None


# ---- distances and neighbours ----------------------------------------------------------------------------


def squared_distance(a, b, theta_j=None):
    """Return the sum of theta_i (a_i - b_i)^2, added in column order; theta is 1 for Euclid."""
    total = 0.0
    for i in range(len(a)):
        difference = float(a[i]) - float(b[i])
        weight = 1.0 if theta_j is None else float(theta_j[i])
        total = total + weight * (difference * difference)
    return total


def neighbours(E, i, theta_j, k):
    """Return the k rows nearest to row i, nearest first, ties to the lower row; theta None is Euclid."""
    total = np.zeros(len(E))
    for c in range(E.shape[1]):
        weight = 1.0 if theta_j is None else theta_j[c]
        if weight != 0:
            difference = E[:, c] - E[i, c]
            total = total + weight * (difference * difference)
    order = np.argsort(total, kind="stable")
    return order[order != i][:k].tolist()


def limb(E, Y, k, thetas=None):
    """Return LImb and its list over labels; with thetas (e x q) by each label's own distance (LImb_LSD)."""
    if len(E) < 2 or E.shape[1] == 0:
        return None, [None] * np.shape(Y)[1]
    E = np.asfortranarray(E)
    Y = np.asarray(Y, dtype=int)
    euclid = {}
    if thetas is None:
        euclid = {i: neighbours(E, i, None, k) for i in np.flatnonzero(Y.any(axis=1))}
    of_labels = []
    for j, n in enumerate(counts(Y)):
        unlike = 0
        for i in np.flatnonzero(Y[:, j]):
            near = euclid[i] if thetas is None else neighbours(E, i, thetas[:, j], k)
            unlike += sum(1 for m in near if Y[m, j] == 0)
        of_labels.append(Fraction(unlike, k * n) if n else None)
    finite = [share for share in of_labels if share is not None]
    mean = float(sum(finite) / len(finite)) if finite else None
    return mean, [as_float(share) for share in of_labels]


# ---- feature weights -------------------------------------------------------------------------------------


def cosine(Y):
    """Return A, the cosine similarity of the columns of Y; an empty column gives 0."""
    Y = np.asarray(Y, dtype=float)
    lengths = np.sqrt((Y * Y).sum(axis=0))
    lengths[lengths == 0] = 1.0
    return (Y / lengths).T @ (Y / lengths)


def laplacian(Y):
    """Return diag(row sums of A) - A."""
    A = cosine(Y)
    return np.diag(A.sum(axis=1)) - A


def objective(E, Y, W, lambda1, lambda2):
    """Return F(W) = 1/2 |EW - Y|^2 + lambda1 |W|_1 + lambda2/2 tr(EW Lap (EW)')."""
    P = E @ W
    graph = float(((P @ laplacian(Y)) * P).sum())
    return 0.5 * float(((P - Y) ** 2).sum()) + lambda1 * float(np.abs(W).sum()) + 0.5 * lambda2 * graph


def relative_gap(E, Y, W, lambda1, lambda2):
    """Return (primal - dual) / F(W) of the lasso 1/2 |EWC - T|^2 + lambda1 |W|_1.

    CC' = I + lambda2 Lap is a Cholesky factorisation and T = Y C^-T. 0 where F(W) is 0.
    """
    M = np.eye(np.shape(Y)[1]) + lambda2 * laplacian(Y)
    C = np.linalg.cholesky(M)
    T = np.linalg.solve(C, np.asarray(Y, dtype=float).T).T
    R = T - E @ W @ C
    steepest = float(np.abs(E.T @ (Y - E @ W @ M)).max(initial=0.0))
    RR = float((R * R).sum())
    s = min(1.0, lambda1 / steepest if steepest else 1.0, float((T * R).sum()) / RR if RR else 1.0)
    s = max(s, 0.0)
    primal = 0.5 * RR + lambda1 * float(np.abs(W).sum())
    dual = 0.5 * float((T * T).sum()) - 0.5 * float(((T - s * R) ** 2).sum())
    value = objective(E, Y, W, lambda1, lambda2)
    return (primal - dual) / value if value else 0.0


def theta(W):
    """Return Theta: exp|w| over its sum on a column's support, 0 elsewhere; a zero column is uniform.

    Its last bits are anyone's: what turns on exact ties takes the Theta under test.
    """
    Theta = np.zeros_like(W, dtype=float)
    for j in range(W.shape[1]):
        support = [i for i in range(W.shape[0]) if W[i, j] != 0]
        if not support:
            Theta[:, j] = 1 / W.shape[0]
            continue
        largest = max(abs(W[i, j]) for i in support)
        powers = [math.exp(abs(W[i, j]) - largest) for i in support]
        total = sequential_sum(powers)
        Theta[support, j] = [power / total for power in powers]
    return Theta


# ---- instance weights ------------------------------------------------------------------------------------


def kept_pairs(count, tr):
    """Return ceil(tr * count), tr taken as the decimal it is written as."""
    return math.ceil(Fraction(str(tr)) * count)


def correlated_labels(Y, tr):
    """Return for each label the set of labels it shares a kept pair with."""
    Y = np.asarray(Y, dtype=int)
    S, n_j, q = Y.T @ Y, counts(Y), Y.shape[1]
    pairs = []
    for j in range(q):
        for h in range(j + 1, q):
            if S[j, h]:
                pairs.append((-Fraction(int(S[j, h]) ** 2, n_j[j] * n_j[h]), j, h))
    sets = [set() for _ in range(q)]
    for _, j, h in sorted(pairs)[: kept_pairs(len(pairs), tr)]:
        sets[j].add(h)
        sets[h].add(j)
    return sets


def instance_weights(E, Y, thetas, k, tr=0.1, outliers="keep"):
    """Return u^b and u^c, a float a row; `outliers` 'drop' sets c_ij = 0 where no neighbour has label j."""
    E = np.asfortranarray(E)
    Y = np.asarray(Y, dtype=int)
    sets = correlated_labels(Y, tr)
    u_b = [Fraction(0)] * len(Y)
    u_c = [Fraction(0)] * len(Y)
    for j in minority_labels(Y):
        unlike = {}
        for i in np.flatnonzero(Y[:, j]):
            near = neighbours(E, i, thetas[:, j], k)
            unlike[i] = sum(1 for m in near if Y[m, j] == 0)
            shares = [Fraction(int(Y[i, h] + sum(Y[m, h] for m in near)), k + 1) for h in sets[j]]
            if outliers == "keep" or unlike[i] < k:
                u_c[i] += max(shares, default=Fraction(0))
        inner = {i: number for i, number in unlike.items() if number < k}
        total = sum(inner.values())
        for i, number in inner.items():
            u_b[i] += Fraction(number, total) if total else 0
    return np.array([float(u) for u in u_b]), np.array([float(u) for u in u_c])


# ---- synthetic rows --------------------------------------------------------------------------------------


def synthetic_count(p, n):
    """Return floor(p n), p taken as the decimal it is written as."""
    return math.floor(Fraction(str(p)) * n)


def possible_seeds(u, Y):
    """Return the rows that may be a seed: those with u > 0, else all carriers of a minority label."""
    positive = {int(i) for i in np.flatnonzero(np.asarray(u) > 0)}
    return positive or {int(i) for i in np.flatnonzero(np.asarray(Y)[:, minority_labels(Y)].any(axis=1))}


def nominal_vote(seed_value, neighbour_values, declared):
    """Return the most frequent present value; ties: the seed's if among them, else the first declared."""
    values = [v for v in [seed_value, *neighbour_values] if v is not None]
    if not values:
        return None
    most = max(values.count(v) for v in values)
    tied = [v for v in declared if values.count(v) == most]
    return seed_value if seed_value in tied else tied[0]


def with_ancestors(labels, parents):
    """Return the labels with every ancestor of a set label set; parents[j] is a column or None."""
    closed = list(labels)
    for j, y in enumerate(labels):
        above = parents[j]
        while y and above is not None:
            closed[above] = 1
            above = parents[above]
    return closed


def expected_labels(E, Y, encoded_row, seed, reference, thetas, parents=None):
    """Return the labels a new row must carry: common ones, else the parent's nearer by that label."""
    labels = []
    for j in range(np.shape(Y)[1]):
        if Y[seed][j] == Y[reference][j]:
            labels.append(int(Y[seed][j]))
            continue
        to_seed = squared_distance(encoded_row, E[seed], thetas[:, j])
        to_reference = squared_distance(encoded_row, E[reference], thetas[:, j])
        labels.append(int(Y[seed][j] if to_seed <= to_reference else Y[reference][j]))
    return labels if parents is None else with_ancestors(labels, parents)


def cell_problem(kind, value, s, r, votes):
    """Return what is wrong with a cell of a new row whose parents have s and r, None if nothing is."""
    if isinstance(kind, list):
        expected = nominal_vote(s, votes, kind)
        return None if value == expected else f"{value!r}, the vote gives {expected!r}"
    if kind in ("string", "date"):
        return None if value == s else f"{value!r}, the seed has {s!r}"
    if s is None or r is None or s == r:
        expected = r if s is None else s
        return None if value == expected else f"{value!r}, expected {expected!r}"
    if value is None or not math.isfinite(value):
        return f"{value!r} between {s!r} and {r!r}"
    low, high = min(s, r), max(s, r)
    if kind == "integer":
        low, high = float(round(low)), float(round(high))
        if value != round(value):
            return f"{value!r} is not whole"
    return None if low <= value <= high else f"{value!r} is not within {low!r} and {high!r}"


def check_synthetic(
    rows,
    E,
    Y,
    attributes,
    row,
    labels,
    seed,
    reference,
    label,
    near,
    thetas,
    scale="none",
    fitted=None,
    parents=None,
):
    """Return a list of problems of one new row: its feature cells `row`, its 0/1 `labels`.

    `rows` and `attributes` are the original features. `near` holds the neighbours of the seed under
    `label` (a column), as `neighbours(E, seed, thetas[:, label], k)` gives them. `fitted` spares recomputing
    means and scales of `rows`. `parents` gives for each label the column it is nested in, or None. Labels are
    judged once parents and cells are right.
    """
    problems = []
    if label not in minority_labels(Y) or not Y[seed][label]:
        problems.append(f"label {label} is no minority label of row {seed}")
    if reference not in near:
        problems.append(f"reference {reference} is not among the neighbours {near} of row {seed}")
    for a, (name, kind) in enumerate(attributes):
        votes = [rows[m][a] for m in near]
        problem = cell_problem(kind, row[a], rows[seed][a], rows[reference][a], votes)
        if problem:
            problems.append(f"{name}: {problem}")
    if problems:
        return problems
    fitted = fit_encoding(rows, attributes, scale) if fitted is None else fitted
    encoded_row = encode([row], attributes, scale, fitted)[0]
    expected = expected_labels(E, Y, encoded_row, seed, reference, thetas, parents)
    wrong = [j for j, y in enumerate(labels) if int(y) != expected[j]]
    return [f"label {j} is {labels[j]}, expected {expected[j]}" for j in wrong]


def alphas(rows, attributes, row, seed, reference):
    """Return (x - x_r) / (x_s - x_r) for each `numeric` attribute in which two present parents differ."""
    shares = []
    for a, (_, kind) in enumerate(attributes):
        s, r = rows[seed][a], rows[reference][a]
        if kind == "numeric" and s is not None and r is not None and s != r:
            shares.append((row[a] - r) / (s - r))
    return shares


# ---- files: the well-formed ones of the data folder, and what is added to them ---------------------------


def text_of(path):
    """Return the text of a file, unpacked by its suffix, UTF-8 or else latin-1."""
    opened = {".xz": lzma.open, ".gz": gzip.open, ".bz2": bz2.open}.get(Path(path).suffix, open)
    with opened(path, "rb") as file:
        raw = file.read()
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def without_escapes(name):
    return re.sub(r"\\(.)", r"\1", name)


def pieces(line):
    """Return the cells of a line between commas, a quoted cell with its quotes."""
    if "'" in line or '"' in line:
        return re.findall(r"""(?:[^,'"]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")+""", line)
    return line.split(",")


def cell(text, kind):
    text = text.strip()
    if text == "?":
        return None
    if text[:1] in ("'", '"'):
        text = without_escapes(text[1:-1])
    return float(text) if kind in ("numeric", "integer") else text


def read(path):
    """Return attributes and rows of a well-formed ARFF; sparse rows are filled up."""
    head, body = re.split(r"(?im)^@data[ \t]*\r?$", text_of(path), maxsplit=1)
    attributes = []
    for name, kind in arff.loads(head + "@data\n")["attributes"]:
        word = kind if isinstance(kind, list) else {"REAL": "numeric"}.get(kind, kind.lower())
        attributes.append((without_escapes(name), word))
    kinds = [kind for _, kind in attributes]
    number = {"numeric": 0.0, "integer": 0.0}
    omitted = [kind[0] if isinstance(kind, list) else number.get(kind) for kind in kinds]
    rows = []
    for line in re.split(r"\r\n|\r|\n", body):
        line = line.strip(" \t")
        if line.startswith("{"):
            row = list(omitted)
            for piece in pieces(line.strip("{}")):
                if piece.strip():
                    index, value = piece.split(None, 1)
                    row[int(index)] = cell(value, kinds[int(index)])
            rows.append(row)
        elif line and not line.startswith("%"):
            rows.append([cell(value, kind) for value, kind in zip(pieces(line), kinds, strict=True)])
    return attributes, rows


def read_label_xml(path):
    """Return the label names in document order and {name: name of the label it is nested in, or None}."""
    names, parent = [], {}

    def walk(element, above):
        for child in element:
            if child.tag.rpartition("}")[2] == "label":
                name = without_escapes(child.get("name"))
                names.append(name)
                parent[name] = above
                walk(child, name)

    walk(ElementTree.fromstring(text_of(path).encode("utf-8")), None)
    return names, parent


def split(attributes, rows, label_names):
    """Return feature attributes, feature rows, label names in ARFF order and Y."""
    labels = [a for a, (name, _) in enumerate(attributes) if name in set(label_names)]
    features = [a for a, (name, _) in enumerate(attributes) if name not in set(label_names)]
    values = {"1": 1, "TRUE": 1, "YES": 1, "0": 0, "FALSE": 0, "NO": 0, 1.0: 1, 0.0: 0}
    Y = [[values[row[a].upper() if isinstance(row[a], str) else row[a]] for a in labels] for row in rows]
    names = [attributes[a][0] for a in labels]
    feature_rows = [[row[a] for a in features] for row in rows]
    Y = np.array(Y, dtype=int).reshape(len(rows), len(names))
    return [attributes[a] for a in features], feature_rows, names, Y


def parent_columns(names, parent):
    """Return for each label its parent's column, None at the top: the `parents` of `check_synthetic`."""
    return [None if parent[name] is None else names.index(parent[name]) for name in names]


def read_data(stem, xml=None):
    """Return feature attributes, feature rows, label names and Y of a file of the data folder."""
    attributes, rows = read(DATA / f"{stem}.arff.xz")
    names, _ = read_label_xml(DATA / f"{xml or stem}.xml")
    return split(attributes, rows, names)
