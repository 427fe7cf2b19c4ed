"""handoff: work for another agent: hand it on, see what became of it, take it, end it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from tooldeck.core.action_tool import ActionTool
from tooldeck.core.errors import ExpectedError, SetupError
from tooldeck.core.injection import Injected, ToolContext
from tooldeck.hosts.background import background
from tooldeck.store.conversations import conversation_of
from tooldeck.store.handoffs import Handoff, Handoffs, Order
from tooldeck.tools.handoffs.agents import MAIN, Agents, work

__all__ = ["handoff"]

handoff = ActionTool(
    "handoff",
    "Hand work to another agent with its own smaller rights, and work that was handed to you.",
    trust="untrusted",
)
"""The tool. What other agents say is outside text."""

Id = Annotated[str, Field(description="The id of the handoff.")]


@handoff.action(
    effects="read,write,model",
    executor=background(),
    examples=[
        {"to": "reviewer", "goal": "Read src/lamp.py and list what is wrong.", "tokens": 8000},
        {"to": "reviewer", "goal": "Check the totals.", "context": {"file": "totals.csv"}, "wait": 5},
    ],
)
async def send(
    here: Injected[ToolContext],
    agents: Injected[Agents | None],
    *,
    to: Annotated[str, Field(min_length=1, description="The agent.")],
    goal: Annotated[str, Field(min_length=1, max_length=20_000, description="What shall be done.")],
    context: Annotated[dict[str, Any], Field(description="What it needs to know, by name.")] = {},  # noqa: B006 - never changed
    tokens: Annotated[int, Field(ge=1, description="What it may use.")] = 200_000,
    tools: Annotated[
        list[str] | None, Field(description="The only tools that it may use; all of yours, when left out.")
    ] = None,
    wait: Annotated[float, Field(ge=0, le=600, description="Seconds to wait for the end.")] = 0,
) -> dict[str, Any]:
    """Hand work on. Answers at once with an id, or with the result where it comes within `wait`."""
    known = agents or Agents()
    agent = known.find(to)
    table, run = _table(here), here.call.caller.run
    mine = None if run is None else run.tools
    chosen = [None if one is None else frozenset(one) for one in (mine, agent.tools, tools)]
    limits = [one for one in chosen if one is not None]
    left = None if run is None or run.account is None else run.account.tokens_left
    if left == 0:
        raise ExpectedError("No tokens of this run are left to hand on.")
    made = table.send(
        Order(
            _actor(here),
            to,
            goal,
            context,
            min(tokens, agent.tokens, tokens if left is None else left),
            frozenset[str].intersection(*limits) if limits else None,
            root="" if run is None else conversation_of(run),
            parent="" if run is None else run.handoff,
        )
    )
    if agent.model is not None:
        working = asyncio.wrap_future(work(here.deck, table, made, agent))
        await asyncio.wait({working}, timeout=wait)
    return _told(table.get(made.id))


@handoff.action(effects="read", examples=[{"id": "sample"}])
def check(here: Injected[ToolContext], id: Id) -> dict[str, Any]:
    """See what became of a handoff, with its result where it has one."""
    found = _table(here).get(id)
    if found.result:
        here.call.log.handed = f"the work of {found.receiver}"
    return _told(found)


@handoff.action(name="list", effects="read", examples=[{}, {"open_only": True}])
def list_(
    here: Injected[ToolContext],
    agents: Injected[Agents | None],
    *,
    open_only: Annotated[bool, Field(description="Only those that are not at their end.")] = False,
) -> dict[str, Any]:
    """List your handoffs, given and taken, newest first, and the agents that there are."""
    found = _table(here).of(_actor(here), open_only=open_only)
    return {"handoffs": [_told(one) for one in found], "agents": (agents or Agents()).described()}


@handoff.action(effects="read,write", examples=[{"id": "sample"}])
def accept(here: Injected[ToolContext], id: Id) -> dict[str, Any]:
    """Take work that was handed to you."""
    return _told(_table(here).change(id, "accept", _actor(here)))


@handoff.action(effects="read,write", examples=[{"id": "sample", "reason": "It is not my field."}])
def reject(
    here: Injected[ToolContext],
    id: Id,
    reason: Annotated[str, Field(max_length=2_000, description="Why.")] = "",
) -> dict[str, Any]:
    """Refuse work that was handed to you."""
    return _told(_table(here).change(id, "reject", _actor(here), result=reason))


@handoff.action(effects="read,write", examples=[{"id": "taken", "result": "All totals are right."}])
def complete(
    here: Injected[ToolContext],
    id: Id,
    *,
    result: Annotated[str, Field(max_length=200_000, description="What came of it.")],
    artifacts: Annotated[list[str], Field(description="Paths of files that belong to it.")] = [],  # noqa: B006
    failed: Annotated[bool, Field(description="Whether it could not be done.")] = False,
) -> dict[str, Any]:
    """End work that you took, with its result, or with the reason why it failed."""
    event = "fail" if failed else "complete"
    return _told(_table(here).change(id, event, _actor(here), result=result, artifacts=artifacts))


@handoff.action(effects="read,write", examples=[{"id": "mine"}])
def cancel(here: Injected[ToolContext], id: Id) -> dict[str, Any]:
    """Take back work that you handed on; a run on it is stopped."""
    ended = _table(here).change(id, "cancel", _actor(here))
    for run in here.deck.runs:
        if run.handoff == id:
            run.stop("its sender took the work back")
    return _told(ended)


def _actor(here: ToolContext) -> str:
    run = here.call.caller.run
    return (run.agent if run is not None else "") or MAIN


def _table(here: ToolContext) -> Handoffs:
    if here.store is None:
        raise SetupError(
            "This deck keeps nothing, so work cannot be handed on; make it with "
            'Deck(store=".tooldeck/deck.db").'
        )
    return Handoffs(here.store)


def _told(one: Handoff) -> dict[str, Any]:
    told: dict[str, Any] = {"id": one.id, "state": one.state, "from": one.sender, "to": one.receiver}
    told |= {"goal": one.goal, "tokens": one.tokens, "depth": one.depth}
    parts: Mapping[str, Any] = {
        "tools": None if one.tools is None else sorted(one.tools),
        "context": one.context or None,
        "result": one.result or None,
        "artifacts": list(one.artifacts) or None,
    }
    return told | {name: part for name, part in parts.items() if part is not None}
