"""Make the sample data: birds heard in five minutes at garden feeding stations, 25 visits to each of 12 stations.

n = 300 rows, d = 20 features, q = 7 labels. A label's propensity in row i is

    s_ij = sum over its own few features f of a_jf z_if + b_j g_i + noise,

z the standardised feature and g how attractive the station is to every bird, which ties the labels together. The n_j rows of the
largest s_ij have label j, so that the counts are exact. The loudness in five bands of the sound follows from the birds that sing.

    python sample_data/make.py        # writes beside itself; the same bytes each time
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

NAME = "garden-birds"
SEED = 20260407
STATIONS, VISITS = 12, 25
N = STATIONS * VISITS
MISSING = 0.02

HABITATS = ("suburb", "village", "'old orchard'", "woodland")
NO_YES = ("no", "yes")
SKIES = ("clear", "cloudy", "overcast")

# The features in file order: a type, and for numbers the decimals that are written.
FEATURES: dict[str, tuple[str, int]] = {
    "frost_nights": ("integer", 0),
    "wind_ms": ("numeric", 2),
    "rain_mm": ("numeric", 2),
    "sky": ("{" + ",".join(SKIES) + "}", 0),
    "hours_after_sunrise": ("numeric", 2),
    "habitat": ("{" + ",".join(HABITATS) + "}", 0),
    "canopy_share": ("numeric", 3),
    "water_distance_km": ("numeric", 3),
    "traffic_over_40db": ("numeric", 2),
    "people_about": ("integer", 0),
    "feeders": ("integer", 0),
    "fat_balls": ("integer", 0),
    "sunflower_kg": ("numeric", 3),
    "peanuts_kg": ("numeric", 3),
    "nyjer_kg": ("numeric", 3),
    "cat_about": ("{" + ",".join(NO_YES) + "}", 0),
    "band_1_3_khz": ("numeric", 4),
    "band_3_5_khz": ("numeric", 4),
    "band_5_7_khz": ("numeric", 4),
    "band_7_9_khz": ("numeric", 4),
}
NOMINAL = {"sky": SKIES, "habitat": HABITATS, "cat_about": NO_YES}

# Each label: its positives n_j, b_j, its own features a_jf, and its loudness in the bands.
LABELS: dict[str, tuple[int, float, dict[str, float], dict[str, float]]] = {
    "great_tit": (152, 1.5, {"peanuts_kg": 1.2, "canopy_share": 0.8}, {"band_3_5_khz": 1.6, "band_5_7_khz": 0.7}),
    "blue_tit": (138, 1.6, {"peanuts_kg": 1.0, "fat_balls": 0.9, "wind_ms": -0.6}, {"band_7_9_khz": 1.8}),
    "house_sparrow": (104, 0.8, {"traffic_over_40db": 1.4, "feeders": 0.9}, {"band_1_3_khz": 0.6, "band_3_5_khz": 1.1}),
    "robin": (98, 0.6, {"hours_after_sunrise": -1.5, "cat_about": -0.7}, {"band_1_3_khz": 0.5, "band_5_7_khz": 0.9}),
    "goldfinch": (21, 0.4, {"nyjer_kg": 2.2, "rain_mm": -0.8}, {"band_5_7_khz": 1.7}),
    "nuthatch": (16, 0.7, {"woodland": 1.5, "fat_balls": 1.3}, {"band_1_3_khz": 2.1}),
    "hawfinch": (11, 0.6, {"woodland": 1.1, "frost_nights": 1.6, "sunflower_kg": 0.9}, {"band_7_9_khz": 1.2}),
}

Columns = dict[str, np.ndarray]


def surroundings(rng: np.random.RandomState) -> tuple[Columns, np.ndarray]:
    """Weather, station and food of each visit, and the attraction g, (n,)."""
    station = np.repeat(np.arange(STATIONS), VISITS)
    habitat = np.repeat(np.arange(len(HABITATS)), [4, 3, 2, 3])
    day = rng.uniform(0, 365, N)
    rain = np.maximum(rng.exponential(1.1, N) - 1.2, 0) * 2
    canopy = np.where(habitat == 0, 0.0, rng.beta(2, 3, STATIONS) * (0.35 + 0.2 * habitat))

    def food(share: float, shape: float, kg: float) -> np.ndarray:
        """Amounts at the share of the stations that offer it, where it is not used up."""
        offered = (rng.uniform(size=STATIONS) < share)[station] & (rng.uniform(size=N) < 0.85)
        return offered * rng.gamma(shape, kg, N)

    columns = {
        "frost_nights": rng.binomial(7, np.maximum(0.75 * np.cos(2 * np.pi * (day - 20) / 365), 0)),
        "wind_ms": np.maximum(rng.gamma(2.0, 1.3, N) - 1.3, 0),
        "rain_mm": rain,
        "sky": np.where(rain > 0, 2, rng.uniform(size=N) < 0.4),
        "hours_after_sunrise": rng.triangular(-0.5, 1.0, 7.0, N),
        "habitat": habitat[station],
        "canopy_share": canopy[station],
        "water_distance_km": np.where(rng.uniform(size=STATIONS) < 0.4, 0.0, rng.gamma(2.0, 0.06, STATIONS))[station],
        "traffic_over_40db": np.maximum(rng.normal(46, 6, N) - 7 * habitat[station] - 40, 0),
        "people_about": rng.poisson(0.5, N),
        "feeders": rng.randint(1, 7, STATIONS)[station],
        "fat_balls": rng.poisson(0.8, N),
        "sunflower_kg": food(0.7, 3.0, 0.35),
        "peanuts_kg": food(0.6, 2.5, 0.2),
        "nyjer_kg": food(0.4, 2.0, 0.25),
        "cat_about": rng.uniform(size=N) < 0.17,
    }
    return columns, rng.normal(size=STATIONS)[station] * 0.6 + rng.normal(size=N) * 0.8


def birds(columns: Columns, attraction: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Y (n, q) bool: for each label the n_j rows of the largest s_ij."""
    known = {**columns, "woodland": columns["habitat"] == HABITATS.index("woodland")}
    Y = np.zeros((N, len(LABELS)), dtype=bool)
    for j, (positives, shared, own, _) in enumerate(LABELS.values()):
        score = shared * attraction + rng.logistic(0, 0.45, N)
        for feature, weight in own.items():
            score += weight * standardised(known[feature])
        Y[np.argsort(-score, kind="stable")[:positives], j] = True
    return Y


def standardised(column: np.ndarray) -> np.ndarray:
    """Mean 0 and standard deviation 1."""
    return (column - column.mean()) / column.std()


def sound(Y: np.ndarray, columns: Columns, rng: np.random.RandomState) -> Columns:
    """Loudness above the noise in each band, 0 where there is none; wind and traffic hide the lowest one."""
    bands = {}
    for band in (name for name in FEATURES if name.startswith("band_")):
        per_bird = np.array([loud.get(band, 0.0) for *_, loud in LABELS.values()])
        heard = (Y * rng.gamma(4.0, 0.25, Y.shape)) @ per_bird + rng.normal(-0.7, 0.35, N)
        if band == "band_1_3_khz":
            heard -= 0.12 * columns["wind_ms"] + 0.02 * columns["traffic_over_40db"]
        bands[band] = np.maximum(heard, 0)
    return bands


def cells(columns: Columns, missing: np.ndarray) -> dict[str, list[str]]:
    """The features as text; missing: (n, d) bool."""
    return {
        name: ["?" if gone else spelled(name, value) for value, gone in zip(columns[name], missing[:, i], strict=True)]
        for i, name in enumerate(FEATURES)
    }


def spelled(name: str, value: float) -> str:
    """A value as the file has it, without zeros at its end."""
    if name in NOMINAL:
        return NOMINAL[name][int(value)]
    text = f"{value:.{FEATURES[name][1]}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def arff(relation: str, kinds: dict[str, str], table: dict[str, list[str]], row: Callable[[Iterable[str]], str]) -> str:
    """The text of a file: the attributes in the order of `kinds`."""
    header = [f"@relation {relation}", "", *(f"@attribute {name} {kind}" for name, kind in kinds.items()), "", "@data"]
    rows = map(row, zip(*(table[name] for name in kinds), strict=True))
    return "\n".join([*header, *rows, ""])


def sparse_row(kinds: dict[str, str]) -> Callable[[Iterable[str]], str]:
    """Spells rows in sparse form: what is 0, or the first declared value, is left out."""
    omitted = [kind[1:-1].split(",")[0] if kind[0] == "{" else "0" for kind in kinds.values()]

    def row(values: Iterable[str]) -> str:
        pairs = (f"{i} {value}" for i, (value, left_out) in enumerate(zip(values, omitted, strict=True)) if value != left_out)
        return "{" + ",".join(pairs) + "}"

    return row


def xml() -> str:
    """The labels as Mulan wants them."""
    lines = (f'  <label name="{name}"></label>' for name in LABELS)
    start = ('<?xml version="1.0" encoding="utf-8"?>', '<labels xmlns="http://mulan.sourceforge.net/labels">')
    return "\n".join([*start, *lines, "</labels>", ""])


def main() -> None:
    rng = np.random.RandomState(SEED)  # its stream is frozen, that of a Generator may change with numpy
    columns, attraction = surroundings(rng)
    Y = birds(columns, attraction, rng)
    columns.update(sound(Y, columns, rng))
    order = rng.permutation(N)
    missing = rng.uniform(size=(N, len(FEATURES))) < MISSING
    table = cells({name: column[order] for name, column in columns.items()}, missing)
    table.update({name: ["1" if y else "0" for y in Y[order, j]] for j, name in enumerate(LABELS)})

    features = {name: kind for name, (kind, _) in FEATURES.items()}
    labels = dict.fromkeys(LABELS, "{0,1}")
    mulan, meka = features | labels, labels | features
    files = {
        f"{NAME}.arff": arff(NAME, mulan, table, ",".join),
        f"{NAME}-sparse.arff": arff(NAME, mulan, table, sparse_row(mulan)),
        f"{NAME}-meka.arff": arff(f"'{NAME}: -C {len(LABELS)}'", meka, table, ",".join),
        f"{NAME}.xml": xml(),
    }
    for name, text in files.items():
        (Path(__file__).parent / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
