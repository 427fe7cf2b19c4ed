"""The calls of one session that are on their way, and whom to tell what the server says meanwhile.

A server's question or log line may arrive on the connection without saying which call it belongs to. It is
then taken to belong to the call that was started last, and its handler runs in the context of that call,
which is that of the cell that waits.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from tooldeck.core.current import CURRENT
from tooldeck.core.deadline import clocks_stopped
from tooldeck.mcp.clock import Clock
from tooldeck.mcp.handlers import Progress

if TYPE_CHECKING:
    from tooldeck.mcp.session import Session

__all__ = ["CallsInFlight", "RunningCall"]

_log = logging.getLogger(__name__)
_MOST_REPORTS = 8
# Reports of progress that wait to be told; of more than that only the latest is kept.
_NEWS_LIMIT = 1.0
# Seconds a finished call waits for a slow handler of progress or log lines.
_RUNNING: ContextVar[RunningCall | None] = ContextVar("tooldeck_mcp_call", default=None)


class RunningCall:
    """One call on its way."""

    def __init__(self, calls: CallsInFlight, tool: str, limit: float) -> None:
        self.calls = calls
        self.tool = tool
        self.context = contextvars.copy_context()
        self.clock = Clock(limit)
        self.news: set[asyncio.Task[Any]] = set()
        """Handlers that are being told something."""
        self.questions: set[asyncio.Task[Any]] = set()
        """Handlers that are to answer something."""
        self.asked = 0
        """How many questions the server put to the person."""
        self.samples = 0
        """How many replies of a model the server wanted."""
        self.refused = ""
        """Why it got none, the last time; empty where it did."""
        self.unauthorized = ""
        """Why nobody was signed in when its server asked who is there."""
        self._reports: deque[Progress] = deque()
        self._reporting = False

    async def progress(self, progress: float, total: float | None, message: str | None) -> None:
        """The client library reports progress of this call."""
        handlers = self.calls.session.handlers
        if len(self._reports) >= _MOST_REPORTS:
            self._reports.clear()  # faster than anybody can hear: the latest is what counts
        report = Progress(self.calls.session.label, self.tool, progress, total, message or "")
        self._reports.append(report)
        if self._reporting:
            return  # whoever is being told now is told the others next
        self._reporting = True
        try:
            while self._reports:
                await self.calls.tell(handlers.on_progress, self._reports.popleft(), self)
        finally:
            self._reporting = False

    async def all_told(self) -> None:
        """Wait until the handlers have heard what came before the end of the call; briefly."""
        if not self.news and not self._reporting:
            return  # the common case, and a time limit costs more than all the rest here
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_NEWS_LIMIT):
                while self.news or self._reporting:
                    if self.news:
                        await asyncio.wait(self.news)
                    else:
                        await asyncio.sleep(0)

    @contextlib.contextmanager
    def clock_stopped(self) -> Generator[None]:
        """A person thinks: the time does not count against the server."""
        with self.clock.stopped(), clocks_stopped(self.context.get(CURRENT)):
            yield  # nor does it count against the tools that called this one


class CallsInFlight:
    """All calls of one session that are on their way."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._calls: list[RunningCall] = []

    @contextlib.contextmanager
    def started(self, tool: str, limit: float) -> Generator[RunningCall]:
        """A call, for as long as the block lasts; questions that are open at its end are withdrawn."""
        call = RunningCall(self, tool, limit)
        self._calls.append(call)
        token = _RUNNING.set(call)
        try:
            yield call
        finally:
            _RUNNING.reset(token)
            self._calls.remove(call)
            for task in call.questions:
                task.cancel()

    def current(self) -> RunningCall | None:
        """The call that this code serves, as far as that can be known."""
        candidates = self.candidates()
        return candidates[-1] if candidates else None

    def candidates(self) -> list[RunningCall]:
        """The one call that this code serves, or all that it may serve."""
        call = _RUNNING.get()
        return [call] if call is not None and call in self._calls else list(self._calls)

    async def tell(
        self, handler: Callable[[Any], Any] | None, news: Any, call: RunningCall | None = None
    ) -> None:
        """Tell a handler something, in the context of the call."""
        call = call or self.current()
        await self.run(handler, news, call, call.news if call is not None else set())

    async def run(
        self,
        handler: Callable[[Any], Any] | None,
        about: Any,
        call: RunningCall | None,
        among: set[asyncio.Task[Any]],
    ) -> Any:
        """Run a handler; its faults are logged, never passed on."""
        if handler is None:
            return None
        try:
            return await self._in_context(handler, about, call, among)
        except Exception:  # noqa: BLE001 - a listener must not end the call it listens to
            _log.exception("the handler %r failed", handler)
            return None

    @contextlib.contextmanager
    def clocks_stopped(self) -> Generator[None]:
        """A person thinks: the time counts against no call that it may be about."""
        with contextlib.ExitStack() as stopped:
            for waiting in self.candidates():
                stopped.enter_context(waiting.clock_stopped())
            yield

    async def ask(self, handler: Callable[[Any], Any], about: Any) -> Any:
        """Ask the person something, with the clocks stopped; raises what the handler raises."""
        call = self.current()
        with self.clocks_stopped():
            among = call.questions if call is not None else set[asyncio.Task[Any]]()
            return await self._in_context(handler, about, call, among)

    async def _in_context(
        self,
        handler: Callable[[Any], Any],
        about: Any,
        call: RunningCall | None,
        among: set[asyncio.Task[Any]],
    ) -> Any:
        context = (call.context if call is not None else contextvars.copy_context()).copy()

        async def run() -> Any:
            value = handler(about)
            return await value if inspect.isawaitable(value) else value

        coroutine: Coroutine[Any, Any, Any] = run()
        task = asyncio.get_running_loop().create_task(coroutine, context=context)
        among.add(task)
        task.add_done_callback(among.discard)
        try:
            return await task
        except asyncio.CancelledError:
            task.cancel()
            ours = asyncio.current_task()
            if ours is not None and ours.cancelling():
                raise
            return None  # the call ended and withdrew the question
