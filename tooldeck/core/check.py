"""Checking arguments against a function's parameters, with visible and lossless repairs.

Three passes, each only when the one before refused: exact Python values (the quick way), exact JSON values
(dates as text and the like, no repair), and lax JSON values, where every accepted difference is noted and a
``true`` never becomes a number.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails, SchemaValidator, to_json

from tooldeck.core.parameters import Checked, Note, Problem
from tooldeck.core.vocabulary import nearest

__all__ = ["FunctionParameters", "shortened"]


@dataclass(frozen=True, slots=True)
class FunctionParameters:
    """The parameters of a Python function: its JSON Schema and the validator made from the same types."""

    schema: dict[str, Any]
    validator: SchemaValidator
    extras: SchemaValidator | None
    """Checks what ``**kwargs`` takes, or None when the function has none."""
    fills: dict[str, Any]
    """Defaults that the function itself does not know (``= Field(5)``)."""
    names: frozenset[str]

    def check(self, arguments: Mapping[str, Any], /) -> Checked:
        """See `Parameters.check`."""
        given = arguments if type(arguments) is dict else dict(arguments)
        try:
            values = self.validator.validate_python(given, strict=True)
        except ValidationError:
            return self._check_json(given)
        except RecursionError:
            return _refused(given, Problem("", "nested too deeply"))
        return self._complete(values, given, ())

    def _check_json(self, given: dict[str, Any]) -> Checked:
        try:
            text = to_json(given, inf_nan_mode="strings", serialize_unknown=False)
        except Exception:  # noqa: BLE001 - holds Python objects that JSON cannot carry: Python's rules apply
            return self._attempt(given, lambda: self.validator.validate_python(given, strict=False))
        try:
            return self._complete(self.validator.validate_json(text, strict=True), given, ())
        except ValidationError as error:
            strict = error.errors(include_url=False, include_context=True)
        return self._attempt(given, lambda: self.validator.validate_json(text, strict=False), strict)

    def _attempt(
        self, given: dict[str, Any], validate: Any, strict: list[ErrorDetails] | None = None
    ) -> Checked:
        try:
            values = validate()
        except ValidationError as error:
            return Checked({}, given, (), self._problems(error.errors(include_url=False)))
        except RecursionError:
            return _refused(given, Problem("", "nested too deeply"))
        booleans = [error for error in strict or () if isinstance(error["input"], bool)]
        if booleans:
            return Checked({}, given, (), self._problems(booleans))
        notes = tuple(_repair(error, values) for error in strict or () if error["type"] in _REPAIRED)
        return self._complete(values, given, notes)

    def _complete(self, values: dict[str, Any], given: dict[str, Any], notes: tuple[Note, ...]) -> Checked:
        if self.fills:
            values = {**self.fills, **values}
        if self.extras is not None:
            beyond = {name: value for name, value in values.items() if name not in self.names}
            try:
                values |= self.extras.validate_python(beyond)
            except ValidationError as error:
                return Checked({}, given, (), self._problems(error.errors(include_url=False)))
        return Checked(values, given, notes)

    def _problems(self, found: list[ErrorDetails]) -> tuple[Problem, ...]:
        merged: dict[str, Problem] = {}
        for error in found:
            problem = self._problem(error)
            known = merged.get(problem.path)
            if known is None:
                merged[problem.path] = problem
            elif problem.wanted not in known.wanted:
                merged[problem.path] = Problem(known.path, f"{known.wanted}, or {problem.wanted}", known.got)
        return tuple(merged.values())

    def _problem(self, error: ErrorDetails) -> Problem:
        path = _path(error["loc"], self.schema)
        if error["type"] == "missing":
            return Problem(path, "is required")
        if error["type"] == "extra_forbidden":
            close = nearest(str(error["loc"][-1]), self.names, 1)
            hint = (
                f"; did you mean {close[0]!r}?"
                if close
                else f"; accepted: {', '.join(sorted(self.names)) or 'none'}"
            )
            return Problem(path, f"is not a parameter{hint}")
        return Problem(path, _lower(error["msg"]), shortened(error["input"]))


_REPAIRED = {"int_type", "float_type", "bool_type", "string_type", "list_type", "dict_type", "none_required"}


def _repair(error: ErrorDetails, values: Any) -> Note:
    place = values
    for step in error["loc"]:
        try:
            place = place[step]
        except (KeyError, IndexError, TypeError):
            break
    return Note("arguments", f"{_path(error['loc'])}: read {shortened(error['input'])} as {shortened(place)}")


def _refused(given: Mapping[str, Any], problem: Problem) -> Checked:
    return Checked({}, given, (), (problem,))


def _path(location: tuple[int | str, ...], schema: Mapping[str, Any] | None = None) -> str:
    """A place as a person writes it: ``items[2].price``, without the union branches that pydantic adds."""
    path = ""
    for depth, step in enumerate(location):
        if isinstance(step, int):
            path += f"[{step}]"
        elif depth and (step in _BRANCHES or step.startswith(_BRANCH_STARTS)):
            continue
        else:
            path += f".{step}" if path else step
    return path


_BRANCHES = {
    "int",
    "float",
    "str",
    "bool",
    "none",
    "bytes",
    "date",
    "datetime",
    "time",
    "decimal",
    "uuid",
    "enum",
}
_BRANCH_STARTS = (
    "function-",
    "list[",
    "dict[",
    "tuple[",
    "set[",
    "literal[",
    "constrained-",
    "lax-or-strict[",
    "nullable[",
)


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def shortened(value: Any, limit: int = 60) -> str:
    """A value in JSON if it can be, cut to `limit` characters."""
    try:
        shown = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        shown = repr(value)
    return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"
