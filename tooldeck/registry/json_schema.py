"""Parameters described by a JSON Schema that somebody else wrote, such as an MCP server's ``inputSchema``.

The schema stays exactly as it came and is itself checked once, at construction. A part of it that Python
cannot evaluate (a dangling reference, a pattern in another dialect) is passed over at call time with a note,
since the owner of the schema checks the call again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from tooldeck.core.errors import DefinitionError
from tooldeck.core.parameters import Checked, Note, Problem
from tooldeck.core.python_names import python_names
from tooldeck.core.strangers import error_words
from tooldeck.guards.patterns import UnsafePattern
from tooldeck.registry.jsonschema_loading import load_jsonschema
from tooldeck.registry.safe_keywords import SAFE_KEYWORDS
from tooldeck.registry.schema_problems import problems_of, shown
from tooldeck.registry.schema_signature import property_schemas, signature_for

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

__all__ = ["JsonSchemaParameters", "signature_for", "warm_up"]

_MAX_DEPTH = 100
# Deeper than any schema or argument met in practice, and well inside Python's own recursion limit.

_MOST_REFERENCES = 5_000
# References followed in one check. They may double at every step, so that thirty of them never end.
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


class _Skipped(list[str]):
    """What one check could not evaluate, in words."""

    references = 0
    patterns = False
    """Whether names are matched by patterns anywhere in the schema."""

    def allow(self, word: str) -> None:
        """Raise for a keyword whose evaluation may never end."""
        if word in _REFERENCES:
            self.references += 1
            if self.references > _MOST_REFERENCES:
                raise RecursionError
        elif word == "unevaluatedProperties" and self.patterns:
            raise UnsafePattern(word)  # the library would match them with an engine of that kind


_unchecked: ContextVar[_Skipped | None] = ContextVar("tooldeck_unchecked", default=None)


class JsonSchemaParameters:
    """Parameters that follow a JSON Schema with ``type: object`` at its root; implements `Parameters`.

    The dialect is the schema's own ``$schema``, else 2020-12. Keys the schema does not name are refused only
    where the schema says so; names that Python cannot spell are taken in the spelling of `signature_for` as
    well, with a note. References reach nothing outside the schema: no network, no files.

    Raises `DefinitionError` naming the place when `schema` is not a JSON object that describes an object.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = _plain(schema)
        if self._schema.get("type") != "object":
            raise DefinitionError(
                f"A tool's schema must be of type 'object' at its root, not {self._schema.get('type')!r}."
            )
        self._validator = _validator(self._schema)
        self._patterns = "patternProperties" in json.dumps(self._schema)
        names = python_names(property_schemas(self._schema))
        self._spelled = {python: name for name, python in names.items() if python != name}

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema, unchanged."""
        return self._schema

    def check(self, arguments: Mapping[str, Any], /) -> Checked:
        """Say everything that does not fit, or hand the arguments on as plain JSON values."""
        misfits: list[Problem] = []
        try:
            arguments, renamed = self._by_own_names(arguments)
            values = {str(name): _json_value(value, str(name), misfits) for name, value in arguments.items()}
        except Exception as error:  # noqa: BLE001 - objects of strangers may raise anything
            return Checked({}, {}, (), (Problem("", f"cannot be read: {error_words(error)}"),))
        if misfits:
            return Checked({}, dict(arguments), (), tuple(misfits))
        skipped = _Skipped()
        skipped.patterns = self._patterns
        token = _unchecked.set(skipped)
        try:
            problems = problems_of(self._validator, values)
        except RecursionError:
            problems = ()
            skipped.append("the schema, which refers to itself without end")
        except Exception as error:  # noqa: BLE001 - a number too long to be told of, and the like
            problems = (Problem("", f"cannot be checked: {error_words(error)}"),)
        finally:
            _unchecked.reset(token)
        notes = tuple(Note("arguments", f"Not checked here: {what}.") for what in dict.fromkeys(skipped))
        return Checked({} if problems else values, values, (*renamed, *notes), problems)

    def _by_own_names(self, arguments: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[Note]]:
        """The arguments by the schema's names, where Python could not spell them, with a note for each."""
        found = {
            python: name
            for python, name in self._spelled.items()
            if python in arguments and name not in arguments
        }
        notes = [Note("arguments", f"{python!r} was taken as {name!r}.") for python, name in found.items()]
        return (
            {found.get(key, key): value for key, value in arguments.items()} if found else arguments
        ), notes

    def __repr__(self) -> str:
        return f"JsonSchemaParameters({', '.join(self._schema.get('properties', {}))})"


def warm_up() -> None:
    """Import jsonschema and use it once: the first time takes seconds where JupyterLab is installed."""
    JsonSchemaParameters({"type": "object"}).check({})


def _plain(schema: object) -> dict[str, Any]:
    """The schema as JSON gives it back."""
    if not isinstance(schema, Mapping):
        raise DefinitionError(f"A tool's schema must be a JSON object, got {shown(schema)}.")
    try:
        text = json.dumps(dict(cast("Mapping[str, Any]", schema)), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise DefinitionError(f"A tool's schema must be plain JSON: {error}.") from None
    plain: dict[str, Any] = json.loads(text)
    if _depth(plain) > _MAX_DEPTH:
        raise DefinitionError(f"A tool's schema may be nested {_MAX_DEPTH} levels deep, this one is deeper.")
    return plain


def _depth(value: Any) -> int:
    """How many levels of objects and lists there are; stops counting just above the limit."""
    level: list[Any] = [value]
    for depth in range(_MAX_DEPTH + 2):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in cast("Any", outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return depth
    return _MAX_DEPTH + 1


def _validator(schema: dict[str, Any]) -> Validator:
    load_jsonschema()
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import validator_for
    from referencing import Registry
    from referencing.jsonschema import EMPTY_REGISTRY

    try:
        dialect: Any = validator_for(schema, default=Draft202012Validator)
    except (AttributeError, TypeError, ValueError):  # it takes whatever stands there for an address
        raise DefinitionError("Not a valid JSON Schema at $schema: it is no address.") from None
    try:
        # Without formats: a pattern in another dialect than Python's is no fault of the schema.
        dialect.check_schema(schema, format_checker=None)
    except SchemaError as error:
        place = "/".join(str(step) for step in error.absolute_path) or "its root"
        raise DefinitionError(f"Not a valid JSON Schema at {place}: {error.message}.") from None
    # An empty registry, because the default one fetches what a reference names.
    registry: Registry[Any] = EMPTY_REGISTRY
    return _lenient(dialect)(schema, registry=registry)


@cache
def _lenient(dialect: Any) -> Any:
    """The dialect, passing over what cannot be evaluated here."""
    from jsonschema import validators

    extend: Any = validators.extend
    keywords = (*_REFERENCES, "unevaluatedProperties", *SAFE_KEYWORDS)
    known = {
        word: SAFE_KEYWORDS.get(word, dialect.VALIDATORS[word])
        for word in keywords
        if word in dialect.VALIDATORS
    }
    return extend(dialect, {word: _forgiving(word, keyword) for word, keyword in known.items()})


def _forgiving(word: str, keyword: Any) -> Any:
    from referencing.exceptions import Unresolvable

    def check(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        skipped = _unchecked.get()
        if skipped is None:
            skipped = _Skipped()
        try:
            skipped.allow(word)
            yield from keyword(validator, value, instance, schema) or ()
        except (Unresolvable, UnsafePattern, re.error):
            skipped.append(f"{word} {shown(value)}, which cannot be evaluated in Python")

    return check


def _json_value(value: Any, path: str, misfits: list[Problem], depth: int = 1) -> Any:
    """The value in JSON's own types; what has no place there becomes a problem."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124 - NaN
            misfits.append(Problem(path, "must be a finite number", repr(value)))
        return float(value)
    if depth > _MAX_DEPTH:
        misfits.append(Problem(path, f"may be nested {_MAX_DEPTH} levels deep"))
    elif isinstance(value, Mapping):
        items = cast("Mapping[Any, Any]", value).items()
        return {str(key): _json_value(inner, f"{path}.{key}", misfits, depth + 1) for key, inner in items}
    elif isinstance(value, list | tuple):
        inside = enumerate(cast("list[Any]", value))
        return [_json_value(inner, f"{path}[{index}]", misfits, depth + 1) for index, inner in inside]
    elif callable(getattr(value, "tolist", None)):  # arrays and scalars of numpy, columns of pandas
        return _json_value(value.tolist(), path, misfits, depth + 1)
    else:
        misfits.append(Problem(path, "must be a JSON value", f"a {type(value).__name__}, {shown(value)}"))
    return None
