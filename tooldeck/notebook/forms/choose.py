"""Which kind of field a schema gets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from tooldeck.notebook.forms.array import ArrayField
from tooldeck.notebook.forms.boolean import BooleanField
from tooldeck.notebook.forms.choice import ChoiceField, SearchField, SeveralField
from tooldeck.notebook.forms.const import ConstField
from tooldeck.notebook.forms.field import Field
from tooldeck.notebook.forms.fitting import best
from tooldeck.notebook.forms.keys import refusal, values_schema
from tooldeck.notebook.forms.lazy import LazyField
from tooldeck.notebook.forms.map import MapField
from tooldeck.notebook.forms.moment import MOMENTS, MomentField
from tooldeck.notebook.forms.nullable import NullableField
from tooldeck.notebook.forms.number import NumberField, SliderField, bounds
from tooldeck.notebook.forms.object import ObjectField, Property
from tooldeck.notebook.forms.raw import RawField
from tooldeck.notebook.forms.row import Row
from tooldeck.notebook.forms.suggested import Suggest, SuggestedField
from tooldeck.notebook.forms.text import TextField
from tooldeck.notebook.forms.tuple import TupleField
from tooldeck.notebook.forms.union import UnionField
from tooldeck.notebook.forms.upload import UploadField, is_binary
from tooldeck.notebook.schemas import Shape, branch_names, chosen_by, describe, properties, resolve, shape

__all__ = ["Chooser"]

_DEPTH = 5
"""Objects inside each other that are open from the start; half as many where they may be left out."""
_ROWS = 40
"""Rows of one object that are there from the start, besides the required ones."""
_MOST = 120
"""Rows of one form that are there from the start, since each takes about a millisecond to build."""
_SEARCH = 15
"""Choices from which on they are searched instead of listed."""
_SEVERAL = 40
"""The most values a list of choices shows at once."""


class _Spot(NamedTuple):
    """Where in the form a field stands."""

    name: str = ""
    required: bool = True
    depth: int = 0
    above: frozenset[int] = frozenset()
    """The schemas of the objects around it, by identity."""
    told: str = ""
    """The property of it that is chosen outside of it already."""


class Chooser:
    """Makes the fields for the schemas within one root schema."""

    def __init__(self, root: Mapping[str, Any], suggest: Suggest | None = None) -> None:
        self._root = root
        self._suggest = suggest
        self._left = _MOST

    def whole(self) -> Field:
        """The field for all arguments, whose schema is the root."""
        wanted = shape(self._root, self._root)
        if wanted.kind == "union":
            return self._union(chosen_by(wanted, self._root) or "alternative", wanted, _Spot())
        return self._object("", wanted.schema if wanted.kind == "object" else self._root, _Spot())

    def renew(self) -> None:
        """Let as many rows be made again as at first: somebody asks for them."""
        self._left = _MOST

    def _field(self, heading: str, schema: Any, spot: _Spot) -> Field:
        """The field for a value of `schema`."""
        wanted = shape(schema, self._root)
        field = self._of_kind(heading, wanted, spot)
        if field is None:
            return self._raw(heading, schema)
        return NullableField(field) if wanted.nullable and wanted.kind != "null" else field

    def _raw(self, heading: str, schema: Any) -> RawField:
        return RawField(heading, describe(schema, self._root))

    def _of_kind(self, heading: str, wanted: Shape, spot: _Spot) -> Field | None:
        schema, whole = wanted.schema, wanted.kind == "integer"
        match wanted.kind:
            case "choice":
                return _choice(heading, wanted, spot)
            case "union":
                return self._union(heading, wanted, spot)
            case "string":
                return self._string(heading, schema, spot)
            case "boolean":
                return BooleanField(heading)
            case "integer" | "number":
                span = bounds(schema, whole=whole)
                hint = describe(schema, self._root)
                return (
                    SliderField(heading, *span, whole=whole)
                    if span
                    else NumberField(heading, hint, whole=whole)
                )
            case "array":
                return self._list(heading, schema, spot)
            case "object":
                return self._group(heading, schema, spot)
            case _:
                return None

    def _string(self, heading: str, schema: Mapping[str, Any], spot: _Spot) -> Field:
        if self._suggest is not None and spot.depth == 1:
            return SuggestedField(heading, spot.name, self._suggest)
        return _text(heading, schema, spot.name)

    def _union(self, heading: str, wanted: Shape, spot: _Spot) -> Field:
        inner = spot._replace(depth=spot.depth + 1, required=True, told=chosen_by(wanted, self._root))
        branches = wanted.branches

        def make() -> Field:
            names = branch_names(wanted, self._root)

            def branch(place: int) -> Field:
                is_object = shape(branches[place], self._root).kind == "object"
                return self._field("" if is_object else f"{heading}: {names[place]}", branches[place], inner)

            return UnionField(heading, names, branch, lambda value: best(value, branches, self._root))

        if spot.depth < _DEPTH:
            return make()
        inner = inner._replace(depth=0)
        return LazyField(heading, make, lambda: self._raw("JSON", wanted.schema))

    def _list(self, heading: str, schema: Mapping[str, Any], spot: _Spot) -> Field | None:
        items, first = schema.get("items"), schema.get("prefixItems")
        if isinstance(items, list):  # how older dialects write a tuple
            items, first = schema.get("additionalItems"), items
        inner = spot._replace(depth=spot.depth + 1, required=True)
        if isinstance(first, list) and first:
            return self._tuple(heading, first, items, schema.get("minItems"), inner)
        if not isinstance(items, Mapping) or not items:
            return None
        wanted = shape(items, self._root)
        if wanted.kind == "choice" and not wanted.nullable and len(wanted.options) <= _SEVERAL:
            return SeveralField(heading, wanted.options)
        return self._array(heading, items, inner)

    def _array(self, heading: str, items: Any, spot: _Spot) -> ArrayField:
        return ArrayField(heading, self._part(heading, items, spot), lambda: self._raw("JSON", items))

    def _part(self, heading: str, schema: Any, spot: _Spot) -> Callable[[bool], Field]:
        """Makes the field of an item or of a value under a key."""
        plain = shape(schema, self._root).kind in ("object", "array")
        words = "" if plain else f"item of {heading.removesuffix(' *')}"

        def make(by_hand: bool) -> Field:  # noqa: FBT001 - the list says who asks
            if not by_hand:
                return self._field(words, schema, spot)
            self.renew()
            return self._field(words, schema, spot._replace(depth=0, above=frozenset()))

        return make

    def _tuple(self, heading: str, first: list[Any], rest: Any, least: Any, spot: _Spot) -> Field:
        needed = least if isinstance(least, int) else 0
        rows = [
            self._row(f"{place + 1}.", inner, spot, required=place < needed)
            for place, inner in enumerate(first)
        ]
        more = self._array("more", rest, spot) if isinstance(rest, Mapping) and rest else None
        return TupleField(heading, rows, more)

    def _group(self, heading: str, schema: Mapping[str, Any], spot: _Spot) -> Field | None:
        """An object inside another value: open, or closed until somebody asks for it."""
        listed = properties(schema, self._root)
        values = values_schema(schema)
        if not listed:
            if not values:
                return None
            part = self._part(heading, values, spot._replace(depth=spot.depth + 1))
            return MapField(
                heading, part, lambda: self._raw("JSON", values), partial(refusal, schema, self._root)
            )
        marked = id(schema.get("properties"))
        deep = spot.depth >= (_DEPTH if spot.required else _DEPTH // 2)
        if not deep and marked not in spot.above and len(listed) <= self._left:
            return self._object(heading, schema, spot)

        def make() -> Field:
            self.renew()
            return self._object("", schema, spot._replace(depth=0, above=frozenset()))

        return LazyField(heading, make, lambda: self._raw("JSON", schema))

    def _object(self, heading: str, schema: Mapping[str, Any], spot: _Spot) -> ObjectField:
        """The rows of an object, and what takes names that it does not list."""
        listed = properties(schema, self._root)
        inner = spot._replace(
            depth=spot.depth + 1 if listed else spot.depth,
            above=spot.above | {id(schema.get("properties"))},
            told="",
        )
        needed = sum(required for _, _, required in listed)
        free = max(0, min(_ROWS, self._left) - needed)
        known: list[Property] = []
        for name, of, required in listed:
            shown = required or free > 0
            free -= not required
            self._left -= shown
            make = partial(self._row, name, of, inner, required=required)
            known.append(Property(name, shown, make, told=name == spot.told))
        return ObjectField(
            heading,
            known,
            self._more(schema, spot),
            open_ended=not heading and spot.depth == 0 and _takes_any(schema),
            bare=spot.required,
        )

    def _more(self, schema: Mapping[str, Any], spot: _Spot) -> MapField | None:
        values = values_schema(schema)
        if not values:
            return None
        part = self._part("more", values, spot._replace(depth=spot.depth + 1, required=True))
        return MapField("more", part, lambda: self._raw("JSON", values), partial(refusal, schema, self._root))

    def _row(self, name: str, schema: Any, spot: _Spot, *, required: bool) -> Row:
        found = resolve(schema, self._root)
        title = found.get("title")
        heading = title if isinstance(title, str) and title and title.lower() != name.lower() else name
        marked = f"{heading} *" if required else heading
        field = self._field(marked, schema, spot._replace(name=name, required=required))
        return Row(name, field, found, lambda: self._raw(marked, schema), required=required)


def _choice(heading: str, wanted: Shape, spot: _Spot) -> Field:
    options = wanted.options
    if len(options) == 1 and spot.required and not wanted.nullable:
        return ConstField(heading, *options[0])
    return (SearchField if len(options) >= _SEARCH else ChoiceField)(heading, options)


def _text(heading: str, schema: Mapping[str, Any], name: str) -> Field:
    kind = schema.get("format")
    if isinstance(kind, str) and kind in MOMENTS:
        return MomentField(heading, kind)
    return UploadField(heading, schema) if is_binary(schema) else TextField(heading, schema, name)


def _takes_any(schema: Mapping[str, Any]) -> bool:
    """Whether a person may want to send names that the schema does not list."""
    more = schema.get("additionalProperties")
    if isinstance(more, Mapping) or more is True or "patternProperties" in schema:
        return True
    return (
        more is None
        and not schema.get("properties")
        and any(word in schema for word in ("anyOf", "oneOf", "allOf", "minProperties"))
    )
