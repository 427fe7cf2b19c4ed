"""A run: the calls of one model at work, which a person can steer and stop together."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from tooldeck.core.cancel import CancelToken
from tooldeck.core.repetitions import Repetitions
from tooldeck.core.settings import LoopSettings, loop_settings

if TYPE_CHECKING:
    from tooldeck.core.deadline import Stopwatch
    from tooldeck.core.messages import Message, Usage

__all__ = ["Rewrite", "Run"]

_ids = itertools.count(1)
Rewrite = Callable[[tuple["Message", ...]], tuple["Message", ...]]
"""Makes another conversation of one, without changing it."""


class RunAccount(Protocol):
    """What of the account of a run matters to those who do not drive it."""

    @property
    def watch(self) -> Stopwatch:
        """How long the model has been at work; it stands still while a person is asked."""
        ...

    @property
    def tokens_left(self) -> int | None:
        """Until the limit, that of a run around it counted in, 0 where it has passed; None without one."""
        ...

    def overdrawn(self) -> str | None:
        """Which limit of tokens or cost is reached, here or in a run around it, in words; None for none."""
        ...

    def charge_aside(self, usage: Usage, /) -> None:
        """Count a reply that a tool or a server had a model give. Safe from every thread."""
        ...


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
        self.account: RunAccount | None = None
        """What it has used up; set by whoever drives the model."""
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
