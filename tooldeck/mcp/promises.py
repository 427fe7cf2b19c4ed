"""What a tool's output schema promises of its results. What is broken is told; the result is kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tooldeck.core.errors import DefinitionError
from tooldeck.registry.json_schema import JsonSchemaParameters

__all__ = ["Promise"]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_VALUE = "value"
_MOST = 5
# Faults that are told.


class Promise:
    """The output schema of a tool, whatever its root: newer servers may promise a list, or a number."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        known = schema.get("properties")
        self._known: Mapping[str, Any] = known if isinstance(known, Mapping) else {}
        # With an address of its own its references stay within it.
        wrapped = {
            "$schema": schema.get("$schema", _DIALECT),
            "type": "object",
            "properties": {_VALUE: {"$id": "urn:tooldeck:value", **schema}},
        }
        try:
            self._checked: JsonSchemaParameters | None = JsonSchemaParameters(wrapped)
        except DefinitionError:
            self._checked = None

    def note(self, structured: Any) -> str:
        """How a result breaks it, in a sentence; empty where it does not.

        Nothing in it was sent by the server, since notes stand outside of the fence.
        """
        if self._checked is None:
            return "The result is not checked: the tool's own output schema cannot be read."
        problems = self._checked.check({_VALUE: structured}).problems
        if not problems:
            return ""
        if structured is None:
            told = "there is no structured content"
        else:
            told = "; ".join(self._told(problem.path, problem.wanted) for problem in problems[:_MOST])
        return f"The result does not fit the tool's own output schema: {told}"

    def _told(self, path: str, wanted: str) -> str:
        place = path.removeprefix(_VALUE)
        if not place:
            return f"it {wanted}"
        name = re.split(r"[.\[]", place.removeprefix("."), maxsplit=1)[0]
        return f"{name if name in self._known else 'something in it'}: {wanted}"
