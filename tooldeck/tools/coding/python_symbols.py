"""The symbols of Python, by the parser of Python itself."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from typing import NamedTuple

from tooldeck.tools.coding.symbols import Symbol, numbered, shortened

__all__ = ["masked", "parsed", "python_symbols", "text_lines"]

_MAGIC = re.compile(r"(?m)^([ \t]*(?:[A-Za-z_][\w.]*[ \t]*=[ \t]*)?)(?:[%!?][^\n]|[%!?](?=\n|$))")
_DEFINED = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def masked(text: str) -> str:
    """The code of a cell with its magics made harmless, of the same length line by line."""
    return _MAGIC.sub(lambda found: found[1] + "0#"[: len(found[0]) - len(found[1])], text)


def parsed(text: str, *, cell: bool = False) -> ast.Module:
    """The tree of a text; that of a cell may have magics and await anything.

    Raises SyntaxError, and ValueError, RecursionError or MemoryError for what no parser can hold.
    """
    flags = ast.PyCF_ONLY_AST | (ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if cell else 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = compile(text, "<text>", "exec", flags, dont_inherit=True)
        except SyntaxError:
            if not cell or masked(text) == text:
                raise
            made = compile(masked(text), "<cell>", "exec", flags, dont_inherit=True)
    assert isinstance(made, ast.Module)  # noqa: S101 - what the flag asks for
    return made


def python_symbols(text: str, *, cell: bool = False) -> list[Symbol]:
    """What the text defines: functions and classes at any depth, names of modules and classes."""
    return numbered(_Reader(text).found(parsed(text, cell=cell).body, (), "module"))


class text_lines:  # noqa: N801 - a function in all but its state
    """Where lines and columns of a tree are in the text; columns of trees count bytes."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def at(self, line: int, byte: int) -> int:
        """The place in characters of a line from 1 and a byte of it."""
        shown = self.lines[line - 1]
        column = byte if shown.isascii() else len(shown.encode()[:byte].decode(errors="ignore"))
        return self._starts[line - 1] + column


class _Named(NamedTuple):
    name: str
    kind: str
    node: ast.stmt
    target: ast.expr | None = None


class _Reader:
    def __init__(self, text: str) -> None:
        self._text, self._where = text, text_lines(text)

    def found(self, body: list[ast.stmt], scope: tuple[str, ...], inside: str) -> Iterator[Symbol]:
        for node in body:
            for named in _named(node, inside):
                yield self._symbol(named, scope)
            if isinstance(node, _DEFINED):
                inner = "class" if isinstance(node, ast.ClassDef) else "function"
                yield from self.found(node.body, (*scope, node.name), inner)
            else:
                for block in _blocks(node):
                    yield from self.found(block, scope, inside)

    def _symbol(self, named: _Named, scope: tuple[str, ...]) -> Symbol:
        node, where = named.node, self._where
        decorators = node.decorator_list if isinstance(node, _DEFINED) else []
        first = min([node.lineno, *(one.lineno for one in decorators)])
        start = where.at(node.lineno, node.col_offset)
        if decorators:
            start = self._text.rindex("@", 0, where.at(decorators[0].lineno, decorators[0].col_offset))
        stop = where.at(node.end_lineno or node.lineno, node.end_col_offset or 0)
        head, doc = self._text[where.at(node.lineno, node.col_offset) : stop], ""
        name_at = where.at(node.lineno, node.col_offset)
        if isinstance(node, _DEFINED):
            head = self._text[name_at : where.at(node.body[0].lineno, node.body[0].col_offset)]
            doc = ast.get_docstring(node) or ""
            name_at = self._text.index(named.name, name_at + len(_keyword(node)), stop)
        elif named.target is not None:
            name_at = where.at(named.target.lineno, named.target.col_offset)
        return Symbol(
            named.name, named.kind, scope, start, stop, self._lead(first, start), name_at,
            first, node.end_lineno or node.lineno, shortened(head, (":",)), doc,
        )  # fmt: skip

    def _lead(self, line: int, start: int) -> int:
        """Where the comment right above begins."""
        indent = self._where.lines[line - 1][: start - self._where.at(line, 0)]
        above = line - 1
        while above and self._where.lines[above - 1].startswith(f"{indent}#"):
            above -= 1
        return start if above == line - 1 else self._where.at(above + 1, 0) + len(indent)


def _keyword(node: ast.stmt) -> str:
    return "class" if isinstance(node, ast.ClassDef) else "def"


def _named(node: ast.stmt, inside: str) -> Iterator[_Named]:
    """The names that one statement defines."""
    if isinstance(node, ast.ClassDef):
        yield _Named(node.name, "class", node)
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        kind = "method" if inside == "class" else "function"
        told = {ast.unparse(one).rpartition(".")[2] for one in node.decorator_list}
        yield _Named(node.name, "property" if told & {"property", "cached_property"} else kind, node)
    elif inside != "function":
        for target in _targets(node):
            kind = "constant" if target.id.isupper() else "field" if inside == "class" else "variable"
            yield _Named(target.id, kind, node, target)


def _targets(node: ast.stmt) -> Iterator[ast.Name]:
    given: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        given = list(node.targets)
    elif isinstance(node, ast.AnnAssign):
        given = [node.target]
    for target in given:
        inner = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
        yield from (one for one in inner if isinstance(one, ast.Name))
    alias = getattr(node, "name", None)  # the statement `type`, from Python 3.12 on
    if isinstance(alias, ast.Name):
        yield alias


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The statements inside of one that defines nothing itself."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list) and block:
            yield block
    for handler in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield handler.body
