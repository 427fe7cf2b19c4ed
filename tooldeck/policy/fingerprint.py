"""What a tool is made of, as one short text.

It is the same for the same tool in a later session, and another one as soon as the schema, the description,
the effects or the code has changed.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType
from typing import Any

from tooldeck.core.canonical import canonical_text
from tooldeck.core.tool import Tool

__all__ = ["fingerprint"]

_PLAIN = (str, int, float, bool, bytes, type(None))
_DEEP = 8
"""Functions within functions that are looked into: wrappers around the one that does the work."""


def fingerprint(tool: Tool) -> str:
    """SHA-256 of what the tool is made of, as hexadecimal digits."""
    effects = None if tool.effects is None else sorted(tool.effects)
    digest = hashlib.sha256()
    for part in (
        canonical_text([tool.parameters, tool.description, effects]),
        *_function(tool.function, _DEEP),
    ):
        digest.update(part.encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()


def _function(thing: Any, depth: int) -> Iterator[str]:
    """The code of a function and of what it wraps or is bound to; the place it stands at does not count."""
    function: Any = thing
    if isinstance(thing, functools.partial):
        yield canonical_text([thing.args, thing.keywords], _kind)
        function = thing.func
    if function is not None and not inspect.isroutine(function):
        yield _kind(function)
        function = type(function).__call__
    if isinstance(function, MethodType):
        yield _kind(function.__self__)
        function = function.__func__
    if not isinstance(function, FunctionType):
        yield "" if function is None else _kind(function)
        return
    yield from _code(function.__code__)
    yield canonical_text([function.__defaults__, function.__kwdefaults__], _kind)
    for cell in function.__closure__ or ():
        yield from _cell(cell, depth)


def _cell(cell: Any, depth: int) -> Iterator[str]:
    try:
        held = cell.cell_contents
    except ValueError:  # not filled yet
        return
    if depth and (inspect.isroutine(held) or isinstance(held, functools.partial)):
        yield from _function(held, depth - 1)
    else:
        yield canonical_text(held, _kind) if isinstance(held, _PLAIN) else _kind(held)


def _code(code: CodeType) -> Iterator[str]:
    yield code.co_code.hex()
    yield " ".join((*code.co_names, *code.co_varnames, *code.co_freevars))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code(constant)
        else:
            yield _constant(constant)


def _constant(constant: Any) -> str:
    if isinstance(constant, frozenset):
        return f"set {sorted(map(repr, constant))}"  # its own order changes from process to process
    return repr(constant)


def _kind(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"
