"""Starting a local server again whenever its files change: for whoever writes one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import AsyncGenerator, Callable, Iterable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from tooldeck.core.errors import DefinitionError, SetupError, TooldeckError
from tooldeck.guards.text import one_line
from tooldeck.mcp.changes import compare
from tooldeck.mcp.connection import Connection
from tooldeck.mcp.entering import Entering
from tooldeck.mcp.target import Command

__all__ = ["Watching"]

_GATHER = 400
# Milliseconds in which changes are taken together.
_READY = 5.0
# Seconds until a watch has begun.
_STEP = 100
# Milliseconds without a change after which they are over.


class Watching(Entering):
    """The methods of `Connections` that restart servers when their files change."""

    on_notice: Callable[[str], object] | None
    _watches: dict[str, Future[Any]]

    def watch(self, label: str, *paths: str | os.PathLike[str]) -> list[Path]:
        """Start the server again whenever one of its files changes, until it is closed; gives those files.

        `paths` are files and folders; by default the files that its command names. Tools that came, went or
        changed are told; a changed definition is blocked until it is accepted, as ever. Raises
        `DefinitionError` where there is nothing to watch, `SetupError` without the package watchfiles.
        """
        made = self[label]
        found = _paths(made, paths)
        _library()
        self.unwatch(label)
        ready = threading.Event()
        job = self._watches[label] = made.session.executor.submit(self._watch, label, found, ready)
        job.add_done_callback(lambda _: ready.set())
        ready.wait(_READY)  # or a change that comes at once would be missed
        return found

    def unwatch(self, label: str) -> bool:
        """Watch no longer; says whether it was watched."""
        job = self._watches.pop(label, None)
        return job is not None and (job.cancel() or True)

    def watched(self, label: str) -> bool:
        """Whether a server is started again when its files change."""
        return label in self._watches and not self._watches[label].done()

    async def _watch(self, label: str, paths: list[Path], ready: threading.Event) -> None:
        async with contextlib.aclosing(_changes(paths)) as changes:
            coming = asyncio.ensure_future(anext(changes))
            await asyncio.sleep(0)  # its first step, in which the watch begins
            ready.set()
            try:
                while True:
                    changed = await coming
                    if label not in self:
                        return
                    await self._restart(label, changed)
                    coming = asyncio.ensure_future(anext(changes))
            finally:
                coming.cancel()
                await asyncio.wait({coming})

    async def _restart(self, label: str, changed: str) -> None:
        """On the session's own loop; what goes wrong is told, since the next change may mend it."""
        old = self[label]
        before = {tool.name: tool.definition for tool in old.session.tools}
        try:
            made = await self._renewed_here(old)
        except TooldeckError as error:
            self._notice(f"{label} does not start since {changed} changed: {error}")
            return
        differs = compare(before, {tool.name: tool.definition for tool in made.session.tools})
        told = f"{label} was started again, since {changed} changed; tools: {one_line(str(differs))}."
        if made.held:
            told += f" Not accepted yet: %mcp approve {label}."
        self._notice(told)

    def _notice(self, told: str) -> None:
        if self.on_notice is not None:
            self.on_notice(told)

    async def _renewed_here(self, dead: Connection) -> Connection:
        """On the session's own loop, where nothing else may be waited with."""
        return await self._renewed(dead, asyncio.wrap_future)


def _paths(made: Connection, given: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """The files and folders to watch."""
    target = made.session.target
    if not isinstance(target, Command):
        raise DefinitionError(f"{made.label!r} is no program of this machine, so there is no file to watch.")
    folder = Path(made.launch["folder"] if made.launch else ".")
    paths = [Path(folder, path).expanduser() for path in given]
    for path in paths:
        if not path.exists():
            raise DefinitionError(f"There is no file or folder {str(path)!r} to watch.")
    if not paths:
        words = [word for word in target.words[1:] if not word.startswith("-")]
        paths = [Path(folder, word) for word in words if Path(folder, word).is_file()]
    if not paths and os.sep in target.words[0]:
        paths = [Path(folder, target.words[0])]
    if not paths:
        raise DefinitionError(
            f"The command of {made.label!r} names no file; name what to watch: %mcp watch {made.label} FILE…"
        )
    return [path.resolve() for path in paths]


def _library() -> Any:
    try:
        import watchfiles
    except ImportError:
        raise SetupError("Watching files needs a package: pip install 'tooldeck[watch]'") from None
    return watchfiles


async def _changes(paths: list[Path]) -> AsyncGenerator[str]:
    """The name of a file that changed, as often as some did.

    Folders are watched, not files: an editor that saves puts another file in place of the one that was.
    """
    watchfiles = _library()
    folders = {path for path in paths if path.is_dir()}
    files = {path for path in paths if path not in folders}
    usual = watchfiles.DefaultFilter()

    def wanted(change: Any, name: str) -> bool:
        path = Path(name)
        return path in files or (usual(change, name) and any(path.is_relative_to(one) for one in folders))

    seen = watchfiles.awatch(
        *{*folders, *(path.parent for path in files)},
        watch_filter=wanted,
        debounce=_GATHER,
        step=_STEP,
        recursive=bool(folders),
    )
    async for changes in seen:
        yield one_line(Path(min(name for _, name in changes)).name)
