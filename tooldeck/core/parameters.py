"""What the pipeline asks of a tool's parameters, whichever way they are described."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

__all__ = ["Checked", "Note", "Parameters", "Problem", "problems_text"]


@dataclass(frozen=True, slots=True)
class Note:
    """Something a stage wants the caller or the model to know; it never changes a tool's value."""

    stage: str
    """The stage that speaks, e.g. ``"arguments"``."""
    text: str
    """One sentence."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Problem:
    """One misfit between the arguments of a call and the tool's parameters."""

    path: str
    """Where, e.g. ``"items[2].price"``; empty for the arguments as a whole."""
    wanted: str
    """What would fit, in words."""
    got: str = ""
    """What was given, shortened; empty when nothing was."""

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path else ""
        return f"{where}{self.wanted}" + (f" (got {self.got})" if self.got else "")


class Checked(NamedTuple):
    """The outcome of checking arguments: values to call with, or problems."""

    values: dict[str, Any]
    """Python values by parameter name; empty when there are problems."""
    arguments: Mapping[str, Any]
    """The arguments as understood, after repair, in the terms of the JSON Schema."""
    notes: tuple[Note, ...] = ()
    """One note per repair."""
    problems: tuple[Problem, ...] = ()
    """Everything that does not fit, at once; empty when the call may go on."""


class Parameters(Protocol):
    """A described set of parameters: made from a function's signature or from a JSON Schema."""

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema (2020-12) of the arguments: always ``type: object``."""
        ...

    def check(self, arguments: Mapping[str, Any], /) -> Checked:
        """Turn arguments into values, or say everything that is wrong with them. Never raises."""
        ...


@dataclass(frozen=True, slots=True)
class NoParameters:
    """The parameters of a tool that takes none."""

    schema: dict[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})

    def check(self, arguments: Mapping[str, Any], /) -> Checked:
        """Accept an empty mapping only."""
        problems = tuple(Problem(str(name), "this tool takes no arguments") for name in arguments)
        return Checked({}, dict(arguments), (), problems)


def problems_text(tool: str, problems: tuple[Problem, ...]) -> str:
    """One message with every problem of a call to `tool`."""
    listed = "; ".join(str(problem) for problem in problems)
    count = "an argument does" if len(problems) == 1 else f"{len(problems)} arguments do"
    return f"{tool}: {count} not fit: {listed}"
