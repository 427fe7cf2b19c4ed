"""Which exchanges are rounds of one request: a call whose server wanted something first, a task looked at.

In the protocol of 2026-07-28 a server answers that it needs input, and the client asks again with that input
and the state it was given. A call that became a task is followed by requests that name the task.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from tooldeck.core.canonical import exact_text
from tooldeck.mcp.frames import Exchange, said_fault

__all__ = ["Rounds", "in_rounds"]

_AGAIN = ("inputResponses", "requestState", "_meta")
# Members of a request in which its rounds differ.
_OPEN = ("working", "input_required", "submitted")
_OVER = ("failed", "cancelled")


@dataclass(frozen=True, slots=True)
class Rounds:
    """One request as its sender means it, with everything that went over the wire for it."""

    exchanges: tuple[Exchange, ...]
    """At least one, oldest first."""

    @property
    def first(self) -> Exchange:
        """That which it began with, as far as that is kept."""
        return self.exchanges[0]

    @property
    def last(self) -> Exchange:
        """The latest that is a request."""
        return next((one for one in reversed(self.exchanges) if one.is_request), self.first)

    @property
    def count(self) -> int:
        """How many requests it took."""
        return sum(one.is_request for one in self.exchanges)

    @property
    def size(self) -> int:
        """The characters of all of it, about."""
        return sum(frame.size for one in self.exchanges for frame in one.frames)

    @property
    def seconds(self) -> float | None:
        """From its beginning to the last answer; None while there is none."""
        ends = [one.answer.clock for one in self.exchanges if one.answer is not None]
        return max(ends) - self.first.request.clock if ends else None

    @property
    def task(self) -> str:
        """How its task stands where that is not completed; empty where it is, and where it is none."""
        if self.last.method == "tasks/cancel" and self.last.answer is not None:
            return "" if self.last.fault else "task cancelled"
        for one in reversed(self.exchanges):
            told = _task(one)
            status = told.get("status") if told is not None else None
            if isinstance(status, str):
                known = status if status in (*_OPEN, *_OVER) else "in a state that the protocol does not have"
                left = " when the connection ended" if self.last.over and status not in _OVER else ""
                return "" if status == "completed" else f"task {known}{left}"
        return ""

    @property
    def fault(self) -> str:
        """Why it failed; that of its last round, or of the result that its task has; empty otherwise."""
        return self.last.fault or _inner_fault(self.last)


def in_rounds(exchanges: Iterable[Exchange]) -> list[Rounds]:
    """Exchanges of one server, oldest first, each with its later rounds, in the order of their beginnings."""
    groups: list[list[Exchange]] = []
    waiting: dict[Any, list[list[Exchange]]] = {}
    tasks: dict[str, list[Exchange]] = {}
    for one in exchanges:
        group = _begun(one, waiting, tasks)
        if group is None:
            group = []
            groups.append(group)
        group.append(one)
        if one.wants_input:
            waiting.setdefault(_key(one, _state_given(one)), []).append(group)
        named = _named_task(one)
        if named:
            tasks[named] = group
    return [Rounds(tuple(group)) for group in groups]


def _begun(
    one: Exchange, waiting: dict[Any, list[list[Exchange]]], tasks: dict[str, list[Exchange]]
) -> list[Exchange] | None:
    """The group that an exchange goes on with, if one is kept."""
    if one.goes_on:
        found = waiting.get(_key(one, one.params.get("requestState")))
        return found.pop(0) if found else None
    if one.method.startswith(("tasks/", "notifications/tasks/")):
        return tasks.get(_text(one.params.get("taskId")))
    return None


def _key(one: Exchange, state: Any) -> Any:
    """What two rounds have in common: whose request it is, what it asks, and the state between them."""
    asked = {name: told for name, told in one.params.items() if name not in _AGAIN}
    return one.request.sent, one.method, exact_text(asked), _text(state)


def _state_given(one: Exchange) -> Any:
    return _result(one).get("requestState")


def _named_task(one: Exchange) -> str:
    """The task that an exchange made or spoke of; empty where there is none."""
    if one.method.startswith("tasks/"):
        return _text(one.params.get("taskId"))
    told = _task(one)
    return "" if told is None else _text(told.get("taskId"))


def _task(one: Exchange) -> dict[str, Any] | None:
    """What an answer, or a notification, tells of a task; None where it tells of none."""
    if one.method.startswith("notifications/tasks/"):
        return one.params
    result = _result(one)
    inner = result.get("task")
    if isinstance(inner, dict):  # the older form
        return cast("dict[str, Any]", inner)
    return result if isinstance(result.get("taskId"), str) else None


def _inner_fault(one: Exchange) -> str:
    """The fault that the answer about a task carries."""
    result = _result(one)
    error = result.get("error")
    if one.method == "tasks/get" and isinstance(error, dict):
        return _text(cast("dict[str, Any]", error).get("message"))
    done = result.get("result")
    if one.method == "tasks/get" and isinstance(done, dict):
        return said_fault(cast("dict[str, Any]", done))
    return ""


def _result(one: Exchange) -> dict[str, Any]:
    result = getattr(one.answer.message if one.answer is not None else None, "result", None)
    return cast("dict[str, Any]", result) if isinstance(result, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
