"""From a function's signature to a JSON Schema and a validator that agree with each other.

pydantic does both from one TypedDict whose keys are the parameter names, so any name works (``self``, ``_x``,
``model_config``) and the validated values come back as a plain dict.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, NotRequired, get_args, get_origin

from pydantic import ConfigDict, TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticUndefined
from typing_extensions import TypedDict

from tooldeck.core.check import FunctionParameters
from tooldeck.core.errors import DefinitionError

__all__ = ["describe_parameters", "output_schema"]

Kind = inspect.Parameter


class _Plain(GenerateJsonSchema):
    """JSON Schema without the titles that only repeat a field's name."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def describe_parameters(
    name: str, signature: inspect.Signature, texts: Mapping[str, str]
) -> FunctionParameters:
    """The parameters of a tool from its resolved signature; `texts` describes them by name.

    Raises `DefinitionError` naming the parameter that JSON Schema cannot describe.
    """
    fields: dict[str, Any] = {}
    fills: dict[str, Any] = {}
    properties: dict[str, dict[str, Any]] = {}
    extra: Any = None
    for parameter in signature.parameters.values():
        annotation, default, described = _field(parameter, texts)
        if parameter.kind is Kind.VAR_KEYWORD:
            extra = annotation
            continue
        fields[parameter.name] = annotation if default is Kind.empty else NotRequired[annotation]
        properties[parameter.name] = _property(annotation, default, described)
        if isinstance(parameter.default, FieldInfo) and default is not Kind.empty:
            fills[parameter.name] = default
    adapter = _adapter(name, fields, open_ended=extra is not None)
    extras = None if extra is None else _single(name, "**", extra)
    schema = _schema(name, adapter, properties, extras)
    return FunctionParameters(
        schema, adapter.validator, extras.validator if extras else None, fills, frozenset(fields)
    )


def _field(parameter: inspect.Parameter, texts: Mapping[str, str]) -> tuple[Any, Any, str]:
    """The annotation, default and description of one parameter."""
    annotation = Any if parameter.annotation is Kind.empty else parameter.annotation
    default = parameter.default
    described = texts.get(parameter.name, "")
    if isinstance(default, FieldInfo):
        annotation = Annotated[annotation, default]
        described = default.description or described
        default = default.get_default(call_default_factory=True, validated_data={})
        default = Kind.empty if default is PydanticUndefined else default
        annotation = _without_default(annotation)
    elif get_origin(annotation) is Annotated:
        words = [extra for extra in get_args(annotation)[1:] if isinstance(extra, str)]
        described = words[0] if words else described
    if default is None and annotation is not Any:
        annotation = annotation | None if isinstance(annotation, type) else _or_none(annotation)
    if parameter.kind is Kind.VAR_POSITIONAL:
        annotation, default = list[annotation], []
    return annotation, default, described


def _or_none(annotation: Any) -> Any:
    from typing import Optional

    return Optional[annotation]  # noqa: UP045 - the operator fails for annotations that are no classes


def _without_default(annotation: Any) -> Any:
    """The same annotation with a Field that has no default, since a TypedDict key cannot have one."""
    base, *metadata = get_args(annotation)
    kept = []
    for item in metadata:
        if isinstance(item, FieldInfo):
            kept.extend(item.metadata)
        else:
            kept.append(item)
    return Annotated[(base, *kept)] if kept else base


def _property(annotation: Any, default: Any, described: str) -> dict[str, Any]:
    """What a property's schema has beyond its type."""
    more: dict[str, Any] = {}
    if described:
        more["description"] = described
    if default is not Kind.empty:
        try:
            more["default"] = TypeAdapter(annotation).dump_python(default, mode="json", warnings="error")
            json.dumps(more["default"], allow_nan=False)
        except Exception:  # noqa: BLE001 - a default outside JSON stays the function's own business
            more.pop("default", None)
    return more


def _adapter(name: str, fields: dict[str, Any], *, open_ended: bool) -> TypeAdapter[Any]:
    config = ConfigDict(extra="allow" if open_ended else "forbid")
    try:
        return _typed_dict(fields, config)
    except Exception as error:
        for field, annotation in fields.items():
            try:
                _typed_dict({field: annotation}, config).json_schema(schema_generator=_Plain)
            except Exception as reason:  # noqa: BLE001 - whatever pydantic says, the parameter is what to name
                raise _undescribable(name, field, annotation, reason) from None
        raise DefinitionError(f"{name}: its parameters cannot be described: {_first_line(error)}") from None


def _typed_dict(fields: dict[str, Any], config: ConfigDict) -> TypeAdapter[Any]:
    made: Any = TypedDict("Arguments", fields)  # type: ignore[operator]
    made.__pydantic_config__ = config
    return TypeAdapter(made)


def _single(name: str, field: str, annotation: Any) -> TypeAdapter[Any]:
    try:
        return TypeAdapter(dict[str, annotation])
    except Exception as error:
        raise _undescribable(name, field, annotation, error) from None


def _schema(
    name: str,
    adapter: TypeAdapter[Any],
    properties: dict[str, dict[str, Any]],
    extras: TypeAdapter[Any] | None,
) -> dict[str, Any]:
    try:
        schema = adapter.json_schema(schema_generator=_Plain)
        if extras is not None:
            more = extras.json_schema(schema_generator=_Plain)
            schema["additionalProperties"] = more.get("additionalProperties", True)
            schema.setdefault("$defs", {}).update(more.get("$defs", {}))
        schema.pop("title", None)
        schema.pop("description", None)
        if "$ref" in schema:
            raise DefinitionError(f"{name}: its parameters refer to themselves.")
        for field, more in properties.items():
            known = schema["properties"][field]
            schema["properties"][field] = {
                **known,
                **{k: v for k, v in more.items() if k == "default" or k not in known},
            }
        return json.loads(
            json.dumps({k: v for k, v in schema.items() if v != {} or k == "properties"}, allow_nan=False)
        )
    except DefinitionError:
        raise
    except Exception as error:
        annotations = adapter._type.__annotations__  # noqa: SLF001 - our own TypedDict, read back to name the culprit
        for field, annotation in annotations.items():
            try:
                json.dumps(
                    _typed_dict({field: annotation}, ConfigDict()).json_schema(schema_generator=_Plain),
                    allow_nan=False,
                )
            except Exception as reason:  # noqa: BLE001 - as above
                raise _undescribable(name, field, annotation, reason) from None
        raise DefinitionError(f"{name}: its parameters cannot be described: {_first_line(error)}") from None


def _undescribable(name: str, field: str, annotation: Any, error: Exception) -> DefinitionError:
    shown = getattr(annotation, "__name__", None) or str(annotation)
    shown = shown.removeprefix("NotRequired[").removesuffix("]") if "NotRequired" in shown else shown
    return DefinitionError(
        f"{name}: parameter {field!r} of type {shown} cannot be described in JSON Schema ({_first_line(error)}); "
        "use a type that JSON can carry, such as str, int, list, dict, a dataclass or a pydantic model."
    )


def _first_line(error: Exception) -> str:
    if isinstance(error, PydanticUserError):
        return error.message.splitlines()[0].rstrip(".")
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def output_schema(returns: Any) -> dict[str, Any] | None:
    """The JSON Schema of a return annotation, or None where it gives none."""
    if returns is inspect.Signature.empty or returns is None or returns is Any:
        return None
    try:
        schema = TypeAdapter(returns).json_schema(schema_generator=_Plain, mode="serialization")
        return json.loads(json.dumps(schema, allow_nan=False)) or None
    except Exception:  # noqa: BLE001 - a return type outside JSON is no fault of the tool
        return None


def callable_name(function: Callable[..., Any]) -> str:
    """The name a callable goes by."""
    found = getattr(function, "__name__", None) or getattr(getattr(function, "func", None), "__name__", None)
    return found or type(function).__name__
