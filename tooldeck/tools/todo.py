"""todo: what is to be done, to be ticked off; kept in the database of the deck."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import Field

from tooldeck.core.action_tool import ActionTool
from tooldeck.core.injection import Injected, ToolContext
from tooldeck.tools.tasks import Number, shown, table

__all__ = ["todo"]

todo = ActionTool(
    "todo", "A list of what is to be done: note steps, tick them off, see what is left.", trust="untrusted"
)
"""The tool."""


@todo.action(
    effects="read,write",
    ask=False,
    examples=[
        {"texts": ["read the report", "write the summary"]},
        {"texts": ["send"], "due": "2030-01-31T12:00"},
    ],
)
def add(
    context: Injected[ToolContext],
    texts: Annotated[list[str], Field(min_length=1, max_length=50, description="What is to be done.")],
    due: Annotated[datetime | None, Field(description="Until when, such as 2030-01-31T14:00.")] = None,
) -> dict[str, Any]:
    """Note things to do."""
    kept, at = table(context, "todo"), None if due is None else due.timestamp()
    return {"added": [shown(kept.add(text, due=at), kept.now()) for text in texts]}


@todo.action(name="list", effects="read", examples=[{}, {"done": True}])
def list_(
    context: Injected[ToolContext],
    *,
    done: Annotated[bool, Field(description="Whether those that are done are listed too.")] = False,
) -> dict[str, Any]:
    """List what is to be done, what is due first."""
    kept = table(context, "todo")
    return {"at": datetime.now(UTC).isoformat(timespec="minutes"),
            "todo": [shown(one, kept.now()) for one in kept.all(done=done)]}  # fmt: skip


@todo.action(effects="read,write", ask=False, examples=[{"number": 1}])
def tick(context: Injected[ToolContext], number: Number) -> dict[str, Any]:
    """Tick a thing off."""
    kept = table(context, "todo")
    done = kept.tick(number)
    return {"done": done.text, "left": len(kept.all())}


@todo.action(effects="read,write", ask=False, examples=[{"number": 1}])
def drop(context: Injected[ToolContext], number: Number) -> dict[str, Any]:
    """Take a thing off the list without doing it."""
    return {"dropped": table(context, "todo").drop(number).text}
