"""Random files, spelled by a writer of its own, must read as what was written; broken ones must be read or refused, nothing else.

LSDMLO_FUZZ sets the number of examples.
"""

import os
import re
import signal
from contextlib import contextmanager, nullcontext
from random import Random
from unittest.mock import patch

import numpy as np
import pytest
from conftest import OMITTED, cells, label_rows, read
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lsdmlo_cli.errors import FormatError, LsdmloError
from lsdmlo_cli.formats import files
from lsdmlo_cli.formats.arff.fast_rows import FastRows

EXAMPLES = int(os.environ.get("LSDMLO_FUZZ", "60"))
fuzz = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))

WAYS = {
    "as shipped": nullcontext,
    "exact only": lambda: patch.object(FastRows, "read", lambda self, text: None),
}
SECONDS = 20
RANDOM = st.builds(Random, st.integers(0, 2**32 - 1))
"""Seeds, not choices one by one: the files come out richer, and the seed is all that is needed to see one again."""


@contextmanager
def no_hang():
    def stop(number, frame):
        raise TimeoutError(f"not done within {SECONDS} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# ---- the writer

CONTROL = ["\x0b\x0c", "\a\b\0\x1a\x7f", r"\b"]
PIECES = {
    "latin-1": [*"abcXYZ019 \t,,''\"\"\\\\%{}?.-+_@é\u00a0\u0085ß\n\r", "red", "dark blue", r"\'", r"\"", "1.0", *CONTROL],
    "utf-8": [
        *"abcXYZ019 \t,,''\"\"\\\\%{}?.-+_@é\u00a0\u0085漢\u2028\u3000\ufeff😀\n\r",
        "red",
        "dark blue",
        r"\'",
        r"\"",
        "1.0",
        *CONTROL,
    ],
}
NEEDS_QUOTES = set(map(chr, range(33))) | set(",'\"%{}")
ESCAPED = {"\\": r"\\", "\n": r"\n", "\r": r"\r"}
RARE = {"\a": r"\a", "\b": r"\b", "\f": r"\f", "\v": r"\v", "x": r"\x"}
RARE |= {char: f"\\{ord(char):03o}" for char in "ab01 ,\0\x1a\x7f\u00a0éß"}
DATES = {"": "2020-02-29T23:59:59", " 'yyyy MM'": "2021 07", " yyyy": "99", " QQ": "whatever it is", ' "d/M/yy"': "29/2/00"}
ENDS = ["\n", "\r\n", "\r"]


class Writer:
    """Spells tokens, declarations and rows in the ways that the format allows; `rng` chooses. Plain: none of the finer points."""

    def __init__(self, rng, plain, encoding):
        self.rng, self.plain, self.encoding = rng, plain, encoding

    def text(self):
        return "".join(self.rng.choice(PIECES[self.encoding]) for _ in range(self.rng.choice([0, 1, 1, 2, 3, 8])))

    def blank(self, least=0):
        blanks = " \t" if self.plain else "  \t\t\x0c\x00\x1a\x1f"
        return "".join(self.rng.choice(blanks) for _ in range(least + self.rng.choice([0, 0, 0, 1, 2]) * (not self.plain)))

    def token(self, text):
        bare = re.sub(r"""\\['"]""", "\\\\", text)
        if text not in ("", "?") and not NEEDS_QUOTES & set(bare) and self.rng.random() < 0.8:
            return text
        return self.quoted(text)

    def quoted(self, text):
        mark = self.rng.choice("'\"")
        may = {mark: "\\" + mark} | ESCAPED
        if self.rng.random() < 0.5:
            may |= {"%": r"\%", "\t": r"\t", "'": r"\'", '"': r"\""}
        rare = RARE if self.rng.random() < 0.3 else {}
        may |= {char: escape for char, escape in rare.items() if self.rng.random() < 0.5}
        return mark + "".join(may.get(char, char) for char in text) + mark

    def number(self, x):
        """A spelling whose nearest double is x."""
        plain = repr(x).removesuffix(".0")
        if self.plain:
            return self.rng.choice([plain, repr(x), f"{x:.17g}"])
        ways = [
            plain,
            repr(x),
            f"{x:.17g}",
            f"{x:.17e}",
            f"{x:.20E}",
            f"{x:+.17g}",
            "00" * (x >= 0) + plain,
            repr(x).replace("0.", ".", 1) if repr(x).startswith("0.") else plain,
        ]
        spelled = self.rng.choice(ways)
        return self.rng.choice([spelled, spelled, spelled, f"'{spelled}'", f'"{spelled}"'])

    def comment(self):
        return "" if self.plain or self.rng.random() < 0.8 else "%" + self.text().replace("\n", " ").replace("\r", " ")

    def noise(self):
        """Lines that hold nothing."""
        while not self.plain and self.rng.random() < 0.15:
            yield self.blank() + self.comment()

    def weight(self):
        return (
            ""
            if self.plain or self.rng.random() < 0.8
            else self.rng.choice([" ", ",", " , "]) + self.rng.choice(["{5}", "{ 0.25 }", "{1e2}"])
        )

    def keyword(self, word):
        return "@" + "".join(self.rng.choice([char, char.upper()]) for char in word)

    def declaration(self, name, kind, values):
        type_ = self.rng.choice([kind, kind.upper(), kind.title()])
        if kind == "nominal":
            type_ = "{" + ",".join(self.blank() + self.token(value) + self.blank() for value in values) + "}"
        behind = {"numeric": ["", "[0,5]", "{0.5}"], "integer": ["", " (0, 9]"], "date": [values]}.get(kind, ["", "", " {2}"])
        more = "" if self.plain else self.rng.choice(behind)
        return (
            self.blank()
            + self.keyword("attribute")
            + self.blank(1)
            + self.token(name)
            + self.blank(1)
            + type_
            + more
            + self.blank()
            + self.comment()
        )

    def cell(self, value, kind):
        if value is None:
            return "?"
        return self.number(value) if kind in ("numeric", "integer") else self.token(value)

    def dense(self, row, kinds):
        separate = self.rng.choice(["comma", "comma", "tab", "blank"]) if not self.plain else "comma"
        between = {
            "comma": lambda: self.blank() + "," + self.blank(),
            "tab": lambda: " " * self.rng.choice([0, 0, 1]) + "\t" + " " * self.rng.choice([0, 0, 1]),
            "blank": lambda: " " * self.rng.choice([1, 1, 2]),
        }[separate]
        line = self.cell(row[0], kinds[0])
        for value, kind in zip(row[1:], kinds[1:], strict=True):
            line += between() + self.cell(value, kind)
        last = "," * (separate == "comma" and not self.plain and self.rng.random() < 0.2)
        return self.blank() + line + (last or self.weight()) + self.blank() + self.comment()

    def sparse(self, row, kinds, omitted):
        pairs = [(j, v) for j, v in enumerate(row) if v != OMITTED and (v != omitted[j] or self.rng.random() < 0.2)]
        body = ""
        for place, (j, value) in enumerate(pairs):
            between = self.rng.choice([",", ",", ", "]) if self.plain else self.rng.choice([",", ", ", " , ", " ", "\t", ",\t"])
            body += between * (place > 0) + str(j) + (self.blank(1) if not self.plain else " ") + self.cell(value, kinds[j])
        return self.blank() + "{" + self.blank() + body + self.blank() + "}" + self.weight() + self.blank() + self.comment()


def number(rng, kind):
    whole = float(rng.choice([0, 0, 1, 1, 2, 7, -3, 9, 10, 123456, 2**53, 10**15]))
    exact = rng.choice([0.0, 0.5, -0.25, 1e-7, 0.1, 1 / 3, 123456789.125, 1e300, 5e-324, 1.7976931348623157e308, rng.random()])
    return whole if kind == "integer" or rng.random() < 0.5 else exact


def kinds_of(rng, plain, writer):
    """Declarations of features, and of labels behind them."""
    features, labels = [], []
    names = set()
    for j in range(rng.choice([1, 2, 2, 4, 7])):
        kind = rng.choice(["numeric", "real", "integer", "nominal"] + ["string", "date", "nominal"] * (not plain))
        digits = [str(v) for v in range(rng.choice([1, 2, 3, 12]))]
        others = rng.choice([["1", "0"], ["2", "5", "11"], ["red", "green"], digits])
        values = (
            rng.choice([digits, others]) if plain else list(dict.fromkeys(writer.text() for _ in range(rng.choice([1, 2, 3, 6]))))
        )
        features.append((f"{writer.text()}{j}", kind, {"nominal": values, "date": rng.choice(list(DATES))}.get(kind)))
        names.add(features[-1][0])
    for j in range(rng.choice([1, 1, 3])):
        values = rng.choice(
            [["0", "1"], ["0", "1"], ["1", "0"], ["FALSE", "TRUE"], ["Yes", "No"], ["0"], ["true"], ["NO"], None]
            if not plain
            else [["0", "1"], ["0", "1"], ["1", "0"], ["0"], ["1"], None]
        )
        labels.append(
            (f"label {j}" if not plain else f"label{j}", "nominal" if values else rng.choice(["numeric", "integer"]), values)
        )
    return features, labels


def one_file(rng):
    """The bytes of a file, and what must be read from it."""
    plain = rng.random() < 0.5
    encoding = rng.choice(["utf-8", "utf-8", "latin-1"])
    writer = Writer(rng, plain, encoding)
    features, labels = kinds_of(rng, plain, writer)
    kinds = [{"real": "numeric"}.get(kind, kind) for _, kind, _ in features + labels]
    left_out = {"string": OMITTED, "date": OMITTED}
    omitted = [left_out.get(kind, values[0] if values else 0.0) for _, kind, values in features + labels]
    relation = "é " + writer.text()  # in latin-1 this is never UTF-8
    lines = [*writer.noise(), writer.keyword("relation") + writer.blank(1) + writer.quoted(relation) + writer.comment()]
    for declared in features + labels:
        lines += [*writer.noise(), writer.declaration(*declared)]
    lines += [writer.keyword("data") + writer.blank() + writer.comment()]
    X, Y, forms = [], [], []
    always = rng.choice([None, True, False])
    for _ in range(rng.choice([0, 1, 2, 5, 12])):
        sparse = rng.random() < 0.5 if always is None else always
        row, y = random_row(rng, features, labels, writer, sparse)
        lines += [*writer.noise(), writer.sparse(row, kinds, omitted) if sparse else writer.dense(row, kinds)]
        X.append(row[: len(features)])
        Y.append(y)
        forms.append(sparse)
    end = rng.choice(ENDS)
    text = end.join(lines) + end * rng.choice([0, 1, 1, 2]) + rng.choice(["", "", "\x1a", "\x1a" + end])
    content = (b"\xef\xbb\xbf" if encoding == "utf-8" and rng.random() < 0.2 else b"") + text.encode(encoding)
    return (
        content,
        len(labels),
        {
            "relation": relation,
            "names": [name for name, _, _ in features + labels],
            "X": X,
            "Y": Y,
            "forms": forms,
            "encoding": encoding,
        },
    )


def random_row(rng, features, labels, writer, sparse):
    row, y = [], []
    for _, kind, values in features:
        value = {
            "nominal": lambda among=values: rng.choice(among),
            "string": writer.text,
            "date": lambda pattern=values: DATES[pattern],
        }.get(kind, lambda kind=kind: number(rng, kind))()
        left_out = sparse and kind in ("string", "date") and rng.random() < 0.4
        row.append(OMITTED if left_out else None if rng.random() < 0.1 else value)
    for _, _, values in labels:
        y.append(rng.choice([int(value.lower() in ("1", "true", "yes")) for value in values or ["0", "1"]]))
        row.append(next(v for v in values if (v.lower() in ("1", "true", "yes")) == y[-1]) if values else float(y[-1]))
    return row, y


# ---- reading


def read_content(folder, content, labels, block=files.BLOCK_BYTES):
    path = folder / "fuzz.arff"
    path.write_bytes(content)
    with patch.object(files, "BLOCK_BYTES", block), no_hang():
        return read(path, labels)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


def as_utf8(dataset, encoding):
    """The data set with its texts in UTF-8, as `cells` takes them."""
    texts = {j: [text.decode(encoding).encode() for text in table] for j, table in dataset.texts.items()}
    return dataset.__class__(**{**dataset.__dict__, "texts": texts})


@pytest.mark.parametrize("way", WAYS)
@fuzz
@given(rng=RANDOM, block=st.sampled_from([7, 17, 64, 300, files.BLOCK_BYTES]))
def test_what_is_written_is_read(folder, way, rng, block):
    content, q, truth = one_file(rng)
    with WAYS[way]():
        data = read_content(folder, content, f"-{q}", block).dataset
    names = [attribute.name for attribute in (*data.features, *data.labels)]
    assert (data.relation, names) == (truth["relation"], truth["names"])
    assert cells(as_utf8(data, truth["encoding"])) == truth["X"]
    assert label_rows(data) == truth["Y"]
    assert data.sparse_rows.tolist() == truth["forms"]
    values = data.X if isinstance(data.X, np.ndarray) else data.X.data
    assert values.dtype == np.float64
    assert not np.signbit(values[values == 0]).any()


SPECIAL = [
    b"'",
    b'"',
    b"\\",
    b"%",
    b"{",
    b"}",
    b",",
    b"?",
    b"\n",
    b"\r",
    b"\t",
    b" ",
    b"@",
    b"@data\n",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\x00",
    b"-",
    b"1e999",
    b"nan",
]
SPECIAL += [
    b"0",
    b"1",
    b"99999999999",
    b"{0 1}",
    b"{}",
    b"''",
    rb"\'",
    b".",
    b"e",
    b"[",
    b"]",
    b"null",
    b"true",
    b"1_0",
    b"\xc2\xa0",
    b"\xe9",
    b"-0",
    b"1.0",
    b"  ",
]


def mutated(rng, content):
    """The content with a few bytes changed, lost, doubled or added."""
    for _ in range(rng.choice([1, 1, 2, 5])):
        at = rng.randrange(len(content) + 1)
        stop = min(len(content), at + rng.choice([0, 1, 1, 2, 10]))
        new = rng.choice([b"", rng.choice(SPECIAL), bytes([rng.randrange(256)]), content[at:stop] * 2, rng.choice(SPECIAL) * 40])
        content = content[:at] + new + content[stop:]
    return content


def outcome(folder, content, labels, block=files.BLOCK_BYTES):
    """What reading ends with, in a form that can be compared."""
    try:
        arff = read_content(folder, content, labels, block)
    except LsdmloError as refusal:
        assert "\n" not in str(refusal)
        return type(refusal), str(refusal)
    data = arff.dataset
    texts = {j: [data.texts[j][int(code)] for code in column(data.X, j)] for j in data.texts}
    X = data.X if isinstance(data.X, np.ndarray) else data.X.toarray()
    numbers = [[repr(x) for x in row] for row in np.delete(X, list(texts), axis=1).tolist()]
    exact = {j: (own.rows.tolist(), own.digits.tolist()) for j, own in data.exact.items()}
    return numbers, texts, label_rows(data), data.sparse_rows.tolist(), data.warnings, type(data.X).__name__, exact


def column(X, j):
    dense = X if isinstance(X, np.ndarray) else X.toarray()
    return np.nan_to_num(dense[:, j])


@fuzz
@given(rng=RANDOM, block=st.sampled_from([7, 17, 64, files.BLOCK_BYTES]))
def test_a_broken_file_is_read_or_refused_alike_in_every_way(folder, rng, block):
    content, q, _ = one_file(rng)
    broken = mutated(rng, content)
    outcomes = []
    for way in WAYS.values():
        with way():
            outcomes.append(outcome(folder, broken, f"-{q}"))
            outcomes.append(outcome(folder, broken, f"-{q}", block))
    assert outcomes == outcomes[:1] * len(outcomes)


TOKENS = """0 1 2 9 10 11 01 00 -0 -0.0 0.0 1.0 1e0 1E5 +1 .5 5. -1 ? 1e400 1e-400 -1e400 123456789 1234567890
99999999999999999999 9007199254740993 -9007199254740993.0 1e 1_0 0x1 '1' -""".split()  # noqa: SIM905
TOKENS += ["", " ", " 1", "1 ", "\t1", "1 1", "--1", "1-1", "1.5.5", "null", "{", "}", "%", "1e5e5", "0.1", "-7", "3"]
DECLARED = [
    "numeric",
    "integer",
    "{0,1}",
    "{0,1,2}",
    "{" + ",".join(map(str, range(12))) + "}",
    "{1,0}",
    "{2,10,1}",
    "{0,1.0}",
    "{01,1}",
    "{-0,0}",
    "{0}",
    "{7}",
]


def rows_of_numbers(rng):
    """A header, and rows that look like plain numbers with some that only nearly do."""
    kinds = [rng.choice(DECLARED[: rng.choice([2, 5, 12])]) for _ in range(rng.choice([1, 2, 4]))] + [
        rng.choice(["{0,1}", "{1,0}", "{0}", "{1}", "numeric"])
    ]
    odd = rng.choice([0, 0.02, 0.2])
    lines = []
    for _ in range(rng.choice([1, 2, 6])):
        tokens = [rng.choice(TOKENS) if rng.random() < odd else rng.choice("0011") for _ in kinds]
        pairs = [f"{j} {token}" for j, token in enumerate(tokens) if rng.random() < 0.6]
        between = rng.choice([",", ",", ",", ", ", " ,", "\t", ",,"] if rng.random() < odd else [",", ", "])
        lines += [rng.choice([between.join(tokens), "{" + between.join(pairs) + "}"])] + [""] * (rng.random() < odd)
    header = "@relation r\n" + "".join(f"@attribute a{j} {kind}\n" for j, kind in enumerate(kinds)) + "@data\n"
    return (header + "\n".join(sorted(lines)) + "\n").encode()


@fuzz
@given(rng=RANDOM)
def test_rows_of_numbers_are_read_alike_in_every_way(folder, rng):
    content = rows_of_numbers(rng)
    outcomes = []
    for way in WAYS.values():
        with way():
            outcomes += [outcome(folder, content, "-1", block) for block in (files.BLOCK_BYTES, 16)]
    assert outcomes == outcomes[:1] * len(outcomes)


@fuzz
@given(rng=RANDOM)
def test_any_bytes_are_read_or_refused(folder, rng):
    lines = [
        rng.choice([b"@relation ", b"@attribute ", b"@data", b"% ", b"{", b"", b"1,"])
        + b"".join(rng.choice(SPECIAL) for _ in range(rng.choice([0, 2, 30])))
        for _ in range(6)
    ]
    content = b"@relation r\n@attribute x numeric\n@attribute L {0,1}\n" * (rng.random() < 0.6) + b"\n".join(lines)
    outcome(folder, content, "-1")


XML = b'<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="m"><label name="L"><label name="x &amp; y"/></label></labels>\n'
TWO = b"@relation 'r: -C 1'\n@attribute L {0,1}\n@attribute 'x & y' {0,1}\n@data\n0,1\n"


@fuzz
@given(rng=RANDOM)
def test_a_broken_xml_is_read_or_refused(folder, rng):
    (folder / "labels.xml").write_bytes(mutated(rng, XML))
    outcome(folder, TWO, str(folder / "labels.xml"))


@fuzz
@given(rng=RANDOM)
def test_broken_compression_is_refused(folder, rng):
    pack = rng.choice(sorted(PACKS))
    path = folder / f"fuzz.arff{pack}"
    path.write_bytes(mutated(rng, PACKS[pack](TWO * 20)))
    with no_hang(), pytest.raises(LsdmloError):
        read(path, "-1")


def _packs():
    import bz2
    import gzip
    import lzma

    return {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


PACKS = _packs()


def test_a_line_of_a_million_values(folder):
    width = 200_000
    head = "@relation r\n" + "".join(f"@attribute a{j} numeric\n" for j in range(width)) + "@attribute L {0,1}\n@data\n"
    data = read_content(folder, (head + "1," * width + "1\n" + f"{{{width} 1}}\n").encode(), "-1").dataset
    assert (data.X.sum(), data.Y.sum()) == (width, 2)
    with pytest.raises(FormatError, match="found 200000"):
        read_content(folder, (head + "1," * width + "\n").encode(), "-1")
