"""New text for a symbol, or beside it, with the indentation and the blank lines of its place."""

from __future__ import annotations

import ast
from typing import Literal

from tooldeck.core.errors import ExpectedError, SetupError
from tooldeck.tools.coding.python_symbols import parsed
from tooldeck.tools.coding.symbols import Symbol
from tooldeck.tools.coding.tree_symbols import strings_of
from tooldeck.tools.coding.units import Unit

__all__ = ["body_of", "inserted", "replaced"]

_SMALL = {"constant", "field", "member", "variable"}
# Definitions between which no blank line is wanted.


def body_of(unit: Unit, symbol: Symbol) -> str:
    """The text of a symbol with the indentation of its first line, which `replaced` takes as it is."""
    return _indent(unit, symbol) + unit.text[symbol.start : symbol.stop]


def replaced(unit: Unit, symbol: Symbol, body: str) -> str:
    """The whole text with `body` in place of the symbol."""
    if not body.strip():
        raise ExpectedError("The new text is empty; to take a symbol away, edit the file.")
    given = _fitted(body, _indent(unit, symbol), unit.language)
    return unit.text[: symbol.start] + given.lstrip(" \t") + unit.text[symbol.stop :]


def inserted(unit: Unit, symbol: Symbol, text: str, where: Literal["before", "after"]) -> str:
    """The whole text with `text` before or after the symbol, which must stand on lines of its own."""
    if not text.strip():
        raise ExpectedError("There is nothing to insert: the text is empty.")
    whole = unit.text
    first, last = whole.rfind("\n", 0, symbol.lead) + 1, whole.find("\n", symbol.stop)
    last = len(whole) if last < 0 else last
    rest = whole[symbol.stop : last].strip()
    if whole[first : symbol.lead].strip() or (rest and not rest.startswith(("#", "//", "/*"))):
        raise ExpectedError(f"{symbol.path} shares its lines with other code; use the edit of file.")
    given = _fitted(text, whole[first : symbol.lead], unit.language).strip("\n")
    large = given.lstrip().startswith(("def ", "class ", "async ", "@"))
    small = symbol.kind in _SMALL and "\n" not in given and not large
    gap = "\n" * (1 if small else 3 if unit.language == "python" and not symbol.scope else 2)
    if where == "before":
        above = whole[:first].rstrip(" \t")
        begin = gap[len(above) - len(above.rstrip("\n")) :] if above.strip() else ""
        return above + begin + given + gap + whole[first:]
    below = whole[last:]
    blank = len(below) - len(below.lstrip("\n"))
    end = gap[blank:] if below.strip() and blank < len(gap) else ""
    return whole[:last] + gap + given + end + (below or "\n" * whole.endswith("\n"))


def _indent(unit: Unit, symbol: Symbol) -> str:
    """What stands before a symbol on its line, where that is blank."""
    before = unit.text[unit.text.rfind("\n", 0, symbol.start) + 1 : symbol.start]
    return before if not before.strip() else ""


def _fitted(text: str, indent: str, language: str) -> str:
    """Lines moved so that the first one has the indentation; those within longer strings stay."""
    lines = text.replace("\r\n", "\n").strip("\n").rstrip().split("\n")
    own = _blank(lines[0])
    if own == indent:
        return "\n".join(lines)
    filled = [_blank(line) for line in lines[1:] if line.strip()]
    deep = len(indent) + (1 if language == "python" else 0)
    if not own and filled and min(map(len, filled)) >= deep:
        return "\n".join([indent + lines[0], *lines[1:]])  # only the first line was left without it
    fixed = _fixed(lines, own, language)
    moved = [
        line if at in fixed or not line.strip() else indent + line[min(len(own), len(_blank(line))) :]
        for at, line in enumerate(lines)
    ]
    return "\n".join(moved)


def _blank(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _fixed(lines: list[str], own: str, language: str) -> set[int]:
    """The lines, from 0, that begin within a string, as far as the text can be parsed by itself."""
    try:
        if language == "python":
            head = ["if True:", *lines] if own else lines
            spans = [
                (node.lineno - 1 - bool(own), node.end_lineno - 1 - bool(own))
                for node in ast.walk(parsed("\n".join(head)))
                if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno is not None
            ]
        else:
            spans = strings_of("\n".join(lines), language)
    except (SyntaxError, ValueError, RecursionError, MemoryError, SetupError, ExpectedError):
        return set()
    return {line for first, last in spans for line in range(first + 1, last + 1)}
