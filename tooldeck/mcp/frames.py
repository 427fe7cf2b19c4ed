"""What went over a connection: every message both ways, answers beside their requests, kept within limits.

Messages are kept as they were, before anything is repaired, in memory only. A log goes on when its server is
connected again.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any, cast

from tooldeck.mcp.timing import Timing

__all__ = ["Exchange", "Frame", "FrameLog", "said_fault"]

MOST = 2_000
"""Exchanges that are kept."""
MOST_CHARS = 16_000_000
"""Characters, about, that are kept; of what is longer only the newest stays."""
_MOST_NODES = 20_000
# Parts of a message that are looked at to tell its size.


@dataclass(frozen=True, slots=True)
class Frame:
    """One message on the wire."""

    number: int
    """Counts up from 1."""
    at: float
    """When it passed, in seconds of the wall clock."""
    clock: float
    """The same on a clock that nobody sets."""
    sent: bool
    """Whether it went to the server."""
    message: Any = field(repr=False)
    """The message as the client library has it; `body` is its JSON."""
    size: int = 0
    """Its characters, about."""

    @property
    def body(self) -> dict[str, Any]:
        """The message as JSON."""
        return self.message.model_dump(by_alias=True, exclude_unset=True, mode="json")


@dataclass(slots=True)
class Exchange:
    """A request with its answer, or a notification, which has none."""

    request: Frame
    answer: Frame | None = None
    """None while it is on its way, for a notification, and when it was cancelled."""
    cancelled: bool = False
    lost: bool = False
    """Whether its connection ended before an answer came."""
    over: bool = False
    """Whether its connection has ended since."""

    @property
    def number(self) -> int:
        """The number of the request."""
        return self.request.number

    @property
    def method(self) -> str:
        """What is asked or told; empty for an answer to nothing that is kept."""
        return getattr(self.request.message, "method", "")

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of the request."""
        return getattr(self.request.message, "params", None) or {}

    @property
    def subject(self) -> str:
        """The tool, prompt or address that it is about; empty where it names none."""
        for key in ("name", "uri"):
            if isinstance(self.params.get(key), str):
                return self.params[key]
        return ""

    @property
    def is_request(self) -> bool:
        """Whether an answer is expected."""
        return bool(self.method) and getattr(self.request.message, "id", None) is not None

    @property
    def seconds(self) -> float | None:
        """From the request to its answer."""
        return None if self.answer is None else self.answer.clock - self.request.clock

    @property
    def fault(self) -> str:
        """Why it failed: an error of the protocol, or what the tool says of its failure; empty otherwise."""
        message = self.answer.message if self.answer is not None else self.request.message
        error = getattr(message, "error", None)
        if error is not None:
            return f"error {error.code}: {error.message}"
        result = getattr(message, "result", None)
        return said_fault(cast("dict[str, Any]", result)) if isinstance(result, dict) else ""

    @property
    def wants_input(self) -> bool:
        """Whether the answer asks for something first; the same call goes on in a later exchange."""
        result = getattr(self.answer.message if self.answer is not None else None, "result", None)
        return (
            isinstance(result, dict) and cast("dict[str, Any]", result).get("resultType") == "input_required"
        )

    @property
    def goes_on(self) -> bool:
        """Whether it goes on with a call whose server wanted something first."""
        return self.is_request and ("inputResponses" in self.params or "requestState" in self.params)

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The request and, if there is one, the answer."""
        return (self.request,) if self.answer is None else (self.request, self.answer)


class FrameLog:
    """The messages of one server. Written by the thread of its session, read from any."""

    def __init__(self, most: int = MOST, most_chars: int = MOST_CHARS) -> None:
        self._most = most
        self._most_chars = most_chars
        self._kept: deque[Exchange] = deque()
        self._chars = 0
        self._open: dict[tuple[bool, Any], Exchange] = {}
        self._timings: dict[str, Timing] = {}
        self._count = 0
        self._lock = threading.Lock()

    # -- written on the session's loop ---

    def hang_up(self) -> None:
        """The connection is over: what is on its way will not be answered, and ids begin again."""
        with self._lock:
            for exchange in self._open.values():
                exchange.lost = True
            for exchange in self._kept:
                exchange.over = True
            self._open.clear()

    def add(self, message: Any, *, sent: bool) -> Exchange:
        """Take in a message; gives the exchange that it belongs to."""
        with self._lock:
            self._count += 1
            frame = Frame(self._count, time.time(), time.perf_counter(), sent, message, _size(message))
            exchange = self._placed(frame)
            if self._is_kept(exchange):
                self._chars += frame.size
            while len(self._kept) > self._most or (self._chars > self._most_chars and len(self._kept) > 1):
                self._forget()
        return exchange

    def _placed(self, frame: Frame) -> Exchange:
        method, key = getattr(frame.message, "method", None), getattr(frame.message, "id", None)
        if method is None:
            asked = self._open.pop((not frame.sent, key), None)
            if asked is not None:
                asked.answer = frame
                self._time(asked)
                return asked
        made = Exchange(frame)
        self._kept.append(made)
        if method == "notifications/cancelled":
            self._cancel(frame.sent, made.params.get("requestId"))
        elif method is not None and key is not None:
            self._open[frame.sent, key] = made
        return made

    def _cancel(self, sent: bool, id: Any) -> None:  # noqa: FBT001 - which side asked is half of the key
        given_up = self._open.get((sent, id)) if isinstance(id, int | str) else None
        if given_up is None:
            return
        given_up.cancelled = True  # and left open, since a server may answer all the same
        if not self._is_kept(given_up):
            del self._open[sent, id]

    def _time(self, exchange: Exchange) -> None:
        seconds = exchange.seconds
        if exchange.method == "tools/call" and exchange.request.sent and seconds is not None:
            timing = self._timings.setdefault(exchange.subject, Timing(exchange.subject))
            timing.add(seconds, failed=bool(exchange.fault))

    def _is_kept(self, exchange: Exchange) -> bool:
        return bool(self._kept) and exchange.number >= self._kept[0].number

    def _forget(self) -> None:
        """Drop the oldest; what we still wait for must find its answer all the same."""
        oldest = self._kept.popleft()
        self._chars -= sum(frame.size for frame in oldest.frames)
        key = oldest.request.sent, getattr(oldest.request.message, "id", None)
        if self._open.get(key) is oldest and (oldest.cancelled or not oldest.request.sent):
            del self._open[key]

    # -- read from any thread ---

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def left_out(self) -> int:
        """How many messages are not kept any more."""
        return self._count - len(self.frames())

    def frames(self) -> list[Frame]:
        """The messages in their order on the wire."""
        found = [frame for exchange in self.exchanges() for frame in exchange.frames]
        return sorted(found, key=lambda frame: frame.number)

    def exchanges(self, search: str = "") -> list[Exchange]:
        """Requests with their answers, and notifications, oldest first: those with this text in them."""
        with self._lock:
            kept = list(self._kept)
        wanted = search.casefold()
        return [one for one in kept if not wanted or wanted in _text(one)]

    def __getitem__(self, number: int) -> Exchange:
        """The exchange that a message of this number belongs to; KeyError when it is not kept."""
        for one in self.exchanges():
            if number in {frame.number for frame in one.frames}:
                return one
        kept = [frame.number for frame in self.frames()]
        has = f"{kept[0]} to {kept[-1]} are" if kept else "none is"
        raise KeyError(f"No message {number} is kept; {has}.")

    def timings(self) -> list[Timing]:
        """How long calls took, by tool, in the order of their first calls."""
        with self._lock:
            return list(self._timings.values())


def _text(exchange: Exchange) -> str:
    """Everything in an exchange that can be searched."""
    return "\n".join(frame.message.model_dump_json(by_alias=True) for frame in exchange.frames).casefold()


def said_fault(result: dict[str, Any]) -> str:
    """What the result of a tool says of its failure; empty where it is none."""
    return (_first_text(result) or "isError") if result.get("isError") is True else ""


def _first_text(result: dict[str, Any]) -> str:
    content = result.get("content")
    for block in cast("list[Any]", content) if isinstance(content, list) else ():
        if isinstance(block, dict) and isinstance(cast("dict[str, Any]", block).get("text"), str):
            return cast("dict[str, Any]", block)["text"]
    return ""


def _size(message: Any) -> int:
    """The characters of a message, about; beyond many parts it is taken for a megabyte."""
    total, seen = 60, 0
    todo: list[Any] = [getattr(message, "params", None) or getattr(message, "result", None)]
    while todo:
        one = todo.pop()
        seen += 1
        if seen > _MOST_NODES:
            return total + 1_000_000
        if isinstance(one, str):
            total += len(one)
        elif isinstance(one, dict):
            members = cast("dict[str, Any]", one)
            total += 16 * len(members)
            todo.extend(members.values())
        elif isinstance(one, list):
            todo.extend(cast("list[Any]", one))
    return total
