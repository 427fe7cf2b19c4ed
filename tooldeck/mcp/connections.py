"""All MCP servers of a deck: ``deck.mcp``. Connects them, closes them, finds them by their labels."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any, Unpack

from tooldeck.core.call import current_call
from tooldeck.core.errors import DefinitionError, TooldeckError
from tooldeck.core.result import ToolResult
from tooldeck.core.settings import BreakerSettings
from tooldeck.core.tool import Executor, Tool
from tooldeck.hosts.blocking import step
from tooldeck.mcp import sdk
from tooldeck.mcp.connection import Connection
from tooldeck.mcp.errors import McpConnectError
from tooldeck.mcp.handlers import Handlers
from tooldeck.mcp.listing import RemoteTool
from tooldeck.mcp.past import Past
from tooldeck.mcp.pins import Pins, Standing
from tooldeck.mcp.probing import Probing
from tooldeck.mcp.session import Session, SessionSettings, State
from tooldeck.mcp.shelving import Shelf, Shelving
from tooldeck.mcp.target import InProcess, check_label, default_label, read_target
from tooldeck.mcp.tools import Declarations
from tooldeck.mcp.trust import Trust
from tooldeck.mcp.waiting import refuse_to_block, wait_for
from tooldeck.mcp.ways import Way, awaited_way, blocking_way
from tooldeck.store.tables import PinTable

__all__ = ["Connection", "Connections"]


class Connections(Probing):
    """The MCP servers of a deck: a mapping from label to `Connection`.

    `wait` waits for a future on the calling thread, `wait_async` in the running loop; in a notebook both keep
    widgets alive. `call` and `acall` are the deck's own, for questions to the person; without them nobody can
    be asked. `pins` keeps what was accepted.
    `handlers` are those of every connection that is given none of its own. Raises `SetupError` where the mcp
    package is missing or too old.
    """

    def __init__(
        self,
        shelf: Shelf,
        *,
        wait: Callable[[Future[Any]], Any] = Future.result,
        wait_async: Callable[[Future[Any]], Awaitable[Any]] = asyncio.wrap_future,
        call: Callable[[Tool, Mapping[str, Any]], ToolResult] | None = None,
        acall: Callable[[Tool, Mapping[str, Any]], Awaitable[ToolResult]] | None = None,
        pins: PinTable | None = None,
    ) -> None:
        sdk.require()
        super().__init__()
        self.wait = wait
        self.handlers = Handlers()
        self.in_process: Executor | None = None
        """Where the sessions of server objects run unless told otherwise; None is the session thread."""
        self.on_end: Callable[[Connection], None] | None = None
        """Told on the session's thread when a connection is over, also while nobody uses it."""
        self.on_revived: Callable[[Connection], None] | None = None
        """Told on the session's thread when a server that had gone was connected again."""
        self.trust = Trust(Pins(pins))
        self._blocking = blocking_way(wait, call)
        self._awaited = awaited_way(wait_async, acall)
        self._shelving = Shelving(shelf, self.trust, self.others_tools)
        self._reviving: dict[str, asyncio.Task[Connection]] = {}
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
        trust: bool = False,
        only: Iterable[str] | None = None,
        without: Iterable[str] = (),
        unseen: bool = False,
        **settings: Unpack[SessionSettings],
    ) -> Connection:
        """Connect to a server and add its tools to the deck.

        `target` is a command line, a list of words, an http(s) URL, ``demo`` or a server object. `label`
        names the connection (default: the telling word of the target); connecting the same target under the
        same label again replaces the connection. `reads` and `effects` are the user's declarations, see
        `Declarations`; what is not declared asks before every call. `breaker` says when a failing tool of
        this server is left alone; failures that a tool reports count like those of a server that is gone,
        refused arguments do not. With `trust` the server's own hints that a tool only reads are believed.
        `only` and `without` choose by name or pattern which tools come into the deck. The other options are
        those of `Session`.

        A command is started without a question because the caller has written it. It is shown and asked about
        where that is not so: with `unseen`, as for commands out of a file, and within a call of a tool. What
        was approved is not asked about again until it changes; nor are the definitions of the tools, which
        are accepted with the first connection and held back whenever they change.

        Raises `McpConnectError`, `DefinitionError` or `SetupError`; other connections are left alone.
        """
        declared = Declarations(reads, effects, breaker, trust=trust, only=only, without=without)
        made = self._made(target, label, declared, settings)
        refuse_to_block(made, *self._in_the_way(made))
        return step(self._connect(made, self._blocking, unseen=unseen))

    async def aconnect(
        self,
        target: object,
        *,
        label: str | None = None,
        reads: Iterable[str] | str = (),
        effects: Mapping[str, str | Iterable[str]] | None = None,
        breaker: BreakerSettings | None = None,
        trust: bool = False,
        only: Iterable[str] | None = None,
        without: Iterable[str] = (),
        unseen: bool = False,
        **settings: Unpack[SessionSettings],
    ) -> Connection:
        """The same as `connect`, to be awaited."""
        declared = Declarations(reads, effects, breaker, trust=trust, only=only, without=without)
        made = self._made(target, label, declared, settings)
        return await self._connect(made, self._awaited, unseen=unseen)

    def reconnect(self, label: str) -> Connection:
        """Close a connection, whatever its state, and make it again with the same settings.

        When that fails, the closed connection stays in the list, so that it can be tried again.
        """
        old = self[label]
        refuse_to_block(old)
        return step(self._reconnect(old, self._blocking))

    async def areconnect(self, label: str) -> Connection:
        """The same as `reconnect`, to be awaited."""
        return await self._reconnect(self[label], self._awaited)

    async def _connect(self, made: Connection, way: Way, *, unseen: bool) -> Connection:
        for old in self._in_the_way(made):
            await way.wait(self._leave(old))
        if unseen or current_call() is not None:
            await self._permit(made, way)
        self.trust.started(made)
        await way.wait(made.session.open())
        return await self._review(self._take_in(made), way)

    async def _permit(self, made: Connection, way: Way) -> None:
        """Ask before a command is started that nobody has written here; raises where it may not be."""
        question = self.trust.question_to_start(made)
        if question is None:
            return
        answer = await way.ask(question)
        if answer is None or not answer.ok:
            why = "nobody could be asked" if answer is None else answer.error
            raise McpConnectError(f"The MCP server {made.label!r} was not started: {why}", made.label)

    async def _reconnect(self, old: Connection, way: Way) -> Connection:
        return await self._review(await self._renewed(old, way.wait), way)

    async def _renewed(self, old: Connection, wait: Callable[[Future[Any]], Awaitable[Any]]) -> Connection:
        await wait(self._leave(old))
        made = old.renewed()
        try:
            await wait(made.session.open())
        except BaseException:
            old.tools, old.names = {}, {}
            self._all.setdefault(old.label, old)
            raise
        return self._take_in(made)

    # -- accepting ---

    def approve(self, label: str, *names: str) -> bool:
        """Ask the person to accept the tools of a server that are new or changed: all, or those of `names`.

        The question shows the whole difference. Gives whether everything of it is accepted now.
        """
        return step(self._approve(self[label], self._blocking, names))

    async def aapprove(self, label: str, *names: str) -> bool:
        """The same as `approve`, to be awaited."""
        return await self._approve(self[label], self._awaited, names)

    async def _review(self, made: Connection, way: Way) -> Connection:
        """After connecting, ask about what has changed since it was accepted; what is new can wait."""
        changed = [name for name, standing in made.held.items() if standing is Standing.CHANGED]
        if changed:
            await self._approve(made, way, changed)
        return made

    async def _approve(self, made: Connection, way: Way, names: Iterable[str]) -> bool:
        waiting = self.trust.waiting(made, names)
        if waiting:
            await way.ask(self.trust.question_to_accept(made, waiting, lambda: self._changed(made)))
        return not self.trust.waiting(made, names)

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

        return Connection(
            again(), declared, again, past, given_env=settings.get("env"), folder=settings.get("cwd")
        )

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
                made.revive = partial(self._revived, made)
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
        """The server has another list of tools now."""
        with self._lock:
            if self._all.get(connection.label) is connection:
                self._shelving.update(connection)

    async def _revived(self, dead: Connection, remote: RemoteTool) -> Session | None:
        """On the session's loop: connect a server that went some time ago again, for a call of its tool.

        Not at once, since whoever calls is to learn that the server went and what it held with it. None where
        it is too early, or where the tool is not what it was.
        """
        if dead.identity is None or dead.session.over_for() < dead.declared.breaker.cooldown:
            return None
        made = self._all.get(dead.label)
        if made is dead:
            task = self._reviving.get(dead.label)
            if task is None:
                task = self._reviving[dead.label] = asyncio.create_task(self._revive(dead))
                task.add_done_callback(lambda _: self._reviving.pop(dead.label, None))
            made = await asyncio.shield(task)
        if made is None or remote.name not in made.tools or remote.name in made.held:
            return None
        return made.session

    async def _revive(self, dead: Connection) -> Connection:
        why = (dead.reason.splitlines() or ["it was gone"])[0]
        made = await self._renewed(dead, asyncio.wrap_future)
        made.notes.append(f"Connected again, since {why} What it held in memory is lost.")
        if self.on_revived is not None:
            self.on_revived(made)
        return made

    # -- closing ---

    def close(self, label: str) -> None:
        """Take the server's tools out of the deck and end the session, within about 5 seconds."""
        connection = self[label]
        refuse_to_block(connection)
        wait_for(self._leave(connection), self.wait)

    async def aclose(self, label: str) -> None:
        """The same as `close`, to be awaited."""
        await self._awaited.wait(self._leave(self[label]))

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
