"""Making a `Tool` of a function, a partial, a method, a callable object or a `BaseTool`."""

from __future__ import annotations

import functools
import inspect
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from tooldeck.core.base_tool import BaseTool, class_options
from tooldeck.core.checks import read_checks
from tooldeck.core.docstrings import parse_docstring
from tooldeck.core.errors import DefinitionError
from tooldeck.core.injection import for_callers, needs_of, without
from tooldeck.core.invoking import invoker, runs_async
from tooldeck.core.options import Options, check_name, check_options
from tooldeck.core.parameters import Parameters
from tooldeck.core.preview import read_preview
from tooldeck.core.resources import read_resources
from tooldeck.core.schema import describe_parameters, output_schema
from tooldeck.core.signature import read_signature, underlying
from tooldeck.core.strangers import to_repr
from tooldeck.core.targets import read_target
from tooldeck.core.tool import Origin, Tool
from tooldeck.core.vocabulary import Effect, Trust, default_risk

__all__ = ["BaseTool", "Options", "caller_scope", "check_name", "check_options", "define", "tool"]

_NO_DOCSTRINGS = (
    "{} has no description, because Python runs with -OO, which removes docstrings; give description=…"
)
_PACKAGE = __name__.partition(".")[0]


def define(
    thing: Callable[..., Any] | BaseTool,
    options: Options | None = None,
    *,
    origin: Origin | None = None,
    scope: Mapping[str, Any] | None = None,
    params: Parameters | None = None,
) -> Tool:
    """Make a tool.

    `scope` has names that annotations may use beside the function's own; `params` describes the arguments
    where the signature does not.

    Raises `DefinitionError` naming what cannot be described and what to do about it.
    """
    options = options or Options()
    if isinstance(thing, BaseTool):
        options = class_options(thing, options)
    function = _function(thing, options)
    name = check_name(_callable_name(function) if options.name is None else options.name)
    signature = read_signature(function, name, caller_scope() if scope is None else scope)
    needs = needs_of(name, signature)
    shown = without(signature, needs)
    doc = parse_docstring(_doc(function))
    if sys.flags.optimize > 1 and not options.description:
        warnings.warn(_NO_DOCSTRINGS.format(name), stacklevel=2)
    described = for_callers(name, params or describe_parameters(name, shown, doc.params), needs)
    effects = options.declared_effects
    return Tool(
        name=name,
        description=(options.description or _class_description(thing) or doc.description).strip(),
        params=described,
        invoke=invoker(function, signature),
        function=function,
        is_async=runs_async(function),
        effects=effects,
        risk=options.declared_risk or default_risk(effects),
        trust=options.declared_trust or _default_trust(effects, origin),
        idempotent=options.idempotent,
        ignore_unknown=options.ignore_unknown,
        origin=origin or Origin("python", getattr(underlying(function), "__module__", None) or ""),
        ask=options.ask,
        timeout=options.timeout,
        call_timeout=options.call_timeout,
        max_chars=options.max_chars,
        retry=options.retry_settings,
        breaker=options.breaker_settings,
        rate=options.rate_settings,
        target=read_target(name, options.target, described.schema, shown),
        preview=read_preview(name, options.preview, shown, needs),
        preview_within=options.preview_within,
        resources=read_resources(name, options.resources, described.schema),
        available=options.available,
        schema_override=options.schema_override,
        check_input=read_checks("check_input", options.check_input),
        check_output=read_checks("check_output", options.check_output),
        output_schema=output_schema(signature.return_annotation),
        signature=shown,
        injected=needs,
    )


def tool(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Decorator: make a `Tool` of a function, bare (``@tool``) or with `Options` (``@tool(effects="read")``).

    The tool belongs to no deck yet: calling it is a plain call of the function. Add it with ``deck.add``.
    """
    checked = check_options(options)
    scope = caller_scope()
    if function is not None:
        return define(function, checked, scope=scope)
    return lambda later: define(later, checked, scope=scope)


def _function(thing: Any, options: Options) -> Callable[..., Any]:
    """What to call, or `DefinitionError` where that is no function."""
    if isinstance(thing, BaseTool):
        return thing.run
    if inspect.isclass(thing) and issubclass(thing, BaseTool):
        raise DefinitionError(f"{thing.__name__} is a class; give an object of it: {thing.__name__}().")
    if inspect.isclass(thing) or not callable(thing):
        raise DefinitionError(
            f"{to_repr(thing)} cannot be a tool; give a function, a method, a partial or a BaseTool object."
        )
    if _callable_name(thing) == "<lambda>" and options.name is None:
        raise DefinitionError(
            "A lambda has no name, types or description; write a def with typed parameters."
        )
    return thing


def _callable_name(function: Any) -> str:
    """The name a callable goes by."""
    while isinstance(function, functools.partial):
        function = function.func
    name = getattr(function, "__name__", None)
    return name if isinstance(name, str) else type(function).__name__


def _default_trust(effects: frozenset[Effect] | None, origin: Origin | None) -> Trust:
    """What comes over the network or out of a program is somebody else's text, whoever wrote the function.

    What a plug-in gives back nobody here has written.
    """
    carries = effects is not None and effects & {Effect.NETWORK, Effect.EXECUTE}
    foreign = origin is not None and origin.kind == "plugin"
    return Trust.UNTRUSTED if carries or foreign else Trust.TRUSTED


def _class_description(thing: Any) -> str:
    """The description in the docstring of a `BaseTool` class, without the one it inherits from us."""
    own = type(thing).__doc__ if isinstance(thing, BaseTool) else None
    return "" if own is None or own == BaseTool.__doc__ else parse_docstring(own).description


def _doc(function: Callable[..., Any]) -> str | None:
    if isinstance(function, functools.partial):
        return _doc(function.func)
    if inspect.isroutine(function):
        return function.__doc__
    return type(function).__call__.__doc__ or type(function).__doc__


def caller_scope() -> dict[str, Any]:
    """The local names at the nearest frame outside of this package, where a tool is being defined."""
    frame = sys._getframe(1)  # noqa: SLF001 - the documented way to the caller's names
    while frame is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == _PACKAGE:
        frame = frame.f_back
    return {} if frame is None or frame.f_locals is frame.f_globals else dict(frame.f_locals)
