"""Making a `Tool` of a function, a partial, a method, a callable object or a `BaseTool`."""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from tooldeck.core.docstrings import parse_docstring
from tooldeck.core.errors import DefinitionError
from tooldeck.core.schema import callable_name, describe_parameters, output_schema
from tooldeck.core.settings import BreakerSettings, RetrySettings
from tooldeck.core.signature import read_signature, underlying
from tooldeck.core.tool import Origin, Tool
from tooldeck.core.vocabulary import Effect, Risk, Trust, default_risk, nearest, read_effects

__all__ = ["BaseTool", "Options", "check_name", "define", "tool"]

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PACKAGE = __name__.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Options:
    """What may be declared about a tool beside its function; None is taken from the function or a default."""

    name: str | None = None
    description: str | None = None
    effects: str | Iterable[str] | None = None
    """``"read"``, ``"write,network"``, ``"none"``; None leaves them undeclared, so that every call asks."""
    risk: str | Risk | None = None
    trust: str | Trust | None = None
    """``"untrusted"`` fences the output for models."""
    idempotent: bool = False
    ask: bool | None = None
    """True: every call asks. False: the author says that none needs to. None: policy decides by effects."""
    timeout: float | None = None
    """Seconds for one attempt."""
    max_chars: int = 20_000
    retry: RetrySettings | int | None = None
    """Settings, or the number of attempts."""
    breaker: BreakerSettings | int | None = None
    """Settings, or the failures in a row that open it; 0 is off."""


OPTION_NAMES = tuple(Options.__dataclass_fields__)


def check_options(given: Mapping[str, Any]) -> Options:
    """The options of a decorator or magic; an unknown one is refused with the nearest known one."""
    for name in given:
        if name not in OPTION_NAMES:
            close = nearest(name, OPTION_NAMES, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(OPTION_NAMES)}."
            raise DefinitionError(f"Unknown option {name!r} of a tool; {hint}")
    return Options(**given)


def check_name(name: str) -> str:
    """`name`, if models and providers accept it; else `DefinitionError` with a name that would do."""
    if _NAME.fullmatch(name):
        return name
    tidy = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:64]
    hint = f"for example name={tidy!r}" if tidy else 'give one with name="…"'
    raise DefinitionError(
        f"{name!r} cannot be a tool's name: models accept 1 to 64 of the letters "
        f"A-Z and a-z, digits, _ and -; {hint}."
    )


class BaseTool:
    """A tool as a class, for people who like one: set the attributes, write `run`.

    >>> class Add(BaseTool):
    ...     "Add two numbers."
    ...
    ...     effects = "none"
    ...
    ...     def run(self, a: int, b: int) -> int:
    ...         return a + b
    """

    name: ClassVar[str | None] = None
    """Default: the class's own name in snake_case."""
    description: ClassVar[str | None] = None
    """Default: the docstring of the class, else of `run`."""

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """The body; its typed parameters become the tool's."""
        raise NotImplementedError(f"{type(self).__name__} has no run() method.")


def define(
    function: Callable[..., Any] | BaseTool,
    options: Options | None = None,
    *,
    origin: Origin | None = None,
    scope: Mapping[str, Any] | None = None,
) -> Tool:
    """Make a tool. `scope` has names that annotations may use beside the function's own.

    Raises `DefinitionError` naming what cannot be described and what to do about it.
    """
    options = options or Options()
    if isinstance(function, BaseTool):
        options = _class_options(function, options)
        base_doc = type(function).__doc__ if type(function).__doc__ is not BaseTool.__doc__ else None
        function = function.run
    else:
        base_doc = None
    if inspect.isclass(function) or not callable(function):
        raise DefinitionError(
            f"{function!r} cannot be a tool; give a function, a method, a partial or a BaseTool object."
        )
    if getattr(function, "__name__", "") == "<lambda>" and options.name is None:
        raise DefinitionError(
            "A lambda has no name, types or description; write a def with typed parameters."
        )
    name = check_name(options.name or callable_name(function))
    signature = read_signature(function, name, scope if scope is not None else _caller_scope())
    doc = parse_docstring(_doc(function))
    described = describe_parameters(name, signature, doc.params)
    effects = read_effects(options.effects)
    is_async = _is_async(function)
    return Tool(
        name=name,
        description=(
            options.description
            or (parse_docstring(base_doc).description if base_doc else "")
            or doc.description
        ).strip(),
        params=described,
        invoke=_invoker(function, signature, is_async=is_async),
        function=function,
        is_async=is_async,
        effects=effects,
        risk=_word(Risk, options.risk, "risk") or default_risk(effects),
        trust=_word(Trust, options.trust, "trust") or Trust.TRUSTED,
        idempotent=options.idempotent,
        origin=origin or Origin("python", underlying(function).__module__ or ""),
        ask=options.ask,
        timeout=_positive(options.timeout, name),
        max_chars=options.max_chars,
        retry=_retry(options.retry),
        breaker=_breaker(options.breaker),
        output_schema=output_schema(signature.return_annotation),
        signature=signature,
    )


def tool(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Decorator: make a `Tool` of a function, bare (``@tool``) or with `Options` (``@tool(effects="read")``).

    The tool belongs to no deck yet: calling it is a plain call of the function. Add it with ``deck.add``.
    """
    checked = check_options(options)
    scope = _caller_scope()
    if function is not None:
        return define(function, checked, scope=scope)
    return lambda later: define(later, checked, scope=scope)


def _caller_scope() -> dict[str, Any]:
    """The local names at the nearest frame outside of this package, where a tool is being defined."""
    frame = sys._getframe(1)  # noqa: SLF001 - the documented way to the caller's names
    while frame is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == _PACKAGE:
        frame = frame.f_back
    return {} if frame is None or frame.f_locals is frame.f_globals else dict(frame.f_locals)


def _doc(function: Callable[..., Any]) -> str | None:
    if isinstance(function, functools.partial):
        return function.func.__doc__
    if inspect.isroutine(function):
        return function.__doc__
    return type(function).__call__.__doc__ or type(function).__doc__


def _class_options(instance: BaseTool, options: Options) -> Options:
    kind = type(instance)
    declared = {
        name: getattr(instance, name) for name in OPTION_NAMES if getattr(instance, name, None) is not None
    }
    base = replace(check_options(declared))
    changes = {
        name: value for name in OPTION_NAMES if (value := getattr(options, name)) != getattr(Options(), name)
    }
    name = base.name or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind.__name__).lower().removesuffix("_tool")
    return replace(base, **{"name": name, **changes})


def _is_async(function: Callable[..., Any]) -> bool:
    bottom = underlying(function)
    return inspect.iscoroutinefunction(bottom) or inspect.isasyncgenfunction(bottom)


def _invoker(
    function: Callable[..., Any], signature: inspect.Signature, *, is_async: bool
) -> Callable[[Mapping[str, Any]], Any]:
    bottom = underlying(function)
    by_name = all(p.kind in {p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY} for p in signature.parameters.values())
    call = (
        (lambda values: function(**values))
        if by_name
        else functools.partial(_call_bound, function, signature)
    )
    if inspect.isasyncgenfunction(bottom):

        async def collected(values: Mapping[str, Any]) -> list[Any]:
            return [item async for item in call(values)]

        return collected
    if inspect.isgeneratorfunction(bottom):
        return lambda values: list(call(values))
    return call


def _call_bound(function: Callable[..., Any], signature: inspect.Signature, values: Mapping[str, Any]) -> Any:
    """Call a function that takes some parameters by position."""
    rest = dict(values)
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    pending: list[Any] = []
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            more = rest.pop(name, ())
            args += [*pending, *more] if more else []
        elif parameter.kind is parameter.KEYWORD_ONLY:
            if name in rest:
                kwargs[name] = rest.pop(name)
        elif name in rest:
            args += [*pending, rest.pop(name)]
            pending = []
        else:
            pending.append(parameter.default)  # needed only when something after it is given by position
    return function(*args, **kwargs, **rest)


def _word(kind: type[Any], given: Any, what: str) -> Any:
    if given is None:
        return None
    try:
        return kind(str(given).casefold())
    except ValueError:
        raise DefinitionError(f"Unknown {what} {given!r}; known: {', '.join(kind)}.") from None


def _positive(seconds: float | None, name: str) -> float | None:
    if seconds is not None and not seconds > 0:
        raise DefinitionError(
            f"{name}: timeout must be more than 0 seconds, got {seconds!r}; leave it out for no limit."
        )
    return seconds


def _retry(given: RetrySettings | int | None) -> RetrySettings:
    return (
        RetrySettings()
        if given is None
        else RetrySettings(attempts=given)
        if isinstance(given, int)
        else given
    )


def _breaker(given: BreakerSettings | int | None) -> BreakerSettings:
    return (
        BreakerSettings()
        if given is None
        else BreakerSettings(threshold=given)
        if isinstance(given, int)
        else given
    )


def with_effects(made: Tool, effects: frozenset[Effect] | None) -> Tool:
    """The same tool with other declared effects and the risk that follows from them."""
    return replace(made, effects=effects, risk=default_risk(effects))
