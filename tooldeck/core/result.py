"""How a call ended: one frozen record, and the way back to an exception."""

from __future__ import annotations

from typing import Any, NamedTuple

from tooldeck.core import errors
from tooldeck.core.call import ToolCall
from tooldeck.core.call_log import Span
from tooldeck.core.parameters import Note, Problem
from tooldeck.core.parts import File, Part
from tooldeck.core.strangers import quoted, to_repr
from tooldeck.core.vocabulary import Status

__all__ = ["ToolResult"]

_ERRORS: dict[Status, type[errors.CallError]] = {
    Status.UNKNOWN: errors.UnknownTool,
    Status.INVALID: errors.InvalidArguments,
    Status.DENIED: errors.CallDenied,
    Status.BLOCKED: errors.CallBlocked,
    Status.LOOPING: errors.CallLooping,
    Status.TRIPPED: errors.BreakerOpen,
    Status.LIMITED: errors.CallLimited,
    Status.TIMEOUT: errors.CallTimeout,
    Status.CANCELLED: errors.CallCancelled,
    Status.FAILED: errors.CallFailed,
}


class ToolResult(NamedTuple):
    """How one call ended.

    `status` is ``ok`` or the word of the stage that ended the call; `value` is what the tool returned,
    untouched, `text` what a model reads of it, and `error` what went wrong and what to do about it. Nothing
    that happens in a call is raised: `unwrap` gives the value or raises. `call` has the arguments as they
    were understood, `notes` what was repaired in them, `seconds` the time that all took.

    A tuple, because nothing immutable is made faster; it equals itself only.
    """

    status: Status
    """``ok``, or the word of the stage that ended the call."""
    value: Any
    """What the tool returned, untouched; None unless the status is ``ok``."""
    text: str
    """What a model is given: the value or error as text, cut to size, fenced when it comes from outside."""
    error: str | None
    """One message saying what went wrong and what to do; None when nothing did."""
    notes: tuple[Note, ...]
    """Repairs and warnings of the stages, in order."""
    attempts: int
    """How many times the body was started; 0 when it never was."""
    seconds: float
    """Time from the start of the call to its end, waits for people included."""
    call: ToolCall
    """The call that this is the end of."""
    problems: tuple[Problem, ...] = ()
    """What did not fit, when the status is ``invalid``."""
    exception: BaseException | None = None
    """The exception of the body, when it raised one."""
    retry_after: float | None = None
    """Seconds until another try makes sense, where that is known."""
    trace: tuple[Span, ...] = ()
    """Stages with their times and decisions; empty when tracing is off."""
    decisions: dict[str, str] | None = None
    """What each stage decided, by stage; None when nothing had to be decided."""
    parts: tuple[Part, ...] = ()
    """What a model that takes pictures and sounds is given in place of the text; empty when that is all."""
    artifacts: tuple[File, ...] = ()
    """Files that the tool kept for the person."""

    @property
    def ok(self) -> bool:
        """Whether the call did what was asked."""
        return self.status is Status.OK

    @property
    def for_model(self) -> str:
        """The text, with the notes of the stages after it."""
        return "\n".join([self.text, *(f"[note: {note}]" for note in self.notes)])

    def unwrap(self) -> Any:
        """The value of an ``ok`` call.

        Raises the exception of the body when it failed with one, else the `CallError` of the status.
        """
        if self.status is Status.OK:
            return self.value
        if self.status is Status.FAILED and self.exception is not None:
            raise self.exception
        raise _ERRORS[self.status](self.error or str(self.status), self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        if self.ok:
            shown = to_repr(self.value)
            shown = shown if len(shown) <= 200 else f"{shown[:199]}…"
            return f"<ToolResult ok {self.call.name}: {shown}>"
        return f"<ToolResult {self.status} {quoted(self.call.name)}: {quoted(self.error or '')}>"
