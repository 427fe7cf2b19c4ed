"""The arguments of bubblewrap for a view: nothing is there but what is named."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Mapping
from pathlib import Path

from tooldeck.guards.isolation import View

__all__ = ["bubblewrap_words", "code_within"]

_TOP = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
# Links into /usr on most systems, folders on some.
_SHARED_MEMORY = 64 * 1024 * 1024
# Bytes of /tmp and of shared memory, which are memory of the machine.
_SIGNALS = frozenset(int(one) for one in signal.Signals)


def bubblewrap_words(program: str, view: View, system: Iterable[Path], env: Mapping[str, str]) -> list[str]:
    """The words before the command. `system` is what every program may read."""
    words = [
        *(program, "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent"),
        *("--new-session", "--clearenv", "--cap-drop", "ALL", "--hostname", "sandbox"),
    ]
    for name, value in env.items():
        words += ["--setenv", name, value]
    words += ["--proc", "/proc", "--dev", "/dev"]
    for place in ("/dev/shm", "/tmp"):  # noqa: S108 - its own ones
        words += ["--size", str(_SHARED_MEMORY), "--tmpfs", place]
    for top in map(Path, _TOP):
        if top.is_symlink():
            words += ["--symlink", str(top.readlink()), str(top)]
        else:
            words += ["--ro-bind-try", str(top), str(top)]
    words += _bound("--ro-bind-try", system)
    words += _bound("--ro-bind", view.read)
    words += _bound("--bind", (*view.write, view.folder))
    words += _bound("--ro-bind", view.shut)
    # Root's programs are root's in there too, and what root may write in /proc concerns the whole machine.
    for place in ("/proc", "/dev", "/"):
        words += ["--remount-ro", place]
    return [*words, "--chdir", str(view.start or view.folder), "--"]


def code_within(code: int | None) -> int | None:
    """The exit code of the program inside, negative for a signal, from the one that bubblewrap ended with.

    It ends with 128 and the number of the signal, as a shell does; a program that itself ended with such a
    code cannot be told from one that was killed.
    """
    if code is None or code - 128 not in _SIGNALS:
        return code
    return 128 - code


def _bound(option: str, places: Iterable[Path]) -> list[str]:
    """The same place inside as outside, and also under the name that a link gives it."""
    words: list[str] = []
    for place in sorted(places, key=lambda path: len(path.parts)):  # outer folders first
        real = os.path.realpath(place)
        words += [option, real, real]
        if real != str(place):
            words += [option, real, str(place)]
    return words
