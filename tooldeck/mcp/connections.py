"""All MCP servers of a deck: ``deck.mcp``. Connects them, closes them, finds them by their labels."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from typing import Any, Unpack

from tooldeck.core.errors import DefinitionError, TooldeckError
from tooldeck.core.settings import BreakerSettings
from tooldeck.core.tool import Executor
from tooldeck.core.vocabulary import nearest
from tooldeck.hosts.blocking import step
from tooldeck.mcp import sdk
from tooldeck.mcp.connection import Connection
from tooldeck.mcp.handlers import Handlers
from tooldeck.mcp.past import Past
from tooldeck.mcp.session import Session, SessionSettings, State
from tooldeck.mcp.shelving import Shelf, Shelving
from tooldeck.mcp.target import InProcess, check_label, default_label, read_target
from tooldeck.mcp.tools import Declarations
from tooldeck.mcp.waiting import refuse_to_block, wait_for

__all__ = ["Connection", "Connections"]

_Wait = Callable[[Future[Any]], Awaitable[Any]]


class Connections:
    """The MCP servers of a deck: a mapping from label to `Connection`.

    `wait` waits for a future on the calling thread, `wait_async` in the running loop; in a notebook both keep
    widgets alive.
    `handlers` are those of every connection that is given none of its own. Raises `SetupError` where the mcp
    package is missing or too old.
    """

    def __init__(
        self,
        shelf: Shelf,
        *,
        wait: Callable[[Future[Any]], Any] = Future.result,
        wait_async: _Wait = asyncio.wrap_future,
    ) -> None:
        sdk.require()
        self.wait = wait
        self.wait_async = wait_async
        self.handlers = Handlers()
        self.in_process: Executor | None = None
        """Where the sessions of server objects run unless told otherwise; None is the session thread."""
        self.on_end: Callable[[Connection], None] | None = None
        """Told on the session's thread when a connection is over, also while nobody uses it."""
        self._shelving = Shelving(shelf)
        self._all: dict[str, Connection] = {}
        self._lock = threading.RLock()

    # -- connecting ---

    def connect(
        self,
        target: object,
        *,
        label: str | None = None,
        reads: Iterable[str] | str = (),
        effects: Mapping[str, str | Iterable[str]] | None = None,
        breaker: BreakerSettings | None = None,
        **settings: Unpack[SessionSettings],
    ) -> Connection:
        """Connect to a server and add its tools to the deck.

        `target` is a command line, a list of words, an http(s) URL, ``demo`` or a server object. `label`
        names the connection (default: the telling word of the target); connecting the same target under the
        same label again replaces the connection. `reads` and `effects` are the user's declarations, see
        `Declarations`; what is not declared asks before every call. `breaker` says when a failing tool of
        this server is left alone; failures that a tool reports count like those of a server that is gone,
        refused arguments do not. The other options are those of `Session`.

        Raises `McpConnectError`, `DefinitionError` or `SetupError`; other connections are left alone.
        """
        made = self._made(target, label, Declarations(reads, effects, breaker), settings)
        refuse_to_block(made, *self._in_the_way(made))
        return step(self._connect(made, self._blocking))

    async def aconnect(
        self,
        target: object,
        *,
        label: str | None = None,
        reads: Iterable[str] | str = (),
        effects: Mapping[str, str | Iterable[str]] | None = None,
        breaker: BreakerSettings | None = None,
        **settings: Unpack[SessionSettings],
    ) -> Connection:
        """The same as `connect`, to be awaited."""
        made = self._made(target, label, Declarations(reads, effects, breaker), settings)
        return await self._connect(made, self.wait_async)

    def reconnect(self, label: str) -> Connection:
        """Close a connection, whatever its state, and make it again with the same settings.

        When that fails, the closed connection stays in the list, so that it can be tried again.
        """
        old = self[label]
        refuse_to_block(old)
        return step(self._reconnect(old, self._blocking))

    async def areconnect(self, label: str) -> Connection:
        """The same as `reconnect`, to be awaited."""
        return await self._reconnect(self[label], self.wait_async)

    async def _connect(self, made: Connection, wait: _Wait) -> Connection:
        for old in self._in_the_way(made):
            await wait(self._leave(old))
        await wait(made.session.open())
        return self._take_in(made)

    async def _reconnect(self, old: Connection, wait: _Wait) -> Connection:
        await wait(self._leave(old))
        made = Connection(old.again(), old.declared, old.again, old.past)
        try:
            await wait(made.session.open())
        except BaseException:
            old.tools, old.names = {}, {}
            self._all.setdefault(old.label, old)
            raise
        return self._take_in(made)

    async def _blocking(self, future: Future[Any]) -> Any:
        return wait_for(future, self.wait)

    def _made(
        self, target: object, label: str | None, declared: Declarations, settings: SessionSettings
    ) -> Connection:
        read = read_target(target)
        name = label or default_label(read)
        check_label(name)
        settings = {"handlers": self.handlers, **settings}
        if isinstance(read, InProcess) and self.in_process is not None:
            settings.setdefault("executor", self.in_process)

        past = Past()

        def again() -> Session:
            return Session(name, read, log=past.log, **settings)

        return Connection(again(), declared, again, past)

    def _in_the_way(self, made: Connection) -> list[Connection]:
        """What is to be closed before `made` can take its place; refuses to throw out another server."""
        old = self._all.get(made.label)
        if old is None:
            return []
        if old.state is State.READY and old.session.target != made.session.target:
            raise DefinitionError(
                f"The label {made.label!r} belongs to {str(old.session.target)!r}; give the new server "
                f"another label, or close that one first: deck.mcp.close({made.label!r})."
            )
        return [old]

    def _take_in(self, made: Connection) -> Connection:
        with self._lock:
            try:
                for other in self._in_the_way(made):  # another thread was faster
                    self._leave(other)
                self._all[made.label] = made
                self._shelving.update(made)
            except BaseException:
                made.session.close()  # nobody else knows of it
                raise
        made.session.on_change = lambda: self._changed(made)
        made.session.on_end = lambda: self._ended(made)
        return made

    def _ended(self, connection: Connection) -> None:
        if self.on_end is not None:
            self.on_end(connection)

    def _changed(self, connection: Connection) -> None:
        """The server has another list of tools now (on the session's thread)."""
        with self._lock:
            if self._all.get(connection.label) is connection:
                self._shelving.update(connection)

    # -- looking into ---

    def request(self, label: str, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """Send a request of the protocol to a server; gives the raw result, unchecked.

        Raises `McpAnswerError` for an answer that is an error, and `DefinitionError` for ``tools/call``,
        since calls go through the deck.
        """
        return step(self._request(self[label], method, params, self._blocking))

    async def arequest(self, label: str, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """The same as `request`, to be awaited."""
        return await self._request(self[label], method, params, self.wait_async)

    def ping(self, label: str) -> float:
        """Ask a server whether it is there; gives the seconds until it answered."""
        return step(self._ping(self[label], self._blocking))

    async def aping(self, label: str) -> float:
        """The same as `ping`, to be awaited."""
        return await self._ping(self[label], self.wait_async)

    async def _request(
        self, made: Connection, method: str, params: Mapping[str, Any] | None, wait: _Wait
    ) -> Any:
        if method == "tools/call":
            raise DefinitionError(
                "Tools are called through the deck, which checks, asks and logs: deck.call(name, …)."
            )
        return await wait(made.session.request(method, params))

    async def _ping(self, made: Connection, wait: _Wait) -> float:
        started = time.perf_counter()
        await wait(made.session.request("ping" if made.session.is_legacy else "server/discover"))
        return time.perf_counter() - started

    # -- closing ---

    def close(self, label: str) -> None:
        """Take the server's tools out of the deck and end the session, within about 5 seconds."""
        connection = self[label]
        refuse_to_block(connection)
        wait_for(self._leave(connection), self.wait)

    async def aclose(self, label: str) -> None:
        """The same as `close`, to be awaited."""
        await self.wait_async(self._leave(self[label]))

    def close_all(self) -> None:
        """Close every connection, all at the same time; those that cannot be waited for here end later."""
        leaving = [(connection, self._leave(connection)) for connection in list(self._all.values())]
        for connection, future in leaving:
            try:
                refuse_to_block(connection)
            except TooldeckError:
                continue
            wait_for(future, self.wait)

    def _leave(self, connection: Connection) -> Future[Any]:
        with self._lock:
            self._all.pop(connection.label, None)
            self._shelving.clear(connection.label)
        return connection.session.close()

    # -- a mapping ---

    def __getitem__(self, label: str) -> Connection:
        try:
            return self._all[label]
        except KeyError:
            close = nearest(label, self._all, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"connected: {', '.join(self._all) or 'none'}."
            raise KeyError(f"There is no MCP server {label!r}; {hint}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._all))

    def __len__(self) -> int:
        return len(self._all)

    def __contains__(self, label: object) -> bool:
        return label in self._all

    def values(self) -> list[Connection]:
        """The connections, in the order in which they came."""
        return list(self._all.values())

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._all)

    def __repr__(self) -> str:
        shown = ", ".join(f"{one.label} ({one.state})" for one in self._all.values())
        return f"<MCP servers: {shown or 'none'}>"
