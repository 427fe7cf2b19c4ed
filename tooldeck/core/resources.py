"""What a call uses, as its author declares it: calls of a batch that share a resource never run at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath
from typing import Any

from tooldeck.core.canonical import canonical_text
from tooldeck.core.errors import DefinitionError
from tooldeck.core.vocabulary import nearest

__all__ = ["Resources", "read_resources"]

Resources = Callable[[Mapping[str, Any]], frozenset[str]]
"""From the checked values of a call to the keys of what it uses; raises what the author's function raises."""


def read_resources(name: str, given: Any, schema: Mapping[str, Any]) -> Resources | None:
    """The option ``resources`` of the tool `name`: names of parameters, or a function of the arguments.

    The value of a parameter is a resource, each item of a list one of its own; a path counts as the file it
    leads to. A function is given the values by name and returns keys. Raises `DefinitionError` for a name
    that no parameter in `schema` has.
    """
    if given is None:
        return None
    if callable(given):
        function: Callable[[Mapping[str, Any]], Any] = given
        return lambda values: _keys(function(values))
    names: tuple[str, ...] = given
    known = schema.get("properties", {})
    for one in names:
        if one not in known:
            close = nearest(one, known, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(known) or 'none'}."
            raise DefinitionError(
                f"The option resources of {name!r} names {one!r}, no parameter of it; {hint}"
            )

    def resources(values: Mapping[str, Any]) -> frozenset[str]:
        given = (values[one] if one in values else known[one].get("default") for one in names)
        return frozenset(key for value in given for key in _keys(value))

    return resources


def _keys(value: Any) -> frozenset[str]:
    if value is None:
        return frozenset()
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping):
        return frozenset(_key(item) for item in value)
    return frozenset({_key(value)})


def _key(value: Any) -> str:
    if isinstance(value, PurePath):
        return os.path.realpath(value)
    return value if isinstance(value, str) else canonical_text(value)
