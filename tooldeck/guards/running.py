"""Run one program to its end, within limits: the one way by which tools start programs.

Argument lists only, a process group of its own, a clean environment, an end of input. Time, output and disk
are watched from here; what the kernel watches (CPU, memory, files, processes) is set up by the sandbox. The
program goes with everything it started, whether it ends, passes a limit, is cancelled, or this process dies.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tooldeck.core.errors import DefinitionError, SetupError
from tooldeck.guards.kept import Kept
from tooldeck.guards.process import Process, ending_of

__all__ = ["Finished", "Limits", "folder_size", "run", "summed_up"]

MIB = 1024 * 1024
_LOOK = 0.1
# Seconds between looks at the disk.
_KILLED = 3.0
# Seconds after SIGTERM and the patience for it in which everything must be gone.
_REST = 1.0
# Seconds in which the last output of a program that has ended is read.
_PIECE = 2**16
_BY_ITSELF = "ended"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run of a program may use. None: no limit."""

    seconds: float = 30.0
    """Time from start to end."""
    kept: int = 256 * 1024
    """Bytes of each stream that are kept, from its beginning and its end."""
    output: int = 32 * MIB
    """Bytes of each stream after which the program is ended."""
    disk: int | None = None
    """Bytes in the watched folder after which the program is ended."""
    cpu: int | None = None
    """Seconds of processor time of each process."""
    memory: int | None = None
    """Bytes of address space of each process."""
    file_size: int | None = None
    """Bytes of the largest file that can be written."""
    open_files: int | None = None
    """Open files of each process."""
    processes: int | None = None
    """Processes and threads at the same time."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a run ended."""

    words: tuple[str, ...]
    """The program and its arguments."""
    exit_code: int | None
    """Negative for a signal; None when nobody knows."""
    stdout: Kept
    stderr: Kept
    seconds: float
    stopped: str = ""
    """Why it was ended from here: ``time``, ``output`` or ``disk``; empty when it ended by itself."""
    limits: Limits = field(default_factory=Limits, repr=False)

    @property
    def ok(self) -> bool:
        """Whether it ended by itself and well."""
        return self.exit_code == 0 and not self.stopped


async def run(
    words: Sequence[str],
    *,
    cwd: str | Path,
    env: Mapping[str, str],
    data: bytes | None = None,
    limits: Limits | None = None,
    watched: Path | None = None,
    group: str = "",
    patience: float = 0.5,
) -> Finished:
    """Run a program in the folder `cwd` with the environment `env` and return how it ended.

    `data` is its input, else there is none. `watched` is the folder that ``limits.disk`` is about. `patience`
    is the seconds between SIGTERM and SIGKILL. Raises `SetupError` when it cannot be started, and
    `DefinitionError` for words that no program can be given. Cancelled, it ends the program first.
    """
    limits = limits or Limits()
    _check(words)
    stdin = asyncio.subprocess.DEVNULL if data is None else asyncio.subprocess.PIPE
    process = Process(words, env, str(cwd), stdin=stdin, leave=0.0, term=patience, group=group)
    start = time.monotonic()
    try:
        await process.start()
    except OSError as error:
        raise SetupError(f"Cannot start {words[0]!r} in {str(cwd)!r}: {error.strerror or error}.") from None
    streams = _Streams(process, limits)
    try:
        stopped = await _watched(process, streams, data, limits, watched)
        if stopped:
            process.tell_to_end()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.ended.wait(), patience + _KILLED)
        if process.spawn_error:
            raise SetupError(f"Cannot start {words[0]!r}: {process.spawn_error}.")
        await streams.rest()
    finally:
        await process.end(drain=False)
        await streams.close()
    return Finished(
        tuple(words),
        process.exit_code,
        streams.stdout,
        streams.stderr,
        time.monotonic() - start,
        stopped,
        limits,
    )


def summed_up(finished: Finished) -> str:
    """How a run ended, in a few words for a person or a model."""
    how = "ended for an unknown reason" if finished.exit_code is None else ending_of(finished.exit_code)
    limits = finished.limits
    why = {
        "time": f"was ended after its limit of {limits.seconds:g} s",
        "output": f"was ended after more than {limits.output} bytes of output",
        "disk": f"was ended with more than {limits.disk} bytes written",
    }
    return f"{why.get(finished.stopped, how)} ({finished.seconds:.1f} s)"


def _check(words: Sequence[str]) -> None:
    if isinstance(words, str) or not words or not all(isinstance(word, str) for word in words):
        raise DefinitionError(f"A program is given as a list of texts, not {words!r}.")
    if any("\0" in word for word in words):
        raise DefinitionError("An argument has a null character in it, which no program can be given.")


async def _watched(
    process: Process, streams: _Streams, data: bytes | None, limits: Limits, watched: Path | None
) -> str:
    """Wait until the program has gone or has passed a limit; which one, in a word."""
    waits: set[asyncio.Task[Any]] = {
        asyncio.create_task(process.ended.wait(), name=_BY_ITSELF),
        asyncio.create_task(streams.flooded.wait(), name="output"),
    }
    if limits.disk is not None and watched is not None:
        waits.add(asyncio.create_task(_filled(watched, limits.disk), name="disk"))
    feeding = asyncio.create_task(_feed(process, data))
    try:
        done, _ = await asyncio.wait(waits, timeout=limits.seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (*waits, feeding):
            task.cancel()
    names = {task.get_name() for task in done}
    return "" if _BY_ITSELF in names else max(names, default="time")


async def _feed(process: Process, data: bytes | None) -> None:
    if process.stdin is None or data is None:
        return
    with contextlib.suppress(OSError):
        process.stdin.write(data)
        await process.stdin.drain()
    process.stdin.close()


async def _filled(folder: Path, most: int) -> None:
    """Wait until the files of a folder are larger than `most` bytes."""
    while await asyncio.to_thread(folder_size, folder) <= most:  # noqa: ASYNC110 - no file tells of its growth
        await asyncio.sleep(_LOOK)


def folder_size(folder: Path) -> int:
    """Bytes of a folder on the disk, and a block for each file, so that empty ones count too."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                stat = os.lstat(f"{place}/{name}")
                total += max(stat.st_blocks * 512, 512)
    return total


class _Streams:
    """What a program prints, as far as it is kept."""

    def __init__(self, process: Process, limits: Limits) -> None:
        self.stdout, self.stderr = Kept(limits.kept), Kept(limits.kept)
        self.flooded = asyncio.Event()
        """Set when it printed more than it may."""
        self._most = limits.output
        pairs = ((process.stdout, self.stdout), (process.stderr, self.stderr))
        self._readers = [
            asyncio.create_task(self._read(stream, kept), name="tooldeck-output")
            for stream, kept in pairs
            if stream is not None
        ]

    async def rest(self) -> None:
        """Read what was printed last. Not for ever: somebody out of reach may hold the pipe open."""
        await asyncio.wait(self._readers, timeout=_REST)

    async def close(self) -> None:
        for reader in self._readers:
            reader.cancel()
        await asyncio.wait(self._readers)

    async def _read(self, stream: asyncio.StreamReader, kept: Kept) -> None:
        with contextlib.suppress(OSError):
            while piece := await stream.read(_PIECE):
                kept.add(piece)
                if kept.total > self._most:
                    self.flooded.set()
                await asyncio.sleep(0)  # a program that never stops printing must not have the loop to itself
