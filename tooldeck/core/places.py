"""Where in the arguments an error of pydantic lies, in the words of the JSON Schema.

pydantic's locations go through the branches of unions by labels (``int``, ``Cat``, ``dict[str,int]``), which
no caller knows. The schema tells labels and keys apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["Location", "place_text", "real_place"]

Location = tuple[int | str, ...]
Schema = Mapping[str, Any]

_LABEL = re.compile(r"\w[\w-]*\[.*\]|function-.*|constrained-.*|tagged-union", re.DOTALL)
_TYPE_LABELS = frozenset(
    [
        "any",
        "bool",
        "bytes",
        "complex",
        "date",
        "datetime",
        "decimal",
        "dict",
        "enum",
        "float",
        "frozenset",
        "int",
        "list",
        "none",
        "set",
        "str",
        "time",
        "timedelta",
        "tuple",
        "url",
        "uuid",
    ]
)


def real_place(location: Location, schema: Schema, *, named: bool = False) -> Location:
    """The location without the labels of branches; `named` says that the last step is a key in any case."""
    steps: list[int | str] = []
    here = list(_branches(schema, schema, ""))
    for depth, step in enumerate(location):
        last = named and depth == len(location) - 1
        if isinstance(step, str) and depth and not last and _is_label(step, here):
            here = [(label, node) for label, node in here if label == step] or here
            continue
        steps.append(step)
        here = [
            branch for _, node in here for inner in _inside(node, step) for branch in _branches(inner, schema)
        ]
    return tuple(steps)


def place_text(steps: Location) -> str:
    """A place as a person writes it: ``items[2].price``."""
    path = ""
    for step in steps:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else step
    return path


def _is_label(step: str, here: list[tuple[str, Schema]]) -> bool:
    if any(step in node.get("properties", ()) for _, node in here):
        return False
    if _LABEL.fullmatch(step) or any(label == step for label, _ in here):
        return True
    takes_any_key = any(node.get("additionalProperties") not in (None, False) for _, node in here)
    return not takes_any_key or (len(here) > 1 and step in _TYPE_LABELS)


def _branches(node: Any, root: Schema, label: str = "", depth: int = 0) -> Iterator[tuple[str, Schema]]:
    """The schemas that a node stands for, with references and unions taken apart, each with its name."""
    if not isinstance(node, Mapping) or depth > 20:
        return
    reference = node.get("$ref")
    if isinstance(reference, str):
        name = reference.rpartition("/")[2]
        yield from _branches(root.get("$defs", {}).get(name), root, name, depth + 1)
        return
    parts = [part for word in ("anyOf", "oneOf", "allOf") for part in node.get(word, ())]
    if not parts:
        yield label, node
    for part in parts:
        yield from _branches(part, root, label, depth + 1)


def _inside(node: Schema, step: int | str) -> Iterator[Any]:
    """The schemas of what lies one step inside."""
    if isinstance(step, int):
        prefix = node.get("prefixItems", ())
        yield prefix[step] if step < len(prefix) else node.get("items")
    elif step in node.get("properties", ()):
        yield node["properties"][step]
    else:
        yield node.get("additionalProperties")
