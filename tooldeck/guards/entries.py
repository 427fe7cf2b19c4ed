"""One entry of an open folder: reading it, and replacing it in one step."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
from typing import Protocol

from tooldeck.guards.walking import PathRefused, Step, shown_path

__all__ = ["Entry", "Watcher"]

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Watcher(Protocol):
    """Hears of what is done to files, after it was done; it never raises."""

    def read(self, path: str, data: bytes, /) -> None:
        """All bytes of a file were read."""
        ...

    def wrote(self, path: str, data: bytes | None, /, *, made: bool, by_program: bool = False) -> None:
        """A file has these bytes now, None where it is gone; `made` says that there was none before.

        `by_program` says that a program did it, of which nobody knows what it did with the text before.
        """
        ...


class Entry:
    """What a path led to; usable within the block of `Workspace.at`."""

    def __init__(self, step: Step, watcher: Watcher | None = None) -> None:
        self._folder, self._name, self._watcher = step.folder, step.name, watcher
        self.path = step.path
        """Its names from the root of the workspace on, links followed."""
        self.info = step.info
        """What `os.stat` says of it; None where nothing is there yet."""

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return self.info is not None and stat.S_ISDIR(self.info.st_mode)

    def open(self) -> int:
        """A handle for reading the file or folder; to be closed with `os.close`.

        Raises `PathRefused` where something else is there by now.
        """
        try:
            handle = os.open(self._name, _READ, dir_fd=self._folder)
        except OSError as error:
            raise PathRefused(
                f"{shown_path(self.path)} cannot be read: {(error.strerror or 'failed').lower()}."
            ) from None
        mode = os.fstat(handle).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            os.close(handle)
            raise PathRefused(f"{shown_path(self.path)} is no plain file, so it is left alone.")
        return handle

    def read(self, most: int | None = None) -> bytes:
        """All bytes of the file; raises `PathRefused` where it has more than `most`."""
        with os.fdopen(self.open(), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if most is not None and size > most:
                raise PathRefused(
                    f"{shown_path(self.path)} has {size} bytes, and at most {most} are read at once."
                )
            self.info = os.fstat(file.fileno())
            data = file.read()
        if self._watcher is not None:
            self._watcher.read(self.path, data)
        return data

    def write(self, data: bytes, mode: int | None = None) -> None:
        """Put a file with these bytes in its place, in one step; readers see the old one or the new one.

        It keeps the mode bits, and the owner where that is allowed; `mode` are other bits. Raises
        `PathRefused` where the file is not the one any more that was read, or not to be written.
        """
        temporary = f".{self._name[:60]}.{secrets.token_hex(6)}.tmp"
        try:
            self._make(temporary, data, mode)
            try:
                self._check_unchanged()
                if self.info is None:  # a link is refused where something is there, a rename is not
                    os.link(temporary, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
                    os.unlink(temporary, dir_fd=self._folder)
                else:
                    os.rename(temporary, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(temporary, dir_fd=self._folder)
                raise
            self._settle()
            if self._watcher is not None:
                self._watcher.wrote(self.path, data, made=self.info is None)
        except FileExistsError:
            raise self._changed() from None
        except OSError as error:
            raise PathRefused(
                f"{shown_path(self.path)} cannot be written: {(error.strerror or 'failed').lower()}."
            ) from None

    def remove(self) -> None:
        """Take the file away. Raises like `write`."""
        try:
            self._check_unchanged()
            os.unlink(self._name, dir_fd=self._folder)
            self._settle()
            if self._watcher is not None:
                self._watcher.wrote(self.path, None, made=False)
        except OSError as error:
            raise PathRefused(
                f"{shown_path(self.path)} cannot be removed: {(error.strerror or 'failed').lower()}."
            ) from None

    def remove_folder(self) -> None:
        """Take the folder away; raises OSError where it is not empty."""
        os.rmdir(self._name, dir_fd=self._folder)

    def names(self) -> list[str]:
        """The names in the folder."""
        handle = self.open()
        try:
            return os.listdir(handle)  # noqa: PTH208 - of a handle
        finally:
            os.close(handle)

    def remove_unfinished(self, name: str) -> None:
        """Take away what a killed write of the file `name` left in this folder; ask under the lock."""
        handle = self.open()
        try:
            for one in os.listdir(handle):  # noqa: PTH208 - of a handle
                if re.fullmatch(rf"\.{re.escape(name[:60])}\.[0-9a-f]{{12}}\.tmp", one):
                    os.unlink(one, dir_fd=handle)
        finally:
            os.close(handle)

    def siblings(self) -> list[str]:
        """The names in the folder that it lies in."""
        handle = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self._folder)
        try:
            return os.listdir(handle)  # noqa: PTH208 - of a handle
        finally:
            os.close(handle)

    def _make(self, name: str, data: bytes, mode: int | None) -> None:
        before = self.info
        handle = os.open(name, _MAKE, 0o666 if before is None else 0o600, dir_fd=self._folder)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            if before is not None:
                with contextlib.suppress(OSError):  # only its owner may give a file away
                    os.fchown(handle, before.st_uid, before.st_gid)
                os.fchmod(handle, stat.S_IMODE(before.st_mode))
            if mode is not None:
                os.fchmod(handle, mode)
            os.fsync(handle)

    def _check_unchanged(self) -> None:
        """Raise `PathRefused` where the name leads to another file, or another state of it, than was read."""
        try:
            now = os.stat(self._name, dir_fd=self._folder, follow_symlinks=False)
        except FileNotFoundError:
            now = None
        if _state(now) != _state(self.info):
            raise self._changed()

    def _changed(self) -> PathRefused:
        return PathRefused(f"{shown_path(self.path)} was changed at this very moment; look at it again.")

    def _settle(self) -> None:
        """Make the folder itself lasting, where the file system can."""
        with contextlib.suppress(OSError):
            handle = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self._folder)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def _state(info: os.stat_result | None) -> tuple[int, ...] | None:
    return None if info is None else (info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns)
