"""Words and digits that stand for a truth value."""

from collections.abc import Sequence

_TRUTH = ({"0": 0, "1": 1}, {"false": 0, "true": 1}, {"no": 0, "yes": 1})


def truth(values: Sequence[str]) -> tuple[int, ...] | None:
    """What one or two declared values stand for, in their order; None where they are not 0 and 1, no and yes, or false and true.

    >>> truth(["Yes", "NO"]), truth(["1", "yes"]), truth(["FALSE"])
    ((1, 0), None, (0,))
    """
    lowered = [value.lower() for value in values]
    for names in _TRUTH:
        if lowered and len(set(lowered)) == len(lowered) and names.keys() >= set(lowered):
            return tuple(names[value] for value in lowered)
    return None
