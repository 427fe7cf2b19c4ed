"""Documents of strangers in JSON or YAML, read as plain data that is safe to walk through.

Aliases of YAML make a short text into endless data, or into data that contains itself (the "billion laughs"),
and brackets nested by the thousand end every recursive reader. Both are refused here, before anybody walks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, cast

__all__ = ["modest", "read_json", "read_yaml"]

_DEEPEST = 100
"""Levels of lists and mappings."""
_TIMES, _FREE = 10, 10_000
"""Aliases may make a document so many times as long as its text, and so many characters longer."""


def read_json(text: str) -> Any:
    """The value of a JSON text. Raises `ValueError` with a reason of one line."""
    try:
        return modest(json.loads(text))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read_yaml(text: str) -> Any:
    """The value of a YAML text as JSON would have it: keys and dates are texts.

    Raises `ValueError` with a reason of one line, and `ImportError` without pyyaml.
    """
    import yaml

    try:
        found = yaml.load(text, _loader())  # noqa: S506 - a safe loader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}: " if mark else ""
        raise ValueError(f"{where}{error.problem or _in_one_line(error)}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except (yaml.YAMLError, ValueError, ArithmeticError) as error:  # tags on what they do not fit
        raise ValueError(_in_one_line(error)) from None
    return _with_texts(modest(found, _TIMES * len(text) + _FREE))


def modest(value: Any, most: float = float("inf")) -> Any:
    """`value`, when it is neither nested too deeply nor, written out, longer than `most` characters.

    Raises `ValueError` where it is.
    """
    if _length(value, {}, 0) > most:
        raise ValueError("its aliases repeat themselves beyond measure")
    return value


def _length(value: Any, known: dict[int, int | None], depth: int) -> int:
    """About the characters of a value when it is written out; what is shared counts each time."""
    if isinstance(value, str):
        return 1 + len(value)
    if isinstance(value, Mapping):
        parts: list[Any] = [part for pair in cast("Mapping[Any, Any]", value).items() for part in pair]
    elif isinstance(value, list | tuple | set):
        parts = list(cast("list[Any]", value))
    else:
        return 1
    if depth >= _DEEPEST:
        raise ValueError("it is nested too deeply")
    if id(value) in known:
        length = known[id(value)]
        if length is None:
            raise ValueError("it contains itself")
        return length
    known[id(value)] = None
    length = known[id(value)] = 1 + sum(_length(part, known, depth + 1) for part in parts)
    return length


def _with_texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _with_texts(inner) for key, inner in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list | tuple | set):
        return [_with_texts(inner) for inner in cast("list[Any]", value)]
    return value


def _in_one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


@cache
def _loader() -> Any:
    import yaml

    class Loader(yaml.SafeLoader):
        """Reads what JSON has, and no more."""

        def flatten_mapping(self, node: Any) -> None:
            """Merge other mappings in; of what comes twice the last is kept, or merges of merges explode."""
            super().flatten_mapping(node)
            named = {(key.tag, str(key.value)): (key, value) for key, value in node.value}
            node.value = list(named.values())

        def fetch_flow_collection_start(self, TokenClass: Any) -> None:  # noqa: N803 - as pyyaml has it
            """Refuse brackets within brackets early: the scanner looks at all open ones for each."""
            if self.flow_level >= _DEEPEST:
                raise RecursionError
            super().fetch_flow_collection_start(TokenClass)

    Loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    return Loader
