"""A document of Swagger 2.0 brought into the form of OpenAPI 3, as far as tools need it.

What moves: the address (``host``, ``basePath``, ``schemes``), schemas and security schemes into
``components``, the body and form fields into ``requestBody``, the way of lists (``collectionFormat``) into
``style`` and ``explode``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from tooldeck.core.errors import DefinitionError
from tooldeck.core.references import resolve

__all__ = ["as_openapi"]

_METHODS = ("get", "head", "options", "put", "post", "patch", "delete")
_MOVED = {
    "#/definitions/": "#/components/schemas/",
    "#/parameters/": "#/components/parameters/",
}
_LISTS = {
    "multi": {"style": "form", "explode": True},
    "csv": {"explode": False},
    "ssv": {"style": "spaceDelimited", "explode": False},
    "pipes": {"style": "pipeDelimited", "explode": False},
}
_BESIDE = ("name", "in", "description", "required", "collectionFormat")
"""What stands beside the schema in a parameter of Swagger."""


def as_openapi(document: Mapping[str, Any], source: str = "") -> dict[str, Any]:
    """The same service as an OpenAPI 3.0 document; `source` is the address it came from, if any.

    Raises `DefinitionError` for a `source` that is no address.
    """
    paths = {str(path): _item(item, document) for path, item in _mapping(document.get("paths")).items()}
    made: dict[str, Any] = {
        "openapi": "3.0.3",
        "info": document.get("info"),
        "servers": _servers(document, source),
        "paths": paths,
        "components": {
            "schemas": _moved(_mapping(document.get("definitions"))),
            "securitySchemes": {
                name: _scheme(resolve(one, document))
                for name, one in _mapping(document.get("securityDefinitions")).items()
            },
        },
    }
    return {**made, "security": document["security"]} if "security" in document else made


def _servers(document: Mapping[str, Any], source: str) -> list[dict[str, str]]:
    try:
        came = urlsplit(source)
    except ValueError:
        raise DefinitionError(f"{source!r} is no address.") from None
    host = str(document.get("host") or came.netloc)
    if not host:
        return []
    schemes = [str(one) for one in _list(document.get("schemes"))] or [came.scheme or "https"]
    scheme = "https" if "https" in schemes else schemes[0]
    return [{"url": f"{scheme}://{host}{str(document.get('basePath') or '').rstrip('/')}"}]


def _scheme(one: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "http", "scheme": "basic"} if one.get("type") == "basic" else dict(one)


def _item(given: Any, document: Mapping[str, Any]) -> dict[str, Any]:
    item = resolve(given, document)
    shared = [resolve(one, document) for one in _list(item.get("parameters"))]
    return {
        method: _operation(item[method], shared, document)
        for method in _METHODS
        if isinstance(item.get(method), Mapping)
    }


def _operation(
    operation: Mapping[str, Any], shared: list[Mapping[str, Any]], document: Mapping[str, Any]
) -> dict[str, Any]:
    own = [resolve(one, document) for one in _list(operation.get("parameters"))]
    found = {(str(one.get("name")), str(one.get("in"))): one for one in (*shared, *own)}
    made = {key: operation[key] for key in ("operationId", "summary", "description", "security")
            if key in operation}  # fmt: skip
    made["parameters"] = [_parameter(one) for (_, where), one in found.items()
                          if where not in ("body", "formData")]  # fmt: skip
    body = _body(list(found.values()), operation.get("consumes", document.get("consumes")))
    return {**made, "requestBody": body} if body else made


def _parameter(one: Mapping[str, Any]) -> dict[str, Any]:
    made = {key: one[key] for key in ("name", "in", "description", "required") if key in one}
    schema = _schema(one)
    if schema.get("type") == "array":
        made |= _LISTS.get(str(one.get("collectionFormat", "csv")), _LISTS["csv"])
    return {**made, "schema": schema}


def _body(parameters: list[Mapping[str, Any]], consumes: Any) -> dict[str, Any]:
    kinds = [str(one) for one in _list(consumes)]
    body = next((one for one in parameters if one.get("in") == "body"), None)
    if body is not None:
        schema = _moved(body.get("schema", {}))
        content = {kind: {"schema": schema} for kind in kinds or ["application/json"]}
        return {**{key: body[key] for key in ("description", "required") if key in body}, "content": content}
    fields = {str(one.get("name")): one for one in parameters if one.get("in") == "formData"}
    if not fields:
        return {}
    needed = [name for name, one in fields.items() if one.get("required")]
    whole: dict[str, Any] = {
        "type": "object",
        "properties": {name: _schema(one) for name, one in fields.items()},
        "required": needed,
    }
    files = any(one.get("type") == "file" for one in fields.values())
    parts = files or "application/x-www-form-urlencoded" not in (
        kinds or ["application/x-www-form-urlencoded"]
    )
    kind = "multipart/form-data" if parts else "application/x-www-form-urlencoded"
    return {"required": bool(needed), "content": {kind: {"schema": whole}}}


def _schema(one: Mapping[str, Any]) -> dict[str, Any]:
    """The schema that a parameter of Swagger is; a file is a text of bytes in OpenAPI 3."""
    schema = {key: _moved(value) for key, value in one.items() if key not in _BESIDE}
    if schema.get("type") == "file":
        schema |= {"type": "string", "format": "binary"}
    if "description" in one:
        schema["description"] = one["description"]
    return schema


def _moved(value: Any) -> Any:
    """`value` with its references to where things lie in OpenAPI 3."""
    if isinstance(value, list):
        return [_moved(inner) for inner in value]
    if not isinstance(value, Mapping):
        return value
    made = {str(key): _moved(inner) for key, inner in value.items()}
    reference = made.get("$ref")
    for old, new in _MOVED.items():
        if isinstance(reference, str) and reference.startswith(old):
            made["$ref"] = new + reference.removeprefix(old)
    if "x-nullable" in made:
        made["nullable"] = made.pop("x-nullable")
    return made


def _mapping(given: Any) -> Mapping[str, Any]:
    return given if isinstance(given, Mapping) else {}


def _list(given: Any) -> list[Any]:
    return given if isinstance(given, list) else []
