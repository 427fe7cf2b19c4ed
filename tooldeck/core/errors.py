"""Every exception that tooldeck raises.

TooldeckError
├── DefinitionError(ValueError)     something cannot become a tool
├── SetupError                      a part is missing on this machine; says how to install it
├── StoreError                      the database cannot be used; calls go on without it
├── ExpectedError                   raised *by* a tool: a proper "no", neither retried nor counted
├── TransientError                  raised *by* a tool: worth another attempt
├── Cancelled                       raised by a cancel token: nobody waits for this call any more
├── ActionError(ValueError)         `Refusal.unwrap()`: a model's text that is no action
├── NotProvided                     a tool needs something injected that its deck does not have
├── TooManyHungBodies               bodies that passed their limits and still run use up the threads
├── ModelError                      a model could not be asked, or its answer not be read
├── RunError                        `RunResult.unwrap()` of a run that gave no answer
└── CallError                       `ToolResult.unwrap()` of a call that did not end well
    ├── UnknownTool  InvalidArguments  CallDenied  CallBlocked  CallLooping
    └── BreakerOpen  CallLimited  CallTimeout  CallCancelled  CallFailed
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tooldeck.core.actions.records import Refusal
    from tooldeck.core.result import ToolResult
    from tooldeck.core.run_result import RunResult

__all__ = [
    "ActionError",
    "BreakerOpen",
    "CallBlocked",
    "CallCancelled",
    "CallDenied",
    "CallError",
    "CallFailed",
    "CallLimited",
    "CallLooping",
    "CallTimeout",
    "Cancelled",
    "DefinitionError",
    "ExpectedError",
    "InvalidArguments",
    "ModelError",
    "NotProvided",
    "RunError",
    "SetupError",
    "StoreError",
    "TooManyHungBodies",
    "TooldeckError",
    "TransientError",
    "UnknownTool",
]


class TooldeckError(Exception):
    """Base of all errors raised by tooldeck itself."""


class DefinitionError(TooldeckError, ValueError):
    """Something cannot become a tool; the message names it, the reason and the remedy."""


class SetupError(TooldeckError):
    """A package or program is missing; the message ends with the command that installs it."""


class StoreError(TooldeckError):
    """The database cannot be read or written; the message names it, the reason and the remedy."""


class ExpectedError(TooldeckError):
    """Raise this in a tool for a proper negative answer ("no such city").

    The call ends as ``failed`` with this text, but it is neither retried nor counted by the breaker:
    the tool works, the answer is no.
    """


class TransientError(TooldeckError):
    """Raise this in a tool when another attempt may succeed.

    `retry_after` is the least number of seconds to wait before it, or None when the tool does not know.
    """

    def __init__(self, message: str = "", *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Cancelled(TooldeckError):
    """The call was given up; the message is the reason. A body lets it out, and the call is ``cancelled``."""


class NotProvided(TooldeckError):
    """A parameter that the deck fills cannot be filled; the message says what to provide."""


class TooManyHungBodies(TooldeckError):
    """No thread is started for a body while so many others hang; the message says of which tools."""


class ModelError(TooldeckError):
    """A model could not be asked, or its answer not be read; the message says what to do.

    `status` is the HTTP status where there is one.
    """

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class RunError(TooldeckError):
    """A run of a model that gave no answer; `result` has everything known about it."""

    def __init__(self, message: str, result: RunResult) -> None:
        super().__init__(message)
        self.result = result


class ActionError(TooldeckError, ValueError):
    """A text that is no action; `refusal` has the code, the place and the corrected call."""

    def __init__(self, message: str, refusal: Refusal) -> None:
        super().__init__(message)
        self.refusal = refusal


class CallError(TooldeckError):
    """A call that did not end with ``ok``; `result` has everything known about it."""

    def __init__(self, message: str, result: ToolResult) -> None:
        super().__init__(message)
        self.result = result


class UnknownTool(CallError, LookupError):
    """No tool of that name."""


class InvalidArguments(CallError, ValueError):
    """The arguments do not fit the tool's parameters; `result.problems` lists every misfit."""


class CallDenied(CallError, PermissionError):
    """Policy or a person refused the call."""


class CallBlocked(CallError):
    """A hook stopped the call."""


class CallLooping(CallError):
    """The same call was repeated without progress."""


class BreakerOpen(CallError):
    """The tool failed too often; it is left alone for the seconds named in the message."""


class CallLimited(CallError):
    """The tool was called too often; the message says when it may be called again."""


class CallTimeout(CallError, TimeoutError):
    """The call took longer than its limit."""


class CallCancelled(CallError):
    """The call was cancelled before it ended."""


class CallFailed(CallError):
    """The tool itself failed and left no exception to raise again (a remote tool, for example)."""
