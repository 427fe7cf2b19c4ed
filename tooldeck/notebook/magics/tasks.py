"""``%mcp tasks``: long calls that servers made tasks of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tooldeck.notebook import facts
from tooldeck.notebook.lines import Mistake
from tooldeck.notebook.listing import Table
from tooldeck.notebook.magics.inspecting import InspectingLines
from tooldeck.notebook.say import say

if TYPE_CHECKING:
    from tooldeck.mcp.connection import Connection
    from tooldeck.mcp.tasks import RemoteTask

__all__ = ["TASK_WORDS", "TaskLines", "TaskTable"]

TASK_WORDS = ("tasks",)
"""The words that this file adds to ``%mcp``."""


@dataclass(frozen=True, slots=True, repr=False)
class TaskTable(Table):
    """What ``%mcp tasks`` shows."""

    tasks: Sequence[tuple[Connection, RemoteTask]]
    empty = "No call became a task."

    def rows(self) -> list[tuple[str, ...]]:
        """One row a task."""
        return [
            ("server", "tool", "status", "time", "says", "task"),
            *(
                (made.label, task.tool, task.status, facts.duration(task.seconds), task.message, task.id)
                for made, task in self.tasks
            ),
        ]


class TaskLines(InspectingLines):
    """Reads the line."""

    def _tasks(self, rest: str) -> TaskTable | None:
        found = [(made, task) for made in self.deck.servers() for task in made.session.tasks.all()]
        words = rest.split()
        if not words:
            return TaskTable(found)
        if words[0] != "cancel" or len(words) != 2:
            raise Mistake("%mcp tasks lists the tasks; %mcp tasks cancel TASK ends one.")
        for made, task in found:
            if task.id == words[1]:
                made.ways.block(made.session.executor.submit(made.session.tasks.cancel, task.id))
                return say(f"{task.tool} of {made.label} is {task.status}.")
        raise Mistake(f"There is no task {words[1]!r}; %mcp tasks lists them.")
