"""Which kind of field a schema gets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tooldeck.notebook.forms.array import ArrayField
from tooldeck.notebook.forms.boolean import BooleanField
from tooldeck.notebook.forms.choice import ChoiceField, SeveralField
from tooldeck.notebook.forms.field import Field
from tooldeck.notebook.forms.nullable import NullableField
from tooldeck.notebook.forms.number import NumberField, SliderField, bounds
from tooldeck.notebook.forms.object import ObjectField
from tooldeck.notebook.forms.raw import RawField
from tooldeck.notebook.forms.row import Row
from tooldeck.notebook.forms.text import TextField
from tooldeck.notebook.schemas import Shape, describe, properties, resolve, shape

__all__ = ["Chooser"]

_DEPTH = 3
"""How many objects and lists may lie inside each other before the rest is edited as JSON."""
_MOST = 200
"""The most rows of one form, since each takes milliseconds to build; what goes beyond is edited as JSON."""
_SEVERAL = 40
"""The most values a list of choices shows at once."""


class Chooser:
    """Makes the fields for the schemas within one root schema."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._left = _MOST

    def fits(self, schema: Any) -> bool:
        """Whether there is room for a row for every property of an object schema."""
        return len(properties(schema, self._root)) <= self._left

    def rows(self, schema: Any, path: str = "", depth: int = 0) -> list[Row]:
        """A row for every property of an object schema; none where they would be too many."""
        if not self.fits(schema):
            return []
        self._left -= len(properties(schema, self._root))
        return [
            self._row(name, inner, required=required, path=f"{path}.{name}" if path else name, depth=depth)
            for name, inner, required in properties(schema, self._root)
        ]

    def _row(self, name: str, schema: Any, *, required: bool, path: str, depth: int) -> Row:
        found = resolve(schema, self._root)
        title = found.get("title")
        label = title if isinstance(title, str) and title and title.lower() != name.lower() else name
        marked = f"{label} *" if required else label
        field = self.field(marked, schema, name, path=path, depth=depth)
        return Row(name, field, found, required=required, path=path)

    def field(self, label: str, schema: Any, name: str, *, path: str, depth: int) -> Field:
        """The field for a value of `schema`."""
        wanted = shape(schema, self._root)
        field = self._of_kind(label, wanted, name, path, depth)
        if field is None:
            return RawField(label, describe(schema, self._root))
        return NullableField(field) if wanted.nullable and wanted.kind != "null" else field

    def _of_kind(self, label: str, wanted: Shape, name: str, path: str, depth: int) -> Field | None:
        schema, whole = wanted.schema, wanted.kind == "integer"
        match wanted.kind:
            case "choice":
                return ChoiceField(label, wanted.options)
            case "string":
                return TextField(label, schema, name)
            case "boolean":
                return BooleanField(label)
            case "integer" | "number":
                span = bounds(schema, whole=whole)
                if span is None:
                    return NumberField(label, whole=whole)
                return SliderField(label, *span, whole=whole)
            case "array":
                return self._array(label, schema, path, depth)
            case "object":
                return self._object(label, schema, path, depth)
            case _:
                return None

    def _array(self, label: str, schema: Mapping[str, Any], path: str, depth: int) -> Field | None:
        items = schema.get("items")
        if not isinstance(items, Mapping) or "prefixItems" in schema or depth >= _DEPTH:
            return None
        wanted = shape(items, self._root)
        if wanted.kind == "choice" and not wanted.nullable and len(wanted.options) <= _SEVERAL:
            return SeveralField(label, wanted.options)
        if wanted.kind not in ("string", "integer", "number", "boolean", "choice"):
            return None
        return ArrayField(label, lambda item: self.field(item, items, "", path=f"{path}[]", depth=depth + 1))

    def _object(self, label: str, schema: Mapping[str, Any], path: str, depth: int) -> Field | None:
        if depth >= _DEPTH or not properties(schema, self._root) or _open(schema) or not self.fits(schema):
            return None
        return ObjectField(label, self.rows(schema, path, depth + 1))


def _open(schema: Mapping[str, Any]) -> bool:
    """Whether an object takes names of the caller's own, which rows cannot offer."""
    return isinstance(schema.get("additionalProperties"), Mapping) or "patternProperties" in schema
