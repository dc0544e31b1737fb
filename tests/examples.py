"""Worked examples: inputs and what comes out on paper, for any implementation to be put to.

Rows and labels count from 0. Y and E are lists of rows, W and Theta (e x q) lists of features. Missing
cells and undefined figures are None.
"""

import math

# ---- imbalance measures ----------------------------------------------------------------------------------

# Positives 4, 2, 1, 0. IRLbl = 4/4, 4/2, 4/1, undefined. MeanIR = (1 + 2 + 4)/3 = 7/3. Only 4 lies above it.
# CVIR: deviations -4/3, -1/3, 5/3; squares 16/9 + 1/9 + 25/9 = 42/9; by 2: 7/3; sqrt(7/3)/(7/3) = sqrt(3/7).
# Card = 7/5, Dens = 7/20. Labelsets 1100, 1110, 1000, 0000: 4. TCS with d = 3: ln(3 * 4 * 4) = ln 48.
# SCUMBLE by row: of 1, 2: 1 - sqrt(2)/1.5; of 1, 2, 4: 1 - 2/(7/3) = 1/7; one label: 0; no label: 0.
FIRST = 1 - math.sqrt(2) / 1.5
MEASURES = {
    "Y": [[1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]],
    "d": 3,
    "counts": [4, 2, 1, 0],
    "IRLbl": [1.0, 2.0, 4.0, None],
    "MeanIR": 7 / 3,
    "MaxIR": 4.0,
    "CVIR": math.sqrt(3 / 7),
    "minority": [2],
    "Card": 1.4,
    "Dens": 0.35,
    "labelsets": 4,
    "TCS": math.log(48),
    "SCUMBLE_rows": [FIRST, 1 / 7, 0.0, 0.0, 0.0],
    "SCUMBLE": (FIRST + 1 / 7) / 5,
    "SCUMBLELbl": [(FIRST + 1 / 7) / 4, (FIRST + 1 / 7) / 2, 1 / 7, None],
}

# Counts and the minority labels. 6, 3, 2: IRLbl 1, 2, 3, mean 2, and the 2 is not above it. 28, 9, 21, 4:
# IRLbl 1, 28/9, 4/3, 7, sum 112/9, mean 28/9: label 1 is not above it, though the floats added in this
# order fall short.
MINORITY = [
    ([6, 3, 2], [2]),
    ([28, 9, 21, 4], [3]),
    ([5, 5], []),
    ([5, 0, 1], [2]),
    ([0, 0], []),
]

# ---- encoded features ------------------------------------------------------------------------------------

# height: mean of 1, 2, 6 is 3, range 5; with the 3 filled in, the squares 4 + 1 + 9 + 0 = 14, std sqrt(14/4).
# count: 4, 4, 4, 4 is constant. switch {1,0} is its number, answer {no,yes} is 1 for yes, side {left,right}
# its position, size (three values) one column a value, only (one value) 0, note (string) no column.
# Missing: 0. tenth: a float mean of 0.1, 0.1, 0.1 is not 0.1, the column is constant all the same.
ENCODING = {
    "attributes": [
        ("height", "numeric"),
        ("count", "integer"),
        ("switch", ["1", "0"]),
        ("answer", ["no", "Yes"]),
        ("side", ["left", "right"]),
        ("size", ["S", "M", "L"]),
        ("only", ["x"]),
        ("note", "string"),
    ],
    "rows": [
        [1.0, 4.0, "1", "Yes", "left", "M", "x", "a"],
        [2.0, 4.0, "0", "no", "right", "L", "x", "b"],
        [6.0, 4.0, "1", None, None, None, None, None],
        [None, 4.0, None, "Yes", "right", "S", "x", "c"],
    ],
    "names": ["height", "count", "switch", "answer", "side", "size=S", "size=M", "size=L", "only"],
    "E": [
        [1, 4, 1, 1, 0, 0, 1, 0, 0],
        [2, 4, 0, 0, 1, 0, 0, 1, 0],
        [6, 4, 1, 0, 0, 0, 0, 0, 0],
        [3, 4, 0, 1, 1, 1, 0, 0, 0],
    ],
    "divisors": {"range": 5.0, "std": math.sqrt(3.5)},
    "constant": [[0.1], [0.1], [0.1]],
}

# ---- feature weights and distances -----------------------------------------------------------------------

# exp|w| = 3, -, 5 of sum 8 for label 0 (the zero stays 0); label 1 has no weight: 1/3 each.
# a - b = 2, 7, 4. Label 0: 3/8 * 4 + 5/8 * 16 = 11.5. Label 1: (4 + 49 + 16)/3 = 23. Euclid: 69.
DISTANCE = {
    "W": [[math.log(3), 0.0], [0.0, 0.0], [-math.log(5), 0.0]],
    "Theta": [[3 / 8, 1 / 3], [0.0, 1 / 3], [5 / 8, 1 / 3]],
    "a": [2.0, 7.0, 5.0],
    "b": [0.0, 0.0, 1.0],
    "squared": [11.5, 23.0],
    "squared_euclid": 69.0,
}

# 0.1 + 0.2 + 0.3 in column order is 0.6000000000000001, in the reverse order 0.6: the two rows differ by a
# last bit from row 0, whose nearest row therefore is 2 and not 1.
SUMMING_ORDER = {
    "E": [[0.0, 0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0, 1.0]],
    "theta_j": [0.1, 0.2, 0.3, 0.2, 0.1],
    "squared": [0.6000000000000001, 0.6],
    "nearest": [2, 1],
}

# One feature, one label: E = (1, 1, 0), Y = (1, 1, 1), lambda1 = 1. No label graph, so
# F(w) = 1/2 (2 (w - 1)^2 + 1) + |w|: F(0) = 3/2, F(1/2) = 3/4 + 1/2 = 5/4 = the least (2 (w - 1) + 1 = 0).
# Two labels with Y = (1 0), (1 1): A = 1/sqrt 2 off the diagonal, Lap = (a -a; -a a) with a = 1/sqrt 2.
# With E = I and W = (1 0; 0 0): 1/2 (0 + 1 + 1) + 1 + lambda2/2 * a = 2 + a/2 at lambda2 = 1.
OBJECTIVE = [
    {"E": [[1.0], [1.0], [0.0]], "Y": [[1], [1], [1]], "W": [[0.0]], "lambda1": 1, "lambda2": 1, "F": 1.5},
    {"E": [[1.0], [1.0], [0.0]], "Y": [[1], [1], [1]], "W": [[0.5]], "lambda1": 1, "lambda2": 1, "F": 1.25},
    {
        "E": [[1.0, 0.0], [0.0, 1.0]],
        "Y": [[1, 0], [1, 1]],
        "W": [[1.0, 0.0], [0.0, 0.0]],
        "lambda1": 1,
        "lambda2": 1,
        "F": 2 + math.sqrt(0.5) / 2,
    },
]

# The first of these again, T = Y, |T|^2 = 3, dual = 3/2 - 1/2 |T - s R|^2.
# At w = 1/2: R = T - E/2 = (1/2, 1/2, 1), E'R = 1, <T,R> = 2, <R,R> = 3/2, s = min(1, 1/1, 4/3) = 1,
# dual = 3/2 - 1/2 * 1/2 = 5/4 = primal, gap 0.
# At w = 0: R = T, E'R = 2, s = min(1, 1/2, 1) = 1/2, dual = 3/2 - 1/2 * 3/4 = 9/8, primal 3/2,
# relative gap (3/8) / (3/2) = 1/4.
GAP = [
    {"E": [[1.0], [1.0], [0.0]], "Y": [[1], [1], [1]], "W": [[0.0]], "lambda1": 1, "lambda2": 1, "gap": 0.25},
    {"E": [[1.0], [1.0], [0.0]], "Y": [[1], [1], [1]], "W": [[0.5]], "lambda1": 1, "lambda2": 1, "gap": 0.0},
]

# Equal rows: a row is never its own neighbour, nor is the first in a list of ties taken for it.
EQUAL_ROWS = {
    "E": [[0.0], [0.0], [0.0], [5.0]],
    "k": 2,
    "neighbours": [[1, 2], [0, 2], [0, 1], [0, 1]],
}

# ---- local imbalance -------------------------------------------------------------------------------------

# Five points, k = 2. By x = 0, 2, 4, 5, 8 the neighbours (distances) are:
#   0: 1 (2), 2 (4). 1: 0 (2), 2 (2). 2: 3 (1), 1 (2). 3: 2 (1), then 1 and 4 both at 3: 1. 4: 3 (3), 2 (4).
# Label 0 = rows 0, 1, 4: shares without it 1/2, 1/2, 1: 2/3. Label 1 = rows 3, 4: 1, 1/2: 3/4. Label 2: none.
# LImb = (2/3 + 3/4)/2 = 17/24.
# With theta (1, 0) for label 0 and (0, 1) for label 1, z = 0, 0, 0, 9, 10: label 0 as before; row 3: 4 (1),
# then 0, 1, 2 all at 9: row 0: 1/2; row 4: 3 (1), then 0: 1/2. LImb_LSD = (2/3 + 1/2)/2 = 7/12. (Euclid
# here is on x alone.)
LIMB = {
    "x": [[0.0], [2.0], [4.0], [5.0], [8.0]],
    "E": [[0.0, 0.0], [2.0, 0.0], [4.0, 0.0], [5.0, 9.0], [8.0, 10.0]],
    "Y": [[1, 0, 0], [1, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, 0]],
    "k": 2,
    "Theta": [[1.0, 0.0, 0.5], [0.0, 1.0, 0.5]],
    "neighbours_x": [[1, 2], [0, 2], [3, 1], [2, 1], [3, 2]],
    "LImb": 17 / 24,
    "LImb_labels": [2 / 3, 3 / 4, None],
    "LImb_LSD": 7 / 12,
    "LImb_LSD_labels": [2 / 3, 1 / 2, None],
}

# ---- instance weights ------------------------------------------------------------------------------------

# Labels F, G, A, B with rows F = 0 1 2 3 5, G = 0 1 2 4 5, A = 0 1 5, B = 1 2 3 4. IRLbl 1, 1, 5/3, 5/4,
# mean 59/48 = 1.229: A and B are the minority labels. A sees only x, B only z; k = 3.
# A by x = 0, 1, 3, 5, 6, 9: row 0: 1, 2, 3 (b = 2/3); row 1: 0, 2, 3 (2/3); row 5: 4, 3, 2 (1: an outlier).
#   b' = 1/2, 1/2, 0.
# B by z = 10, 0, 1, 6, 9, 12: row 1: 2, 3, 4 (0); row 2: 1, 3, 4 (0); row 3: 4, 0, 2 (1/3);
#   row 4: 0, 3, 5 (2/3). b' = 0, 0, 1/3, 2/3.
# u^b = 1/2, 1/2 + 0, 0, 1/3, 2/3, 0.
# Squared cosines: FG 16/25 = 0.64, FA 9/15 = 0.6, GA 9/15, FB 9/20 = 0.45, GB 9/20, AB 1/12: six pairs.
#   tr 0.1: ceil 0.6 = 1 pair, FG: nothing for A and B, u^c = 0.
#   tr 0.3: ceil 1.8 = 2, + FA (row-major before GA): A has F. Row 0: F in 0, 1, 2, 3: 4/4.
#     Row 1: in 1, 0, 2, 3: 4/4. Row 5: in 5, 3, 2, not in 4: 3/4.
#   tr 0.6: ceil 3.6 = 4, + GA, FB: A has F and G, the larger counts: G gives 3/4 (0 1 2 without 3), 3/4,
#     3/4 (5 4 2), so F stays. B has F: row 1: 1, 2, 3 without 4: 3/4; row 2: the same; row 3: 3, 0, 2
#     without 4: 3/4; row 4: 0, 3, 5: 3/4.
INSTANCE_WEIGHTS = {
    "E": [[0.0, 10.0], [1.0, 0.0], [3.0, 1.0], [5.0, 6.0], [6.0, 9.0], [9.0, 12.0]],
    "Y": [[1, 1, 1, 0], [1, 1, 1, 1], [1, 1, 0, 1], [1, 0, 0, 1], [0, 1, 0, 1], [1, 1, 1, 0]],
    "Theta": [[0.5, 0.5, 1.0, 0.0], [0.5, 0.5, 0.0, 1.0]],
    "k": 3,
    "minority": [2, 3],
    "u_b": [1 / 2, 1 / 2, 0.0, 1 / 3, 2 / 3, 0.0],
    "u_c": [
        (0.1, "keep", [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        (0.3, "keep", [1.0, 1.0, 0.0, 0.0, 0.0, 0.75]),
        (0.3, "drop", [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
        (0.6, "keep", [1.0, 1.75, 0.75, 0.75, 0.75, 0.75]),
        (0.6, "drop", [1.0, 1.75, 0.75, 0.75, 0.75, 0.0]),
    ],
    "correlated": [
        (0.1, [{1}, {0}, set(), set()]),
        (0.3, [{1, 2}, {0}, {0}, set()]),
        (0.4, [{1, 2}, {0, 2}, {0, 1}, set()]),
        (0.6, [{1, 2, 3}, {0, 2}, {0, 1}, {0}]),
    ],
}

# Two disjoint pairs of labels, 1/(1 * 2) = 1/2 = 9/(3 * 6), of which tr 0.5 keeps the first; as floats
# 1/sqrt 2 is smaller than 3/sqrt 18 by a last bit.
EQUAL_COSINES = {
    "Y": [
        [1, 1, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 1, 1],
        [0, 0, 1, 1],
        [0, 0, 1, 1],
        [0, 0, 0, 1],
        [0, 0, 0, 1],
        [0, 0, 0, 1],
    ],
    "tr": 0.5,
    "correlated": [{1}, {0}, set(), set()],
}

# ceil(tr * count), as (count, tr, kept): 0.07 * 100 is 7, not 7.000000000000001; 0 keeps nothing.
KEPT_PAIRS = [(100, 0.07, 7), (6, 0.1, 1), (10, 0.1, 1), (11, 0.1, 2), (5, 0, 0), (5, 1, 5), (0, 0.1, 0)]

# floor(p * n), as (n, p, rows): 0.29 * 100 is 29, not 28.999999999999996.
SYNTHETIC_COUNT = [(100, 0.29, 29), (593, 0.05, 29), (10, 0, 0), (10, 0.09, 0), (10, 1.5, 15)]

# Positives' neighbours that all carry the label: every b is 0, the column sum is 0, and u^b with it.
# x = 0, 1, 2, 50, 51, 52, 53, 54, label 0 on all, label 1 on rows 0 to 2, k = 2: rows 0, 1, 2 are each
# other's neighbours.
ZERO_WEIGHTS = {
    "E": [[0.0], [1.0], [2.0], [50.0], [51.0], [52.0], [53.0], [54.0]],
    "Y": [[1, 1], [1, 1], [1, 1], [1, 0], [1, 0], [1, 0], [1, 0], [1, 0]],
    "Theta": [[1.0, 1.0]],
    "k": 2,
    "tr": 0,
    "u_b": [0.0] * 8,
    "u_c": [0.0] * 8,
    "seeds": {0, 1, 2},
}

# ---- synthetic rows --------------------------------------------------------------------------------------

# (seed's value, neighbours' values, declared, what the vote gives)
NOMINAL_VOTE = [
    ("a", ["b", "b", "c"], ["a", "b", "c"], "b"),  # 1, 2, 1: the most frequent
    ("a", ["b", "b", "a"], ["b", "a"], "a"),  # 2, 2: the seed's
    ("c", ["b", "b", "a", "a"], ["a", "b", "c"], "a"),  # 2, 2, 1, not the seed's: the first declared
    ("c", ["b", "b", "a", "a"], ["b", "a", "c"], "b"),  # the same votes under another declaration
    (None, ["b", None, "b", "a"], ["a", "b"], "b"),  # missing is not counted
    (None, [None, None, None, "a", "b"], ["b", "a"], "b"),  # 1, 1, and the seed has none: the first declared
    ("a", [None, None, None], ["b", "a"], "a"),  # missing is no value, however frequent
    (None, [None, None], ["a", "b"], None),
]

# Seed 0 at (0, 0) with labels 1, 1, 0, 0, reference 1 at (10, 10) with labels 1, 0, 1, 1, new row (2, 8).
# Theta: label 0 anything; label 1 x only: 2^2 against 8^2, the seed's 1; label 2 z only: 64 against 4, the
# reference's 1; label 3 both alike: (4 + 64)/2 against (64 + 4)/2, a tie, the seed's 0.
# Nested: label 2 stands under 3, which stands under 0: setting 2 also sets 3.
NEARER_LABELS = {
    "E": [[0.0, 0.0], [10.0, 10.0]],
    "Y": [[1, 1, 0, 0], [1, 0, 1, 1]],
    "Theta": [[0.5, 1.0, 0.0, 0.5], [0.5, 0.0, 1.0, 0.5]],
    "row": [2.0, 8.0],
    "labels": [1, 1, 1, 0],
    "parents": [None, None, 3, 0],
    "closed": [1, 1, 1, 1],
}

# Label 0 stands under 1, 1 under 2; 3 stands alone. (labels, with their ancestors)
NESTED = {
    "parents": [1, 2, None, None],
    "closed": [
        ([1, 0, 0, 0], [1, 1, 1, 0]),
        ([1, 1, 0, 1], [1, 1, 1, 1]),
        ([0, 0, 1, 1], [0, 0, 1, 1]),
        ([0, 0, 0, 0], [0, 0, 0, 0]),
    ],
}

# Numeric cells: (type, the new value, the seed's, the reference's, whether it may be so). An integer is
# clipped, then rounded: between 0.6 and 1.4 there is only 1, between 0.5 and 2.5 (halves to even) 0 to 2.
CELLS = [
    ("numeric", 1.0, 0.5, 1.0, True),
    ("numeric", 1.0000000000000002, 0.5, 1.0, False),
    ("numeric", math.nan, 0.5, 1.0, False),
    ("numeric", None, 0.5, 1.0, False),
    ("numeric", 1.0, 1.0, None, True),
    ("numeric", 0.5, None, None, False),
    ("numeric", None, None, None, True),
    ("integer", 1.0, 0.6, 1.4, True),
    ("integer", 0.6, 0.6, 1.4, False),
    ("integer", 0.0, 0.5, 2.5, True),
    ("integer", 2.0, 0.5, 2.5, True),
    ("integer", 3.0, 0.5, 2.5, False),
    ("integer", -3.0, -3.0, -7.0, True),
]

# A whole new row. Five rows, label 1 (rows 0 and 1) has IRLbl 5/2 above the mean 7/4 and sees only w = 0,
# 1, 2, 9, 9; k = 2: row 0 has the neighbours 1 and 2. Seed 0, reference 2: w in [0, 2]; n whole in [3, 8];
# s: both parents have 4; m: the seed lacks it, the reference's 6; c: x, y, y gives y; note: the seed's.
# Labels: 0 agrees. Label 1 is 1 for the seed, 0 for the reference: by w, 0.5 is nearer to the seed and 1.5
# to the reference.
SYNTHETIC = {
    "attributes": [
        ("w", "numeric"),
        ("n", "integer"),
        ("s", "numeric"),
        ("m", "numeric"),
        ("c", ["x", "y", "z"]),
        ("note", "string"),
    ],
    "rows": [
        [0.0, 3.0, 4.0, None, "x", "first"],
        [1.0, 5.0, 1.0, 2.0, "y", "second"],
        [2.0, 8.0, 4.0, 6.0, "y", "third"],
        [9.0, 5.0, 0.0, 1.0, "z", "fourth"],
        [9.0, 5.0, 0.0, 1.0, "z", "fifth"],
    ],
    "Y": [[1, 1], [1, 1], [1, 0], [1, 0], [1, 0]],
    "Theta": [[1.0, 1.0]] + [[0.0, 0.0]] * 6,
    "k": 2,
    "seed": 0,
    "reference": 2,
    "label": 1,
    "neighbours": [1, 2],
    # (cells, labels, the parts of the new row that are wrong)
    "new_rows": [
        ([0.5, 4.0, 4.0, 6.0, "y", "first"], [1, 1], []),
        ([1.5, 8.0, 4.0, 6.0, "y", "first"], [1, 0], []),
        ([1.0, 3.0, 4.0, 6.0, "y", "first"], [1, 1], []),  # half way: the seed's label
        ([1.5, 8.0, 4.0, 6.0, "y", "first"], [1, 1], ["label 1"]),
        ([0.5, 4.0, 4.0, 6.0, "y", "first"], [0, 1], ["label 0"]),
        ([2.5, 4.0, 4.0, 6.0, "y", "first"], [1, 1], ["w"]),
        ([0.5, 4.5, 4.0, 6.0, "y", "first"], [1, 1], ["n"]),
        ([0.5, 9.0, 4.0, 6.0, "y", "first"], [1, 1], ["n"]),
        ([0.5, 4.0, 4.000000000000001, 6.0, "y", "first"], [1, 1], ["s"]),
        ([0.5, 4.0, 4.0, None, "y", "first"], [1, 1], ["m"]),
        ([None, 4.0, 4.0, 6.0, "x", "third"], [1, 1], ["w", "c", "note"]),
    ],
}
