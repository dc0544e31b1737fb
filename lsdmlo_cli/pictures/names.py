"""The pictures by name: what each shows, the commands it is for, and where it is made. It loads nothing, for the help."""

from __future__ import annotations

from dataclasses import dataclass

from lsdmlo_cli.errors import ParameterError, hint

_DATA = ("stats", "resample")
_EVALUATE = ("evaluate",)


@dataclass(frozen=True)
class Picture:
    """A picture. name: as it is typed. summary: what it shows, in a line. of: the commands it is for.

    made_by: the function that makes it, as module.function of this room. It takes a Subject and what is typed behind the name
    and a colon, None without; detail: what that is, empty where nothing can be typed there.
    """

    name: str
    summary: str
    of: tuple[str, ...]
    made_by: str
    detail: str = ""
    of_local_imbalance: bool = False
    """Whether it shows LImb, which `--measures fast` leaves out."""

    @property
    def commands(self) -> tuple[str, ...]:
        """Those that draw it: `show` has the pictures of all reports."""
        return (*self.of, "show")

    @property
    def typed(self) -> str:
        """The name with what can stand behind it."""
        return f"{self.name}[:{self.detail}]" if self.detail else self.name


PICTURES = (
    Picture("labels", "positives and IRLbl of each label, with MeanIR", _DATA, "labels.labels"),
    Picture(
        "local-imbalance", "LImb against LImb_LSD by label", _DATA, "local_imbalance.local_imbalance", of_local_imbalance=True
    ),
    Picture("cooccurrence", "which labels occur together", _DATA, "cooccurrence.cooccurrence"),
    Picture("cardinality", "rows by the number of their labels", _DATA, "cardinality.cardinality"),
    Picture("labelsets", "the most frequent sets of labels", _DATA, "labelsets.labelsets"),
    Picture("features", "which features matter for which label", _DATA, "features.features"),
    Picture("parents", "seeds, references and new rows of one label", ("resample",), "parents.parents", "LABEL"),
    Picture("differences", "how much better methods are than the reference", _EVALUATE, "evaluation.differences"),
    Picture("scores", "a metric by fold", _EVALUATE, "evaluation.scores", "METRIC"),
    Picture("ranks", "average ranks, and which methods do not differ", _EVALUATE, "evaluation.ranks", "METRIC"),
    Picture("gains", "what the choice is worth, and how the candidates did", ("recommend",), "recommendation.gains"),
    Picture("p", "a metric against p, for methods with several p", _EVALUATE, "evaluation.against_p", "METRIC"),
)
"""The first one of a command is what it draws where none is named."""


def pictures_of(kind: str) -> list[Picture]:
    """The pictures that a command has, the default first."""
    return [picture for picture in PICTURES if kind in picture.of]


def chosen(name: str | None, kind: str) -> tuple[Picture, str | None]:
    """A picture by what was typed, and what stands behind the colon. Errors: ParameterError for what a command does not have.

    >>> chosen("parents:hawfinch", "resample")[1], chosen(None, "evaluate")[0].name
    ('hawfinch', 'differences')
    """
    known = {picture.name: picture for picture in pictures_of(kind)}
    typed, _, detail = (name or next(iter(known))).partition(":")
    picture = known.get(typed.lower())
    if picture is None:
        raise ParameterError(f"{kind} has no picture {typed!r}{hint(typed, known)}: there are {', '.join(known)}")
    if detail and not picture.detail:
        raise ParameterError(f"the picture {picture.name} takes nothing behind a colon, found {detail!r}")
    return picture, detail or None
