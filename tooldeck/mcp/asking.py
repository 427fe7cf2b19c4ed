"""What is asked of a server through its session: calls of tools, and any other request of the protocol."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

from tooldeck.core.tool import Executor
from tooldeck.mcp import faults, raw
from tooldeck.mcp.calls import CallsInFlight, RunningCall
from tooldeck.mcp.errors import McpError, McpToolError
from tooldeck.mcp.life import Life, State
from tooldeck.mcp.link import Link
from tooldeck.mcp.listing import Listing
from tooldeck.mcp.pages import after_pages
from tooldeck.mcp.results import McpValue, value_of
from tooldeck.mcp.settings import above_zero
from tooldeck.mcp.tasks import Tasks, needs_task
from tooldeck.mcp.wishes import Wishes

__all__ = ["Asking"]

T = TypeVar("T")


class Asking:
    """The part of a session that asks; all of it has the limit, the handlers and the faults of `perform`."""

    label: str
    timeout: float
    executor: Executor
    listing: Listing
    tasks: Tasks
    _link: Link
    _life: Life
    _calls: CallsInFlight
    wishes: Wishes
    _pid: int

    # -- from any thread ---

    def call(
        self, name: str, arguments: Mapping[str, Any] | None = None, *, timeout: float | None = None
    ) -> Future[Any]:
        """Start a call of a tool by the server's own name.

        It gives an `McpValue` or raises an `McpError`; cancelling it cancels the call at the server too.
        """
        return self.executor.submit(self.acall, name, arguments, timeout=timeout)

    def request(
        self, method: str, params: Mapping[str, Any] | None = None, *, timeout: float | None = None
    ) -> Future[Any]:
        """Start any request of the protocol; gives the raw result, unchecked.

        Raises `McpAnswerError` for an answer that is an error, and for the time-out. Tools are not called
        this way: nothing would ask, check or log it.
        """
        return self.executor.submit(self.arequest, method, params, timeout=timeout)

    # -- on the session's loop ---

    async def acall(
        self, name: str, arguments: Mapping[str, Any] | None = None, *, timeout: float | None = None
    ) -> McpValue:
        """The same as `call`, to be awaited on the session's own loop."""

        async def call(client: Any, running: RunningCall) -> Any:
            if needs_task(client, self.listing.find(name)):
                return await self.tasks.create(client, running, name, arguments or {})
            result = await client.call_tool(name, dict(arguments or {}), progress_callback=running.progress)
            if result.is_error and running.refused:  # a server may say nothing but that it failed
                raise faults.of_refusal(running.refused, name, self.label)
            return result

        answer = await self.perform(name, call, timeout=timeout)
        value = value_of(answer)
        if self.listing.has_pages:
            value.answer = answer.model_dump(by_alias=True, exclude_none=True, mode="json")
        if value.is_error:
            raise McpToolError(value.text, self.label, value)
        return value

    async def arequest(
        self, method: str, params: Mapping[str, Any] | None = None, *, timeout: float | None = None
    ) -> Any:
        """The same as `request`, to be awaited on the session's own loop."""
        client = self._usable()
        limit = self.timeout if timeout is None else above_zero("timeout", timeout)
        try:
            return await raw.request(client, method, params, limit)
        except Exception as error:  # noqa: BLE001 - whatever the client library raises, told in our words
            raise await self._call_error(error, f"the request {method!r}") from None

    async def perform(
        self,
        what: str,
        work: Callable[[Any, RunningCall], Awaitable[T]],
        *,
        timeout: float | None = None,
    ) -> T:
        """Do one piece of `work` with the client library, as a call of its own.

        It is held to the limit, the server's questions meanwhile belong to it, and its errors are ours;
        `what` is what they and the questions call it.
        """
        if self._pid != os.getpid():
            raise faults.of_fork(self.label)
        client = self._usable()
        limit = self.timeout if timeout is None else above_zero("timeout", timeout)
        with self._calls.started(what, limit) as running:
            try:
                async with running.clock:
                    done = await after_pages(self.wishes, partial(work, client, running))
            except TimeoutError:
                if running.clock.expired():
                    raise faults.of_limit(limit, what, self.label) from None
                raise
            except Exception as error:  # noqa: BLE001 - whatever the client library raises, told in our words
                raise await self._call_error(error, what, running) from None
            await running.all_told()
        return done

    @property
    def client(self) -> Any:
        """The library's client while the session stands, else None."""
        return self._link.client

    def _usable(self) -> Any:
        if self._life.state is State.READY and not self._link.broken:
            return self._link.client
        raise self._over()

    def _over(self) -> McpError:
        if self._life.again:
            return faults.of_restart(self.label)
        return faults.of_end(self._life.reason or f"it is {self._life.state}", self.label)

    async def _call_error(self, error: Exception, tool: str, running: RunningCall | None = None) -> Exception:
        """The error of a call; when the server went, the reason why it did."""
        if running is not None and running.unauthorized:
            return faults.of_sign_in(running.unauthorized, tool, self.label)
        if not self._life.ending:
            if running is not None and running.refused:
                return faults.of_refusal(running.refused, tool, self.label)
            return faults.of_call(error, tool, self.label)
        await self._life.explained()
        return self._over()
