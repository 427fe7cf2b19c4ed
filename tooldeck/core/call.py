"""One call on its way through the pipeline, and what a stage hands outward at its end."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from tooldeck.core.call_log import CallLog
from tooldeck.core.caller import Caller
from tooldeck.core.current import CURRENT
from tooldeck.core.parameters import Problem
from tooldeck.core.parts import Answer
from tooldeck.core.strangers import to_repr
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status

if TYPE_CHECKING:
    from tooldeck.core.result import ToolResult

__all__ = ["Outcome", "ToolCall", "current_call", "new_id"]

_ids = itertools.count(1)
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class ToolCall(NamedTuple):
    """One call: what was asked for and, from the stage that knows it on, what is really meant.

    A tuple because several are made per call and nothing immutable is made faster; it equals itself only.
    """

    id: str
    name: str
    """The name that was asked for, or the name of the tool object that was given."""
    given: Tool | None
    """The tool object that was given instead of a name, if one was."""
    raw: Mapping[str, Any] | str | None
    """The arguments as they came."""
    caller: Caller
    log: CallLog
    parent: str | None = None
    """The id of the call whose body started this one."""
    tool: Tool | None = None
    """The tool it resolved to; None before `resolve` and for an unknown name."""
    arguments: Mapping[str, Any] = _NOTHING
    """The arguments as understood, after repair; empty before they are checked."""
    values: Mapping[str, Any] = _NOTHING
    """The validated Python values; empty before they are checked."""

    def resolved(self, tool: Tool) -> ToolCall:
        """This call, with the tool that is really meant."""
        call_id, _, given, raw, caller, log, parent, _, arguments, values = self
        call = ToolCall(call_id, tool.name, given, raw, caller, log, parent, tool, arguments, values)
        log.call = call
        return call

    def checked(self, arguments: Mapping[str, Any], values: Mapping[str, Any]) -> ToolCall:
        """This call, with arguments that passed the check."""
        call_id, name, given, raw, caller, log, parent, tool, _, _ = self
        call = ToolCall(call_id, name, given, raw, caller, log, parent, tool, arguments, values)
        log.call = call
        return call

    def rewritten(self, raw: Mapping[str, Any]) -> ToolCall:
        """This call, with other arguments that are still to be checked."""
        call = self._replace(raw=raw)
        self.log.call = call
        return call

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __str__(self) -> str:
        shown = ", ".join(f"{name}={to_repr(value)}" for name, value in self.arguments.items())
        return f"{self.name}({shown})"

    def __repr__(self) -> str:
        return f"<ToolCall {self.id}: {self}>"


def new_id() -> str:
    """A short id that is unique in this process."""
    return f"call-{next(_ids)}"


class Outcome(NamedTuple):
    """What a stage hands outward: a status with a value or an error."""

    status: Status
    value: Any = None
    error: str | None = None
    exception: BaseException | None = None
    problems: tuple[Problem, ...] = ()
    retry_after: float | None = None
    """Seconds until another try makes sense, where that is known."""
    counts: bool = True
    """Whether a failure speaks against the tool (the breaker counts it)."""
    transient: bool = False
    """Whether another attempt may succeed."""
    answer: Answer | None = None
    """What the body gave beside the value."""
    inner: ToolResult | None = None
    """The result of another call that the value comes from; it was presented there."""


def current_call() -> ToolCall | None:
    """The call whose body runs in this context, or None outside of one."""
    return CURRENT.get()
