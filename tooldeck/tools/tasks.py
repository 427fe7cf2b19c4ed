"""What ``todo`` and ``schedule`` share."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import Field

from tooldeck.core.errors import SetupError
from tooldeck.core.injection import ToolContext
from tooldeck.store.tasks import Kind, Task, Tasks

__all__ = ["Number", "shown", "table"]

Number = Annotated[int, Field(ge=1, description="Its number, as `list` shows it.")]


def table(context: ToolContext, kind: Kind) -> Tasks:
    """The things of one kind; raises `SetupError` on a deck without a database."""
    if context.store is None:
        raise SetupError(
            f'This deck keeps nothing, so it has no {kind}; make it with Deck(store=".tooldeck/deck.db").'
        )
    return Tasks(context.store, kind)


def shown(task: Task, now: float) -> dict[str, Any]:
    """A thing in plain words."""
    told: dict[str, Any] = {"number": task.id, "text": task.text}
    if task.done:
        told["done"] = True
    if task.due is not None:
        told["at"] = datetime.fromtimestamp(task.due, UTC).isoformat(timespec="minutes")
        told["due"] = not task.done and task.due <= now
    if task.tool:
        told |= {"tool": task.tool, "arguments": task.arguments}
    if task.every is not None:
        told["every_minutes"] = task.every / 60
    return told
