"""How the body of a tool is called with checked values: by keyword where that is enough, else by position."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from types import AsyncGeneratorType, GeneratorType
from typing import Any

__all__ = ["invoker", "runs_async"]

_STREAMS = frozenset({GeneratorType, AsyncGeneratorType})


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
    """The body as a function of its values by name. A generator is run to its end and gives a list."""
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    if kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}:

        def invoke(values: Mapping[str, Any]) -> Any:
            value = function(**values)
            return _collected(value) if type(value) in _STREAMS else value

        return invoke

    def invoke_bound(values: Mapping[str, Any]) -> Any:
        args, kwargs = _bound(signature, values)
        value = function(*args, **kwargs)
        return _collected(value) if type(value) in _STREAMS else value

    return invoke_bound


def _collected(stream: Generator[Any] | AsyncGenerator[Any]) -> Any:
    return list(stream) if isinstance(stream, Generator) else _awaited_items(stream)


async def _awaited_items(stream: AsyncGenerator[Any]) -> list[Any]:
    return [item async for item in stream]


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
