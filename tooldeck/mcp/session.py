"""One connection to one server: who opens it, who calls through it, how it ends.

One owner task enters and leaves everything that the connection consists of, because scopes of the client
library must be left by the task that entered them. Calls are tasks of their own: they run side by side, and
cancelling one sends the cancellation to the server and leaves the session alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import AsyncExitStack
from enum import StrEnum
from typing import Any, TypedDict

from tooldeck import __version__
from tooldeck.core.errors import DefinitionError
from tooldeck.core.tool import Executor
from tooldeck.hosts.background import background
from tooldeck.mcp import faults, sdk
from tooldeck.mcp.calls import CallsInFlight
from tooldeck.mcp.errors import McpClosed, McpConnectError, McpError, McpTimeout, McpToolError
from tooldeck.mcp.handlers import Handlers
from tooldeck.mcp.http import http_streams
from tooldeck.mcp.listing import Listing, RemoteTool, read_tools
from tooldeck.mcp.news import News
from tooldeck.mcp.results import McpValue, value_of
from tooldeck.mcp.stdio import StdioServer
from tooldeck.mcp.tap import Malformed, Tap
from tooldeck.mcp.target import Command, Target, Url, environment, read_target
from tooldeck.registry.json_schema import warm_up

__all__ = ["Session", "SessionSettings", "State"]

_CLOSE_LIMIT = 8.0
# Seconds a session is given to close; its process needs 4.5 at most.
_EXPLAIN_LIMIT = 2.0
# Seconds a failed call waits to learn why its server went.


class State(StrEnum):
    """What a session is good for at the moment."""

    NEW = "new"
    CONNECTING = "connecting"
    READY = "ready"
    DEAD = "dead"
    CLOSED = "closed"


class SessionSettings(TypedDict, total=False):
    """The options of a `Session`."""

    timeout: float
    connect_timeout: float
    mode: str
    env: Mapping[str, str] | None
    cwd: str | None
    headers: Mapping[str, str] | None
    handlers: Handlers | None
    executor: Executor | None


class Session:
    """A connection to a server; `open` it once, then `call` its tools by the server's own names.

    `target` as in `read_target`. `timeout` is in seconds for every call, not counting the time a question to
    the person is open; `connect_timeout` for everything from the start of the program to the list of tools.
    `mode` is ``auto``, ``legacy`` (protocol versions up to 2025-11-25) or a newer version. `env` is added to
    the safe part of the environment, `headers` to HTTP requests. `executor` is where everything runs.

    Raises `DefinitionError` for a target that cannot be read and for times that are not above 0, `SetupError`
    where the mcp package is missing.
    """

    def __init__(
        self,
        label: str,
        target: object,
        *,
        timeout: float = 60.0,
        connect_timeout: float = 30.0,
        mode: str = "auto",
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        headers: Mapping[str, str] | None = None,
        handlers: Handlers | None = None,
        executor: Executor | None = None,
    ) -> None:
        sdk.require()
        self.label = label
        self.target: Target = read_target(target)
        self.timeout = _above_zero("timeout", timeout)
        self.connect_timeout = _above_zero("connect_timeout", connect_timeout)
        self.mode = mode
        self.handlers = handlers or Handlers()
        self.executor: Executor = executor or background()
        self.state = State.NEW
        self.reason = ""
        """Why the session is over; empty while it is not."""
        self.listing = Listing()
        self.on_change: Callable[[], None] | None = None
        """Called on the session's thread after the list of tools was read again."""
        self.on_end: Callable[[], None] | None = None
        """Called on the session's thread, once, when the session is over; `state` and `reason` say how."""
        self.server_name = ""
        self.server_version = ""
        self.protocol = ""
        """The protocol version both sides agreed on."""
        self.instructions = ""
        self._env, self._cwd, self._headers = environment(env), cwd, dict(headers or {})
        self._process: StdioServer | None = None
        self._tap = Tap()
        self._client: Any = None
        self._calls = CallsInFlight(self)
        self._owner: asyncio.Task[None] | None = None
        self._opened = asyncio.Event()
        self._explained = asyncio.Event()
        self._stop = asyncio.Event()
        self._failure: BaseException | None = None
        self._pid = os.getpid()
        self._news = News(self, self._calls)

    # -- from any thread ---

    def open(self) -> Future[Any]:
        """Connect and read the list of tools. The future raises `McpConnectError` when that fails."""
        if self.state is not State.NEW:
            raise McpError(f"The session {self.label!r} was opened before; make a new one.", self.label)
        self.state = State.CONNECTING
        return self.executor.submit(self._open)

    def call(
        self, name: str, arguments: Mapping[str, Any] | None = None, *, timeout: float | None = None
    ) -> Future[Any]:
        """Start a call of a tool by the server's own name.

        It gives an `McpValue` or raises an `McpError`; cancelling it cancels the call at the server too.
        """
        return self.executor.submit(self.acall, name, arguments, timeout=timeout)

    def close(self) -> Future[Any]:
        """End the session and its process, within about 5 seconds. Closing twice is harmless."""
        return self.executor.submit(self._close)

    @property
    def tools(self) -> tuple[RemoteTool, ...]:
        """The server's tools that can be used."""
        return self.listing.tools

    @property
    def malformed(self) -> tuple[Malformed, ...]:
        """The tools in the server's list that cannot be used, each with its reason."""
        return self.listing.malformed

    @property
    def pid(self) -> int | None:
        """The process id of a stdio server."""
        return self._process.pid if self._process is not None else None

    def stderr(self, lines: int = 20) -> list[str]:
        """The last lines that a stdio server wrote to its stderr."""
        return self._process.stderr_lines(lines) if self._process is not None else []

    def stray_output(self) -> list[str]:
        """The last lines on a stdio server's stdout that were no messages of the protocol."""
        return list(self._process.junk) if self._process is not None else []

    def __repr__(self) -> str:
        first, *more = self.reason.splitlines() or [""]
        about = f", {len(self.tools)} tools" if self.state is State.READY else f": {first}" if first else ""
        return f"<Session {self.label!r} {self.state}{about}{'…' if more else ''}>"

    # -- on the session's loop ---

    async def acall(
        self, name: str, arguments: Mapping[str, Any] | None = None, *, timeout: float | None = None
    ) -> McpValue:
        """The same as `call`, to be awaited on the session's own loop."""
        if self._pid != os.getpid():
            raise McpClosed(
                f"The session {self.label!r} belongs to the process that this one was forked from; connect "
                f"again here: deck.mcp.connect(…, label='another').",
                self.label,
            )
        client = self._usable()
        limit = self.timeout if timeout is None else _above_zero("timeout", timeout)
        with self._calls.started(name, limit) as running:
            try:
                async with running.clock:
                    result = await client.call_tool(
                        name, dict(arguments or {}), progress_callback=running.progress
                    )
            except TimeoutError:
                if running.clock.expired():
                    raise McpTimeout(
                        f"{name} of the MCP server {self.label!r} took longer than its limit of {limit:g} s; "
                        "the server was told to stop.",
                        self.label,
                    ) from None
                raise
            except Exception as error:  # noqa: BLE001 - whatever the client library raises, told in our words
                raise await self._call_error(error, name) from None
            await running.all_told()
        value = value_of(result)
        if value.is_error:
            raise McpToolError(value.text, self.label, value)
        return value

    async def _open(self) -> None:
        self._owner = asyncio.create_task(self._own(), name=f"mcp-{self.label}")
        try:
            await self._opened.wait()
        except asyncio.CancelledError:
            await self._give_up()
            raise
        if self._failure is not None:
            raise self._failure

    async def _own(self) -> None:
        """The owner: everything is entered and left here."""
        try:
            await asyncio.to_thread(sdk.prepare)
            # Takes seconds the first time; done while the server starts, not in the middle of a call.
            warming = asyncio.create_task(asyncio.to_thread(warm_up))
            async with AsyncExitStack() as stack:
                await self._enter(stack)
                await warming
                self.state = State.READY
                self._opened.set()
                await self._until_over()
                if not self._stop.is_set():
                    await self._learn_end()
        except asyncio.CancelledError:
            self.reason = self.reason or "it was cancelled"
        except BaseException as error:  # noqa: BLE001 - kept for whoever waits for the session to open
            self._failure = await self._connect_error(error)
            self.reason = self.reason or str(self._failure)
        finally:
            self._client = None
            self.state = State.CLOSED if self._stop.is_set() else State.DEAD
            self._opened.set()
            self._tell_end()

    async def _enter(self, stack: AsyncExitStack) -> None:
        clock = asyncio.timeout(self.connect_timeout)
        try:
            async with clock:
                client = await stack.enter_async_context(self._make_client())
                self._tap.version = lambda: client.protocol_version
                # The library would throw away results that do not fit the tool's output schema; we keep them
                # and say what does not fit.
                client.session.validate_tool_result = _anything_goes
                self._client = client
                info = client.server_info
                self.server_name, self.server_version = (info.name, info.version) if info else ("", "")
                self.protocol = client.protocol_version
                self.instructions = client.instructions or ""
                self.listing = await read_tools(client, self._tap)
                stack.callback(self._news.stop)
                self._news.listen(client)
        except TimeoutError:
            if clock.expired():
                raise McpConnectError(
                    f"did not answer within {self.connect_timeout:g} s", self.label
                ) from None
            raise

    def _make_client(self) -> Any:
        import mcp
        from mcp import types

        return mcp.Client(
            self._transport(),
            mode=self.mode,
            cache=None,
            client_info=types.Implementation(name="tooldeck", version=__version__),
            elicitation_callback=self._calls.elicited,
            logging_callback=self._news.log,
            log_level="info",
            message_handler=self._news.hear,
        )

    def _transport(self) -> Any:
        if isinstance(self.target, Command):
            self._process = StdioServer(self.target, self._env, self._cwd)
            return self._tap.through(self._process.streams())
        if isinstance(self.target, Url):
            return self._tap.through(http_streams(self.target.url, self._headers))
        return self.target.server

    async def _until_over(self) -> None:
        """Wait for somebody to close the session, or for the server to go."""
        waits = {asyncio.create_task(event.wait()) for event in (self._stop, self._tap.ended)}
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waits:
                task.cancel()

    async def _learn_end(self) -> None:
        """Find out why the server went, and only then call the session dead."""
        if self._process is None:
            self.reason = "the connection ended"
        else:
            await self._process.settled(1.0)
            ending, told = self._process.ending() or "it closed its output", self._process.told()
            self.reason = f"{ending}.\n{told}" if told else ending
        self.state = State.DEAD
        self._explained.set()
        self._tell_end()

    def _tell_end(self) -> None:
        on_end, self.on_end = self.on_end, None
        if on_end is not None:
            with contextlib.suppress(Exception):  # a listener must not keep the session from ending
                on_end()

    async def read_list_again(self) -> None:
        """The server says that its list of tools has changed."""
        client = self._client
        if client is None or self.state is not State.READY:
            return
        self.listing = await read_tools(client, self._tap)
        if self.on_change is not None:
            self.on_change()
        await self._calls.tell(self.handlers.on_tools_changed, self)

    async def _close(self) -> None:
        owner = self._owner
        self._stop.set()
        if owner is None or owner.done():
            self.state = State.CLOSED
            return
        self.reason = "it was closed"
        if not self._opened.is_set():
            owner.cancel()
        done, _ = await asyncio.wait([owner], timeout=_CLOSE_LIMIT)
        if not done:
            owner.cancel()
            await asyncio.wait([owner], timeout=1.0)
        self.state = State.CLOSED

    async def _give_up(self) -> None:
        """Somebody stopped waiting for the session to open."""
        self._stop.set()
        if self._owner is not None:
            self._owner.cancel()
            await asyncio.wait([self._owner], timeout=_CLOSE_LIMIT)

    # -- errors in our words ---

    def _usable(self) -> Any:
        if self.state is State.READY and self._client is not None and not self._tap.ended.is_set():
            return self._client
        raise self._over()

    def _over(self) -> McpClosed:
        how = self.reason or f"it is {self.state}"
        return McpClosed(
            f"The session with the MCP server {self.label!r} is over: {how}\n"
            f"Connect again with deck.mcp.reconnect({self.label!r}).",
            self.label,
        )

    async def _call_error(self, error: Exception, tool: str) -> Exception:
        """The error of a call; when the server went, the reason why it did."""
        if not (self._tap.ended.is_set() or self._stop.is_set()):
            return faults.of_call(error, tool, self.label)
        if not self._stop.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._explained.wait(), _EXPLAIN_LIMIT)
        return self._over()

    async def _connect_error(self, error: BaseException) -> BaseException:
        """Why no session came about, with what the program printed."""
        process = self._process
        if process is None:
            return faults.of_connect(error, self.label, self.target)
        await process.settled(1.0)
        return faults.of_connect(error, self.label, self.target, process.ending(), process.told())


def _above_zero(name: str, seconds: float) -> float:
    if not seconds > 0:
        raise DefinitionError(f"{name} must be more than 0 seconds, got {seconds!r}.")
    return float(seconds)


async def _anything_goes(name: str, result: object) -> None:
    """Stands in for the client library's check of results."""
