"""Recordings of results, for notebooks that give the same each time: made by real calls, played without.

A file has a heading and one JSON object a line for each call, in the order in which they ended. A call is
known by its tool, its canonical arguments (secrets masked) and how often the same was called before.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.canonical import canonical_text
from tooldeck.core.errors import DefinitionError
from tooldeck.core.strangers import error_words, file_fault, to_repr
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status
from tooldeck.store.masking import mask
from tooldeck.store.tape_values import from_json, to_json

__all__ = ["Recording", "Replaying", "Taped", "Tapes"]

T = TypeVar("T", "Recording", "Replaying")
_HEADING = {"tooldeck": "recording", "version": 1}
_log = logging.getLogger("tooldeck")


class Tapes:
    """The recording or replay of one deck that is going on, if any."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self.current: Recording | Replaying | None = None
        self._changed = changed

    def start(self, make: Callable[[Callable[[], None]], T]) -> T:
        """Begin one; raises `DefinitionError` while another goes on, and what making it raises."""
        if self.current is not None:
            raise DefinitionError(f"{self.current!r} is still going on; end it with its stop() first.")
        self.current = made = make(self._stop)
        self._changed()
        return made

    def _stop(self) -> None:
        self.current = None
        self._changed()


class _Tape:
    """What both kinds share: a path, an end, and use as a context manager."""

    def __init__(self, path: str | os.PathLike[str], stopped: Callable[[], None]) -> None:
        self.path = Path(path)
        self._stopped: Callable[[], None] | None = stopped
        self._lock = threading.Lock()

    def stop(self) -> None:
        """End it; calls run as usual again."""
        stopped, self._stopped = self._stopped, None
        if stopped is not None:
            stopped()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_ended: object) -> None:
        self.stop()


class Recording(_Tape):
    """Writes the results of calls into a file, each as soon as it is there."""

    playing: bool = False

    def __init__(self, path: str | os.PathLike[str], stopped: Callable[[], None]) -> None:
        super().__init__(path, stopped)
        self.count = 0
        """How many results were recorded."""
        self._failed = False
        if self.path.exists() and self.path.stat().st_size:
            _read(self.path)  # another recording may be replaced, any other file may not
        try:
            self.path.write_text(json.dumps(_HEADING) + "\n", encoding="utf-8")
        except OSError as error:
            raise DefinitionError(f"The file {str(path)!r} cannot be written: {file_fault(error)}.") from None

    def keep(self, tool: Tool, call: ToolCall, outcome: Outcome) -> None:
        """Record how a call ended; never raises."""
        try:
            arguments, _, secrets = mask(json.loads(_canonical(call)), tool.parameters)
            record = {"tool": tool.name, "arguments": arguments, **to_json(tool, outcome, secrets)}
            line = json.dumps(record, ensure_ascii=False)
            with self._lock, self.path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(line + "\n")
                self.count += 1
        except Exception as error:  # noqa: BLE001 - a full disk, or values of strangers
            if not self._failed:
                _log.warning("Results are missing in the recording %s: %s", self.path, error_words(error))
            self._failed = True

    def play(self, tool: Tool, call: ToolCall) -> Outcome:
        """A recording gives nothing back."""
        raise AssertionError(f"{self!r} was asked for the end of {call.id}")

    def __repr__(self) -> str:
        return f"<Recording into {self.path}: {self.count} results>"


class Replaying(_Tape):
    """Answers calls from a file; none runs, and nobody is asked."""

    playing: bool = True

    def __init__(self, path: str | os.PathLike[str], stopped: Callable[[], None]) -> None:
        super().__init__(path, stopped)
        self._records: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self._played: dict[str, int] = defaultdict(int)
        for record in _read(self.path):
            self._records[_key(record["tool"], record["arguments"])].append(record)

    @property
    def left(self) -> int:
        """How many recorded results no call has asked for."""
        return sum(max(0, len(found) - self._played[key]) for key, found in list(self._records.items()))

    def play(self, tool: Tool, call: ToolCall) -> Outcome:
        """The next recorded result of this call, or a refusal where there is none."""
        key = _key(tool.name, mask(json.loads(_canonical(call)), tool.parameters).arguments)
        with self._lock:
            found = self._records.get(key, [])
            turn = self._played[key]
            if turn < len(found):
                self._played[key] = turn + 1
        if turn >= len(found):
            return Outcome(Status.BLOCKED, error=self._missing(tool, len(found)))
        record = found[turn]
        if record.get("exact") is False:
            call.log.note("tape", "the value was recorded as text or plain data, not as the object it was")
        try:
            return from_json(tool, record)
        except Exception as error:  # noqa: BLE001 - a return type that changed since
            said = f"what was recorded does not fit the tool any more ({error_words(error)})"
            return Outcome(Status.BLOCKED, error=f"{tool.name} was not run: {said}; record it again.")

    def keep(self, tool: Tool, call: ToolCall, outcome: Outcome) -> None:
        """A replay takes nothing."""

    def _missing(self, tool: Tool, times: int) -> str:
        had = "does not have this call"
        if times:
            had = f"has this call {times} time{'s' if times > 1 else ''} only"
        return f"{tool.name} was not run: the recording {str(self.path)!r} {had}; record it again."

    def __repr__(self) -> str:
        return f"<Replaying {self.path}: {self.left} results left>"


class _Deck(Protocol):
    """What a deck has besides."""

    _tapes: Tapes


class Taped:
    """The methods of a deck for recordings; `_tapes` is set by the deck."""

    _tapes: Tapes

    @property
    def tape(self) -> Recording | Replaying | None:
        """The recording or replay that is going on."""
        return self._tapes.current

    def recording(self: _Deck, path: str | os.PathLike[str]) -> Recording:
        """Record the results of all calls from now on into a file, until ``stop()`` or the end of a ``with``.

        An earlier recording in the file is replaced. Raises `DefinitionError` where the file is something
        else or cannot be written, and while another recording goes on.
        """
        return self._tapes.start(lambda stopped: Recording(path, stopped))

    def replaying(self: _Deck, path: str | os.PathLike[str]) -> Replaying:
        """Answer all calls from a recording, until ``stop()`` or the end of a ``with``.

        Nothing runs and nobody is asked; what policy denies, and what was denied, stays denied; a call that
        was not recorded ends as ``blocked``. Raises `DefinitionError` where the file is no recording.
        """
        return self._tapes.start(lambda stopped: Replaying(path, stopped))


def _read(path: Path) -> list[dict[str, Any]]:
    """The records of a file; raises `DefinitionError` naming the line that is none."""
    try:
        lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(f"The recording {str(path)!r} cannot be read: {file_fault(error)}.") from None
    heading: Any = None
    with suppress(ValueError, IndexError):
        heading = json.loads(lines[0])
    if heading != _HEADING:
        raise DefinitionError(f"The file {str(path)!r} is no recording of results that this tooldeck reads.")
    return [_record(path, number, line) for number, line in enumerate(lines[1:], 2)]


def _record(path: Path, number: int, line: str) -> dict[str, Any]:
    with suppress(ValueError, TypeError, KeyError):
        record = json.loads(line)
        if isinstance(record["tool"], str) and isinstance(record["arguments"], dict):
            Status(record["status"])
            return record
    raise DefinitionError(f"Line {number} of the recording {str(path)!r} is damaged; record it again.")


def _canonical(call: ToolCall) -> str:
    return canonical_text(dict(call.arguments), to_repr)


def _key(name: str, arguments: dict[str, Any]) -> str:
    return f"{name}{canonical_text(arguments)}"
