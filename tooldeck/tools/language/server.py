"""One language server that runs: started in the sandbox, spoken to, ended with everything it started.

It sees the workspace and changes nothing in it, has no network, and a home of its own that goes with it.
Everything here runs on the background loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tooldeck import __version__
from tooldeck.core.errors import SetupError
from tooldeck.guards.control_group import remove_group
from tooldeck.guards.isolation import View, Walls
from tooldeck.guards.kept import Kept
from tooldeck.guards.paths import Workspace
from tooldeck.guards.process import Process
from tooldeck.guards.running import Limits
from tooldeck.guards.sandbox import confined
from tooldeck.tools.language.documents import Documents, path_of
from tooldeck.tools.language.kinds import ServerKind, filled, reads_of
from tooldeck.tools.language.positions import ENCODINGS
from tooldeck.tools.language.protocol import CAPABILITIES, PROVIDERS
from tooldeck.tools.language.wire import ENDED, Closed, NoSuchMethod, Wire

__all__ = ["Server"]

MIB = 1024 * 1024
LIMITS = Limits(file_size=256 * MIB, open_files=4_096, processes=512)
START_SECONDS = 60.0
"""How long a server may take until it is ready."""
_STDERR = 16_384
_LEAVE = 0.7
# Seconds that it has to leave by itself.
_MOST_PUSHED = 2_000
# Documents whose diagnostics are kept.
_MOST_PROGRESS = 200


class Pushed:
    """The diagnostics that a server sent of its own accord for one document."""

    def __init__(self, version: int | None, items: list[Any]) -> None:
        self.version = version
        self.items = items
        self.at = time.monotonic()


class Server:
    """One run of a language server for one workspace; `start` it once, `end` it whatever happens."""

    def __init__(self, kind: ServerKind, workspace: Workspace, walls: Walls) -> None:
        self.kind = kind
        self.workspace = workspace
        self.walls = walls
        self.encoding = "utf-16"
        """What positions are counted in, as agreed."""
        self.about = ""
        """What it calls itself."""
        self.capabilities: Mapping[str, Any] = {}
        self.lock = asyncio.Lock()
        """Held while it is asked something."""
        self.silent = 0
        """Requests in a row that it did not answer in time."""
        self.pushed: dict[str, Pushed] = {}
        """By path from the root of the workspace on."""
        self.news = asyncio.Event()
        """Set by every push and at every end of work that the server has announced."""
        self.busy: set[Any] = set()
        """What the server says it is at work on."""
        self.edits: list[Any] | None = None
        """The edits that it asks us to make are put here while it carries out a command."""
        self.documents: Documents
        self._settings: Any = filled(kind.settings, workspace.root)
        self._registered: dict[str, dict[str, Any]] = {}
        self._said = Kept(_STDERR)
        self._folder = Path(tempfile.mkdtemp(prefix="tooldeck-language-"))
        self._process: Process
        self._group = ""
        self._wire: Wire | None = None
        self._listening: asyncio.Task[None] | None = None

    # -- life

    async def start(self) -> None:
        """Start it and agree on how to speak. Raises `SetupError`, and what `ask` raises."""
        program = self.kind.find()
        home = Path.home()
        read = [self.workspace.root, *reads_of(program)]
        read += [place for place in map(_at_home, self.kind.reads) if place.exists()]
        env = {
            name: str(_at_home(value)) for name, value in filled(self.kind.env, self.workspace.root).items()
        }
        view = View(
            self._folder, read=tuple(place for place in read if place != home), start=self.workspace.root
        )
        made = confined([program, *self.kind.command[1:]], view, self.walls, LIMITS, env)
        self._group = made.group
        self._process = Process(
            made.words, made.env, str(self.workspace.root), leave=_LEAVE, term=0.5, group=made.group
        )
        try:
            await self._process.start()
        except OSError as error:
            raise SetupError(f"Cannot start {program!r}: {error.strerror or error}.") from None
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101, PT018 - pipes
        self._listening = asyncio.create_task(self._listen(), name="tooldeck-language-errors")
        self._wire = Wire(self._process.stdout, self._process.stdin, self._answer, self._hear)
        await self._agree(self._wire)

    async def _agree(self, wire: Wire) -> None:
        root = self.workspace.root
        given = await self.ask(
            "initialize",
            {
                "processId": None,  # in a namespace of its own it sees none of ours; the keeper ends it
                "clientInfo": {"name": "tooldeck", "version": __version__},
                "rootUri": root.as_uri(),
                "rootPath": str(root),
                "workspaceFolders": [self._workspace_folder()],
                "capabilities": CAPABILITIES,
                "initializationOptions": filled(self.kind.options, root) or None,
            },
            START_SECONDS,
        )
        answer = given if isinstance(given, dict) else {}
        capabilities = answer.get("capabilities")
        self.capabilities = capabilities if isinstance(capabilities, dict) else {}
        info = answer.get("serverInfo")
        if isinstance(info, dict):
            self.about = f"{info.get('name') or ''} {info.get('version') or ''}".strip()[:100]
        encoding = self.capabilities.get("positionEncoding", "utf-16")
        if encoding not in ENCODINGS:
            raise Closed(f"{self.kind.name} counts in {encoding!r:.50}, which nobody offered.")
        self.encoding = encoding
        self.documents = Documents(self.workspace, self.kind, encoding, wire.notify)
        wire.notify("initialized", {})

    async def end(self) -> None:
        """Let it leave, else end it; its home goes with it."""
        if self._wire is not None and not self.over:
            with contextlib.suppress(Exception):
                await self._wire.request("shutdown", None, _LEAVE)
                self._wire.notify("exit", None)
        if self._wire is not None:
            self._wire.close("it was ended")
            await self._process.end()
        if self._listening is not None:
            self._listening.cancel()
        if self._group:
            remove_group(self._group)
        await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    @property
    def over(self) -> bool:
        """Whether it can be asked nothing any more."""
        return self._wire is None or self._wire.closed.is_set() or self._process.ended.is_set()

    @property
    def pid(self) -> int | None:
        """The process id of what was started: the server, or what leads into its sandbox."""
        return self._process.pid

    def epitaph(self) -> str:
        """How it ended, with the last that it said."""
        why = self._wire.why if self._wire is not None else "it was not started"
        how = why if why and why != ENDED else self._process.ending() or why
        said = [line for line in self._said.text.strip().splitlines() if line.strip()]
        return f"{how}; it said: {said[-1][:300].rstrip('.')}" if said else how

    # -- asking

    async def ask(self, method: str, params: Any, seconds: float) -> Any:
        """The answer to a request. Raises `Refusal`, `Silent` and `Closed`."""
        if self._wire is None:
            raise Closed(f"{self.kind.name} does not run.")
        try:
            answer = await self._wire.request(method, params, seconds)
        except Closed:
            if self._process.stdin is not None:
                self._process.stdin.close()
            self._process.tell_to_end()
            await self._process.settle(_LEAVE)
            raise Closed(f"The language server {self.kind.name!r} is gone: {self.epitaph()}.") from None
        self.silent = 0
        return answer

    async def ready(self, seconds: float) -> None:
        """Wait until it is done with the work that it has announced, at most so many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self.busy and not self.over:
                    self.news.clear()
                    await self.news.wait()

    def can(self, method: str) -> bool:
        """Whether it says that it answers requests of this kind, or need not say so."""
        said = self.capabilities.get(PROVIDERS.get(method, ""))
        return (
            method not in PROVIDERS or (said is not None and said is not False) or method in self._registered
        )

    def options(self, method: str) -> Mapping[str, Any]:
        """What it says about requests of this kind."""
        said = self.capabilities.get(PROVIDERS.get(method, "")) or self._registered.get(method)
        return said if isinstance(said, dict) else {}

    # -- what it says by itself

    def _hear(self, method: str, params: Any) -> None:
        if method == "textDocument/publishDiagnostics":
            self._take_diagnostics(params)
        elif method == "$/progress":
            kind = params["value"].get("kind") if isinstance(params["value"], dict) else None
            if kind == "begin" and len(self.busy) < _MOST_PROGRESS:
                self.busy.add(str(params["token"])[:100])
            elif kind == "end":
                self.busy.discard(str(params["token"])[:100])
                self.news.set()

    def _take_diagnostics(self, params: Any) -> None:
        path, inside = path_of(self.workspace, params["uri"])
        items, version = params.get("diagnostics"), params.get("version")
        if not inside or not isinstance(items, list):
            return
        if path not in self.pushed and len(self.pushed) >= _MOST_PUSHED:
            del self.pushed[next(iter(self.pushed))]
        self.pushed[path] = Pushed(version if type(version) is int else None, items)
        self.news.set()

    def _answer(self, method: str, params: Any) -> Any:
        """The answer to a request of the server."""
        answers: Mapping[str, Callable[[Any], Any]] = {
            "workspace/configuration": lambda given: [self._setting(item) for item in given["items"][:1_000]],
            "workspace/workspaceFolders": lambda _: [self._workspace_folder()],
            "workspace/applyEdit": self._take_edit,
            "client/registerCapability": self._register,
            "client/unregisterCapability": self._unregister,
            "window/showDocument": lambda _: {"success": False},
            "window/showMessageRequest": lambda _: None,
            "window/workDoneProgress/create": lambda _: None,
        }
        if method.startswith("workspace/") and method.endswith("/refresh"):
            return None
        if method not in answers:
            raise NoSuchMethod
        return answers[method](params)

    def _take_edit(self, params: Any) -> dict[str, Any]:
        if self.edits is None:
            return {"applied": False, "failureReason": "nobody has asked for it"}
        self.edits.append(params["edit"])
        return {"applied": True}

    def _register(self, params: Any) -> None:
        for one in params["registrations"][:1_000]:
            about = one.get("registerOptions")
            self._registered[str(one["method"])[:100]] = about if isinstance(about, dict) else {}

    def _unregister(self, params: Any) -> None:
        for one in params["unregisterations"]:  # spelled so in the protocol
            self._registered.pop(str(one["method"]), None)

    def _setting(self, item: Any) -> Any:
        found: Any = self._settings
        for name in str(item.get("section") or "").split("."):
            if name:
                found = found.get(name) if isinstance(found, Mapping) else None
        return found

    def _workspace_folder(self) -> dict[str, str]:
        root = self.workspace.root
        return {"uri": root.as_uri(), "name": root.name or "workspace"}

    async def _listen(self) -> None:
        """Keep the end of what it says to nobody."""
        with contextlib.suppress(OSError):
            while self._process.stderr is not None and (piece := await self._process.stderr.read(2**16)):
                self._said.add(piece)
                await asyncio.sleep(0)


def _at_home(place: str) -> Path:
    return Path(place).expanduser() if place.startswith("~") else Path(place)
