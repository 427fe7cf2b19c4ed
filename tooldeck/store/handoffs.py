"""Work that one agent hands to another, and its states: the table of transitions and the table in a store.

::

    requested ── accept ──> accepted ── start ──> running ── complete ──> completed
        │ reject, cancel, expire │ cancel, fail, expire │ cancel, fail, expire
        └──> rejected, cancelled, failed, expired: nothing follows

Each event may come from one side only. A change is one statement that looks at the state it starts from, so
that of two at the same time one wins and the other is told.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from tooldeck.core.errors import ExpectedError
from tooldeck.store.protocol import Store

__all__ = ["MOST_DEEP", "MOST_IN_CHAIN", "TRANSITIONS", "Handoff", "Handoffs", "Order"]

MOST_DEEP = 5
"""Handoffs within each other."""
MOST_IN_CHAIN = 20
"""Handoffs that follow from one beginning, one after the other or within each other."""
PATIENCE = 1_800.0
"""Seconds after which one that nobody ended is given up."""

Side = Literal["sender", "receiver", "clock"]

TRANSITIONS: Mapping[tuple[str, str], tuple[str, Side]] = MappingProxyType(
    {
        ("requested", "accept"): ("accepted", "receiver"),
        ("requested", "reject"): ("rejected", "receiver"),
        ("requested", "cancel"): ("cancelled", "sender"),
        ("requested", "expire"): ("expired", "clock"),
        ("accepted", "start"): ("running", "receiver"),
        ("accepted", "complete"): ("completed", "receiver"),
        ("accepted", "fail"): ("failed", "receiver"),
        ("accepted", "cancel"): ("cancelled", "sender"),
        ("accepted", "expire"): ("expired", "clock"),
        ("running", "complete"): ("completed", "receiver"),
        ("running", "fail"): ("failed", "receiver"),
        ("running", "cancel"): ("cancelled", "sender"),
        ("running", "expire"): ("expired", "clock"),
    }
)
"""From a state, by an event, to the next state; and who may bring it about."""
OPEN = frozenset(state for state, _ in TRANSITIONS)
_COLUMNS = (
    "id, root, parent, sender, receiver, goal, context, tokens, tools, depth, state, result, artifacts,"
    " made, changed, expires"
)


@dataclass(frozen=True, slots=True)
class Handoff:
    """A piece of work on its way. Times are seconds since 1970."""

    id: str
    root: str
    """What the chain began with."""
    parent: str
    """The handoff within which it was made; empty for the first."""
    sender: str
    receiver: str
    goal: str
    context: dict[str, Any]
    tokens: int
    """What its receiver may use."""
    tools: frozenset[str] | None
    """The only tools that its receiver may use; None where nothing limits them."""
    depth: int
    """1 for the first."""
    state: str
    result: str
    artifacts: tuple[str, ...]
    made: float
    changed: float
    expires: float

    @property
    def is_open(self) -> bool:
        """Whether anything can still become of it."""
        return self.state in OPEN


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be handed on."""

    sender: str
    receiver: str
    goal: str
    context: Mapping[str, Any]
    tokens: int
    tools: frozenset[str] | None = None
    root: str = ""
    """Names the beginning, where there is no `parent`."""
    parent: str = ""


class Handoffs:
    """The handoffs in a store; `now` gives seconds since 1970.

    Methods raise `StoreError`, and `ExpectedError` for what may not be.
    """

    def __init__(self, store: Store, now: Callable[[], float] = time.time) -> None:
        self._store = store
        self._now = now

    def send(self, order: Order, *, patience: float = PATIENCE) -> Handoff:
        """Hand work on; what is given can only be a part of what the sender has."""
        parent = self.get(order.parent) if order.parent else None
        tokens, tools, root = order.tokens, order.tools, order.root or f"root_{secrets.token_hex(4)}"
        if parent is not None:
            root = parent.root
            tokens, tools = self._part_of(parent, order)
        depth = 1 if parent is None else parent.depth + 1
        self._check_chain(order, parent, depth, root)
        id, now = f"ho_{secrets.token_hex(4)}", self._now()  # noqa: A001 - as in the table
        kept = None if tools is None else json.dumps(sorted(tools))
        made = self._store.run(
            f"INSERT INTO handoffs ({_COLUMNS})"  # noqa: S608
            " SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'requested', '', '[]', ?, ?, ?"
            " WHERE (SELECT count(*) FROM handoffs WHERE root = ?) < ?",
            (id, root, order.parent, order.sender, order.receiver, order.goal,
             json.dumps(dict(order.context)), tokens, kept, depth, now, now, now + patience, root,
             MOST_IN_CHAIN),
        )  # fmt: skip
        if not made.changed:
            raise ExpectedError(
                f"{MOST_IN_CHAIN} handoffs have followed from this beginning, the limit: "
                f"{self._told_chain(root)}. Finish the work yourself."
            )
        return self.get(id)

    def _part_of(self, parent: Handoff, order: Order) -> tuple[int, frozenset[str] | None]:
        if not parent.is_open:
            raise ExpectedError(f"{parent.id} is {parent.state}; no work within it is handed on any more.")
        given = self._store.run(
            "SELECT coalesce(sum(tokens), 0) FROM handoffs WHERE parent = ? AND state NOT IN"
            " ('rejected', 'cancelled')",
            (parent.id,),
        ).rows[0][0]
        left = parent.tokens - given
        if left <= 0:
            raise ExpectedError(f"The {parent.tokens} tokens of {parent.id} are handed on already.")
        mine, theirs = parent.tools, order.tools
        tools = theirs if mine is None else mine if theirs is None else mine & theirs
        return min(order.tokens, left), tools

    def _check_chain(self, order: Order, parent: Handoff | None, depth: int, root: str) -> None:
        """Refuse work for somebody who waits for this very work, and chains without end."""
        chain = [order.receiver, order.sender]
        above = parent
        while above is not None:
            chain.append(above.sender)
            above = self.get(above.parent) if above.parent else None
        if order.receiver in chain[1:]:
            told = " → ".join(reversed(chain))
            raise ExpectedError(f"{order.receiver!r} waits for this work itself: {told}. Ask somebody else.")
        if depth > MOST_DEEP:
            told = " → ".join(reversed(chain))
            raise ExpectedError(f"More than {MOST_DEEP} handoffs would be within each other: {told}.")

    def _told_chain(self, root: str) -> str:
        rows = self._store.run(
            "SELECT sender, receiver FROM handoffs WHERE root = ? ORDER BY made, rowid", (root,)
        ).rows
        return ", ".join(f"{sender} → {receiver}" for sender, receiver in rows[-6:])

    def get(self, id: str) -> Handoff:
        """One handoff as it is now; raises `ExpectedError` where there is none."""
        self._expire()
        rows = self._store.run(f"SELECT {_COLUMNS} FROM handoffs WHERE id = ?", (id,)).rows  # noqa: S608
        if not rows:
            raise ExpectedError(f"There is no handoff {id!r}; `list` has those that there are.")
        return _made(rows[0])

    def of(self, agent: str, *, open_only: bool = False, n: int = 50) -> list[Handoff]:
        """The handoffs from and to an agent, newest first."""
        self._expire()
        states = json.dumps(sorted(OPEN)) if open_only else None
        rows = self._store.run(
            f"SELECT {_COLUMNS} FROM handoffs WHERE (sender = ?1 OR receiver = ?1)"  # noqa: S608
            " AND (?2 IS NULL OR state IN (SELECT value FROM json_each(?2)))"
            " ORDER BY made DESC, rowid DESC LIMIT ?3",
            (agent, states, n),
        ).rows
        return [_made(row) for row in rows]

    def change(
        self, id: str, event: str, actor: str, *, result: str = "", artifacts: Iterable[str] = ()
    ) -> Handoff:
        """Let an event happen that `actor` may bring about; raises `ExpectedError` where it may not."""
        found = self.get(id)
        step = TRANSITIONS.get((found.state, event))
        if step is None:
            can = sorted(
                {event for state, event in TRANSITIONS if state == found.state and event != "expire"}
            )
            left = f"it can be: {', '.join(can)}" if can else "nothing follows"
            raise ExpectedError(f"{id} is {found.state}, so there is no {event!r} for it; {left}.")
        after, side = step
        allowed = {"sender": found.sender, "receiver": found.receiver}.get(side)
        if actor != allowed:
            raise ExpectedError(f"Only {allowed!r}, its {side}, can {event} {id}; this is {actor!r}.")
        done = self._store.run(
            "UPDATE handoffs SET state = ?, result = ?, artifacts = ?, changed = ?"
            " WHERE id = ? AND state = ?",
            (after, result or found.result, json.dumps(list(artifacts)), self._now(), id, found.state),
        )
        if not done.changed:
            raise ExpectedError(f"{id} became {self.get(id).state} at this very moment; look at it again.")
        return self.get(id)

    def _expire(self) -> None:
        self._store.run(
            "UPDATE handoffs SET state = 'expired', changed = ?1 WHERE expires <= ?1 AND state IN"
            " (SELECT value FROM json_each(?2))",
            (self._now(), json.dumps(sorted(OPEN))),
        )


def _made(row: tuple[Any, ...]) -> Handoff:
    values: dict[str, Any] = dict(zip(_COLUMNS.replace(",", "").split(), row, strict=True))
    tools = values["tools"]
    values["context"] = json.loads(values["context"])
    values["tools"] = None if tools is None else frozenset[str](json.loads(tools))
    values["artifacts"] = tuple(json.loads(values["artifacts"]))
    return Handoff(**values)
