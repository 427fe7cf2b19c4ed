"""How the body of a tool is called with checked values: by keyword where that is enough, else by position."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from types import AsyncGeneratorType, GeneratorType
from typing import Any

__all__ = ["STREAMS", "Tell", "collected", "gathered", "invoker", "runs_async"]

STREAMS = frozenset({GeneratorType, AsyncGeneratorType})
"""What gives its items one after the other; its value is the list of them."""
Tell = Callable[[int, Any], None]
"""Hears of every item as it comes: how many there were before, and the item."""


def runs_async(function: Callable[..., Any]) -> bool:
    """Whether calling `function` gives something to await.

    What a decorator wraps does not count: a synchronous wrapper of an async function is synchronous.
    """
    while isinstance(function, functools.partial):
        function = function.func
    if not inspect.isroutine(function):
        function = type(function).__call__
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


def invoker(function: Callable[..., Any], signature: inspect.Signature) -> Callable[[Mapping[str, Any]], Any]:
    """The body as a function of its values by name."""
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    if kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}:
        return lambda values: function(**values)

    def invoke_bound(values: Mapping[str, Any]) -> Any:
        args, kwargs = _bound(signature, values)
        return function(*args, **kwargs)

    return invoke_bound


def gathered(invoke: Callable[[Mapping[str, Any]], Any], values: Mapping[str, Any], tell: Tell | None) -> Any:
    """What a body gives, a stream run to its end; to be awaited where the body or the stream is async."""
    value = invoke(values)
    return collected(value, tell) if type(value) in STREAMS else value


def collected(stream: Generator[Any] | AsyncGenerator[Any], tell: Tell | None) -> Any:
    """The items of a stream as a list, or something to await that gives it."""
    return _items(stream, tell) if isinstance(stream, Generator) else _awaited_items(stream, tell)


def _items(stream: Generator[Any], tell: Tell | None) -> list[Any]:
    items: list[Any] = []
    with contextlib.closing(stream):
        for item in stream:
            if tell is not None:
                tell(len(items), item)
            items.append(item)
    return items


async def _awaited_items(stream: AsyncGenerator[Any], tell: Tell | None) -> list[Any]:
    items: list[Any] = []
    async with contextlib.aclosing(stream):
        async for item in stream:
            if tell is not None:
                tell(len(items), item)
            items.append(item)
    return items


def _bound(signature: inspect.Signature, values: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The values by position where a parameter can only be given so, else by keyword."""
    rest = dict(values)
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    skipped: list[Any] = []
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            more = rest.pop(name, ())
            args += [*skipped, *more] if more else []
        elif parameter.kind is parameter.KEYWORD_ONLY:
            if name in rest:
                kwargs[name] = rest.pop(name)
        elif name in rest:
            args += [*skipped, rest.pop(name)]
            skipped = []
        else:
            skipped.append(parameter.default)  # needed only when something after it is given by position
    return args, kwargs | rest
