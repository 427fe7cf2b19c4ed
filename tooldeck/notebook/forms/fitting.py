"""Which of several schemas a value is meant for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tooldeck.core.references import Schema
from tooldeck.notebook.forms.field import same
from tooldeck.notebook.forms.moment import MOMENTS, reads
from tooldeck.notebook.forms.text_rules import text_fault
from tooldeck.notebook.schemas import Shape, properties, shape

__all__ = ["best"]

_DEPTH = 4
"""How far into a value its fit is looked for."""


def best(value: Any, branches: Sequence[Schema], root: Schema) -> int:
    """The place of the branch that fits `value` best, the first of equals; 0 when none does."""
    scores = [_fit(value, branch, root, 0) for branch in branches]
    return scores.index(max(scores))


def _fit(value: Any, schema: Any, root: Schema, depth: int) -> float:
    """How well a value fits, from 0 (not at all) to 1."""
    if schema is False:
        return 0
    wanted = shape(schema, root)
    if value is None:
        return 1 if wanted.nullable or wanted.kind == "null" else 0.1 if wanted.kind == "any" else 0
    if wanted.kind in _TESTS:
        return _TESTS[wanted.kind](value, wanted)
    if wanted.kind == "union":
        return max(
            _fit(value, branch, root, depth + 1) if depth <= _DEPTH else 0.5 for branch in wanted.branches
        )
    if wanted.kind == "array":
        return _fit_list(value, wanted.schema, root, depth) if isinstance(value, list | tuple) else 0
    if wanted.kind == "object":
        return _fit_object(value, wanted.schema, root, depth) if isinstance(value, Mapping) else 0
    return 0.1


def _fit_choice(value: Any, wanted: Shape) -> float:
    return float(any(same(value, option) for _, option in wanted.options))


def _fit_text(value: Any, wanted: Shape) -> float:
    kind = wanted.schema.get("format")
    if not isinstance(value, str) or (kind in MOMENTS and not reads(kind, value)):
        return 0
    return 0 if text_fault(wanted.schema, value) else 1


def _fit_number(value: Any, wanted: Shape) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    if wanted.kind == "integer" and value != value // 1:
        return 0
    low, high = wanted.schema.get("minimum", value), wanted.schema.get("maximum", value)
    outside = isinstance(low, int | float) and isinstance(high, int | float) and not low <= value <= high
    return 0 if outside else 1 if wanted.kind == "integer" or isinstance(value, float) else 0.9


_TESTS: dict[str, Callable[[Any, Shape], float]] = {
    "choice": _fit_choice,
    "string": _fit_text,
    "boolean": lambda value, _: float(isinstance(value, bool)),
    "integer": _fit_number,
    "number": _fit_number,
}


def _fit_list(value: Any, schema: Schema, root: Schema, depth: int) -> float:
    first = schema.get("prefixItems")
    if depth > _DEPTH or not value:
        return 0.9
    if isinstance(first, list):
        rest = schema.get("items", {})
        wanted = [*first, *([rest] * (len(value) - len(first)))]
        return _all_fit(zip(value, wanted, strict=False), root, depth)
    return _all_fit(((item, schema.get("items", {})) for item in value[:20]), root, depth)


def _fit_object(value: Any, schema: Schema, root: Schema, depth: int) -> float:
    listed = properties(schema, root)
    if any(required and name not in value for name, _, required in listed):
        return 0
    known = {name: inner for name, inner, _ in listed}
    more = schema.get("additionalProperties", {})
    unknown = [name for name in value if name not in known]
    if unknown and more is False and "patternProperties" not in schema:
        return 0
    if depth > _DEPTH:
        return 0.5
    inside = [(item, known.get(name, more)) for name, item in value.items() if name in known or more]
    closeness = 1 - len(unknown) / (2 * len(value)) if value else 0.9
    return closeness * _all_fit(inside, root, depth)


def _all_fit(pairs: Iterable[tuple[Any, Any]], root: Schema, depth: int) -> float:
    """The mean fit of parts; 0 when one does not fit."""
    scores = [_fit(value, schema, root, depth + 1) for value, schema in pairs]
    if not scores:
        return 1
    return 0 if 0 in scores else sum(scores) / len(scores)
