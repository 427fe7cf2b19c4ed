"""The sandbox: the strongest kind that this machine offers, found by trying; never a weaker one in silence.

Bubblewrap where user namespaces are allowed, else Landlock with a seccomp filter, else limits only. What each
kind holds is told by a program that tries to get out of it, once in the life of this process.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tooldeck.core.errors import SetupError
from tooldeck.guards import confine
from tooldeck.guards.bubblewrap import bubblewrap_words, code_within
from tooldeck.guards.control_group import make_group, remove_group
from tooldeck.guards.environment import environment
from tooldeck.guards.isolation import Isolation, View, Walls, at_least
from tooldeck.guards.programs import install_command
from tooldeck.guards.running import Finished, Limits, run
from tooldeck.guards.seccomp import filter_program

__all__ = ["Confined", "best", "confined", "ended_with", "levels", "run_confined"]

_CONFINE = str(Path(confine.__file__))
_ESCAPE = str(Path(__file__).with_name("escape.py"))
_OLDEST_LANDLOCK = 3
# The first version that keeps files from being emptied.
_SYSTEM = (
    *("/usr", "/etc/alternatives", "/etc/ca-certificates", "/etc/ld.so.cache", "/etc/ld.so.conf"),
    *("/etc/ld.so.conf.d", "/etc/localtime", "/etc/mime.types", "/etc/ssl", "/etc/timezone"),
)
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_tried: list[Walls] = []
# Facts about the machine, found once.
_trying = threading.Lock()
_PROBE_SECONDS = 20.0
_HELD_BY_NEED = {"network", "files"}
# What a sandbox has to hold to be called one.


async def levels() -> tuple[Walls, ...]:
    """The kinds of sandbox, strongest first, each with what it holds here."""
    while not _trying.acquire(blocking=False):  # noqa: ASYNC110 - held on another loop
        await asyncio.sleep(0.02)
    try:
        if not _tried:
            _tried.extend((await _try_bubblewrap(), await _try_landlock(), _try_limits()))
        return tuple(_tried)
    finally:
        _trying.release()


async def best(minimum: Isolation = Isolation.LANDLOCK) -> Walls:
    """The strongest sandbox here; raises `SetupError` where it is weaker than `minimum`."""
    found = await levels()
    for walls in found:
        if walls.usable and at_least(walls.level, minimum):
            return walls
    reasons = "; ".join(f"{walls.level}: {walls.why_not}" for walls in found if not walls.usable)
    raise SetupError(
        f"Code runs only in a sandbox of level {minimum.value!r} or better, and this machine offers none "
        f"({reasons}). For bubblewrap {install_command('bwrap')}. To run without such a sandbox, "
        "knowingly, lower the demand: deck.policy.isolation = 'rlimits'."
    )


class Confined:
    """A command made ready for a sandbox: what to start, and with what environment."""

    def __init__(self, words: list[str], env: dict[str, str], group: str, walls: Walls) -> None:
        self.words = words
        self.env = env
        self.group = group
        """The control group that counts its processes; empty for none."""
        self.walls = walls


def confined(
    words: Sequence[str], view: View, walls: Walls, limits: Limits, env: Mapping[str, str] | None = None
) -> Confined:
    """The command that runs `words` in a sandbox. Give its control group back with `remove_group`.

    The program itself is readable in there, wherever it lies, so it must be one that may be read.
    """
    inside = {
        "PATH": environment()["PATH"],
        "HOME": str(view.folder),
        "TMPDIR": str(view.folder),
        "LANG": "C.UTF-8",
        **{name: os.environ[name] for name in ("TZ",) if name in os.environ},
        **(env or {}),
    }
    group = "" if limits.processes is None else make_group(limits.processes)
    bubble = walls.level is Isolation.BUBBLEWRAP
    spec: dict[str, Any] = {
        "rlimits": _rlimits(limits),
        # Counted by user, and inside of bubblewrap only what is inside; the group counts better.
        "processes": None if group else limits.processes,
        "landlock": None,
        "seccomp": None,
    }
    if walls.level in (Isolation.BUBBLEWRAP, Isolation.LANDLOCK):
        program = filter_program(namespaces=bubble)
        spec["seccomp"] = None if program is None else base64.b64encode(program).decode()
    if walls.level is Isolation.LANDLOCK:
        readable = [*_system(words[0]), *view.read]
        writable = [*view.write, view.folder]
        spec["landlock"] = {
            "abi": confine.landlock_version(),
            "read": [str(place) for place in readable],
            "write": [*(str(place) for place in writable), *_DEVICES],
        }
    command = [sys.executable, "-I", "-S", _CONFINE, json.dumps(spec), *words]
    if bubble:
        program_path = shutil.which("bwrap") or "bwrap"
        command = [*bubblewrap_words(program_path, view, _system(words[0]), inside), *command]
    return Confined(command, inside, group, walls)


async def run_confined(
    words: Sequence[str],
    view: View,
    walls: Walls,
    limits: Limits,
    *,
    env: Mapping[str, str] | None = None,
    data: bytes | None = None,
) -> tuple[Finished, Confined]:
    """Run a program in a sandbox, in the folder of its view; see `run`."""
    made = confined(words, view, walls, limits, env)
    try:
        finished = await run(
            made.words,
            cwd=view.start or view.folder,
            env=made.env,
            data=data,
            limits=limits,
            watched=view.folder,
            group=made.group,
        )
    finally:
        if made.group:
            remove_group(made.group)
    return replace(finished, exit_code=ended_with(walls, finished.exit_code)), made


def ended_with(walls: Walls, code: int | None) -> int | None:
    """The exit code of a program in a sandbox, negative for a signal, from that of the sandbox itself."""
    return code_within(code) if walls.level is Isolation.BUBBLEWRAP else code


def _rlimits(limits: Limits) -> list[tuple[str, int]]:
    pairs = {
        "RLIMIT_CPU": limits.cpu,
        "RLIMIT_AS": limits.memory,
        "RLIMIT_FSIZE": limits.file_size,
        "RLIMIT_NOFILE": limits.open_files,
    }
    return [("RLIMIT_CORE", 0), *((name, most) for name, most in pairs.items() if most is not None)]


def _system(program: str) -> list[Path]:
    """What every program may read: the system's programs and libraries, Python's, and its own folder."""
    places = [Path(place) for place in _SYSTEM if os.path.lexists(place)]
    places += [Path(sys.prefix), Path(sys.base_prefix), Path(_CONFINE), Path(_ESCAPE)]
    top = [Path(name) for name in ("/bin", "/sbin", "/lib", "/lib32", "/lib64") if os.path.lexists(name)]
    found = [place for place in dict.fromkeys([*places, *top]) if len(place.parts) > 1]
    if os.path.isabs(program):  # noqa: PTH117
        own = (Path(program), Path(os.path.realpath(program)))
        found += [one for one in own if not any(one.is_relative_to(place) for place in found)]
    return found


# -- what holds here


async def _try_bubblewrap() -> Walls:
    if not sys.platform.startswith("linux"):
        return Walls(Isolation.BUBBLEWRAP, why_not="only Linux has it")
    if shutil.which("bwrap") is None:
        return Walls(Isolation.BUBBLEWRAP, why_not="the program 'bwrap' is not installed")
    return await _try_out(Walls(Isolation.BUBBLEWRAP))


async def _try_landlock() -> Walls:
    if not sys.platform.startswith("linux"):
        return Walls(Isolation.LANDLOCK, why_not="only Linux has it")
    version = confine.landlock_version()
    if version < _OLDEST_LANDLOCK:
        return Walls(Isolation.LANDLOCK, why_not=f"the kernel offers version {version}, 3 is needed")
    if filter_program(namespaces=False) is None:
        return Walls(Isolation.LANDLOCK, why_not="the system calls of this processor are not known")
    return await _try_out(Walls(Isolation.LANDLOCK))


def _try_limits() -> Walls:
    if sys.platform == "win32":
        return Walls(Isolation.RLIMITS, why_not="Windows has no such limits")
    return Walls(Isolation.RLIMITS)


async def _try_out(walls: Walls) -> Walls:
    """What a program that tries to get out is kept from."""
    with tempfile.TemporaryDirectory(prefix="tooldeck-") as place:
        secret = Path(place) / "outside"
        secret.write_text("secret")
        folder = Path(place) / "inside"
        folder.mkdir()
        words = [sys.executable, "-I", "-S", _ESCAPE, str(secret), str(os.getpid())]
        limits = Limits(seconds=_PROBE_SECONDS)
        try:
            finished, _ = await run_confined(words, View(folder), walls, limits)
        except SetupError as error:
            return Walls(walls.level, why_not=str(error))
        if not finished.ok or secret.read_text() != "secret":
            said = finished.stderr.text.strip().splitlines()
            return Walls(walls.level, why_not=said[-1] if said else "a trial run of it failed")
        holds = frozenset(json.loads(finished.stdout.data))
    if not holds >= _HELD_BY_NEED:
        return Walls(walls.level, why_not="a trial run got out of it")
    return Walls(walls.level, holds)
