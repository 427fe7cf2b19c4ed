"""What the pipeline needs of the world: time, waiting, running a body, asking a person.

Two families implement it. A blocking host never suspends: its coroutines finish within one `send`, so that
`deck.call` can step the pipeline on the caller's own thread. An async host suspends into the running loop.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from tooldeck.core.approval import ApprovalRequest, Decision
from tooldeck.core.deadline import Deadline
from tooldeck.core.tool import Executor

__all__ = ["Host", "LimitPassed", "Work"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Work:
    """A body ready to run."""

    function: Callable[[], Any]
    """Takes no arguments; returns an awaitable when `is_async`."""
    is_async: bool = False
    executor: Executor | None = None
    """Where to run it instead of on the caller."""
    limit: float | Deadline | None = None
    """Seconds it may take, or its deadline; then `LimitPassed`, at once."""
    label: str = ""
    """The tool's name, for messages and thread names."""


class LimitPassed(Exception):
    """A body took longer than its limit.

    `limit` is in seconds; `still_running` says that it could not be stopped, so that its effects may still
    happen; `told` is what its other side says about it, in one sentence, or empty.
    """

    def __init__(self, limit: float, *, still_running: bool, told: str = "") -> None:
        super().__init__(told or f"took longer than {limit:g} s")
        self.limit = limit
        self.told = told
        self.still_running = still_running


class Host(Protocol):
    """The world as seen by the stages."""

    in_place: bool
    """Whether `run` would do no more for an async body without a limit than await it."""

    def now(self) -> float:
        """Monotonic seconds."""
        ...

    async def sleep(self, seconds: float, woken: Future[Any]) -> None:
        """Wait, at most until `woken` is done; interrupts end it, and widgets stay alive."""
        ...

    async def wait(self, future: Future[T], timeout: float | None = None) -> T:
        """The result of `future`; `TimeoutError` after `timeout` seconds. Interrupts cancel the future."""
        ...

    async def run(self, work: Work) -> Any:
        """Run a body where it belongs and return its value; raises what the body raises.

        Raises `LimitPassed` when the limit passed.
        """
        ...

    async def ask(self, request: ApprovalRequest) -> Decision:
        """Ask whoever can answer; a decision with ``approved=False`` and ``by="nobody"`` when nobody can."""
        ...
