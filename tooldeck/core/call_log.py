"""What the stages of one call write down beside its value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from tooldeck.core.cancel import CancelToken
from tooldeck.core.claims import Claims
from tooldeck.core.deadline import Deadline
from tooldeck.core.parameters import Note
from tooldeck.core.parts import File, Part

if TYPE_CHECKING:
    from tooldeck.core.call import ToolCall
    from tooldeck.core.progress import Progress
    from tooldeck.core.result import ToolResult

__all__ = ["CallLog", "Span"]


class Span(NamedTuple):
    """A stretch of a call: a stage, one attempt or one wait. Seconds are counted from the call's start."""

    name: str
    """The stage, or ``attempt 2``, ``wait`` and the like."""
    start: float
    end: float
    decision: str = ""
    """What was decided there, in a few words; empty when nothing was."""
    depth: int = 0
    """How many stages lie around it."""


class CallLog:
    """What the stages of one call write down beside the value. Belongs to one call only.

    No dataclass: what most calls never write is read from the class, so that making a log takes no longer
    with every field.
    """

    attempts: int = 0
    """How many times the body was started."""
    ask: str = ""
    """Why a person has to be asked although policy may allow the call; empty when nothing says so."""
    depth: int = 0
    """How many stages the call is inside of, while tracing."""
    call: ToolCall | None = None
    """The call as the innermost stage knew it."""
    token: CancelToken | None = None
    """Set when the call is given up; made when somebody asks for it, see `token_of`."""
    clock: Deadline | None = None
    """What the call, or its attempt under way, must end before; None where there is no limit."""
    claims: Claims | None = None
    """What the calls of its batch use; None where it belongs to none."""
    outside: str = ""
    """Why the output is not to be trusted although its tool is: the text from elsewhere that it had to do
    with; empty where there was none."""
    handed: str = ""
    """Where text from elsewhere came from that calls from within its body gave; empty where none did."""
    source: str = ""
    """Where the text comes from that it gave, when that is from elsewhere; set at its end."""
    foreign: tuple[BaseException, ...] = ()
    """What inner calls of untrusted tools failed with."""
    repeated: BaseException | None = None
    """What an inner call failed with for good, after all its attempts."""
    progress: Progress | None = None
    """How far the body is; made when somebody asks for it."""
    injected: dict[str, Any] | None = None
    """What the parameters were filled with that the deck fills, by name."""
    vetted: Mapping[str, Any] | None = None
    """The arguments that the checks of the tool have passed."""
    text: str = ""
    """The model-facing text, once `present` has made it."""
    parts: tuple[Part, ...] = ()
    """The model-facing parts, where the answer has others than text."""
    artifacts: tuple[File, ...] = ()
    """Files that are kept for the person."""
    result: ToolResult | None = None
    """The end of the call, once it is recorded."""

    def __init__(
        self, started: float, *, spans: list[Span] | None = None, outer: CallLog | None = None
    ) -> None:
        self.started = started
        """Monotonic seconds at the start."""
        self.notes: list[Note] = []
        self.decisions: dict[str, str] = {}
        """What each stage decided, by stage."""
        self.spans = spans
        """Filled when tracing is on, else None."""
        self.outer = outer
        """The log of the call whose body started this one."""

    def note(self, stage: str, text: str) -> None:
        """Leave a sentence for the caller and the model."""
        self.notes.append(Note(stage, text))

    def decide(self, stage: str, words: str) -> None:
        """Record what a stage decided, for traces and the audit log."""
        self.decisions[stage] = words
