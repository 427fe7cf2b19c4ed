"""Outcomes as JSON and back: exact where JSON, or the tool's own return type, can carry the value."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, get_args

from pydantic import TypeAdapter
from pydantic_core import to_jsonable_python

from tooldeck.core.call import Outcome
from tooldeck.core.model_text import value_text
from tooldeck.core.parts import Answer, Part
from tooldeck.core.strangers import stilled, to_text
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status
from tooldeck.store.masking import scrub

__all__ = ["from_json", "to_json"]

_PARTS: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Part)}
_TEXT_CHARS = 100_000


def to_json(tool: Tool, outcome: Outcome, secrets: Iterable[str]) -> dict[str, Any]:
    """An outcome as it is recorded, without `secrets`."""
    record: dict[str, Any] = {"status": str(outcome.status)}
    if outcome.error is not None:
        record["error"] = outcome.error
    if outcome.retry_after is not None:
        record["retry_after"] = outcome.retry_after
    answer = outcome.answer
    if answer is not None:
        record["text"], record["parts"] = answer.text, [_part_to_json(part) for part in answer.parts]
    elif outcome.inner is not None:
        record["text"] = outcome.inner.text  # as it was presented there, fence and all
    if outcome.status is Status.OK:
        record |= _value_to_json(tool, outcome)
    text = json.dumps(record, ensure_ascii=False)
    clean = scrub(text, secrets)
    if clean == text:
        return record
    try:
        return {**json.loads(clean), "exact": False}
    except ValueError:  # a secret that is part of the syntax
        return {"status": record["status"], "error": scrub(outcome.error or "", secrets), "exact": False}


def from_json(tool: Tool, record: Mapping[str, Any]) -> Outcome:
    """The outcome that was recorded; raises what a record raises that is none of ours."""
    answer = None
    value = _value_from_json(tool, record)
    if "parts" in record or "text" in record:
        parts = tuple(_part_from_json(part) for part in record.get("parts", ()))
        if record.get("form") == "part":
            value = parts[0]
        answer = Answer(value, record.get("text", ""), parts)
    return Outcome(
        Status(record["status"]),
        value,
        record.get("error"),
        retry_after=record.get("retry_after"),
        answer=answer,
    )


def _value_to_json(tool: Tool, outcome: Outcome) -> dict[str, Any]:
    value = outcome.value
    if outcome.answer is not None and outcome.answer.parts and value is outcome.answer.parts[0]:
        return {"form": "part"}
    if _is_json(value):
        return {"value": value}
    typed = _by_type(tool, value)
    if typed is not None:
        return {"form": "typed", "value": typed}
    try:
        calm = stilled(value)
        return {"value": json.loads(json.dumps(to_jsonable_python(calm, fallback=to_text))), "exact": False}
    except Exception:  # noqa: BLE001 - objects of strangers may raise anything here
        return {"value": value_text(value, _TEXT_CHARS), "exact": False}


def _value_from_json(tool: Tool, record: Mapping[str, Any]) -> Any:
    if record.get("form") == "typed":
        return _adapter(tool).validate_json(json.dumps(record.get("value")))
    return record.get("value")


def _is_json(value: Any) -> bool:
    """Whether JSON carries the value exactly, types included."""
    kind = type(value)
    if kind is dict:
        return all(type(key) is str and _is_json(inner) for key, inner in value.items())
    if kind is list:
        return all(map(_is_json, value))
    return kind in {str, int, bool, type(None)} or (kind is float and math.isfinite(value))


def _adapter(tool: Tool) -> TypeAdapter[Any]:
    if tool.signature is None or isinstance(tool.signature.return_annotation, str):
        raise TypeError(f"{tool.name} does not say what it returns")
    return TypeAdapter(tool.signature.return_annotation)


def _by_type(tool: Tool, value: Any) -> Any:
    """The value as JSON of the tool's return type, where exactly the same comes back; else None."""
    try:
        adapter = _adapter(tool)
        text = adapter.dump_json(value)
        back = adapter.validate_json(text)
        if type(back) is type(value) and (back == value) is True:
            return json.loads(text)
    except Exception:  # noqa: BLE001 - types and values of strangers may raise anything here
        return None
    return None


def _part_to_json(part: Part) -> dict[str, Any]:
    kind: type[Any] = type(part)
    members = {field.name: getattr(part, field.name) for field in fields(kind)}
    return {
        "part": kind.__name__,
        **{
            name: {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value
            for name, value in members.items()
        },
    }


def _part_from_json(record: Mapping[str, Any]) -> Part:
    given: dict[str, Any] = {
        name: base64.b64decode(value["base64"]) if isinstance(value, dict) else value
        for name, value in record.items()
        if name != "part"
    }
    if record["part"] == "Table":
        given["columns"], given["rows"] = tuple(given["columns"]), tuple(map(tuple, given["rows"]))
    return _PARTS[record["part"]](**given)
