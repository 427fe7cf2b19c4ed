"""Making a built-in tool of one function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from tooldeck.core.define import define
from tooldeck.core.options import check_options
from tooldeck.core.tool import Origin, Tool

__all__ = ["builtin"]


def builtin(*, examples: Iterable[Mapping[str, Any]], **options: Any) -> Callable[[Callable[..., Any]], Tool]:
    """Decorator like `tooldeck.tool`, with arguments that a call may have as they stand."""

    def make(function: Callable[..., Any]) -> Tool:
        made = define(function, check_options(options), origin=Origin("builtin"))
        return replace(made, examples=tuple(dict(example) for example in examples))

    return make
