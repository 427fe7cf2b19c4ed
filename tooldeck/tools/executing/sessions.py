"""Python sessions: a worker in the sandbox whose names live on between calls, until its deck is closed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import shutil
import sys
import tempfile
import time
import weakref
from collections.abc import Callable
from contextvars import Context
from pathlib import Path
from typing import Any

from tooldeck.core.errors import ExpectedError
from tooldeck.guards.control_group import remove_group
from tooldeck.guards.isolation import View, Walls
from tooldeck.guards.kept import Kept
from tooldeck.guards.process import Process
from tooldeck.guards.running import Finished, Limits, folder_size
from tooldeck.guards.sandbox import confined, ended_with
from tooldeck.hosts.background import background

__all__ = ["Session", "Sessions"]

WORKER = Path(__file__).with_name("worker.py")
MOST = 8
"""Sessions of one deck at the same time."""
_OBEY = 2.0
# Seconds in which interrupted code must give in, before its session is ended.
_END_LIMIT = 8.0
_LOOK, _IDLE_LOOK = 0.1, 1.0
# Seconds between looks at the disk, while code runs and between calls.


class Session:
    """One worker. Everything here runs on the background loop."""

    def __init__(self, name: str, walls: Walls, limits: Limits, read: tuple[Path, ...]) -> None:
        self.name = name
        self.walls = walls
        self.folder = Path(tempfile.mkdtemp(prefix="tooldeck-session-"))
        self.read = read
        self.known: dict[str, bytes] = {}
        """The files that its folder had after the last call, by name."""
        self.calls = 0
        """How many calls it has answered."""
        view = View(self.folder, read=(*read, WORKER))
        self._made = confined([sys.executable, "-u", "-B", "-s", str(WORKER)], view, walls, limits)
        self._process = Process(
            self._made.words, self._made.env, str(self.folder), leave=0.0, term=0.3, group=self._made.group
        )
        self._one_at_a_time = asyncio.Lock()
        self._started = False
        self._most = limits.disk
        self._full = False
        self._guard: asyncio.Task[None] | None = None

    @property
    def over(self) -> bool:
        """Whether the worker is gone."""
        return self._process.ended.is_set()

    async def run(self, code: str, limits: Limits) -> tuple[Finished, bool]:
        """Run code in the session; how it ended, and whether the session lives on."""
        async with self._one_at_a_time:
            if not self._started:
                self._started = True
                # What lives on must not hold the context of this call, and with it the deck, for ever.
                await asyncio.create_task(self._process.start(), context=Context())
                if self._most is not None:
                    self._guard = asyncio.create_task(self._watch_disk(self._most), context=Context())
            self.calls += 1
            try:
                return await self._answered(code, limits)
            except asyncio.CancelledError:
                if not await self._gives_in():
                    await self.end()
                raise

    async def _answered(self, code: str, limits: Limits) -> tuple[Finished, bool]:
        mark = secrets.token_hex(12)
        self._reading = reading = _Reading(self._process, mark, limits)
        start = time.monotonic()
        self._send({"code": code, "mark": mark})
        stopped = await reading.until(limits.seconds)
        if stopped:
            await self._gives_in()
        alive = reading.marked
        if not alive:
            await self.end()
        stopped = "disk" if self._full else stopped
        ended = ended_with(self.walls, self._process.exit_code)
        exit_code = ended if not alive else 0 if reading.well else 1
        seconds = time.monotonic() - start
        words = (f"session {self.name}",)
        return Finished(words, exit_code, reading.out, reading.err, seconds, stopped, limits), alive

    async def _watch_disk(self, most: int) -> None:
        """End the worker once its folder has more than `most` bytes, also what it starts between calls."""
        while await asyncio.to_thread(folder_size, self.folder) <= most:  # noqa: ASYNC110 - no file tells
            await asyncio.sleep(_LOOK if self._one_at_a_time.locked() else _IDLE_LOOK)
        self._full, self._guard = True, None
        await self.end()

    async def _gives_in(self) -> bool:
        """Interrupt the code that runs; whether it ends within a moment."""
        self._send({"interrupt": True})
        await self._reading.until(_OBEY, however_much=True)
        return self._reading.marked

    def _send(self, request: dict[str, Any]) -> None:
        if self._process.stdin is not None:
            with contextlib.suppress(OSError, RuntimeError):
                self._process.stdin.write(json.dumps(request).encode() + b"\n")

    async def end(self) -> None:
        """End the worker and take its folder away."""
        if self._guard is not None:
            self._guard.cancel()
        await self._process.end()
        if self._made.group:
            remove_group(self._made.group)
        await asyncio.to_thread(shutil.rmtree, self.folder, ignore_errors=True)


class _Reading:
    """The output of one call, up to its mark on both streams."""

    def __init__(self, process: Process, mark: str, limits: Limits) -> None:
        self.out, self.err = Kept(limits.kept), Kept(limits.kept)
        self.well = False
        """Whether the code ended well."""
        self._marks = 0
        self._flooded = asyncio.Event()
        self._limits = limits
        self._mark = b"\0" + mark.encode() + b"\0"
        pairs = ((process.stdout, self.out), (process.stderr, self.err))
        self._readers = {
            asyncio.create_task(self._read(stream, kept), context=Context())
            for stream, kept in pairs
            if stream
        }

    @property
    def marked(self) -> bool:
        """Whether the call has ended and the worker lives on."""
        return self._marks == len(self._readers)

    async def until(self, seconds: float, *, however_much: bool = False) -> str:
        """Read on until both marks came, the worker is gone, or a limit is passed: which one, in a word."""
        over = asyncio.create_task(asyncio.wait(self._readers, return_when=asyncio.FIRST_EXCEPTION))
        waits: set[asyncio.Task[Any]] = {over}
        if not however_much:
            waits.add(asyncio.create_task(self._flooded.wait()))
        try:
            await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            done = over.done()
        finally:
            for task in waits:
                task.cancel()
            for reader in self._readers:
                if reader.done() and not reader.cancelled():
                    reader.exception()  # a stream that broke counts as ended
        return "" if done else "output" if self._flooded.is_set() else "time"

    async def _read(self, stream: asyncio.StreamReader, kept: Kept) -> None:
        """The stream up to the mark; what may be the beginning of the mark is held back."""
        held = b""
        while piece := await stream.read(2**16):
            held += piece
            text, found, rest = held.partition(self._mark)
            if found:
                self._marks += 1
                kept.add(text)
                if kept is self.out:
                    line = rest if b"\n" in rest else rest + await stream.readline()
                    self.well = bool(json.loads(line)["ok"])
                return
            cut = max(0, len(held) - len(self._mark))
            kept.add(held[:cut])
            held = held[cut:]
            if kept.total > self._limits.output:
                self._flooded.set()  # read on: what is stuck in printing would not hear of an interrupt
            await asyncio.sleep(0)
        kept.add(held)


class Sessions:
    """The sessions of one deck by name."""

    def __init__(self) -> None:
        self._by_name: dict[str, Session] = {}

    @classmethod
    def of(cls, deck: Any) -> Sessions:
        """Those of a deck; they end when it is closed or gone."""
        sessions = _of_decks.get(deck)
        if sessions is None:
            sessions = _of_decks[deck] = cls()
            deck.on_close(sessions.close)
            weakref.finalize(deck, sessions.close)
        return sessions

    async def get(self, name: str, make: Callable[[], Session]) -> Session:
        """The living session of a name, or a new one; raises `ExpectedError` where there are too many."""
        gone = [session for session in self._by_name.values() if session.over]
        self._by_name = {one: session for one, session in self._by_name.items() if not session.over}
        found = self._by_name.get(name)
        if found is None and len(self._by_name) >= MOST:
            raise ExpectedError(
                f"There are {MOST} sessions already ({', '.join(self._by_name)}); end one with "
                "action='end_session' first."
            )
        if found is None:
            found = self._by_name[name] = make()
        for session in gone:  # its folder is still there
            await session.end()
        return found

    async def end(self, name: str) -> str:
        """End one; what was done, in a sentence."""
        session = self._by_name.pop(name, None)
        if session is None:
            there = ", ".join(self._by_name) or "none"
            return f"There is no session {name!r}; there are: {there}."
        await session.end()
        return f"The session {name!r} has ended."

    def close(self) -> None:
        """End all of them."""
        mine, self._by_name = list(self._by_name.values()), {}
        if not mine:
            return

        async def end_all() -> None:
            await asyncio.gather(*(session.end() for session in mine))

        ending = background().submit(end_all)
        if not background().owns_current_thread():
            with contextlib.suppress(Exception):  # the loop winds down, and the keepers do the rest
                ending.result(_END_LIMIT)


_of_decks: weakref.WeakKeyDictionary[Any, Sessions] = weakref.WeakKeyDictionary()
