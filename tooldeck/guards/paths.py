"""The one guard of paths: whatever a tool reads or changes lies in the deck's workspace.

    workspace = Workspace("project")              # tools take it as Injected[Workspace]
    workspace.read("src/app.py")                  # bytes; PathRefused where the path leads out
    workspace.update("src/app.py", change)        # bytes or None -> bytes, atomically, under the lock
    with workspace.at("src", "folder") as entry:  # an open folder, for what is not offered here
        os.listdir(entry.open())
    workspace.real("src")                         # a name for programs that want one, such as git

Paths are relative to the root, or absolute and below it; links are followed as long as they stay inside. A
check holds for the handle it was made with: nothing is checked by name and then opened by name, so that what
was swapped while a person thought about an approval is looked at anew. Folders in `OWN` may be read and are
never changed through paths, since what lies there runs with a repository or guards the deck itself.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import threading
import time
from collections.abc import Callable, Generator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

from tooldeck.core.vocabulary import nearest
from tooldeck.guards.entries import Entry, Watcher
from tooldeck.guards.transaction import FileChange, change_all, put_back_all, recover
from tooldeck.guards.walking import NoFolder, PathRefused, Root, Step, check_new_name, shown_path, walked

__all__ = ["OWN", "Entry", "FileChange", "PathRefused", "Workspace", "shown_path"]

OWN = frozenset({".git", ".tooldeck"})
"""Folders whose contents belong to other programs; in any letter case."""
LOCK_SECONDS = 10.0
"""How long a change waits for another one."""
Kind = Literal["file", "folder", "any", "changed", "own"]


class Workspace:
    """A folder, and everything in it, by paths that cannot lead out; by default the current folder.

    A relative name is of the folder that is current now, whichever is later.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self._folder = _here() if folder is None else str(Path(_here(), folder))
        self._holder: int | None = None  # the thread that holds the lock through this object
        self.watcher: Watcher | None = None
        """Hears of what is read and changed here, the deck's own records aside."""

    @property
    def folder(self) -> str:
        """Its path with the links in it, whether it is there or not."""
        return self._folder

    @cached_property
    def _root(self) -> Root:
        return Root(self._folder)

    def _entered(self) -> Root:
        """The root, once what a killed process left half done is put back; whatever is done begins here."""
        root = self._root
        if self._holder != threading.get_ident():
            recover(self, root.real)
        return root

    @property
    def root(self) -> Path:
        """The real path of the folder; raises `SetupError` where there is none."""
        return Path(self._entered().real)

    @contextlib.contextmanager
    def at(self, path: str, kind: Kind = "any", *, follow: bool = True) -> Generator[Entry]:
        """The entry that a path leads to: a file, a folder, either, or one to be changed.

        A file to be ``changed`` need not be there yet; the folders on the way to it are made. The deck's
        ``own`` records are changed in the same way, and they alone in folders of `OWN`. The entry holds
        within the block. Raises `PathRefused` where it is not of this kind.
        """
        changes = kind in {"changed", "own"}
        shut = OWN if kind == "changed" else frozenset[str]()
        with walked(self._entered(), path, follow=follow, parents=changes, shut=shut) as step:
            (_check_changeable if changes else _check_there)(path, step, kind)
            yield Entry(step, None if kind == "own" else self.watcher)

    def read(self, path: str, most: int | None = None) -> bytes:
        """The bytes of a file; raises `PathRefused` where it has more than `most`."""
        with self.at(path, "file") as entry:
            return entry.read(most)

    def before(self, path: str, most: int | None = None) -> bytes | None:
        """The bytes of a file that could be changed, None where there is none yet; makes nothing.

        Raises `PathRefused` where `update` would.
        """
        try:
            with walked(self._entered(), path, shut=OWN) as step:
                _check_changeable(path, step, "changed")
                return Entry(step, self.watcher).read(most) if step.info is not None else None
        except NoFolder:
            return None

    def update(
        self, path: str, change: Callable[[bytes | None], bytes | None], most: int | None = None
    ) -> str:
        """Replace a file by what `change` makes of its bytes, None where there is no file yet.

        Other updates wait meanwhile, and a file that a stranger changes at this very moment is not written
        over (`PathRefused`). Readers see the old or the new file, never a part. Mode bits stay. `change`
        gives None for "nothing to do". Returns the path from the root on.
        """
        with self.lock(), self.at(path, "changed") as entry:
            before = entry.read(most) if entry.info is not None else None
            after = change(before)
            if after is not None and after != before:
                entry.write(after)
            return entry.path

    def change_all(
        self, make: Callable[[], Sequence[FileChange]], accept: Callable[[], None] | None = None
    ) -> list[FileChange]:
        """Change several files, all or none; see `tooldeck.guards.transaction`."""
        return change_all(self, make, accept)

    @contextlib.contextmanager
    def lock(self, seconds: float = LOCK_SECONDS) -> Generator[None]:
        """Keep other changes through workspaces of this folder away, also those of other programs.

        What a killed change of several files left half done is put back first. Not to be entered twice by
        the same code. Raises `PathRefused` where the lock is not to be had in so many `seconds`.
        """
        handle = os.open(self._root.real, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            end = time.monotonic() + seconds
            while not _locked(handle):
                if time.monotonic() >= end:
                    raise PathRefused(
                        f"Another program has been changing {shown_path(self._root.real)} for "
                        f"{seconds:g} s; try again when it has ended."
                    )
                time.sleep(0.005)
            self._holder = threading.get_ident()
            try:
                put_back_all(self)
                yield
            finally:
                self._holder = None
        finally:
            os.close(handle)  # lets go of the lock

    def relative(self, path: str) -> str:
        """The path from the root on, with links followed, of what is or could be there."""
        with walked(self._entered(), path) as step:
            return step.path

    def real(self, path: str = ".") -> Path:
        """The absolute path of something that is there, for programs that take names and no handles.

        Such a program looks the name up again; where that matters, keep the workspace from being changed
        meanwhile, or compare with this answer afterwards.
        """
        with self.at(path) as entry:
            return Path(self._root.real, entry.path)


def _here() -> str:
    """The current folder; where it was removed, a name that says so when it is used."""
    try:
        return os.getcwd()  # noqa: PTH109 - a name, not a path to work with
    except OSError:
        return "."


def _locked(handle: int) -> bool:
    import fcntl  # not on Windows, where `Root` refuses before anything is locked

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in {errno.EWOULDBLOCK, errno.EACCES}:
            return False
        raise
    return True


def _check_there(path: str, step: Step, kind: Kind) -> None:
    if step.info is None:
        what = "folder" if kind == "folder" else "file"
        raise PathRefused(f"There is no {what} {shown_path(path)} in the workspace{_near(step)}")
    is_folder = stat.S_ISDIR(step.info.st_mode)
    if kind == "folder" and not is_folder:
        raise PathRefused(f"{shown_path(path)} is no folder.")
    if kind == "file" and is_folder:
        raise PathRefused(f"{shown_path(path)} is a folder; name a file in it.")
    if kind == "file" and not stat.S_ISREG(step.info.st_mode):
        raise PathRefused(f"{shown_path(path)} is no plain file, so it is left alone.")


def _check_changeable(path: str, step: Step, _kind: Kind) -> None:
    if step.info is not None:
        _check_there(path, step, "file")
        return
    if path.endswith("/"):
        raise PathRefused(f"The path {shown_path(path)} names a folder; add the name of a file.")
    check_new_name(step.name)


def _near(step: Step) -> str:
    """The names in the same folder that are close, in words."""
    with contextlib.suppress(OSError):
        close = nearest(step.name, Entry(step).siblings(), 2)
        folder = step.path[: len(step.path) - len(step.name)]
        if close:
            return f"; did you mean {' or '.join(shown_path(folder + name) for name in close)}?"
    return "."
