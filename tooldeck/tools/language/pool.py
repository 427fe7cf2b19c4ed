"""The language servers of one deck: found, started when first needed, ended with the deck or when idle."""

from __future__ import annotations

import asyncio
import contextlib
import time
import tomllib
import weakref
from collections import deque
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tooldeck.core.errors import DefinitionError, ExpectedError, SetupError
from tooldeck.core.vocabulary import nearest
from tooldeck.guards.isolation import Isolation
from tooldeck.guards.paths import PathRefused, Workspace
from tooldeck.guards.sandbox import best
from tooldeck.hosts.background import background
from tooldeck.tools.folders.listing import below
from tooldeck.tools.language.documents import Opened
from tooldeck.tools.language.kinds import KINDS, ServerKind
from tooldeck.tools.language.server import Server
from tooldeck.tools.language.wire import Closed, Refusal, Silent

__all__ = ["Languages", "Question", "Session", "Standing", "usual_file"]

IDLE_SECONDS = 600.0
"""After so long without a question a server is ended."""
MOST_DEATHS = 3
"""A server that ended so often by itself within `DEATH_SECONDS` is not started again until it is told to."""
DEATH_SECONDS = 300.0
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

        Raises like `Languages.kinds_for`, and `SetupError` where none for the language can be started.
        """
        found: list[Server] = []
        broken: SetupError | None = None
        settled = False
        for kind in self.languages.kinds_for(self.path, self.server):
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
        self._kinds: dict[str, ServerKind] = {kind.name: kind for kind in KINDS}
        self._servers: dict[tuple[str, str], Server] = {}
        self._starting: dict[tuple[str, str], asyncio.Lock] = {}
        self._deaths: dict[tuple[str, str], deque[float]] = {}
        self._last_words: dict[tuple[str, str], str] = {}
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
        """Let the deck use one more kind of server, before those it knows, or in place of its namesake."""
        if not isinstance(kind, ServerKind):
            raise DefinitionError(f"A language server is described by a ServerKind, not by {kind!r}.")
        others = {name: one for name, one in self._kinds.items() if name != kind.name}
        self._kinds = {kind.name: kind, **others}

    # -- choosing

    def knows(self, path: str) -> bool:
        """Whether some kind is for a file, installed or not."""
        return any(kind.language(path) is not None for kind in self._kinds.values())

    def kinds_for(self, path: str, name: str = "") -> list[ServerKind]:
        """The installed kinds for a file: the one for the language, those beside it, then further ones.

        `name` leaves that one only. Raises `ExpectedError` for a language that none is for, `SetupError`
        where none is installed.
        """
        if name:
            kind = self._named(name)
            kind.find()
            return [kind]
        fitting = [kind for kind in self._kinds.values() if kind.language(path) is not None]
        if not fitting:
            suffix = Path(path).suffix or path
            raise ExpectedError(
                f"No language server is known for {suffix!r}; lsp status has those that are, and "
                "Languages.of(deck).add(ServerKind(…)) adds one."
            )
        found = [kind for kind in fitting if _installed(kind)]
        mains = sorted((kind for kind in found if not kind.beside), key=self._not_configured)
        if not mains and not found:
            fitting[0].find()
        return [*mains[:1], *(kind for kind in found if kind.beside), *mains[1:]]

    def _named(self, name: str) -> ServerKind:
        kind = self._kinds.get(name)
        if kind is None:
            close = nearest(name, self._kinds, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(self._kinds)}."
            raise ExpectedError(f"There is no language server {name!r}; {hint}")
        return kind

    def _not_configured(self, kind: ServerKind) -> bool:
        """Whether the project says nothing about a server; the one that it configures is the one it means."""
        try:
            stated = tomllib.loads(self._workspace().read("pyproject.toml", _MOST_SETTINGS).decode())
        except (PathRefused, ValueError, RecursionError):
            return True
        tools = stated.get("tool")
        return not isinstance(tools, dict) or kind.name not in tools

    def _workspace(self) -> Workspace:
        deck = self._deck()
        if deck is None:
            raise SetupError("The deck of these language servers is gone.")
        return deck.workspace

    # -- sessions

    @contextlib.asynccontextmanager
    async def session(
        self, path: str, method: str, *, server: str = "", seconds: float = 30.0, text: str | None = None
    ) -> AsyncGenerator[Session]:
        """A session about a file with the first server that answers `method`; `text` stands in for its own.

        `server` names the one that is meant. Raises `ExpectedError` where none can, `SetupError` where none
        is installed or the sandbox is weaker than the policy demands.
        """
        kinds = sorted(self.kinds_for(path, server), key=lambda kind: method in kind.partly)
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
        async with server.lock:
            try:
                await server.documents.refresh()
                inside = server.workspace.relative(path)
                yield Session(server, server.documents.open(inside, text), seconds)
                if text is not None:
                    server.documents.open(inside)
            except Silent as error:
                raise await self._not_answered(server, error) from None

    async def _not_answered(self, server: Server, error: Silent) -> Silent:
        server.silent += 1
        if server.silent < _MOST_SILENT:
            return error
        await server.end()
        self._died(server, f"it was ended after {server.silent} requests without an answer")
        return Silent(f"{error} It was ended; the next call starts it anew.")

    async def running(self, kind: ServerKind) -> Server:
        """The server of a kind for the deck's workspace, started where it does not run."""
        workspace = self._workspace()
        key = (str(workspace.root), kind.name)
        async with self._starting.setdefault(key, asyncio.Lock()):
            found = self._servers.get(key)
            if found is not None and found.over:
                self._died(found, found.epitaph())
                await found.end()
                found = None
            if found is None:
                self._check_deaths(key)
                found = await self._started(kind, workspace, key)
        self._idle_from_now(key, found)
        return found

    async def _started(self, kind: ServerKind, workspace: Workspace, key: tuple[str, str]) -> Server:
        deck = self._deck()
        minimum = deck.policy.isolation if deck is not None else Isolation.LANDLOCK
        server = Server(kind, workspace, await best(minimum))
        try:
            await server.start()
        except (Closed, Silent, Refusal) as error:
            self._died(server, server.epitaph() if isinstance(error, Closed) else str(error), key)
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

    def _died(self, server: Server, words: str, key: tuple[str, str] | None = None) -> None:
        place = key or (str(server.workspace.root), server.kind.name)
        self._servers.pop(place, None)
        self._deaths.setdefault(place, deque(maxlen=MOST_DEATHS)).append(time.monotonic())
        self._last_words[place] = words

    def _failed(self, key: tuple[str, str]) -> bool:
        deaths = self._deaths.get(key, deque[float]())
        return len(deaths) >= MOST_DEATHS and time.monotonic() - deaths[0] < DEATH_SECONDS

    def _check_deaths(self, key: tuple[str, str]) -> None:
        if self._failed(key):
            raise SetupError(
                f"The language server {key[1]!r} ended {MOST_DEATHS} times within {DEATH_SECONDS:g} s "
                f"({self._last_words[key]}); action='restart' starts it once more."
            )

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

        self._idle[key] = asyncio.get_running_loop().call_later(IDLE_SECONDS, over)

    # -- status and end

    def standing(self) -> list[Standing]:
        """Every kind and how it is."""
        root = str(self._workspace().root)
        return [self._standing(kind, (root, kind.name)) for kind in self._kinds.values()]

    def _standing(self, kind: ServerKind, key: tuple[str, str]) -> Standing:
        languages = tuple(dict.fromkeys(kind.languages.values()))
        server = self._servers.get(key)
        if server is not None and not server.over:
            note = (
                f"{server.about or kind.name}, sandbox: {server.walls.level}, positions in {server.encoding}"
            )
            return Standing(kind.name, languages, "running", note, server.pid)
        if self._failed(key):
            return Standing(kind.name, languages, "failed", self._last_words[key])
        if not _installed(kind):
            return Standing(kind.name, languages, "missing", f"install it with: {kind.install}")
        return Standing(kind.name, languages, "ready", self._last_words.get(key, ""))

    async def restart(self, name: str) -> None:
        """End a server and forget how often it ended by itself; the next question starts it."""
        self._named(name)
        for key in [key for key in {*self._servers, *self._deaths} if key[1] == name]:
            self._deaths.pop(key, None)
            self._last_words.pop(key, None)
            server = self._servers.pop(key, None)
            if server is not None:
                await server.end()

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


def usual_file(languages: Languages, workspace: Workspace) -> str:
    """Some file of the language that the workspace has most of; raises `ExpectedError` for none."""
    paths: dict[str, list[str]] = {}
    for entry in below(workspace):
        if entry.is_file and languages.knows(entry.path):
            paths.setdefault(Path(entry.path).suffix, []).append(entry.path)
    if not paths:
        raise ExpectedError("The workspace has no file of a language that a server is known for.")
    return max(paths.values(), key=len)[0]


def _installed(kind: ServerKind) -> bool:
    try:
        kind.find()
    except SetupError:
        return False
    return True


_endings: set[asyncio.Task[None]] = set()
_of_decks: weakref.WeakKeyDictionary[Any, Languages] = weakref.WeakKeyDictionary()
