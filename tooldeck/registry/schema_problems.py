"""Say in words what does not fit a JSON Schema: where, what was wanted, what came instead."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, cast

from tooldeck.core.parameters import Problem
from tooldeck.core.strangers import to_repr
from tooldeck.core.vocabulary import nearest

__all__ = ["described", "problems_of", "shown"]

_LONGEST = 80
# Characters of a value that a message quotes.


def problems_of(validator: Any, values: dict[str, Any]) -> tuple[Problem, ...]:
    """Every misfit of `values`, in the order of the schema, each said once."""
    found = [problem for error in validator.iter_errors(values) for problem in _problems(error, ())]
    return tuple(dict.fromkeys(found))


def shown(value: object) -> str:
    """A value as JSON, shortened."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except Exception:  # noqa: BLE001 - not JSON, or an object of strangers that raises
        text = to_repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _problems(error: Any, base: tuple[Any, ...]) -> Iterable[Problem]:
    """The problems in one jsonschema error; `base` leads to the value that the error's path starts from."""
    path = (*base, *error.relative_path)
    if error.validator == "required":
        # One error a missing key, but the key is named in the message only.
        missing = [name for name in error.validator_value if name not in error.instance]
        properties: dict[str, Any] = error.schema.get("properties", {})
        for name in missing:
            yield Problem(_dotted((*path, name)), f"is required{_kind(properties.get(name))}")
    elif (
        error.validator in ("additionalProperties", "unevaluatedProperties")
        and error.validator_value is False
    ):
        yield from _unknown_keys(error, path)
    elif error.validator in ("anyOf", "oneOf") and error.context:
        yield from _alternatives(error, path)
    elif error.validator == "propertyNames" or error.parent is None or error.validator in _WORDS:
        yield Problem(_dotted(path), _wanted(error), shown(error.instance))
    else:
        yield Problem(_dotted(path), _tidy(error), shown(error.instance))


def _kind(schema: Any) -> str:
    return f" ({described(schema)})" if isinstance(schema, dict) else ""


def _unknown_keys(error: Any, path: tuple[Any, ...]) -> Iterable[Problem]:
    known: list[str] = list(error.schema.get("properties", {}))
    patterned: list[str] = list(error.schema.get("patternProperties", {}))
    for name in error.instance:
        if name in known or f"{name!r}" not in error.message:
            continue
        close = nearest(name, known, 1)
        if close:
            wanted = f"is not a known name; did you mean {close[0]!r}?"
        elif known:
            wanted = f"is not a known name; known: {', '.join(known)}"
        elif patterned:
            wanted = f"is not a known name; names must match {' or '.join(patterned)}"
        else:
            wanted = "is not a known name; none is allowed here"
        yield Problem(_dotted((*path, name)), wanted, shown(error.instance[name]))


def _alternatives(error: Any, path: tuple[Any, ...]) -> Iterable[Problem]:
    """The misfits of the one alternative that was clearly meant, else a list of the alternatives."""
    branches: dict[int, list[Any]] = defaultdict(list)
    for inner in error.context:
        branches[inner.relative_schema_path[0]].append(inner)
    meant = [errors for errors in branches.values() if not any(_rules_out(inner) for inner in errors)]
    if len(meant) == 1:
        for inner in meant[0]:
            yield from _problems(inner, path)
    else:
        words = dict.fromkeys(described(schema) for schema in error.validator_value)
        yield Problem(_dotted(path), f"must be {' or '.join(words)}", shown(error.instance))


def _rules_out(error: Any) -> bool:
    """Whether this misfit says that the alternative was not meant at all: another type or another tag."""
    depth = len(error.relative_path)
    return (error.validator == "type" and depth == 0) or (error.validator in ("const", "enum") and depth <= 1)


def described(schema: Any) -> str:
    """What a schema wants, in a few words."""
    given = cast("dict[str, Any]", schema) if isinstance(schema, dict) else {"const": schema}
    if "const" in given:
        return shown(given["const"])
    if isinstance(given.get("enum"), list):
        return f"one of {', '.join(shown(choice) for choice in given['enum'])}"
    for word in ("anyOf", "oneOf"):
        if isinstance(given.get(word), list):
            return " or ".join(dict.fromkeys(described(choice) for choice in given[word]))
    if isinstance(given.get("$ref"), str):
        return str(given["$ref"]).rsplit("/", 1)[-1].lstrip("#") or "the whole"
    if given.get("required"):
        return f"an object with {' and '.join(given['required'])}"
    kind = given.get("type")
    if kind == "array" and isinstance(given.get("items"), dict):
        return f"a list of {described(given['items'])}"
    if isinstance(kind, list):
        return " or ".join(_TYPES.get(one, str(one)) for one in cast("list[Any]", kind))
    return _TYPES.get(str(kind), str(kind)) if kind else str(given.get("title") or "a fitting value")


_TYPES = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def _wanted(error: Any) -> str:
    words = _WORDS.get(error.validator)
    return words(error.validator_value, error) if words else _tidy(error)


def _tidy(error: Any) -> str:
    """Jsonschema's own sentence without the value it begins with, which we show beside it.

    One that quotes the value elsewhere is not taken: what is wanted is told also where the value must not be.
    """
    value = repr(error.instance)
    if not error.message.startswith(value):
        return f"must fit {error.validator}"
    message: str = error.message.removeprefix(value).strip()
    return message if len(message) <= 2 * _LONGEST else f"{message[: 2 * _LONGEST - 1]}…"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


_WORDS: dict[str | None, Callable[[Any, Any], str]] = {
    "type": lambda want, _: f"must be {described({'type': want})}",
    "enum": lambda want, _: f"must be one of {', '.join(shown(choice) for choice in want)}",
    "const": lambda want, _: f"must be {shown(want)}",
    "minimum": lambda want, _: f"must be {want} or more",
    "maximum": lambda want, _: f"must be {want} or less",
    "exclusiveMinimum": lambda want, _: f"must be more than {want}",
    "exclusiveMaximum": lambda want, _: f"must be less than {want}",
    "multipleOf": lambda want, _: f"must be a multiple of {want}",
    "minLength": lambda want, _: f"must have at least {_plural(want, 'character')}",
    "maxLength": lambda want, _: f"must have at most {_plural(want, 'character')}",
    "pattern": lambda want, _: f"must match {want}",
    "minItems": lambda want, _: f"must have at least {_plural(want, 'item')}",
    "maxItems": lambda want, _: f"must have at most {_plural(want, 'item')}",
    "uniqueItems": lambda _, __: "must have no item twice",
    "minProperties": lambda want, _: f"must have at least {_plural(want, 'key')}",
    "maxProperties": lambda want, _: f"must have at most {_plural(want, 'key')}",
    "contains": lambda want, _: f"must have an item that is {described(want)}",
    "additionalItems": lambda _, __: "has more items than are allowed",
    "unevaluatedItems": lambda _, __: "has more items than are allowed",
    "dependentRequired": lambda _, error: error.message,  # two names of the schema
    None: lambda _, __: "must not be given",  # the schema is false
    "not": lambda want, _: f"must not be {described(want)}",
    "oneOf": lambda _, __: "must fit exactly one of its alternatives, but fits several",
}


def _dotted(path: Iterable[Any]) -> str:
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text
