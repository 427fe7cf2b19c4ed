"""The objects that stand for a call in JSON: which member names the tool, and which holds its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tooldeck.core.actions.faults import Refused, short
from tooldeck.core.actions.records import ActionCode

__all__ = ["named_object"]

_NAMING = ("name", "tool", "action", "tool_name", "function")
_ARGUMENTS = ("arguments", "args", "parameters", "action_input", "tool_input", "input", "params")
_BESIDE = {"thought", "thoughts", "reasoning", "id", "call_id", "type"}
"""Members that say something about the call and change nothing of it."""


def named_object(given: Mapping[str, Any], at: int) -> tuple[str, Any]:
    """The name and the arguments in an object at `at`; raises `Refused` where that is not certain."""
    inner = given.get("function")
    if isinstance(inner, dict) and not any(key in given for key in _NAMING[:-1]):
        given = inner
    naming = [key for key in _NAMING if key in given]
    holding = [key for key in _ARGUMENTS if key in given]
    if len(naming) != 1 or not isinstance(given[naming[0]], str):
        raise Refused(
            ActionCode.NO_CALL,
            at,
            'An object that names no tool; write {"name": "tool_name", "arguments": {}}',
        )
    other = [key for key in given if key not in (naming[0], *holding) and key not in _BESIDE]
    if len(holding) > 1 or other:
        extra = (other or holding[1:])[0]
        raise Refused(
            ActionCode.CONFLICT, at, f"{short(extra)} beside the call; write every argument in 'arguments'."
        )
    return given[naming[0]].strip(), given[holding[0]] if holding else {}
