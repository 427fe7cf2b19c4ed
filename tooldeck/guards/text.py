"""Text that a person judges: what cannot be seen is written as an escape, what HTML would read is quoted.

Invisible means: control and format characters, bidirectional overrides, zero-width characters, surrogates,
unassigned and private code points, every blank that is not a plain space, and the few letters and marks that
draw nothing. A line feed and a tab stay as they are, since a box with several lines shows them truly.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["Piece", "escape_html", "json_text", "one_line", "pieces", "visible"]

# Printable by the tables, blank on screen: fillers, joiners and the selectors that can carry hidden data.
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U00016fe4\U0001d159"
    + "".join(map(chr, range(0xFE00, 0xFE10)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
_PLAIN = re.compile(r"[\n\t\x20-\x7e]*")


class Piece(NamedTuple):
    """A stretch of text as it is shown."""

    text: str
    escaped: bool
    """Whether `text` is an escape that stands for characters nobody could see."""


def _hidden(char: str) -> bool:
    return (not char.isprintable() and char not in "\n\t") or char in _BLANK


def _python_escape(char: str) -> str:
    """The escape a Python string literal would use."""
    if char == "\r":
        return "\\r"
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _json_escape(char: str) -> str:
    """The escape a JSON string would use: a pair of surrogates above U+FFFF."""
    code = ord(char)
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def pieces(text: str) -> list[Piece]:
    """`text` as shown, cut where escapes begin and end, so that an escape can be marked as one."""
    return _pieces(text, _python_escape)


def _pieces(text: str, escape: Callable[[str], str]) -> list[Piece]:
    if _PLAIN.fullmatch(text):
        return [Piece(text, escaped=False)] if text else []
    found: list[Piece] = []
    run: list[str] = []
    escaped = False
    for char in text:
        hidden = _hidden(char)
        if hidden is not escaped and run:
            found.append(Piece("".join(run), escaped))
            run = []
        escaped = hidden
        run.append(escape(char) if hidden else char)
    found.append(Piece("".join(run), escaped))
    return found


def visible(text: str) -> str:
    r"""`text` with every invisible character written as an escape such as ``\u202e``, the rest untouched."""
    return "".join(piece.text for piece in pieces(text))


def one_line(text: str) -> str:
    """`text` made visible, line feeds and tabs included: for places where a new line would mean something."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def escape_html(text: str) -> str:
    """`text` made visible, and safe between HTML tags and inside quoted attributes."""
    return html.escape(visible(text), quote=True)


def json_text(value: Any, *, indent: int | None = 2) -> str:
    """`value` as JSON that shows every character and still means exactly the same.

    Raises `TypeError` or `ValueError` for a value that JSON cannot hold.
    """
    plain = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    # Outside of strings JSON has no invisible character but the line feeds of the indent, so that
    # replacing them everywhere changes strings only.
    return "".join(piece.text for piece in _pieces(plain, _json_escape))
