"""Checking arguments against a function's parameters, with visible and lossless repairs.

Passes, each only when the one before refused: exact Python values (the quick way), exact JSON values (dates
as text and the like, no repair), the repairs that the schema makes certain, and lax values, where every
accepted difference is noted, and neither a ``true`` nor a text such as ``"NaN"`` becomes a number. Arguments
with Python objects in them are taken lax.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, SchemaValidator, to_json

from tooldeck.core.parameters import Checked, Note, Problem
from tooldeck.core.places import Location, place_text, real_place
from tooldeck.core.repair import repaired
from tooldeck.core.strangers import error_words, shortened
from tooldeck.core.vocabulary import nearest

__all__ = ["FunctionParameters", "field_default"]

_checked = tuple.__new__
"""Makes a `Checked` of all its parts in half the time of the class, which is a function of Python."""
_PLAIN = (str, int, float, bool, type(None))
_NAMED = {"missing", "extra_forbidden"}


@dataclass(frozen=True, slots=True)
class FunctionParameters:
    """The parameters of a Python function: its JSON Schema and the validator made from the same types."""

    schema: dict[str, Any]
    validator: SchemaValidator
    fills: dict[str, FieldInfo] = field(default_factory=dict)
    """Defaults that the function itself does not know (``= Field(5)``)."""
    enums: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The names of enumerations' members with their values, by the JSON of all values."""

    def check(self, arguments: Mapping[str, Any], /) -> Checked:
        """See `Parameters.check`."""
        given = arguments if type(arguments) is dict else dict(arguments)
        try:
            values = self.validator.validate_python(given, strict=True)
        except ValidationError as error:
            return self._check_inexact(given, error)
        except Exception as error:  # noqa: BLE001 - validators of strangers may raise anything
            return _unchecked(given, error)
        if self.fills:
            values = self._filled(values)
        return _checked(Checked, (values, given, (), ()))

    def _check_inexact(self, given: dict[str, Any], refused: ValidationError) -> Checked:
        if not _is_json(given):
            return self._check_lax(
                given, refused, lambda: self.validator.validate_python(given, strict=False)
            )
        try:
            values = self._exact(given)
        except ValidationError as error:
            return self._check_repaired(given, error)
        except Exception as error:  # noqa: BLE001 - as above
            return _unchecked(given, error)
        return Checked(self._filled(values), given)

    def _exact(self, given: dict[str, Any]) -> dict[str, Any]:
        return self.validator.validate_json(to_json(given, inf_nan_mode="constants"), strict=True)

    def _check_repaired(self, given: dict[str, Any], refused: ValidationError) -> Checked:
        """With what the schema makes certain, and lax beyond that."""
        given, notes = repaired(given, self.schema, self._members)
        if notes:
            try:
                return Checked(self._filled(self._exact(given)), given, notes)
            except ValidationError as error:
                refused = error
            except Exception as error:  # noqa: BLE001 - as above
                return _unchecked(given, error)
        text = to_json(given, inf_nan_mode="constants")
        checked = self._check_lax(given, refused, lambda: self.validator.validate_json(text, strict=False))
        return checked if checked.problems else checked._replace(notes=notes + checked.notes)

    def _members(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """The names of an enumeration's members, with their values."""
        values = schema.get("enum", [schema.get("const")])
        return self.enums.get(json.dumps(values), {})

    def _check_lax(
        self, given: dict[str, Any], refused: ValidationError, validate: Callable[[], dict[str, Any]]
    ) -> Checked:
        strict = refused.errors(include_url=False)
        try:
            values = validate()
        except ValidationError as error:
            return Checked({}, given, (), self._problems(error.errors(include_url=False)))
        except Exception as error:  # noqa: BLE001 - as above
            return _unchecked(given, error)
        never = [error for error in strict if isinstance(error["input"], bool) or _endless(error)]
        if never:
            return Checked({}, given, (), self._problems(never))
        return Checked(self._filled(values), given, self._repairs(strict, values))

    def _filled(self, values: dict[str, Any]) -> dict[str, Any]:
        """The values with the defaults that only a ``Field`` knows, made anew for each call."""
        missing = {name: field_default(info) for name, info in self.fills.items() if name not in values}
        return {**missing, **values}

    def _repairs(self, strict: list[ErrorDetails], values: dict[str, Any]) -> tuple[Note, ...]:
        """One note for each place where another value is used than the one given."""
        found: dict[Location, Note] = {}
        for error in strict:
            place = real_place(error["loc"], self.schema)
            if error["type"] not in _NAMED and place not in found:
                given, used = shortened(error["input"]), shortened(_at(values, place))
                found[place] = Note("arguments", f"{place_text(place)}: read {given} as {used}")
        return tuple(found.values())

    def _problems(self, errors: list[ErrorDetails]) -> tuple[Problem, ...]:
        """One problem for each place, also where several branches of a union refused it."""
        merged: dict[str, Problem] = {}
        for error in errors:
            problem = self._problem(error)
            known = merged.setdefault(problem.path, problem)
            if problem.wanted not in known.wanted:
                merged[problem.path] = Problem(known.path, f"{known.wanted}, or {problem.wanted}", known.got)
        return tuple(merged.values())

    def _problem(self, error: ErrorDetails) -> Problem:
        named = error["type"] in _NAMED
        path = place_text(real_place(error["loc"], self.schema, named=named))
        if error["type"] == "missing":
            return Problem(path, "is required")
        if error["type"] == "extra_forbidden" and len(error["loc"]) == 1:
            names = list(self.schema["properties"])
            close = nearest(error["loc"][0], names, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"accepted: {', '.join(names) or 'none'}"
            return Problem(path, f"is not a parameter; {hint}")
        message = error["msg"]
        return Problem(path, message[:1].lower() + message[1:], shortened(error["input"]))


def field_default(info: FieldInfo) -> Any:
    """A fresh default of a ``Field``, or pydantic's word for none."""
    return info.get_default(call_default_factory=True, validated_data={})


def _is_json(value: Any) -> bool:
    """Whether a value has JSON's own types only, so that its JSON text says all of it."""
    try:
        if isinstance(value, dict):
            return all(isinstance(key, str) and _is_json(inner) for key, inner in value.items())
        return type(value) in _PLAIN or (isinstance(value, list) and all(map(_is_json, value)))
    except RecursionError:
        return False


def _endless(error: ErrorDetails) -> bool:
    """Whether a text that says nan or infinity was given for a number."""
    try:
        return error["type"] == "float_type" and not math.isfinite(float(error["input"]))
    except (TypeError, ValueError, OverflowError):
        return False


def _at(values: Any, place: Location) -> Any:
    """What lies at a place; the nearest thing around it where a type hides its members."""
    for step in place:
        try:
            inside = isinstance(step, str) and hasattr(values, step)
            values = getattr(values, str(step)) if inside else values[step]
        except (KeyError, IndexError, TypeError):
            break
    return values


def _unchecked(given: dict[str, Any], error: Exception) -> Checked:
    """A check that broke off: refused, with the reason."""
    if isinstance(error, RecursionError):
        return Checked({}, given, (), (Problem("", "nested too deeply"),))
    reason = f"could not be checked, since a validator raised {error_words(error)}"
    return Checked({}, given, (), (Problem("", reason),))
