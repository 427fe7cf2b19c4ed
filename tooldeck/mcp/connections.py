"""All MCP servers of a deck: ``deck.mcp``. Connects, puts their tools on the shelf, takes them off again."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future
from typing import Any, Protocol, Unpack

from tooldeck.core.errors import DefinitionError, TooldeckError
from tooldeck.core.settings import BreakerSettings
from tooldeck.core.tool import Executor, Origin, Tool
from tooldeck.core.vocabulary import nearest
from tooldeck.mcp import sdk
from tooldeck.mcp.handlers import Handlers
from tooldeck.mcp.names import deck_names
from tooldeck.mcp.session import Session, SessionSettings, State
from tooldeck.mcp.tap import Malformed
from tooldeck.mcp.target import InProcess, default_label, read_target
from tooldeck.mcp.tools import Declarations, make_tool

__all__ = ["Connection", "Connections", "Shelf", "wait_for"]


class Shelf(Protocol):
    """Where tools are put; a deck is one."""

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The tools by name."""
        ...

    def add(self, thing: Any, /) -> Tool:
        """Put a tool there; raises `DefinitionError` when its name belongs to somebody else."""
        ...

    def remove(self, name: str) -> None:
        """Take a tool away."""
        ...


def wait_for(future: Future[Any]) -> Any:
    """The result of a future, by plain waiting; an interrupt cancels it and lets it end."""
    try:
        return future.result()
    except BaseException:
        if not future.done():
            future.cancel()
            finished: threading.Event | None = getattr(future, "finished", None)
            if finished is not None:
                finished.wait(3.0)
        raise


class Connection:
    """A session with its tools in the deck; maps the server's own tool names to the deck's tools."""

    def __init__(self, session: Session, declared: Declarations, again: Callable[[], Session]) -> None:
        self.session = session
        self.declared = declared
        self.again = again
        """Makes a fresh session with the same settings."""
        self.names: dict[str, str] = {}
        """The deck's name of each tool, by the server's own."""
        self.tools: dict[str, Tool] = {}
        """The deck's tools, by the server's own names."""
        self.malformed: tuple[Malformed, ...] = ()
        """Tools of the server that cannot be used, with reasons."""
        self.notes: list[str] = []
        """What the user should be told: renamed tools, unusable ones, declarations that fit nothing."""

    @property
    def label(self) -> str:
        """The name of the session."""
        return self.session.label

    @property
    def state(self) -> State:
        """Whether the session can be used."""
        return self.session.state

    @property
    def reason(self) -> str:
        """Why the session is over; empty while it is not."""
        return self.session.reason

    def __getitem__(self, name: str) -> Tool:
        try:
            return self.tools[name]
        except KeyError:
            close = nearest(name, self.tools)
            hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
            raise KeyError(f"The MCP server {self.label!r} has no tool {name!r}{hint}") from None

    def __getattr__(self, name: str) -> Tool:
        # Names with an underscore are Python's and IPython's to ask for: displaying a connection must call
        # no tool that a server named so.
        if name.startswith("_") or name not in self.__dict__["tools"]:
            raise AttributeError(name)
        return self.__dict__["tools"][name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tools)

    def __len__(self) -> int:
        return len(self.tools)

    def __contains__(self, name: object) -> bool:
        return name in self.tools

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name for name in self.tools if name.isidentifier())]

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.tools)

    def __repr__(self) -> str:
        return f"<MCP {self.label!r} {self.state}, {len(self.tools)} tools from {self.session.target}>"


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
        wait: Callable[[Future[Any]], Any] = wait_for,
        wait_async: Callable[[Future[Any]], Awaitable[Any]] = asyncio.wrap_future,
    ) -> None:
        sdk.require()
        self.wait = wait
        self.wait_async = wait_async
        self.handlers = Handlers()
        self.in_process: Executor | None = None
        """Where the sessions of server objects run unless told otherwise; None is the session thread."""
        self.on_end: Callable[[Connection], None] | None = None
        """Told on the session's thread when a connection is over, also while nobody uses it."""
        self._shelf = shelf
        self._all: dict[str, Connection] = {}
        self._known: dict[str, dict[str, str]] = {}
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
        _refuse_to_block(made)
        for old in self._in_the_way(made):
            self.close(old)
        self._waited(made.session.open())
        return self._take_in(made)

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
        for old in self._in_the_way(made):
            await self.aclose(old)
        await self.wait_async(made.session.open())
        return self._take_in(made)

    def reconnect(self, label: str) -> Connection:
        """Close a connection, whatever its state, and make it again with the same settings.

        When that fails, the closed connection stays in the list, so that it can be tried again.
        """
        old = self[label]
        self.close(label)
        made = Connection(old.again(), old.declared, old.again)
        with self._kept_when_it_fails(old):
            self._waited(made.session.open())
        return self._take_in(made)

    async def areconnect(self, label: str) -> Connection:
        """The same as `reconnect`, to be awaited."""
        old = self[label]
        await self.aclose(label)
        made = Connection(old.again(), old.declared, old.again)
        with self._kept_when_it_fails(old):
            await self.wait_async(made.session.open())
        return self._take_in(made)

    @contextlib.contextmanager
    def _kept_when_it_fails(self, old: Connection) -> Generator[None]:
        try:
            yield
        except BaseException:
            old.tools, old.names = {}, {}
            self._all.setdefault(old.label, old)
            raise

    def _made(
        self, target: object, label: str | None, declared: Declarations, settings: SessionSettings
    ) -> Connection:
        read = read_target(target)
        name = label or default_label(read)
        _check_label(name)
        settings = {"handlers": self.handlers, **settings}
        if isinstance(read, InProcess) and self.in_process is not None:
            settings.setdefault("executor", self.in_process)

        def again() -> Session:
            return Session(name, read, **settings)

        return Connection(again(), declared, again)

    def _in_the_way(self, made: Connection) -> list[str]:
        """The labels to close before `made` can take its place; refuses to throw out another server."""
        old = self._all.get(made.label)
        if old is None:
            return []
        if old.state is State.READY and old.session.target != made.session.target:
            raise DefinitionError(
                f"The label {made.label!r} belongs to {str(old.session.target)!r}; give the new server "
                f"another label, or close that one first: deck.mcp.close({made.label!r})."
            )
        return [made.label]

    def _take_in(self, made: Connection) -> Connection:
        with self._lock:
            try:
                for other in self._in_the_way(made):  # another thread was faster
                    self._leave(self._all[other])
                self._all[made.label] = made
                self._shelve(made)
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
                self._shelve(connection)

    # -- tools ---

    def _shelve(self, connection: Connection) -> None:
        """Bring the deck up to date with the server's list: new, changed and vanished tools."""
        session, label = connection.session, connection.label
        origin = Origin("mcp", label)
        taken = self._tools_now()
        mine = {name for name, tool in taken.items() if tool.origin == origin}
        known = self._known.setdefault(label, {})
        names = deck_names(
            label,
            [tool.name for tool in session.tools],
            lambda name: name in mine or name not in taken,
            known,
        )
        bad = list(session.malformed)
        made: dict[str, Tool] = {}
        for remote in session.tools:
            try:
                made[remote.name] = make_tool(session, remote, names[remote.name], connection.declared)
            except DefinitionError as error:
                bad.append(Malformed(remote.name, str(error)))
        fresh = {tool.name for tool in made.values()}
        for name in mine - fresh:
            self._shelf.remove(name)
        connection.tools = {raw: self._shelf.add(tool) for raw, tool in made.items()}
        connection.names = {raw: names[raw] for raw in made}
        connection.malformed = tuple(bad)
        known.update(connection.names)
        renamed = [
            f"{raw!r} is called {name!r} here{self._why(raw, label)}"
            for raw, name in connection.names.items()
            if raw != name
        ]
        unusable = [f"Not usable: {one}" for one in bad]
        unused = connection.declared.unused(tool.name for tool in session.tools)
        connection.notes = [*renamed, *unusable, *unused]

    def _tools_now(self) -> dict[str, Tool]:
        """The tools of this moment, since other threads add and remove some meanwhile."""
        return dict(list(self._shelf.tools.items()))

    def _why(self, raw: str, label: str) -> str:
        other = self._shelf.tools.get(raw)
        if other is None or other.origin == Origin("mcp", label):
            return "."
        return f", because {raw!r} is a tool of {other.origin}."

    # -- closing ---

    def close(self, label: str) -> None:
        """Take the server's tools out of the deck and end the session, within about 5 seconds."""
        _refuse_to_block(self[label])
        self._waited(self._leave(self[label]))

    async def aclose(self, label: str) -> None:
        """The same as `close`, to be awaited."""
        await self.wait_async(self._leave(self[label]))

    def close_all(self) -> None:
        """Close every connection, all at the same time; those that cannot be waited for here end later."""
        leaving = [(connection, self._leave(connection)) for connection in list(self._all.values())]
        for connection, future in leaving:
            try:
                _refuse_to_block(connection)
            except TooldeckError:
                continue
            self._waited(future)

    def _leave(self, connection: Connection) -> Future[Any]:
        origin = Origin("mcp", connection.label)
        with self._lock:
            self._all.pop(connection.label, None)
            for name in [name for name, tool in self._tools_now().items() if tool.origin == origin]:
                self._shelf.remove(name)
        return connection.session.close()

    def _waited(self, future: Future[Any]) -> Any:
        try:
            return self.wait(future)
        except BaseException:
            if not future.done():
                future.cancel()
            finished: threading.Event | None = getattr(future, "finished", None)
            if finished is not None:
                finished.wait(8.0)
            raise

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


def _refuse_to_block(connection: Connection) -> None:
    """Raise, before anything is begun, where this thread must not wait for the session's loop."""
    refuse: Callable[[], None] | None = getattr(connection.session.executor, "refuse_to_block", None)
    if refuse is not None:
        refuse()


def _check_label(label: str) -> None:
    if not label or not all(c.isascii() and (c.isalnum() or c in "_-") for c in label) or len(label) > 32:
        raise DefinitionError(f"A label has 1 to 32 letters, digits, '_' or '-', this one is {label!r}.")
