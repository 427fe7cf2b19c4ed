"""One call on its way through the pipeline, who started it, and the log it carries."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections import deque
from collections.abc import Callable, Generator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from tooldeck.core.cancel import CancelToken
from tooldeck.core.claims import Claims
from tooldeck.core.current import CURRENT
from tooldeck.core.deadline import Deadline
from tooldeck.core.parameters import Note, Problem
from tooldeck.core.parts import Answer, File, Part
from tooldeck.core.repetitions import Repetitions
from tooldeck.core.settings import LoopSettings, loop_settings
from tooldeck.core.strangers import to_repr
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Source, Status, read_word

if TYPE_CHECKING:
    from tooldeck.core.messages import Message
    from tooldeck.core.progress import Progress
    from tooldeck.core.result import ToolResult

__all__ = [
    "CURRENT",
    "CallLog",
    "Caller",
    "Outcome",
    "Run",
    "Span",
    "ToolCall",
    "calling",
    "current_call",
    "current_caller",
]

_ids = itertools.count(1)
Rewrite = Callable[[tuple["Message", ...]], tuple["Message", ...]]
"""Makes another conversation of one, without changing it."""


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


class Run:
    """A series of calls with one purpose (a model's turn); the loop guard and steering work per run.

    `loop_guard` says when its repetitions are refused; None leaves that to the deck. `session_id` names the
    conversation it belongs to; tools that ask for the context are told.
    """

    def __init__(
        self, name: str = "", *, loop_guard: LoopSettings | None = None, session_id: str = ""
    ) -> None:
        self.id = f"run-{next(_ids)}"
        self.name = name
        self.session_id = session_id
        self.last_user_message: str | None = None
        """What the person said last; set by whoever drives the model, told to tools that ask for it."""
        self.agent = ""
        """Who works in it, where several agents share the deck; set by whoever drives the model."""
        self.handoff = ""
        """The id of the handoff that it works on; empty for none."""
        self.tools: frozenset[str] | None = None
        """The only tools that its calls may use, also from within other tools; None for all."""
        self.outside = ""
        """Where the first text from elsewhere came from that its model was given; empty without one."""
        self.messages: tuple[Message, ...] = ()
        """The conversation so far; set by whoever drives the model."""
        self.token = CancelToken()
        """Set when the run is stopped."""
        self.loop_guard = loop_settings(loop_guard)
        self.repetitions = Repetitions()
        """What the loop guard remembers."""
        self._messages: deque[str] = deque()
        self._rewrites: deque[Rewrite] = deque()
        self._blocks = 0
        self._lock = threading.Lock()

    def stop(self, reason: str = "stopped by a person") -> None:
        """End the run: its next call is cancelled with `reason`, and those under way are told."""
        self.token.cancel(reason)

    def steer(self, message: str) -> None:
        """Interrupt the run once: its next call is not started, and the model reads `message` instead."""
        if not isinstance(message, str) or not message.strip():
            raise ValueError(f"steer() needs words for the model, got {message!r}.")
        self._messages.append(message.strip())

    def heard(self) -> str | None:
        """Take what a person has said to the run since its last call; None when that is nothing."""
        said: list[str] = []
        with contextlib.suppress(IndexError):  # the calls of a batch may take from several threads
            while True:
                said.append(self._messages.popleft())
        return "\n".join(said) or None

    @property
    def standing(self) -> dict[str, Any]:
        """Who works in it, what it is left and what it has read, as JSON, to go on with elsewhere."""
        tools = None if self.tools is None else sorted(self.tools)
        return {"agent": self.agent, "handoff": self.handoff, "outside": self.outside, "tools": tools}

    def take(self, standing: Mapping[str, Any]) -> None:
        """Go on with the standing of another run; its tools can only become fewer by that."""
        self.agent = str(standing.get("agent") or self.agent)
        self.handoff = str(standing.get("handoff") or self.handoff)
        self.outside = self.outside or str(standing.get("outside") or "")
        tools = standing.get("tools")
        if tools is not None:
            self.tools = frozenset(tools) if self.tools is None else self.tools & frozenset(tools)

    def rewrite(self, make: Rewrite) -> None:
        """Put what `make` makes of the conversation in its place, once the calls under way are answered."""
        self._rewrites.append(make)

    def rewritten(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """The conversation after all rewriting that was asked for; for whoever drives the model."""
        with contextlib.suppress(IndexError):
            while True:
                messages = self._rewrites.popleft()(messages)
        return messages

    def enter(self, blocks: int) -> None:
        """One more (1) or one less (-1) `calling` block of this run is open."""
        with self._lock:
            self._blocks += blocks

    @property
    def under_way(self) -> bool:
        """Whether calls of this run may still come: inside of a `calling` block, and not stopped."""
        return self._blocks > 0 and not self.token.cancelled

    @property
    def stopped(self) -> str | None:
        """The reason the run was stopped for, or None while it may go on."""
        return self.token.reason if self.token.cancelled else None

    def __repr__(self) -> str:
        return f"<Run {self.id}{f' {self.name}' if self.name else ''}>"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who starts calls in the present context."""

    source: Source = Source.PYTHON
    run: Run | None = None
    label: str = ""
    """Who exactly, e.g. the model's name; shown in approvals."""


_NOBODY_SPECIAL = Caller()
_CALLER: ContextVar[Caller] = ContextVar("tooldeck_caller", default=_NOBODY_SPECIAL)


def current_caller(otherwise: Caller | None = None) -> Caller:
    """Who starts calls in this context; `otherwise` where nobody said so."""
    caller = _CALLER.get()
    return otherwise if otherwise is not None and caller is _NOBODY_SPECIAL else caller


def current_call() -> ToolCall | None:
    """The call whose body runs in this context, or None outside of one."""
    return CURRENT.get()


@contextlib.contextmanager
def calling(
    source: Source | str | None = None, *, run: Run | None = None, label: str | None = None
) -> Generator[Caller]:
    """Within the block, calls are started by this source, in this run; what is not given stays as it is."""
    now = _CALLER.get()
    caller = Caller(
        read_word(Source, source, "source") or now.source,
        now.run if run is None else run,
        now.label if label is None else label,
    )
    token = _CALLER.set(caller)
    if run is not None:
        run.enter(1)
    try:
        yield caller
    finally:
        if run is not None:
            run.enter(-1)
        _CALLER.reset(token)


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
