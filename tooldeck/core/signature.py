"""The signature of any callable with its annotations resolved, one parameter at a time."""

from __future__ import annotations

import builtins
import functools
import inspect
import sys
import typing
from collections.abc import Callable, Mapping
from typing import Any

from tooldeck.core.errors import DefinitionError

__all__ = ["read_signature", "underlying"]

_MAX_WRAPPERS = 50


def underlying(function: Callable[..., Any]) -> Callable[..., Any]:
    """The plain function at the bottom of wrappers, partials, methods and callable objects."""
    found: Any = function
    for _ in range(_MAX_WRAPPERS):
        if isinstance(found, functools.partial):
            found = found.func
        elif inspect.ismethod(found):
            found = found.__func__
        elif hasattr(found, "__wrapped__"):
            found = found.__wrapped__
        elif not inspect.isroutine(found) and not inspect.isclass(found):
            found = type(found).__call__
        else:
            break
    return found


def read_signature(
    function: Callable[..., Any], name: str, scope: Mapping[str, Any] | None = None
) -> inspect.Signature:
    """The signature of `function`, every parameter annotation resolved to a type.

    `scope` has further names (the local variables at the place of definition). A return annotation that
    cannot be resolved is left out. Raises `DefinitionError` naming the tool and the parameter that cannot be
    resolved.
    """
    signature = _unresolved(function, name)
    spaces = _namespaces(underlying(function), scope)
    parameters = [
        parameter.replace(
            annotation=_resolve(parameter.annotation, spaces, f"{name}: parameter {parameter.name!r}")
        )
        for parameter in signature.parameters.values()
    ]
    try:
        returns = _resolve(signature.return_annotation, spaces, name)
    except DefinitionError:
        returns = inspect.Signature.empty
    return signature.replace(parameters=parameters, return_annotation=returns)


def _unresolved(function: Callable[..., Any], name: str) -> inspect.Signature:
    """The signature with its annotations as they stand."""
    try:
        if sys.version_info >= (3, 14):  # annotations are evaluated late there, all or none
            import annotationlib

            return inspect.signature(function, annotation_format=annotationlib.Format.FORWARDREF)
        return inspect.signature(function)
    except (TypeError, ValueError):
        raise DefinitionError(
            f"{name!r} has no readable signature; wrap it in a def with typed parameters."
        ) from None


def _resolve(annotation: Any, spaces: tuple[dict[str, Any], dict[str, Any]], where: str) -> Any:
    if annotation is inspect.Parameter.empty or isinstance(annotation, type):
        return annotation
    holder = _Holder()
    holder.__annotations__ = {"it": annotation}
    try:
        return typing.get_type_hints(holder, *spaces, include_extras=True)["it"]
    except NameError as error:
        raise DefinitionError(
            f"{where} is annotated {_shown(annotation)}, but {error.name!r} is not defined; "
            "define or import it before the tool."
        ) from None
    except Exception as error:  # noqa: BLE001 - evaluating an annotation runs whatever stands in it
        raise DefinitionError(
            f"{where} is annotated {_shown(annotation)}, which is no type: {error}"
        ) from None


class _Holder:
    """Carries one annotation, since `typing.get_type_hints` reads them off an object."""

    __annotations__: dict[str, Any]


def _namespaces(
    function: Callable[..., Any], scope: Mapping[str, Any] | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    names: dict[str, Any] = getattr(function, "__globals__", None) or vars(module or builtins)
    inner = dict(scope or {})
    for cell_name, cell in zip(
        getattr(getattr(function, "__code__", None), "co_freevars", ()),
        getattr(function, "__closure__", None) or (),
        strict=False,
    ):
        try:
            inner[cell_name] = cell.cell_contents
        except ValueError:
            continue  # not assigned yet
    return names, inner


def _shown(annotation: Any) -> str:
    return (
        repr(annotation)
        if isinstance(annotation, str)
        else repr(getattr(annotation, "__forward_arg__", annotation))
    )
