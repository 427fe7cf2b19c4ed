"""Making connections: a target becomes a session, its tools come into the deck; and again, when it went."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, Unpack

from tooldeck.core.call import current_call
from tooldeck.core.errors import DefinitionError
from tooldeck.core.tool import Executor
from tooldeck.hosts.blocking import step
from tooldeck.mcp.accepting import Accepting
from tooldeck.mcp.connection import Connection
from tooldeck.mcp.errors import McpConnectError
from tooldeck.mcp.handlers import Handlers
from tooldeck.mcp.oauth.signin import SignIn
from tooldeck.mcp.options import ConnectOptions, check_options
from tooldeck.mcp.past import Past
from tooldeck.mcp.resuming import resume
from tooldeck.mcp.reviving import Reviving
from tooldeck.mcp.session import Session, State
from tooldeck.mcp.shelving import Shelving
from tooldeck.mcp.target import InProcess, Url, check_label, default_label, read_target
from tooldeck.mcp.tools import Declarations
from tooldeck.mcp.waiting import refuse_to_block
from tooldeck.mcp.ways import Way, Ways

__all__ = ["Connecting"]

_DECLARED = ("reads", "effects", "breaker", "trust", "only", "without", "rate", "rates")
# The options that are the user's declarations.


class Connecting(Accepting):
    """The methods of `Connections` that begin a connection."""

    handlers: Handlers
    in_process: Executor | None
    on_end: Callable[[Connection], None] | None
    on_revived: Callable[[Connection], None] | None
    _shelving: Shelving
    _reviving: Reviving
    _lock: threading.RLock

    def connect(self, target: object, **options: Unpack[ConnectOptions]) -> Connection:
        """Connect to a server and add its tools to the deck.

        `target` is a command line, a list of words, an http(s) URL, ``demo`` or a server object; the options
        are those of `ConnectOptions`. Connecting the same target under the same label again replaces the
        connection.

        A command is started without a question because the caller has written it. It is shown and asked about
        where that is not so: with `unseen`, as for commands out of a file, and within a call of a tool. What
        was approved is not asked about again until it changes; nor are the definitions of the tools, which
        are accepted with the first connection and held back whenever they change.

        Raises `McpConnectError`, `DefinitionError` or `SetupError`; other connections are left alone.
        """
        made, unseen = self._made(target, **options)
        refuse_to_block(made, *self._in_the_way(made))
        return step(self._connect(made, self._blocking, unseen=unseen))

    async def aconnect(self, target: object, **options: Unpack[ConnectOptions]) -> Connection:
        """The same as `connect`, to be awaited."""
        made, unseen = self._made(target, **options)
        return await self._connect(made, self._awaited, unseen=unseen)

    def reconnect(self, label: str) -> Connection:
        """Close a connection, whatever its state, and make it again with the same settings.

        Meanwhile it keeps its label and its tools, and calls of them wait. When it fails, the connection
        stays as a dead one whose reason is why, so that it can be tried again.
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
        """The connection that takes the place of `old`; whoever comes while it is made waits for it too."""
        with self._lock:
            join = old.restarting or old.latest is not old
            coming = old.coming = old.coming if join and old.coming else Future()
        if join:
            made = await wait(old.session.executor.submit(old.arrival))
            if made is None:
                raise McpConnectError(old.reason, old.label)
            return made.latest
        try:
            made = await self._replaced(old, wait)
        except BaseException as error:
            self._stays(old, str(error) or f"starting it again ended with {type(error).__name__}")
            coming.set_result(None)
            self._ended(old)
            raise
        coming.set_result(made)
        self._ended(old)
        await wait(made.session.executor.submit(resume, old, made))
        if self.on_revived is not None:
            self.on_revived(made)
        return made

    async def _replaced(self, old: Connection, wait: Callable[[Future[Any]], Awaitable[Any]]) -> Connection:
        await wait(old.session.make_room())
        made = old.renewed()
        await wait(made.session.open())
        return self._take_in(made, old)

    def _stays(self, old: Connection, why: str) -> None:
        """A server that did not start again is listed as dead, unless somebody closed it meanwhile."""
        with self._lock:
            here = self._all.get(old.label)
            if here is not None and here.past is old.past:
                self._all[old.label] = old
                old.session.not_again(State.DEAD, why)
            else:
                old.session.not_again(State.CLOSED, "it was closed")

    def _made(self, target: object, **options: Any) -> tuple[Connection, bool]:
        """A connection that is not open yet, and whether its command is one that nobody here has written."""
        check_options(options)
        label, unseen = options.pop("label", None), options.pop("unseen", False)
        declared = Declarations(**{name: options.pop(name) for name in _DECLARED if name in options})
        read = read_target(target)
        name = label or default_label(read)
        check_label(name)
        settings: dict[str, Any] = {"handlers": self.handlers, **options}
        settings["sign_in"] = settings.get("sign_in") or SignIn()  # one for all sessions of the connection
        if settings["sign_in"].by is not None and not isinstance(read, Url):
            raise DefinitionError(f"{name!r} is not reached by a URL, so nobody signs in to it.")
        if isinstance(read, InProcess) and self.in_process is not None:
            settings.setdefault("executor", self.in_process)
        past = Past()

        def again() -> Session:
            return Session(name, read, log=past.log, **settings)

        made = Connection(
            again(),
            declared,
            again,
            past,
            given_env=settings.get("env"),
            folder=settings.get("cwd"),
            ways=Ways(self._blocking, self._awaited),
        )
        return made, unseen

    def _in_the_way(self, made: Connection) -> list[Connection]:
        """What is to be closed before `made` can take its place; refuses to throw out another server."""
        old = self._all.get(made.label)
        if old is None:
            return []
        if old.state in {State.READY, State.RESTARTING} and old.session.target != made.session.target:
            raise DefinitionError(
                f"The label {made.label!r} belongs to {str(old.session.target)!r}; give the new server "
                f"another label, or close that one first: deck.mcp.close({made.label!r})."
            )
        return [old]

    def _take_in(self, made: Connection, old: Connection | None = None) -> Connection:
        with self._lock:
            try:
                self._refuse_without(old)
                for other in self._in_the_way(made):
                    if other is not old:  # another thread was faster
                        self._leave(other)
                self._all[made.label] = made
                made.revive = partial(self._reviving.session, made)
                self._shelving.update(made)
            except BaseException:
                made.session.close()  # nobody else knows of it
                raise
        made.session.on_change = lambda: self._changed(made)
        made.session.on_end = lambda: self._ended(made)
        return made

    def _refuse_without(self, old: Connection | None) -> None:
        """Whoever closed a server while it was starting again does not get it back."""
        if old is not None and self._all.get(old.label) is not old:
            raise McpConnectError(f"The MCP server {old.label!r} was closed meanwhile.", old.label)

    def _ended(self, connection: Connection) -> None:
        if self.on_end is not None:
            self.on_end(connection)

    def _changed(self, connection: Connection) -> None:
        """The server has another list of tools now."""
        with self._lock:
            if self._all.get(connection.label) is connection:
                self._shelving.update(connection)

    def _leave(self, connection: Connection) -> Future[Any]:
        with self._lock:
            self._all.pop(connection.label, None)
            self._shelving.clear(connection.label)
        return connection.session.close()
