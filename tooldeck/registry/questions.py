"""Makes questions whose answers are checked against their schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tooldeck.core.parameters import Problem
from tooldeck.registry.json_schema import JsonSchemaParameters

__all__ = ["check_of"]


def check_of(schema: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], tuple[Problem, ...]]:
    """The `check` of a question with this schema; the schema is read when the first answer comes."""

    def check(content: Mapping[str, Any]) -> tuple[Problem, ...]:
        return JsonSchemaParameters(schema).check(content).problems

    return check
