"""From a function's signature to a JSON Schema and a validator that agree with each other.

pydantic does both from one TypedDict whose keys are the parameter names, so any name works (``self``, ``_x``,
``model_config``) and the validated values come back as a plain dict.
"""

from __future__ import annotations

import inspect
import json
import typing
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, NotRequired, Optional, Union, cast, get_args, get_origin

import typing_extensions
from pydantic import TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticUndefined, SchemaValidator
from typing_extensions import TypedDict

from tooldeck.core.check import FunctionParameters, field_default
from tooldeck.core.errors import DefinitionError
from tooldeck.core.parts import Answer, Part

__all__ = ["describe_parameters", "output_schema"]

Kind = inspect.Parameter
_EXACT_TYPES = (str, int, bool)
"""Types whose every value JSON writes as it is."""
_RETURNED: dict[Any, dict[str, Any]] = {
    str: {"type": "string"}, int: {"type": "integer"}, float: {"type": "number"}, bool: {"type": "boolean"},
}  # fmt: skip
"""What pydantic says of the commonest return types, at a quarter of a millisecond each."""


_UNPACK = {typing_extensions.Unpack, getattr(typing, "Unpack", typing_extensions.Unpack)}
_QUALIFIERS: dict[Any, bool | None] = {
    getattr(module, name): needed
    for module in (typing, typing_extensions)
    for name, needed in (("Required", True), ("NotRequired", False), ("ReadOnly", None))
    if hasattr(module, name)
}
"""Of the keys of a TypedDict: whether it must be given; None for those that say nothing about that."""
_ABSENT: Any = object()
"""The default of what need not be given and has no default."""


_enums: ContextVar[dict[str, dict[str, Any]] | None] = ContextVar("tooldeck_enums", default=None)


class _Plain(GenerateJsonSchema):
    """JSON Schema without titles that only repeat a field's name; notes what enumerations call members."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def enum_schema(self, schema: Any) -> dict[str, Any]:
        made = super().enum_schema(schema)
        found = _enums.get()
        if found is not None:
            values: list[Any] = made.get("enum", [made.get("const")])
            names = dict(zip((member.name for member in schema["members"]), values, strict=False))
            known = found.setdefault(json.dumps(values), names)
            if known != names:  # two enumerations of the same values: only what both say is sure
                found[json.dumps(values)] = dict(known.items() & names.items())
        return made


class _Field(NamedTuple):
    """One parameter, ready for pydantic."""

    annotation: Any
    default: Any
    described: str


def describe_parameters(
    name: str, signature: inspect.Signature, texts: Mapping[str, str]
) -> FunctionParameters:
    """The parameters of a tool from its resolved signature; `texts` describes them by name.

    Raises `DefinitionError` naming the parameter that JSON Schema cannot describe.
    """
    fields: dict[str, _Field] = {}
    fills: dict[str, FieldInfo] = {}
    extra: Any = None
    for parameter in signature.parameters.values():
        if parameter.kind is Kind.VAR_KEYWORD and get_origin(parameter.annotation) in _UNPACK:
            fields |= _unpacked(parameter.annotation, texts)
            continue
        described = _field(parameter, texts)
        if parameter.kind is Kind.VAR_KEYWORD:
            extra = described.annotation
            continue
        fields[parameter.name] = described
        if isinstance(parameter.default, FieldInfo) and described.default is not Kind.empty:
            fills[parameter.name] = parameter.default
    token = _enums.set({})
    try:
        validator, schema = _compiled(name, fields, extra)
        enums = _enums.get() or {}
    finally:
        _enums.reset(token)
    for field, described in fields.items():
        if field not in schema["properties"]:
            raise DefinitionError(
                f"{name}: parameter {field!r} has an alias, which nobody could tell from another parameter; "
                "leave it out and give the parameter the name that callers shall use."
            )
        _complete(schema["properties"][field], described)
    return FunctionParameters(_round_trip(name, schema), validator, fills, enums)


def _unpacked(annotation: Any, texts: Mapping[str, str]) -> dict[str, _Field]:
    """The parameters that ``**kwargs: Unpack[Some]`` stands for: the keys of the TypedDict (PEP 692)."""
    (keys,) = get_args(annotation)
    found: dict[str, _Field] = {}
    for name, hint in typing_extensions.get_type_hints(keys, include_extras=True).items():
        needed = name in keys.__required_keys__
        while (qualifier := get_origin(hint)) in _QUALIFIERS:
            # Said here since `__required_keys__` does not know what stood in annotations that were texts.
            needed = _QUALIFIERS[qualifier] if _QUALIFIERS[qualifier] is not None else needed
            (hint,) = get_args(hint)  # noqa: PLW2901 - one qualifier less
        found[name] = _Field(hint, Kind.empty if needed else _ABSENT, _annotated(hint) or texts.get(name, ""))
    return found


def _field(parameter: inspect.Parameter, texts: Mapping[str, str]) -> _Field:
    """The annotation, default and description of one parameter."""
    annotation = Any if parameter.annotation is Kind.empty else parameter.annotation
    default = parameter.default
    described = texts.get(parameter.name, "")
    if isinstance(default, FieldInfo):
        annotation = _with_constraints(annotation, default)
        described = default.description or described
        default = field_default(default)
        default = Kind.empty if default is PydanticUndefined else default
    else:
        described = _annotated(annotation) or described
    if default is None and annotation is not Any and not _takes_none(annotation):
        annotation = Optional[annotation]  # noqa: UP045 - the operator fails for what is no class
    if parameter.kind is Kind.VAR_POSITIONAL:
        annotation, default = list[annotation], []
    return _Field(annotation, default, described)


def _annotated(annotation: Any) -> str:
    """The text in ``Annotated[int, "How many."]``; empty where there is none."""
    if get_origin(annotation) is not Annotated:
        return ""
    return next((word for word in get_args(annotation)[1:] if isinstance(word, str)), "")


def _takes_none(annotation: Any) -> bool:
    """Whether None is among the alternatives already, as in ``Annotated[int | None, …]``."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    return get_origin(annotation) in {Union, UnionType} and NoneType in get_args(annotation)


def _with_constraints(annotation: Any, field: FieldInfo) -> Any:
    """The annotation with what a ``Field`` demands; its default stays out: no TypedDict key has one."""
    return Annotated[(annotation, *field.metadata)] if field.metadata else annotation


def _compiled(name: str, fields: dict[str, _Field], extra: Any) -> tuple[SchemaValidator, dict[str, Any]]:
    try:
        adapter = _typed_dict(fields, extra)
        schema = adapter.json_schema(schema_generator=_Plain)
    except Exception as error:  # noqa: BLE001 - whatever pydantic says, the parameter is what to name
        raise _undescribable(name, fields, extra, error) from None
    schema.pop("title", None)
    # Plug-ins of pydantic may wrap the validator in one that is called the same way.
    return cast("SchemaValidator", adapter.validator), schema


def _typed_dict(fields: dict[str, _Field], extra: Any = None) -> TypeAdapter[Any]:
    keys = {
        name: field.annotation if field.default is Kind.empty else NotRequired[field.annotation]
        for name, field in fields.items()
    }
    openness: dict[str, Any] = {"closed": True} if extra is None else {"extra_items": extra}
    make: Any = TypedDict  # type checkers know its literal form only
    return TypeAdapter(make("Arguments", keys, **openness))


def _complete(known: dict[str, Any], field: _Field) -> None:
    """Add what a property's schema has beyond its type."""
    if field.described:
        known.setdefault("description", field.described)
    if field.default is Kind.empty or field.default is _ABSENT:
        return
    if field.default is None or (
        type(field.default) in _EXACT_TYPES and field.annotation is type(field.default)
    ):
        known["default"] = field.default
        return
    try:
        default = TypeAdapter(field.annotation).dump_python(field.default, mode="json", warnings="error")
        json.dumps(default, allow_nan=False)
    except Exception:  # noqa: BLE001 - a default outside JSON stays the function's own business
        return
    known["default"] = default


def _round_trip(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The schema as JSON gives it back."""
    try:
        return json.loads(json.dumps(schema, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise DefinitionError(f"{name}: its parameters make no JSON: {_first_line(error)}.") from None


def _undescribable(name: str, fields: dict[str, _Field], extra: Any, error: Exception) -> DefinitionError:
    """The error that names the parameter which pydantic cannot describe."""
    suspects = dict(fields) if extra is None else {**fields, "**": _Field(extra, Kind.empty, "")}
    for field, described in suspects.items():
        try:
            _typed_dict({field: described}).json_schema(schema_generator=_Plain)
        except Exception as reason:  # noqa: BLE001 - as above
            shown = getattr(described.annotation, "__name__", None) or str(described.annotation)
            return DefinitionError(
                f"{name}: parameter {field!r} of type {shown} cannot be described in JSON Schema "
                f"({_first_line(reason)}); use a type that JSON can carry, such as str, int, list, dict, "
                "a dataclass or a pydantic model."
            )
    return DefinitionError(f"{name}: its parameters cannot be described: {_first_line(error)}.")


def _first_line(error: Exception) -> str:
    said = error.message if isinstance(error, PydanticUserError) else str(error)
    return (said.splitlines() or [type(error).__name__])[0].rstrip(".")


def output_schema(returns: Any) -> dict[str, Any] | None:
    """The JSON Schema of a return annotation, or None where it gives none."""
    if returns is inspect.Signature.empty or returns is None or returns is Any:
        return None
    if isinstance(returns, type) and returns in _RETURNED:
        return dict(_RETURNED[returns])
    if any(_is_told(one) for one in _named_in(returns)):
        return None  # its parts are told one by one, and JSON has no pictures
    try:
        schema = TypeAdapter(returns).json_schema(schema_generator=_Plain, mode="serialization")
        return json.loads(json.dumps(schema, allow_nan=False)) or None
    except Exception:  # noqa: BLE001 - a return type outside JSON is no fault of the tool
        return None


def _named_in(annotation: Any) -> Iterator[Any]:
    yield annotation
    for inner in get_args(annotation):
        yield from _named_in(inner)


def _is_told(annotation: Any) -> bool:
    """Whether such values are told to a model in another way than as JSON."""
    return isinstance(annotation, type) and (
        issubclass(annotation, Answer | Part) or hasattr(annotation, "_tool_answer_")
    )
