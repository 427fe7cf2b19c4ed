"""From a path as somebody wrote it to an entry of an open folder, one name at a time.

Every folder on the way is opened relative to the one before without following links; a link is read and its
target walked in its place, so that nothing that is swapped meanwhile leads further than the root. This is
what ``openat2`` calls beneath, done in user space: it works on every POSIX system, and, unlike the kernel's,
takes absolute links that lead back inside.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import unicodedata
from collections import deque
from collections.abc import Generator

from tooldeck.core.errors import ExpectedError, SetupError
from tooldeck.guards.text import visible

__all__ = ["NoFolder", "PathRefused", "Root", "Step", "check_new_name", "shown_path", "walked"]

MAX_LINKS = 40
"""Links that one path may lead through."""
_MOST_CHARS = 4_096
_BY_HANDLE = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
"""Characters that change the direction of what stands around them."""


class PathRefused(ExpectedError):
    """A path that leads out of the workspace, or to what is no file or folder there. A proper "no"."""


class NoFolder(PathRefused):
    """A folder on the way is not there."""


class Root:
    """The folder that paths may lead to, by its real name and by the one it was given."""

    def __init__(self, folder: str) -> None:
        try:
            self.given = os.path.abspath(folder)  # noqa: PTH100 - links are kept on purpose
            self.real = os.path.realpath(folder)
        except FileNotFoundError:
            raise SetupError("The current folder was removed; set another one as workspace.") from None
        if os.open not in os.supports_dir_fd:
            raise SetupError("The workspace needs folders as handles (openat), which this system has not.")
        if not os.path.isdir(self.real):  # noqa: PTH112 - a name, not a path to work with
            raise SetupError(f"The workspace {shown_path(folder)} is no folder; make it, or set another one.")

    def open(self) -> int:
        """A handle of the folder itself."""
        return os.open(self.real, _BY_HANDLE)

    def parts(self, text: str) -> list[str]:
        """The names of a path below the root; raises `PathRefused` for one that starts outside."""
        if not text.startswith("/"):
            return text.split("/")
        for spelling in (self.given, self.real):
            inside = _below(text, spelling)
            if inside is not None and ".." not in inside:
                return inside
        inside = _below(os.path.realpath(text), self.real)
        if inside is None:
            raise outside(text, self.real)
        return inside


class Step:
    """Where a walk ended: an entry of an open folder, there or not yet."""

    def __init__(self, folder: int, name: str, path: str, info: os.stat_result | None) -> None:
        self.folder = folder
        """Handle of the folder that has the entry."""
        self.name = name
        """Its name there; ``.`` for the folder itself."""
        self.path = path
        """Its names from the root on, links followed, with slashes; ``.`` for the root."""
        self.info = info
        """What was found under the name; None where nothing is."""


@contextlib.contextmanager
def walked(
    root: Root, text: str, *, follow: bool = True, parents: bool = False, shut: frozenset[str] = frozenset()
) -> Generator[Step]:
    """Walk to what `text` names; `parents` makes the folders on the way that are missing.

    A link at the end is followed unless told otherwise. No name of the way may be in `shut`, in any letter
    case. Raises `PathRefused`.
    """
    check_text(text)
    walk = _Walk(root, text, shut)
    try:
        yield walk.to_the_end(follow=follow, parents=parents)
    finally:
        walk.close()


class _Walk:
    def __init__(self, root: Root, text: str, shut: frozenset[str]) -> None:
        self._root, self._text, self._shut = root, text, shut
        self._ahead = deque(root.parts(text))
        self._folders = [root.open()]
        self._names: list[str] = []
        self._links = 0

    def close(self) -> None:
        while self._folders:
            os.close(self._folders.pop())

    def to_the_end(self, *, follow: bool, parents: bool) -> Step:
        while self._ahead:
            name = self._ahead.popleft()
            if name in {"", "."}:
                continue
            if name == "..":
                self._up()
                continue
            if name.casefold().rstrip(". ") in self._shut:
                raise self._refused(f"nothing in {shown_path(name)} is changed through paths")
            last = all(one in {"", "."} for one in self._ahead)
            info = self._look(name)
            if info is not None and stat.S_ISLNK(info.st_mode) and (follow or not last):
                self._follow(name)
                continue
            if last:
                return Step(self._folders[-1], name, "/".join([*self._names, name]), info)
            self._down(name, missing=info is None, make=parents)
        return Step(self._folders[-1], ".", "/".join(self._names) or ".", os.fstat(self._folders[-1]))

    def _look(self, name: str) -> os.stat_result | None:
        try:
            return os.stat(name, dir_fd=self._folders[-1], follow_symlinks=False)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._refused(_reason(error)) from None

    def _up(self) -> None:
        if not self._names:
            raise outside(self._text, self._root.real)
        os.close(self._folders.pop())
        self._names.pop()

    def _down(self, name: str, *, missing: bool, make: bool) -> None:
        if missing:
            if not make or ".." in self._ahead:
                there = "/".join([*self._names, name])
                said = f"there is no folder {shown_path(there)}"
                raise NoFolder(f"The path {shown_path(self._text)} cannot be used: {said}.")
            check_new_name(name)
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, dir_fd=self._folders[-1])
        try:
            self._folders.append(os.open(name, _BY_HANDLE, dir_fd=self._folders[-1]))
        except OSError as error:  # a file, or something that was put there this moment
            raise self._refused(f"{shown_path('/'.join([*self._names, name]))} {_reason(error)}") from None
        self._names.append(name)

    def _follow(self, name: str) -> None:
        self._links += 1
        if self._links > MAX_LINKS:
            raise self._refused("it leads through links in a circle")
        try:
            target = os.readlink(name, dir_fd=self._folders[-1])
        except OSError as error:
            raise self._refused(_reason(error)) from None
        if target.startswith("/"):
            try:
                names = self._root.parts(target)
            except PathRefused:
                raise outside(self._text, self._root.real) from None
            while len(self._folders) > 1:
                os.close(self._folders.pop())
            self._names.clear()
        else:
            names = target.split("/")
        self._ahead.extendleft(reversed(names))

    def _refused(self, why: str) -> PathRefused:
        return PathRefused(f"The path {shown_path(self._text)} cannot be used: {why}.")


def check_text(text: str) -> None:
    """Raise `PathRefused` for what no path can be."""
    why = None
    if not text:
        why = "it is empty; give one inside of the workspace, such as . for its root"
    elif "\0" in text:
        why = "it has a NUL character"
    elif len(text) > _MOST_CHARS:
        why = f"its {len(text)} characters are too many"
    elif text == "~" or text.startswith("~/"):
        why = "~ is not read as a home folder; give one inside of the workspace"
    else:
        try:
            os.fsencode(text)
        except UnicodeEncodeError:
            why = "it has half of a surrogate pair, which no file system can hold"
    if why is not None:
        raise PathRefused(f"The path {shown_path(text)} cannot be used: {why}.")


def check_new_name(name: str) -> None:
    """Raise `PathRefused` for a name that another system or a reader would take for another one."""
    why = None
    if name != name.rstrip(". ") or name != name.lstrip(" "):
        why = "ends or begins with blanks or dots, which some systems drop"
    elif "\\" in name:
        why = "has a backslash; write slashes between folders"
    elif any(unicodedata.category(char) in {"Cc", "Zl", "Zp"} or char in _TURNING for char in name):
        why = "has characters that are not seen"
    if why is not None:
        raise PathRefused(f"No file or folder is made with the name {shown_path(name)}: it {why}.")


def outside(text: str, root: str) -> PathRefused:
    """The one refusal of whatever leads out, the same whether something is there or not."""
    said = f"The path {shown_path(text)} leads out of the workspace {shown_path(root)}"
    return PathRefused(f"{said}; give one inside of it.")


def shown_path(path: str) -> str:
    """A path in quotes as a person can read it, whatever is in it."""
    plain = path.encode("utf-8", "surrogateescape" if _is_bytes(path) else "backslashreplace")
    shown = visible(plain.decode("utf-8", "backslashreplace"))
    return f"'{shown if len(shown) <= 300 else shown[:299] + '…'}'"


def _is_bytes(path: str) -> bool:
    """Whether every surrogate in it stands for a byte."""
    return not any("\ud800" <= char <= "\udfff" and not "\udc80" <= char <= "\udcff" for char in path)


def _below(text: str, folder: str) -> list[str] | None:
    """The names of an absolute path below a folder, None where it does not begin with it."""
    names = [name for name in text.split("/") if name not in {"", "."}]
    above = [name for name in folder.split("/") if name]
    return names[len(above) :] if names[: len(above)] == above else None


_REASONS = {
    errno.ENOTDIR: "is no folder",
    errno.ELOOP: "is no folder",
    errno.EACCES: "may not be read by this user",
    errno.ENAMETOOLONG: "has a name that is too long",
}


def _reason(error: OSError) -> str:
    return _REASONS.get(error.errno or 0, (error.strerror or str(error)).lower())
