"""A tool as a class, for people who like one."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, ClassVar

from tooldeck.core.options import OPTION_NAMES, Options, check_options

__all__ = ["BaseTool", "class_options"]


class BaseTool:
    """A tool as a class: set what `Options` lists as attributes, write `run`.

    >>> class Add(BaseTool):
    ...     "Add two numbers."
    ...
    ...     effects = "none"
    ...
    ...     def run(self, a: int, b: int) -> int:
    ...         return a + b
    """

    name: ClassVar[str | None] = None
    """Default: the class's own name in snake_case."""
    description: ClassVar[str | None] = None
    """Default: the docstring of the class, else of `run`."""

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """The body; its typed parameters become the tool's."""
        raise NotImplementedError(f"{type(self).__name__} has no run() method.")


def class_options(instance: BaseTool, given: Options) -> Options:
    """The options that a class declares, with those `given` at its registration on top."""
    found = {name: getattr(instance, name, None) for name in OPTION_NAMES}
    declared = check_options({name: value for name, value in found.items() if value is not None})
    name = declared.name or _snake_case(type(instance).__name__)
    return replace(declared, **{"name": name, **given.changes()})


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().removesuffix("_tool")
