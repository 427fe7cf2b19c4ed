"""The language servers of one deck: found, started when first needed, ended with the deck or when idle."""

from __future__ import annotations

import asyncio
import contextlib
import weakref
from collections.abc import AsyncGenerator
from contextvars import Context
from dataclasses import dataclass
from typing import Any

from tooldeck.core.errors import ExpectedError, SetupError
from tooldeck.guards.isolation import Isolation, at_least
from tooldeck.guards.paths import Workspace
from tooldeck.guards.sandbox import best
from tooldeck.hosts.background import background
from tooldeck.tools.language.documents import Opened
from tooldeck.tools.language.kinds import ServerKind
from tooldeck.tools.language.lives import Lives
from tooldeck.tools.language.server import Server
from tooldeck.tools.language.table import Table
from tooldeck.tools.language.wire import Closed, Refusal, Silent

__all__ = ["Languages", "Question", "Session", "Standing"]

IDLE_SECONDS = 600.0
"""After so long without a question a server is ended."""
_MOST_SILENT = 2
# Requests in a row without an answer after which a server is ended.
_END_LIMIT = 8.0
_MOST_SETTINGS = 1_000_000


@dataclass(frozen=True, slots=True)
class Session:
    """A server that holds a file as it is on the disk now, with nobody else asking it meanwhile."""

    server: Server
    document: Opened
    seconds: float
    """How long an answer may take."""

    @property
    def path(self) -> str:
        """The path of the file, from the root of the workspace on."""
        return self.document.path

    async def ask(self, method: str, params: Any) -> Any:
        """The answer to a request. Raises `Refusal`, `Silent` and `Closed`."""
        return await self.server.ask(method, params, self.seconds)

    async def ask_about(self, method: str, **more: Any) -> Any:
        """The answer to a request about the file."""
        return await self.ask(method, {"textDocument": {"uri": self.document.uri}, **more})


@dataclass(frozen=True, slots=True)
class Standing:
    """One kind of server and how it is."""

    name: str
    languages: tuple[str, ...]
    state: str
    """``running``, ``ready`` to be started, ``missing`` or ``failed``."""
    note: str = ""
    """The version of one that runs, how to install a missing one, what went wrong with one that failed."""
    pid: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about a file, and of whom."""

    languages: Languages
    path: str
    server: str = ""
    """The server that is meant; empty for the first that can answer."""
    seconds: float = 30.0
    """How long an answer may take."""

    async def servers(self) -> list[Server]:
        """The first server for the language that can be started, and those that are asked beside it.

        Raises like `Table.fitting`, and `SetupError` where none for the language can be started.
        """
        found: list[Server] = []
        broken: SetupError | None = None
        settled = False
        for kind in self.languages.kinds(self.path, self.server):
            if settled and not kind.beside:
                continue
            try:
                found.append(await self.languages.running(kind))
            except SetupError as error:
                broken = broken or error
                continue
            settled = settled or not kind.beside
        if broken is not None and not settled:
            raise broken
        return found

    def session(self, method: str) -> contextlib.AbstractAsyncContextManager[Session]:
        """A session with the first server that answers `method`; see `Languages.session`."""
        return self.languages.session(self.path, method, server=self.server, seconds=self.seconds)


class Languages:
    """The servers of one deck. Everything async here belongs on the background loop."""

    def __init__(self, deck: Any) -> None:
        self._deck = weakref.ref(deck)
        self.table = Table()
        """The kinds of servers."""
        self._servers: dict[tuple[str, str], Server] = {}
        self._starting: dict[tuple[str, str], asyncio.Lock] = {}
        self._lives = Lives()
        self._idle: dict[tuple[str, str], asyncio.TimerHandle] = {}

    @classmethod
    def of(cls, deck: Any) -> Languages:
        """Those of a deck; its servers end when it is closed or gone."""
        found = _of_decks.get(deck)
        if found is None:
            found = _of_decks[deck] = cls(deck)
            deck.on_close(found.close)
            weakref.finalize(deck, found.close)
        return found

    def add(self, kind: ServerKind) -> None:
        """Let the deck use one more kind of server; see `Table.add`."""
        self.table.add(kind)

    def kinds(self, path: str, name: str = "") -> list[ServerKind]:
        """The installed kinds for a file; see `Table.fitting`."""
        return self.table.fitting(path, self._workspace(), name)

    # -- sessions

    @contextlib.asynccontextmanager
    async def session(
        self, path: str, method: str, *, server: str = "", seconds: float = 30.0, text: str | None = None
    ) -> AsyncGenerator[Session]:
        """A session about a file with the first server that answers `method`; `text` stands in for its own.

        `server` names the one that is meant. Raises `ExpectedError` where none can, `SetupError` where none
        is installed or the sandbox is weaker than the policy demands.
        """
        kinds = sorted(self.kinds(path, server), key=lambda kind: method in kind.partly)
        broken: SetupError | None = None
        for kind in kinds:
            try:
                running = await self.running(kind)
            except SetupError as error:
                broken = broken or error
                continue
            if running.can(method):
                break
        else:
            names = " or ".join(kind.name for kind in kinds)
            raise broken or ExpectedError(f"The language server {names} does not answer {method}.")
        async with self.opened(running, path, seconds, text) as made:
            yield made

    @contextlib.asynccontextmanager
    async def opened(
        self, server: Server, path: str, seconds: float, text: str | None = None
    ) -> AsyncGenerator[Session]:
        """A session about a file with this server."""
        try:
            async with asyncio.timeout(seconds):
                await server.lock.acquire()
        except TimeoutError:
            raise Silent(f"{server.kind.name} was busy with other questions for {seconds:g} s.") from None
        try:
            await server.documents.refresh()
            inside = server.workspace.relative(path)
            yield Session(server, server.documents.open(inside, text), seconds)
            if text is not None:
                server.documents.open(inside)
        except Silent as error:
            raise await self._not_answered(server, error) from None
        finally:
            server.lock.release()

    async def _not_answered(self, server: Server, error: Silent) -> Silent:
        server.silent += 1
        if server.silent < _MOST_SILENT:
            return error
        await server.end()
        key = (str(server.workspace.root), server.kind.name)
        if self._servers.get(key) is server:
            del self._servers[key]
        self._lives.died(key, f"it was ended after {server.silent} requests without an answer")
        return Silent(f"{error} It was ended; the next call starts it anew.")

    async def running(self, kind: ServerKind) -> Server:
        """The server of a kind for the deck's workspace, started where it does not run."""
        workspace = self._workspace()
        key = (str(workspace.root), kind.name)
        async with self._starting.setdefault(key, asyncio.Lock()):
            found = self._servers.get(key)
            if found is not None and found.over:
                self._lives.died(key, found.epitaph())
                await found.end()
                found = None
            if found is not None and not at_least(found.walls.level, self._minimum()):
                await found.end()  # the policy demands more than it did
                found = None
            if found is None:
                self._servers.pop(key, None)
                self._lives.check(key)
                found = await self._started(kind, workspace, key)
        self._idle_from_now(key, found)
        return found

    def _workspace(self) -> Workspace:
        deck = self._deck()
        if deck is None:
            raise SetupError("The deck of these language servers is gone.")
        return deck.workspace

    def _minimum(self) -> Isolation:
        deck = self._deck()
        return deck.policy.isolation if deck is not None else Isolation.LANDLOCK

    async def _started(self, kind: ServerKind, workspace: Workspace, key: tuple[str, str]) -> Server:
        # A workspace of its own, for reading: the deck's may know the deck, which nobody shall hold on to.
        server = Server(kind, Workspace(workspace.root), await best(self._minimum()))
        try:
            # What lives on must not hold the context of this call, and with it the deck, for ever.
            await asyncio.create_task(server.start(), context=Context())
        except (Closed, Silent, Refusal) as error:
            self._lives.died(key, server.epitaph() if isinstance(error, Closed) else str(error))
            await server.end()
            raise SetupError(
                f"The language server {kind.name!r} could not be started: {error} Where a part of it is "
                f"missing, install it with: {kind.install}."
            ) from None
        except BaseException:
            await server.end()
            raise
        self._servers[key] = server
        return server

    def _idle_from_now(self, key: tuple[str, str], server: Server) -> None:
        old = self._idle.pop(key, None)
        if old is not None:
            old.cancel()

        def over() -> None:
            if self._servers.get(key) is not server:
                return
            if server.lock.locked():
                self._idle_from_now(key, server)
                return
            del self._servers[key]
            ending = asyncio.create_task(server.end(), name="tooldeck-language-idle")
            _endings.add(ending)
            ending.add_done_callback(_endings.discard)

        self._idle[key] = asyncio.get_running_loop().call_later(IDLE_SECONDS, over, context=Context())

    # -- status and end

    def standing(self) -> list[Standing]:
        """Every kind and how it is."""
        root = str(self._workspace().root)
        return [self._standing(kind, (root, kind.name)) for kind in self.table]

    def _standing(self, kind: ServerKind, key: tuple[str, str]) -> Standing:
        languages = tuple(dict.fromkeys(kind.languages.values()))
        server = self._servers.get(key)
        if server is not None and not server.over:
            note = (
                f"{server.about or kind.name}, sandbox: {server.walls.level}, positions in {server.encoding}"
            )
            return Standing(kind.name, languages, "running", note, server.pid)
        if self._lives.over(key):
            return Standing(kind.name, languages, "failed", self._lives.last_words(key))
        if not kind.installed:
            return Standing(kind.name, languages, "missing", f"install it with: {kind.install}")
        return Standing(kind.name, languages, "ready", self._lives.last_words(key))

    async def restart(self, name: str) -> None:
        """End a server and forget how often it ended by itself; the next question starts it."""
        self.table.named(name)
        self._lives.forget(name)
        for key in [key for key in self._servers if key[1] == name]:
            await self._servers.pop(key).end()

    def close(self) -> None:
        """End all of them."""
        mine, self._servers = list(self._servers.values()), {}
        if not mine:
            return

        async def end_all() -> None:
            for handle in self._idle.values():
                handle.cancel()
            await asyncio.gather(*(server.end() for server in mine))

        ending = background().submit(end_all)
        if not background().owns_current_thread():
            with contextlib.suppress(Exception):  # the loop winds down, and the keepers do the rest
                ending.result(_END_LIMIT)


_endings: set[asyncio.Task[None]] = set()
_of_decks: weakref.WeakKeyDictionary[Any, Languages] = weakref.WeakKeyDictionary()
