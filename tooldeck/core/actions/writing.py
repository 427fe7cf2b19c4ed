"""Writing a call the way it is read: `name(key="value")`, or a JSON object where names forbid that."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from tooldeck.core.actions.literals import CONTROL, SURROGATE, is_drive
from tooldeck.core.actions.names import FINISH, NOTHING, is_plain_name
from tooldeck.core.actions.records import ActionLimits
from tooldeck.core.actions.scan import WORDS

__all__ = ["format_action"]

_LIMITS = ActionLimits()
_PYTHON = {None: "None", True: "True", False: "False"}
_JSON = {None: "null", True: "true", False: "false"}


def format_action(name: str, arguments: Mapping[str, Any]) -> str:
    """The call as text that `parse_action` reads back the same.

    Raises ValueError for what the grammar refuses: names that end the work or mean nothing, values that
    JSON does not have, control characters, numbers beyond 2**53, levels beyond 16.
    """
    if not name or name.casefold() in FINISH | NOTHING:
        raise ValueError(f"{name!r} is no name of a tool.")
    keys = [str(key) for key in arguments]
    plain = is_plain_name(name) and all(is_plain_name(key) and key not in WORDS for key in keys)
    parts: list[str] = []
    if plain:
        for key, value in arguments.items():
            _check_key(key)
            parts.append(", " if parts else "")
            parts.append(f"{key}=")
            _write(value, parts, _PYTHON, key, 0)
        return f"{name}({''.join(parts)})"
    parts.append(f'{{"name": {_text(name, "the name")}, "arguments": ')
    for key in arguments:
        _check_key(key)
    _write(dict(arguments), parts, _JSON, "the arguments", 1)
    parts.append("}")
    return "".join(parts)


def _check_key(key: str) -> None:
    if not isinstance(key, str) or not key or (key.startswith("__") and key.endswith("__")):
        raise ValueError(f"{key!r} is no name of an argument.")


def _write(value: Any, parts: list[str], words: Mapping[Any, str], place: str, depth: int) -> None:
    if value is None or isinstance(value, bool):
        parts.append(words[value])
    elif isinstance(value, str):
        parts.append(_text(value, place))
    elif isinstance(value, int | float):
        parts.append(_number(value, place))
    elif isinstance(value, Mapping | list | tuple):
        if depth >= _LIMITS.depth:
            raise ValueError(f"{place!r} is nested deeper than {_LIMITS.depth} levels.")
        _write_members(value, parts, words, place, depth)
    else:
        raise ValueError(f"{place!r} has a {type(value).__name__}, which is no JSON value.")


def _write_members(value: Any, parts: list[str], words: Mapping[Any, str], place: str, depth: int) -> None:
    is_object = isinstance(value, Mapping)
    parts.append("{" if is_object else "[")
    for number, member in enumerate(value):
        parts.append(", " if number else "")
        if is_object:
            if not isinstance(member, str):
                raise ValueError(f"{place!r} has the key {member!r}, which is no text.")
            parts.append(f"{_text(member, place)}: ")
        _write(value[member] if is_object else member, parts, words, place, depth + 1)
    parts.append("}" if is_object else "]")


def _text(value: str, place: str) -> str:
    if CONTROL.search(value) or SURROGATE.search(value):
        raise ValueError(f"{place!r} has a text with control characters or halves of characters.")
    written = json.dumps(value, ensure_ascii=False)
    if is_drive(written[1:5]):  # a line break behind "C:" would be read as the start of a path
        written = written.replace(":", "\\u003a", 1)
    return written


def _number(value: float, place: str) -> str:
    if isinstance(value, int):
        if abs(value) > _LIMITS.integer:
            raise ValueError(f"{place!r} has a number beyond {_LIMITS.integer}.")
        return str(int(value))
    if not math.isfinite(value):
        raise ValueError(f"{place!r} has {value}, which is no JSON number.")
    return repr(float(value))
