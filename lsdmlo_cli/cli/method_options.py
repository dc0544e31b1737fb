"""The methods and the options that belong to them, as the help needs them: without loading a single array.

The truth is in the fields of SAMPLERS; a test holds this table against them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import click

from lsdmlo_cli.cli.options import DECIMAL, NUMBER, NameType, WholeNumber, was_given

DEFAULT_METHOD = "lsdmlo"
METHODS = (
    "lsdmlo",
    "mlros",
    "mlrus",
    "remedial",
    "rhwrsmt",
    "mlsmote",
    "mlsol",
    "mlbote",
    "mlonc",
    "drsmote",
    "aemlo",
    "lpros",
    "lprus",
    "mlul",
    "mltl",
    "mlenn",
    "mlrknnos",
)
ONE_A_SEED = "one row per seed"


@dataclass(frozen=True)
class MethodOption:
    """An option of some methods.

    name: that of the sampler's field. defaults: for each method it is for, as it would be typed; in words where the default is
    None. type: of its value; None for a switch, which is off by default.
    """

    name: str
    help: str
    defaults: Mapping[str, str]
    type: click.ParamType | None = None

    @property
    def spelled(self) -> str:
        """As it is typed.

        >>> MethodOption("k_b", "", {}).spelled
        '--k-b'
        """
        return f"--{self.name.replace('_', '-')}"

    @property
    def methods(self) -> str:
        """The methods it is for, as a list to read."""
        return ", ".join(self.defaults)

    @property
    def groups(self) -> str:
        """The methods it is for with their defaults.

        >>> MethodOption("p", "", {"a": "0.1", "b": "1", "c": "0.1"}, NUMBER).groups
        'a, c: 0.1; b: 1'
        """
        if self.type is None:
            return self.methods
        values = dict.fromkeys(self.defaults.values())
        return "; ".join(f"{', '.join(m for m, d in self.defaults.items() if d == value)}: {value}" for value in values)

    def click(self) -> Callable[[Any], Any]:
        """The option of the command."""
        text = f"{self.help}  [{self.groups}]"
        if self.type is None:
            return click.option(self.spelled, self.name, is_flag=True, help=text)
        metavar = "N" if isinstance(self.type, WholeNumber) else None
        return click.option(self.spelled, self.name, type=self.type, metavar=metavar, help=text)


def _one(method: str, default: str = "") -> dict[str, str]:
    return {method: default}


_SIZED = ("lsdmlo", "mlros", "mlrus", "mlsol", "mlbote", "mlonc", "drsmote", "aemlo", "lpros", "lprus", "mlul", "mlrknnos")
_COUNT = WholeNumber(min=1)

METHOD_OPTIONS = (
    MethodOption(
        "p",
        "Rows to add (or to remove), as a share of the rows of IN, 0 or more.",
        {**dict.fromkeys(_SIZED, "0.1"), "mlsmote": ONE_A_SEED, "rhwrsmt": ONE_A_SEED},
        DECIMAL,
    ),
    MethodOption(
        "rows",
        "Rows to add (or to remove), as a number; use it in place of --p.",
        {**dict.fromkeys(_SIZED, "floor(p n)"), "mlsmote": ONE_A_SEED, "rhwrsmt": ONE_A_SEED},
        WholeNumber(min=0),
    ),
    MethodOption("tr", "Share of label pairs treated as correlated.", _one("lsdmlo", "0.1"), DECIMAL),
    MethodOption(
        "interpolation",
        "Draw one interpolation factor per attribute, or one per row.",
        {**dict.fromkeys(("lsdmlo", "mlsmote", "mlsol", "mlonc"), "attribute"), "mlbote": "instance"},
        NameType(["attribute", "instance"]),
    ),
    MethodOption(
        "outliers",
        "Whether outliers keep their label correlation weight.",
        _one("lsdmlo", "keep"),
        NameType(["keep", "drop"]),
    ),
    MethodOption(
        "strategy",
        "Labels of a new row: those of any neighbour, of more than half of them, or of all.",
        _one("mlsmote", "ranking"),
        NameType(["union", "ranking", "intersection"]),
    ),
    MethodOption(
        "ranking_ties",
        "Whether to drop or keep a label that exactly half of the neighbours have.",
        dict.fromkeys(("rhwrsmt", "mlsmote"), "drop"),
        NameType(["drop", "keep"]),
    ),
    MethodOption(
        "vdm_power",
        "Power of the value difference metric of nominal attributes, 1 or 2.",
        dict.fromkeys(("rhwrsmt", "mlsmote"), "1"),
        WholeNumber(1, 2),
    ),
    MethodOption(
        "see_new", "Synthetic rows made for one label may serve as seeds and neighbours for later labels.", _one("mlsmote")
    ),
    MethodOption("refresh_max", "Update the largest label count as rows are cloned.", _one("mlros")),
    MethodOption("protect_minority", "Remove only rows without a minority label, at random.", _one("mlrus")),
    MethodOption(
        "skip_one_sided",
        "Do not split rows whose labels are all rare or all frequent.",
        dict.fromkeys(("remedial", "rhwrsmt"), ""),
    ),
    MethodOption("k_b", "Number of neighbours that decide whether a row is borderline.", _one("mlbote", "3"), _COUNT),
    MethodOption("k_w", "Number of neighbours for seed weights and references.", _one("mlbote", "5"), _COUNT),
    MethodOption("th_c", "Minimum weight of a cross-borderline seed.", _one("mlbote", "7"), NUMBER),
    MethodOption("n_lps", "Number of loops; label counts are updated after each.", _one("mlbote", "10"), _COUNT),
    MethodOption("redistribute", "Distribute the rows of labels without a seed among the other labels.", _one("mlonc")),
    MethodOption(
        "unlike",
        "Take as reference a row with another labelset, or a row without the label.",
        _one("drsmote", "labelset"),
        NameType(["labelset", "label"]),
    ),
    MethodOption(
        "region",
        "How numbers are drawn around the seed, within the range of the attribute.",
        _one("drsmote", "box"),
        NameType(["box", "normal", "half-ball"]),
    ),
    MethodOption("latent", "Size of the latent space.", _one("aemlo", "500"), _COUNT),
    MethodOption("hidden", "Size of the encoders' hidden layers.", _one("aemlo", "200"), _COUNT),
    MethodOption("decoder_hidden", "Size of the decoders' hidden layers.", _one("aemlo", "100"), _COUNT),
    MethodOption("epochs", "Passes over the data.", _one("aemlo", "200"), _COUNT),
    MethodOption("batch_rows", "Number of rows per training step.", _one("aemlo", "128"), _COUNT),
    MethodOption("learning_rate", "Learning rate of the optimiser.", _one("aemlo", "0.0001"), NUMBER),
    MethodOption("orthogonality", "Weight of the orthogonality of the latent space.", _one("aemlo", "0.1"), NUMBER),
    MethodOption("feature_loss", "Weight of the features' loss.", _one("aemlo", "1"), NUMBER),
    MethodOption("label_loss", "Weight of the labels' loss.", _one("aemlo", "1"), NUMBER),
    MethodOption("latent_noise", "Standard deviation of the noise added to a latent row.", _one("aemlo", "0"), NUMBER),
    MethodOption("redraw", "Draw again for rows that were dropped because they had no label.", _one("aemlo")),
    MethodOption(
        "threshold",
        "Share of differing labels above which two rows count as different.",
        {"mltl": "from MeanIR", "mlenn": "0.75"},
        DECIMAL,
    ),
    MethodOption(
        "clean",
        "Which rows of a Tomek link to remove: the one without a minority label, or both.",
        _one("mltl", "majority"),
        NameType(["majority", "both"]),
    ),
    MethodOption("k_edit", "Number of neighbours each row is compared with.", _one("mlenn", "3"), _COUNT),
    MethodOption("k_reverse", "Number of neighbours in the reverse neighbour lists.", _one("mlrknnos", "3"), _COUNT),
)

METHOD = click.option(
    "--method",
    type=NameType(METHODS),
    default=DEFAULT_METHOD,
    show_default=True,
    metavar="NAME",
    help="The sampling method, one of `lsdmlo methods`.",
)


def given_options(ctx: click.Context, method: str, options: dict[str, Any]) -> dict[str, Any]:
    """Take the methods' options out of all: those that were typed. Raises UsageError for one that is not for the method."""
    given = {}
    for option in METHOD_OPTIONS:
        value = options.pop(option.name)
        if not was_given(ctx, option.name):
            continue
        if method not in option.defaults:
            raise click.UsageError(f"{option.spelled} is not for --method {method}: it is for {option.methods}", ctx)
        given[option.name] = value
    if {"p", "rows"} <= given.keys():
        raise click.UsageError("--p and --rows exclude each other", ctx)
    return given
