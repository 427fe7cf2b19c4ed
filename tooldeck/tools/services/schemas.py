"""Schemas of OpenAPI 3.0 in the form of JSON Schema 2020-12, as 3.1 has it.

``nullable`` becomes a type, exclusive limits become numbers, references lead into ``$defs``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tooldeck.core.errors import DefinitionError

__all__ = ["bring_definitions", "plain"]

_DEFS = "#/components/schemas/"


def plain(schema: Any) -> Any:
    """A schema in the form of JSON Schema 2020-12."""
    if isinstance(schema, list):
        return [plain(one) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    made = {str(key): value if key in ("enum", "const", "default", "example") else plain(value)
            for key, value in schema.items()}  # fmt: skip
    made.pop("xml", None)
    made.pop("discriminator", None)
    reference = made.get("$ref")
    if isinstance(reference, str) and reference.startswith(_DEFS):
        made["$ref"] = "#/$defs/" + reference.removeprefix(_DEFS)
    for limit, word in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if made.get(word) is True and limit in made:
            made[word] = made.pop(limit)
        elif isinstance(made.get(word), bool):
            del made[word]
    return _nullable(made)


def _nullable(made: dict[str, Any]) -> dict[str, Any]:
    if made.pop("nullable", False) is not True:
        return made
    if isinstance(made.get("type"), str):
        made["type"] = [made["type"], "null"]
        if isinstance(made.get("enum"), list) and None not in made["enum"]:
            made["enum"] = [*made["enum"], None]
        return made
    return {"anyOf": [made, {"type": "null"}]}


def bring_definitions(document: Mapping[str, Any], schema: dict[str, Any]) -> None:
    """Put what the schema refers to into its ``$defs``, and what that refers to."""
    known = _schemas(document)
    defs: dict[str, Any] = {}
    ahead = list(_references(schema))
    while ahead:
        name = ahead.pop()
        if name in defs:
            continue
        if name not in known:
            raise DefinitionError(f"it refers to a schema {name!r} that is not there")
        defs[name] = plain(known[name])
        ahead += _references(defs[name])
    if defs:
        schema["$defs"] = defs


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        reference = schema.get("$ref")
        if isinstance(reference, str):
            if not reference.startswith("#/$defs/"):
                raise DefinitionError(f"it refers to {reference!r}, which is not among the schemas")
            yield reference.removeprefix("#/$defs/")
        for inner in schema.values():
            yield from _references(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _references(inner)


def _schemas(document: Mapping[str, Any]) -> Mapping[str, Any]:
    components = document.get("components")
    found = components.get("schemas") if isinstance(components, Mapping) else None
    return found if isinstance(found, Mapping) else {}
