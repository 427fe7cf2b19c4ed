"""schedule: calls of tools that are due at a time. It shows what is due; nothing runs by itself."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import Field

from tooldeck.core.action_tool import ActionTool
from tooldeck.core.errors import ExpectedError
from tooldeck.core.injection import Injected, ToolContext
from tooldeck.core.vocabulary import nearest
from tooldeck.tools.inner_calls import Call, with_calls
from tooldeck.tools.tasks import Number, shown, table

__all__ = ["schedule"]

schedule = ActionTool(
    "schedule",
    "Calls of tools for later: note when one is due, see which are, run one on request.",
    trust="untrusted",
)
"""The tool."""


@schedule.action(
    effects="read,write",
    ask=False,
    examples=[
        {"text": "look at the log", "tool": "schedule", "arguments": {"action": "list"}, "in_minutes": 60},
        {"text": "daily", "tool": "schedule", "at": "2030-01-31T08:00", "every_minutes": 1440},
    ],
)
def add(
    context: Injected[ToolContext],
    *,
    text: Annotated[str, Field(min_length=1, max_length=500, description="What it is for.")],
    tool: Annotated[str, Field(description="The tool that is called then.")],
    arguments: Annotated[dict[str, Any], Field(description="Its arguments.")] = {},  # noqa: B006
    at: Annotated[datetime | None, Field(description="When, such as 2030-01-31T14:00.")] = None,
    in_minutes: Annotated[
        float | None, Field(ge=0, description="In how many minutes, in place of `at`.")
    ] = None,
    every_minutes: Annotated[
        float | None, Field(ge=1, description="Due again after so many minutes.")
    ] = None,
) -> dict[str, Any]:
    """Note a call for later. Nobody is asked now; the call asks for itself when it is run."""
    if tool not in context.deck.tools:
        close = nearest(tool, context.deck.tools, 1)
        hint = f"; did you mean {close[0]!r}?" if close else "."
        raise ExpectedError(f"There is no tool {tool!r} in this deck{hint}")
    if (at is None) == (in_minutes is None):
        raise ExpectedError("Say when: either `at` or `in_minutes`.")
    kept = table(context, "schedule")
    due = (
        at.timestamp() if at is not None else kept.now() + timedelta(minutes=in_minutes or 0).total_seconds()
    )
    every = None if every_minutes is None else every_minutes * 60
    return shown(kept.add(text, due=due, every=every, tool=tool, arguments=arguments), kept.now())


@schedule.action(name="list", effects="read", examples=[{}, {"due_only": True}])
def list_(
    context: Injected[ToolContext],
    *,
    due_only: Annotated[bool, Field(description="Only what is due by now.")] = False,
) -> dict[str, Any]:
    """List the calls that are noted, what is due first."""
    kept = table(context, "schedule")
    return {"calls": [shown(one, kept.now()) for one in kept.all(due=due_only)]}


@schedule.action(effects="read,write", ask=False, examples=[{"number": 1}])
def run(context: Injected[ToolContext], number: Number) -> Any:
    """Make a call that is noted, due or not; it asks for itself. One that fails stays on the list."""
    kept = table(context, "schedule")
    task = kept.get(number)
    if task.done:
        raise ExpectedError(f"Number {number} was run already.")

    if task.tool == context.call.name and task.arguments.get("action") == "run":
        raise ExpectedError(f"Number {number} would run a noted call; note the call itself.")

    async def made(call: Call) -> dict[str, Any]:
        ended = await call(task.tool, task.arguments)
        if not ended.ok:
            raise ExpectedError(f"Number {number} stays: {task.tool} is {ended.status}: {ended.error}")
        return {"ran": task.tool, "value": ended.value, "then": shown(kept.tick(number), kept.now())}

    return with_calls(context.deck, made)


@schedule.action(effects="read,write", ask=False, examples=[{"number": 1}])
def drop(context: Injected[ToolContext], number: Number) -> dict[str, Any]:
    """Forget a call that is noted."""
    return {"dropped": table(context, "schedule").drop(number).text}
