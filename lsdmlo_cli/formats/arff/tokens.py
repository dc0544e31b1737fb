"""The lexical rules of ARFF, shared by header, rows and writing.

Blank, tab and the other bytes below 0x20 separate (no other white space does), and a line end ends a row; `'` and `"` quote,
with backslash escapes inside; `%` outside quotes starts a comment that runs to the end of the line.

The encoding of a file is known only where its header ends, and an escape such as `\\344` names a character whatever the encoding.
Text is therefore handled as bytes, or as text in which the bytes from 0x80 on are surrogates (`as_text`, `as_bytes`).
"""

from __future__ import annotations

import codecs
import re

BLANK = " \t"
QUOTED = r"""'(?:[^'\\\n]|\\[^\n])*'|"(?:[^"\\\n]|\\[^\n])*\""""
PLAIN = r"""(?:[^ \t,'"%{}\n]|(?<=\\)['"])+"""

_ESCAPE = re.compile(r"\\([0-3][0-7]{0,2}|[4-7][0-7]?|.)", re.DOTALL)
_NAMED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_PLAIN_ESCAPES = frozenset("'\"\\tnr%")
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r"))
_BLANK_OR_KEPT = re.compile(rf"""([\x00-\x08\x0b\x0c\x0e-\x1f]+)|{QUOTED}|\\['"]""".encode())
_MUST_QUOTE = re.compile(rb"""[\x00-\x20,'"%{}\\]|^\?$|^$""")
_MUST_ESCAPE = re.compile(rb"""['\\\t\n\r]""")
_ESCAPED = {b"\t": rb"\t", b"\n": rb"\n", b"\r": rb"\r"}


def as_text(text: bytes) -> str:
    """Bytes of a file whose encoding may not be known yet, as text; those that are not ASCII become surrogates."""
    return text.decode("ascii", "surrogateescape")


def as_bytes(text: str, encoding: str) -> bytes:
    """The bytes of a file that `as_text` was given; what escapes stand for is encoded."""
    return text.encode(encoding, "surrogateescape")


def blanked(lines: bytes) -> bytes:
    r"""Lines with blanks in place of the control bytes that separate tokens: those outside quotes.

    >>> blanked(b"red\x0c,'a\x0cb'\x1a")
    b"red ,'a\x0cb' "
    """
    if len(lines.translate(None, _CONTROL)) == len(lines):  # many times as fast as a search
        return lines
    return _BLANK_OR_KEPT.sub(lambda match: b" " * len(match[1]) if match[1] else match[0], lines)


def unquote(token: str) -> str:
    r"""The text that a token stands for: quotes removed and escapes resolved, or the token itself if it has no quotes.

    >>> unquote(r"'it\'s'"), unquote("plain"), unquote(r"'a\\b'")
    ("it's", 'plain', 'a\\b')
    """
    return unescape(token[1:-1]) if token[:1] in ("'", '"') else token


def unquoted(token: bytes, encoding: str) -> bytes:
    """`unquote` for a token in a file of this encoding."""
    if token[:1] not in (b"'", b'"'):
        return token
    return as_bytes(unquote(as_text(token)), encoding) if b"\\" in token else token[1:-1]


def unescape(text: str) -> str:
    r"""The text with its backslash escapes resolved as Java's StreamTokenizer does, which Weka reads with.

    \a \b \f \n \r \t \v are control characters, \0 to \377 the character of that octal number; before any other character a
    backslash is dropped.

    >>> unescape(r"\'\101\1012\bin"), unescape(r"\8\477")
    ("'AA2\x08in", "8'7")
    """
    return _ESCAPE.sub(lambda match: _resolved(match[1]), text) if "\\" in text else text


def _resolved(escape: str) -> str:
    return chr(int(escape, 8)) if "0" <= escape[0] <= "7" else _NAMED.get(escape, escape)


def names_between_commas(text: str) -> list[str]:
    """Names as the command line has them: between commas, and in quotes where they hold commas.

    >>> names_between_commas("a, 'b, c'"), names_between_commas("a,,b")
    (['a', 'b, c'], ['a', 'b'])
    """
    pieces = [piece.strip() for piece in re.findall(rf"(?:{QUOTED}|[^,])+", text)]
    return [unquote(piece) if re.fullmatch(QUOTED, piece) else piece for piece in pieces]


def has_rare_escape(token: str) -> bool:
    r"""Whether a token holds another escape than those that every reader of ARFF knows: \' \" \\ \t \n \r \%."""
    return token[:1] in ("'", '"') and any(escape not in _PLAIN_ESCAPES for escape in _ESCAPE.findall(token))


def quote(text: bytes) -> bytes:
    r"""The shortest token that stands for the text: quoted only where it must be.

    >>> quote(b"plain"), quote(b"dark red"), quote(b"?"), quote(b"it's")
    (b'plain', b"'dark red'", b"'?'", b"'it\\'s'")
    """
    if not _MUST_QUOTE.search(text):
        return text
    return b"'" + _MUST_ESCAPE.sub(lambda match: _ESCAPED.get(match[0], b"\\" + match[0]), text) + b"'"


def shown(text: bytes | str, limit: int = 60) -> str:
    """A piece of a file for a message: one line, at most `limit` characters, control characters escaped."""
    whole = text if isinstance(text, str) else _decoded(text[: 4 * limit + 4])
    line = "".join(c if c.isprintable() else repr(c)[1:-1] for c in whole[: limit + 1])
    return f"'{line}'" if len(line) <= limit else f"'{line[:limit]}...'"


def _decoded(text: bytes) -> str:
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(text)  # a character that is cut off at the end is left out
    except UnicodeDecodeError:
        return text.decode("latin-1")
