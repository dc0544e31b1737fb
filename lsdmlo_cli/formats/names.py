"""What the name of a file says: its compression, its format, and what other names are made from."""

from __future__ import annotations

from lsdmlo_cli.errors import ParameterError, hint
from lsdmlo_cli.formats.arff import ARFF, KEEL
from lsdmlo_cli.formats.arrow import FEATHER, PARQUET
from lsdmlo_cli.formats.csv import CSV, TSV
from lsdmlo_cli.formats.format import Format
from lsdmlo_cli.formats.libsvm import LIBSVM
from lsdmlo_cli.plugins import Registry

COMPRESSED = (".gz", ".bz2", ".xz")
FORMATS: Registry[Format] = Registry("formats", (ARFF, CSV, TSV, LIBSVM, PARQUET, FEATHER, KEEL))


def suffix(path: str) -> str:
    """The compression that the name asks for: `.gz`, `.bz2`, `.xz` or nothing."""
    return next((end for end in COMPRESSED if path.lower().endswith(end)), "")


def uncompressed(path: str) -> str:
    """The path without a compression's suffix."""
    return path[: len(path) - len(suffix(path))]


def claimed(path: str) -> tuple[Format, str] | None:
    """The format that a file of this name has, and the ending that says so; None where no format claims the name.

    >>> claimed("emotions.ARFF.xz")[1], claimed("emotions.txt"), claimed("-")
    ('.arff', None, None)
    """
    name = uncompressed(path).lower()
    known = ((format, ending) for format in FORMATS.values() for ending in format.endings)
    return next(((format, ending) for format, ending in known if name.endswith(ending)), None)


def format_of(path: str, name: str | None = None) -> Format:
    """The format of a name, else of a file by the ending of its name; ARFF where no format claims it, as for `-`.

    Errors: ParameterError for a name that no format has.

    >>> format_of("emotions.arff").name, format_of("-").name, format_of("-", "csv").name
    ('ARFF', 'ARFF', 'CSV')
    """
    if name is not None:
        known = {format.name.casefold(): format for format in FORMATS.values()}
        if name.casefold() not in known:
            raise ParameterError(f"there is no format {name!r}{hint(name, known)}: there are {', '.join(known)}")
        return known[name.casefold()]
    found = claimed(path)
    return ARFF if found is None else found[0]


def ending_of(path: str, format: Format) -> str:
    """The ending of a file's name where it is one of its format's, else the one that new files of the format get.

    >>> ending_of("a.ARFF.gz", ARFF), ending_of("-", ARFF)
    ('.arff', '.arff')
    """
    found = claimed(path)
    return found[1] if found is not None and found[0] is format else format.endings[0]


def stem(path: str) -> str:
    """The path without a compression's suffix and then without its format's ending: what other names are made from.

    >>> stem("data/emotions.arff.xz"), stem("out.arff"), stem("plain")
    ('data/emotions', 'out', 'plain')
    """
    found, bare = claimed(path), uncompressed(path)
    return bare if found is None else bare[: len(bare) - len(found[1])]
