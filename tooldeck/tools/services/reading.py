"""Reads a document of OpenAPI 3 or Swagger 2: its operations, each with a schema of what it takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from tooldeck.core.errors import DefinitionError, SetupError
from tooldeck.core.references import resolve
from tooldeck.core.strangers import file_fault
from tooldeck.guards.documents import modest, read_json, read_yaml
from tooldeck.tools.services.bodies import Body, read_body_of
from tooldeck.tools.services.schemas import bring_definitions, plain
from tooldeck.tools.services.swagger import as_openapi

__all__ = ["BODY", "Operation", "Parameter", "Spec", "read_spec"]

METHODS = ("get", "head", "options", "put", "post", "patch", "delete")
BODY = "body"
"""The argument that is sent as the body."""
MOST_BYTES = 20_000_000
_KEPT = 64
"""Characters of a name."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument and where it goes."""

    argument: str
    name: str
    """As the service calls it."""
    where: str
    """``path``, ``query``, ``header`` or ``cookie``."""
    style: str
    explode: bool
    as_json: bool
    """Whether its value is sent as JSON text."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that the service does."""

    name: str
    method: str
    path: str
    description: str
    parameters: tuple[Parameter, ...]
    schema: dict[str, Any]
    body: Body | None
    """How the body is sent; None without one."""
    security: tuple[tuple[str, ...], ...]
    """Alternatives, each of which names security schemes that are needed together; empty: none is needed."""


@dataclass(frozen=True, slots=True)
class Spec:
    """A document, read."""

    title: str
    server: str
    """The address of the service; empty where the document names none that is whole."""
    operations: tuple[Operation, ...]
    skipped: dict[str, str]
    """Operations that cannot be tools, and why."""
    schemes: dict[str, Any]
    """The security schemes."""


def read_spec(given: Any, source: str = "") -> Spec:
    """Read a document: a mapping, JSON or YAML text, or the path of a file.

    Raises `DefinitionError` for what is no document of OpenAPI 3 or Swagger 2.
    """
    document = _document(given)
    if str(document.get("swagger", "")).startswith("2."):
        document = as_openapi(document, source)
    if not str(document.get("openapi", "")).startswith("3."):
        named = next((f"{name} {document[name]}" for name in ("openapi", "swagger") if name in document), "")
        what = f"is {named}" if named else "says of itself that it is neither"
        raise DefinitionError(f"add_openapi takes documents of OpenAPI 3 and Swagger 2, and this one {what}.")
    found, skipped, names = [], dict[str, str](), set[str]()
    for path, method, item, operation in _operations(document):
        name = _name(operation.get("operationId") or f"{method}{path}", names)
        try:
            found.append(_operation(document, name, (path, method), item, operation))
        except DefinitionError as error:
            skipped[name] = str(error)
    components = _mapping(document.get("components"))
    schemes = {
        name: resolve(one, document) for name, one in _mapping(components.get("securitySchemes")).items()
    }
    title = str(_mapping(document.get("info")).get("title") or "service")
    return Spec(
        title, _server(document, source), tuple(found), skipped, {k: dict(v) for k, v in schemes.items()}
    )


def _document(given: Any) -> Mapping[str, Any]:
    if isinstance(given, Mapping):
        try:
            return modest(given)
        except ValueError as error:
            raise DefinitionError(f"The OpenAPI document cannot be read: {error}.") from None
    text = given
    if isinstance(given, Path) or (
        isinstance(given, str) and "\n" not in given and not given.startswith("{")
    ):
        try:
            with Path(given).open("rb") as file:
                text = file.read(MOST_BYTES).decode()
        except (OSError, UnicodeDecodeError) as error:
            raise DefinitionError(
                f"The OpenAPI document {str(given)!r} cannot be read: {file_fault(error)}."
            ) from None
    if not isinstance(text, str):
        raise DefinitionError(f"add_openapi takes a mapping, text or a path, got {type(given).__name__}.")
    try:
        read = read_json(text)
    except ValueError:
        read = _yaml(text, "This" if text is given else repr(str(given)))
    if not isinstance(read, dict):
        name = "This" if text is given else repr(str(given))
        raise DefinitionError(f"{name} is no OpenAPI document: it is no object.")
    return read


def _yaml(text: str, name: str) -> Any:
    try:
        return read_yaml(text)
    except ImportError:
        raise SetupError("An OpenAPI document in YAML needs pyyaml: pip install pyyaml") from None
    except ValueError as error:
        raise DefinitionError(f"{name} is neither JSON nor YAML: {error}.") from None


def _operations(
    document: Mapping[str, Any],
) -> Iterator[tuple[str, str, Mapping[str, Any], Mapping[str, Any]]]:
    for path, given in _mapping(document.get("paths")).items():
        item = resolve(given, document)
        for method in METHODS:
            if isinstance(item.get(method), Mapping):
                yield str(path), method, item, item[method]


def _name(given: Any, taken: set[str]) -> str:
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", str(given)).strip("_")[:_KEPT] or "operation"
    name, number = plain, 2
    while name in taken:
        name, number = f"{plain[: _KEPT - 4]}_{number}", number + 1
    taken.add(name)
    return name


def _operation(
    document: Mapping[str, Any], name: str, where: tuple[str, str], item: Any, operation: Mapping[str, Any]
) -> Operation:
    path, method = where
    properties: dict[str, Any] = {}
    required: list[str] = []
    parameters: list[Parameter] = []
    for one in _parameters(document, item, operation):
        argument = one["name"] if one["name"] not in properties else f"{one['name']}_{one['in']}"
        parameters.append(_parameter(one, argument))
        properties[argument] = _described(_schema_of(one), one.get("description"))
        if one.get("required") or one["in"] == "path":
            required.append(argument)
    body = _add_body(document, operation, properties, required)
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = required
    bring_definitions(document, schema)
    said = [str(operation.get(key) or "").strip() for key in ("summary", "description")]
    description = "\n\n".join(dict.fromkeys(one for one in said if one)) or f"{method.upper()} {path}"
    needs = operation.get("security", document.get("security"))
    return Operation(
        name, method, path, description, tuple(parameters), schema, body, _security(needs)
    )  # fmt: skip


def _parameters(document: Mapping[str, Any], item: Any, operation: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The parameters of an operation; its own stand in for those of its path."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for given in [*_list(item.get("parameters")), *_list(operation.get("parameters"))]:
        one = dict(resolve(given, document))
        if not isinstance(one.get("name"), str) or one.get("in") not in ("path", "query", "header", "cookie"):
            raise DefinitionError("one of its parameters has no name, or no place that is known")
        found[one["name"], one["in"]] = one
    ours = {"accept", "content-type", "authorization"}  # as the specification says
    return [one for one in found.values() if one["in"] != "header" or one["name"].casefold() not in ours]


def _parameter(one: Mapping[str, Any], argument: str) -> Parameter:
    style = str(one.get("style") or ("form" if one["in"] in ("query", "cookie") else "simple"))
    explode = bool(one.get("explode", style == "form"))
    return Parameter(
        argument, one["name"], one["in"], style, explode, "schema" not in one and "content" in one
    )


def _schema_of(one: Mapping[str, Any]) -> Any:
    content = _mapping(one.get("content"))
    return one["schema"] if "schema" in one else _mapping(next(iter(content.values()), {})).get("schema", {})


def _add_body(
    document: Mapping[str, Any], operation: Mapping[str, Any], properties: dict[str, Any], required: list[str]
) -> Body | None:
    """Add the body to what an operation takes; how it is sent, None without one."""
    given = resolve(operation.get("requestBody"), document)
    content = _mapping(given.get("content"))
    if not content:
        return None
    if BODY in properties:
        raise DefinitionError(f"it has a parameter called {BODY!r} beside its body")
    schema, body = read_body_of(content, document)
    properties[BODY] = _described(schema, given.get("description"))
    if given.get("required"):
        required.append(BODY)
    return body


def _described(schema: Any, description: Any) -> Any:
    made = plain(schema)
    if isinstance(made, dict) and isinstance(description, str) and description and "$ref" not in made:
        made.setdefault("description", description)
    return made


def _security(given: Any) -> tuple[tuple[str, ...], ...]:
    ways = tuple(tuple(map(str, one)) for one in _list(given) if isinstance(one, Mapping))
    return () if not ways or () in ways else ways


def _server(document: Mapping[str, Any], source: str) -> str:
    """The first server that is a whole address, its variables by their defaults."""
    for given in _list(document.get("servers")):
        one = _mapping(given)
        url = str(one.get("url") or "")
        for name, variable in _mapping(one.get("variables")).items():
            url = url.replace(f"{{{name}}}", str(_mapping(variable).get("default", "")))
        try:
            url = urljoin(source, url) if source else url
            if urlsplit(url).scheme in ("http", "https"):
                return url.rstrip("/")
        except ValueError:  # no address after all
            continue
    return ""


def _mapping(given: Any) -> Mapping[str, Any]:
    return given if isinstance(given, Mapping) else {}


def _list(given: Any) -> list[Any]:
    return given if isinstance(given, list) else []
