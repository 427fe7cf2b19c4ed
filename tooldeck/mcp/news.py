"""What a server says on its own: lines for the log, that its lists have changed, or a resource."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

from tooldeck.mcp.errors import McpAnswerError
from tooldeck.mcp.handlers import ListChange, LogLine, ResourceUpdate

if TYPE_CHECKING:
    from tooldeck.mcp.calls import CallsInFlight
    from tooldeck.mcp.session import Session

__all__ = ["News"]

_log = logging.getLogger(__name__)

_MOST_LINES = 100
# Lines of the log that are being told at the same time; what comes beyond is counted only.


class News:
    """Listens on one session; `hear` and `log` are what the client library calls."""

    def __init__(self, session: Session, calls: CallsInFlight) -> None:
        self._session = session
        self._calls = calls
        self.level = ""
        """From which level on the server shall tell; empty where nobody has said."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._reading = False
        self._stale = False
        self._told = 0
        self._left_out = 0

    async def log(self, params: Any) -> None:
        """A line for the log."""
        if self._told >= _MOST_LINES:
            self._left_out += 1
            return
        self._told += 1
        try:
            line = LogLine(
                self._session.label, str(params.level), params.data, params.logger or "", bool(self.level)
            )
            await self._calls.tell(self._session.handlers.on_log, line)
            if self._left_out:
                many, self._left_out = self._left_out, 0
                said = f"{many} more lines came faster than they could be told and were left out"
                await self._calls.tell(
                    self._session.handlers.on_log, LogLine(self._session.label, "warning", said)
                )
        finally:
            self._told -= 1

    async def hear(self, message: Any) -> None:
        """Any other notification."""
        from mcp import types

        match message:
            case types.ToolListChangedNotification():
                self._list_changed()
            case types.PromptListChangedNotification():
                await self._other_list_changed("prompts")
            case types.ResourceListChangedNotification():
                await self._other_list_changed("resources")
            case types.ResourceUpdatedNotification():
                await self._updated(str(message.params.uri))
            case types.ElicitCompleteNotification():
                await self._session.wishes.page_done(message.params.elicitation_id)
            case _:
                pass

    async def _other_list_changed(self, what: str) -> None:
        """It is read again when somebody looks at it next."""
        self._session.forget(what)
        change = ListChange(self._session.label, what)
        await self._calls.tell(self._session.handlers.on_list_changed, change)

    async def _updated(self, uri: str) -> None:
        """A resource has changed, and somebody has subscribed to it."""
        heard = [one for one in self._session.subscriptions if one.covers(uri)]
        for one in heard:
            one.changed(uri)
            if one.told is not None:  # beside the loop, which is that of all servers
                self._start(partial(_beside, one.told, uri))
        if heard:
            update = ResourceUpdate(self._session.label, uri)
            await self._calls.tell(self._session.handlers.on_update, update)

    def _list_changed(self) -> None:
        """Read the list again: however often a server says so, once at a time, and once more after that."""
        self._stale = True
        if not self._reading:
            self._reading = True
            self._start(self._read_while_stale)

    async def _read_while_stale(self) -> None:
        try:
            while self._stale:
                self._stale = False
                await self._session.read_list_again()
        finally:
            self._reading = False

    def listen(self, client: Any) -> None:
        """Ask a server of the newer protocol to tell about changes of its tools; older ones do it unasked."""
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        offered = client.server_capabilities
        lists = {
            f"{name}_list_changed": True
            for name in ("tools", "prompts", "resources")
            if getattr(getattr(offered, name), "list_changed", None)
        }
        if client.protocol_version in MODERN_PROTOCOL_VERSIONS and lists:
            self._start(partial(self._listening, client, lists))

    async def follow(self, client: Any, uri: str) -> asyncio.Task[None]:
        """Listen for changes of a resource, in the newer protocol; gives what listens, to be cancelled.

        Raises what the server says against it.
        """
        begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        task = self._start(partial(self._following, client, uri, begun))
        try:
            await begun
        except BaseException:
            task.cancel()
            raise
        return task

    def stop(self) -> None:
        """Listen no longer."""
        for task in self._tasks:
            task.cancel()

    async def _listening(self, client: Any, lists: dict[str, bool]) -> None:
        # The stream has to be read; `hear` is told of everything in it besides.
        async with client.listen(**lists) as changes:
            async for _ in changes:
                pass

    async def _following(self, client: Any, uri: str, begun: asyncio.Future[None]) -> None:
        try:
            async with client.listen(resource_subscriptions=[uri]) as changes:
                if uri not in (changes.honored.resource_subscriptions or ()):
                    said = f"The MCP server {self._session.label!r} does not tell of changes of {uri!r}."
                    raise McpAnswerError(said, self._session.label)  # noqa: TRY301 - as for its own refusals
                begun.set_result(None)
                async for _ in changes:
                    pass
        except Exception as error:
            if not begun.done():
                begun.set_exception(error)
            raise

    def _start(self, work: Callable[[], Coroutine[Any, Any, object]]) -> asyncio.Task[None]:
        task = asyncio.create_task(_contained(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


async def _beside(function: Callable[[str], object], uri: str) -> None:
    await asyncio.to_thread(function, uri)


async def _contained(work: Callable[[], Coroutine[Any, Any, object]]) -> None:
    """A server that stops telling, or gives no new list, is no reason to end anything; nor is a listener."""
    try:
        await work()
    except Exception:  # noqa: BLE001 - see above
        _log.debug("listening ended", exc_info=True)
