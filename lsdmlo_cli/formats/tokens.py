"""The lexical rules of ARFF, shared by header, rows and writing.

Blank and tab separate (no other white space does); `'` and `"` quote, with backslash escapes inside; `%` outside quotes starts a
comment that runs to the end of the line. Text is handled as bytes, or as latin-1 text that stands for bytes one to one.
"""

from __future__ import annotations

import codecs
import re

BLANK = " \t"
QUOTED = r"""'(?:[^'\\\n]|\\[^\n])*'|"(?:[^"\\\n]|\\[^\n])*\""""
DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
PLAIN = r"""(?:[^ \t,'"%{}\n]|(?<=\\)['"])+"""

_ESCAPE = re.compile(rb"\\(.)", re.DOTALL)
_CONTROL = {b"t": b"\t", b"n": b"\n", b"r": b"\r"}
_MUST_QUOTE = re.compile(rb"""[\x00-\x20,'"%{}\\]|^\?$|^$""")
_MUST_ESCAPE = re.compile(rb"""['\\\t\n\r]""")
_ESCAPED = {b"\t": rb"\t", b"\n": rb"\n", b"\r": rb"\r"}


def unquote(token: bytes) -> bytes:
    r"""The text that a token stands for: quotes removed and escapes resolved, or the token itself if it has no quotes.

    >>> unquote(rb"'it\'s'"), unquote(b"plain"), unquote(rb"'a\\b'")
    (b"it's", b'plain', b'a\\b')
    """
    if token[:1] not in (b"'", b'"') or not token:
        return token
    return unescape(token[1:-1])


def unescape(text: bytes) -> bytes:
    r"""The text with its backslash escapes resolved: \t \n \r, else the character behind the backslash."""
    return _ESCAPE.sub(lambda match: _CONTROL.get(match[1], match[1]), text) if b"\\" in text else text


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
