"""A ``%%tool`` cell: run its code and find the functions that are meant to be tools."""

from __future__ import annotations

import ast
import linecache
import traceback
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from tooldeck.notebook.lines import Mistake

__all__ = ["ToolCell", "read_cell"]

_MARK = "__tooldeck_mark__"
_MARKS = {"tool", "deck.tool", "tooldeck.tool"}


@dataclass(frozen=True, slots=True)
class ToolCell:
    """The code of a cell, checked, and the names of the functions that will be tools."""

    tree: ast.Module
    source: str
    names: tuple[str, ...]
    helpers: tuple[str, ...]
    """Further functions of the cell that stay ordinary functions."""

    def run(
        self, namespace: dict[str, Any], filename: str
    ) -> list[tuple[str, Callable[..., Any], dict[str, Any]]]:
        """Run the cell in `namespace`; gives each function, by its name, with its mark's options.

        Raises `Mistake` when a name holds nothing at the end of the cell.
        """
        marked: dict[str, dict[str, Any]] = {}

        def mark(name: str, /, **options: Any) -> Callable[[Any], Any]:
            marked[name] = options
            return lambda function: function

        lines = self.source.splitlines(keepends=True)
        linecache.cache[filename] = (
            len(self.source),
            None,
            lines,
            filename,
        )  # so that tracebacks show the cell
        namespace[_MARK] = mark
        try:
            exec(compile(self.tree, filename, "exec", dont_inherit=True), namespace)  # noqa: S102 - the purpose
        except NameError as error:
            self._explain(error, filename)
            raise
        finally:
            namespace.pop(_MARK, None)
        for name in self.names:
            if name not in namespace:
                raise Mistake(f"{name}: the cell deletes it, so it cannot become a tool.")
        return [(name, namespace[name], marked.get(name, {})) for name in self.names]

    def _explain(self, error: NameError, filename: str) -> None:
        """Say in one sentence that a type in a function's head is not defined; the rest is the cell's own."""
        frames = [
            line
            for frame, line in traceback.walk_tb(error.__traceback__)
            if frame.f_code.co_filename == filename
        ]
        for node in self.tree.body:
            if (
                isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                and len(frames) == 1
                and node.lineno <= frames[0] < max(node.lineno + 1, node.body[0].lineno)
            ):
                raise Mistake(
                    f"{node.name}: {error.name!r} is not defined; define or import it before the tool."
                ) from None


def read_cell(source: str, helpers: Collection[str] = ()) -> ToolCell:
    """Check the code of a cell and choose its tools; raises `Mistake` in one sentence.

    Functions marked with ``@tool`` are the tools; without any mark, all whose names do not start with an
    underscore. `helpers` are the names of those that are none.
    """
    try:
        tree = ast.parse(source)
        compile(source, "<tool cell>", "exec", dont_inherit=True)
    except SyntaxError as error:
        where = f"line {error.lineno}: " if error.lineno else ""
        raise Mistake(f"%%tool cannot read the cell: {where}{error.msg}.") from None
    except ValueError as error:  # null bytes
        raise Mistake(f"%%tool cannot read the cell: {error}.") from None
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    if not functions:
        raise Mistake(_no_function(tree))
    marked = [node.name for node in functions if _mark(node)]
    names = marked or [
        node.name for node in functions if not node.name.startswith("_") and node.name not in helpers
    ]
    if not names:
        names = [functions[0].name] if len(functions) == 1 else []
    if not names:
        raise Mistake(
            "%%tool found only functions that start with an underscore; mark the one meant with @tool."
        )
    unique = tuple(dict.fromkeys(names))
    return ToolCell(tree, source, unique, tuple(node.name for node in functions if node.name not in unique))


def _no_function(tree: ast.Module) -> str:
    if any(isinstance(node, ast.Lambda) for node in ast.walk(tree)):
        return "%%tool needs a function written with def: a lambda has no name, types or description."
    if any(isinstance(node, ast.ClassDef) for node in tree.body):
        return "%%tool found a class but no function; add an object of it with deck.add(...), or write a def."
    return "%%tool found no function in the cell; write one with def, its parameters typed."


def _mark(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether the function is marked; the mark is redirected so that it only collects its options.

    It gets the name of the function as it stands in the cell, since decorators in between may change that.
    """
    found = False
    for index, decorator in enumerate(node.decorator_list):
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        if ast.unparse(target) not in _MARKS:
            continue
        found = True
        given = decorator if isinstance(decorator, ast.Call) else ast.Call(target, [], [])
        if given.args:
            raise Mistake(
                f'{node.name}: @{ast.unparse(target)} takes its options by name, as in @tool(effects="read").'
            )
        mark = ast.Call(ast.Name(_MARK, ast.Load()), [ast.Constant(node.name)], given.keywords)
        node.decorator_list[index] = ast.fix_missing_locations(ast.copy_location(mark, decorator))
    return found
