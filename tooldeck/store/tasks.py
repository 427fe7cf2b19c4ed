"""Things to do: a list to tick off, and calls of tools that are due at a time. Nothing runs by itself."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from tooldeck.core.errors import ExpectedError
from tooldeck.store.protocol import Store

__all__ = ["Kind", "Task", "Tasks"]

Kind = Literal["todo", "schedule"]
_COLUMNS = "id, text, done, due, every, tool, arguments, made, changed"


class Task(NamedTuple):
    """One thing. Times are seconds since 1970."""

    id: int
    text: str
    done: bool
    due: float | None
    every: float | None
    """Seconds until it is due again after it was done; None for once."""
    tool: str
    """The tool that is called; empty for a thing to tick off."""
    arguments: dict[str, Any]
    made: float
    changed: float


class Tasks:
    """The things of one kind in a store; `now` gives seconds since 1970. Methods raise `StoreError`."""

    def __init__(self, store: Store, kind: Kind, now: Callable[[], float] = time.time) -> None:
        self._store = store
        self._kind = kind
        self.now = now

    def add(
        self,
        text: str,
        *,
        due: float | None = None,
        every: float | None = None,
        tool: str = "",
        arguments: Mapping[str, Any] | None = None,
    ) -> Task:
        """Note a thing."""
        at = self.now()
        made = self._store.run(
            "INSERT INTO tasks (kind, text, done, due, every, tool, arguments, made, changed)"
            " VALUES (?, ?, 0, ?, ?, ?, ?, ?, ?)",
            (self._kind, text, due, every, tool, json.dumps(dict(arguments or {})), at, at),
        )
        return self.get(made.row_id)

    def get(self, id: int) -> Task:
        """One thing; raises `ExpectedError` where there is none."""
        found = self._where("id = ?", id)
        if not found:
            raise ExpectedError(f"There is no number {id}; `list` has those that there are.")
        return found[0]

    def all(self, *, done: bool = False, due: bool = False) -> list[Task]:
        """Those to be done, the first due first, `done` with those that are; or only those that are `due`."""
        if due:
            return self._where("NOT done AND due <= ?", self.now())
        return self._where("1" if done else "NOT done")

    def tick(self, id: int) -> Task:
        """It is done; one that comes again is due once more, in the future."""
        task, at = self.get(id), self.now()
        due = task.due
        if task.every is not None and due is not None:
            due += task.every * max(1, 1 + (at - due) // task.every)
        self._store.run(
            "UPDATE tasks SET done = ?, due = ?, changed = ? WHERE id = ?", (task.every is None, due, at, id)
        )
        return self.get(id)

    def drop(self, id: int) -> Task:
        """Forget it."""
        task = self.get(id)
        self._store.run("DELETE FROM tasks WHERE id = ?", (id,))
        return task

    def _where(self, condition: str, *values: Any) -> list[Task]:
        rows = self._store.run(
            f"SELECT {_COLUMNS} FROM tasks WHERE kind = ? AND {condition}"  # noqa: S608
            " ORDER BY done, coalesce(due, 9e999), id",
            (self._kind, *values),
        ).rows
        return [Task(*row)._replace(done=bool(row[2]), arguments=json.loads(row[6])) for row in rows]
