"""checkpoint: moments to which the files of the workspace and the conversation can be taken back."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from tooldeck.core.action_tool import ActionTool
from tooldeck.core.cells import Cell
from tooldeck.core.errors import ExpectedError
from tooldeck.core.injection import Injected, ToolContext
from tooldeck.core.parts import Answer
from tooldeck.core.run import Run
from tooldeck.store.checkpoints import Checkpoint
from tooldeck.store.conversations import conversation_of
from tooldeck.tools.checkpoints.comparing import as_text, compared, stretch
from tooldeck.tools.checkpoints.desk import Desk
from tooldeck.tools.checkpoints.files import Plan, plan, put_back
from tooldeck.tools.checkpoints.history import check_mine, collapsed, taken_back, the_run

__all__ = ["checkpoint"]

_SHOWN = 20
"""Names of files that are listed in a sentence."""

checkpoint = ActionTool(
    "checkpoint",
    "Save a moment of the workspace and of this conversation, see what changed since, and go back to it.",
    max_chars=60_000,
)
"""The tool."""

Id = Annotated[str, Field(description="The id of a checkpoint, as `list` shows it, or `last`.")]
Scope = Annotated[
    Literal["files", "history", "both"],
    Field(description="What goes back: the files, the messages of this conversation, or both."),
]
Force = Annotated[
    bool, Field(description="Also write over what somebody else than the tools has changed since.")
]


@checkpoint.action(effects="read,write", ask=False, examples=[{"label": "before the rewrite"}])
def save(
    context: Injected[ToolContext],
    cell: Injected[Cell | None],
    label: Annotated[str, Field(min_length=1, max_length=200, description="What this moment is.")],
) -> dict[str, Any]:
    """Save this moment. Files that git ignores, large ones and those with secrets are not kept."""
    made = Desk(context).save(label, cell=cell)
    return {**_told(made), "not_kept": list(made.left_out[:_SHOWN])} if made.left_out else _told(made)


@checkpoint.action(name="list", effects="read", examples=[{}])
def list_(context: Injected[ToolContext]) -> dict[str, Any]:
    """List the checkpoints of this workspace, oldest first."""
    desk = Desk(context)
    return {"checkpoints": [_told(one) for one in desk.table.list(desk.folder)]}


@checkpoint.action(effects="read", trust="untrusted", examples=[{"id": "last"}])
def diff(context: Injected[ToolContext], id: Id) -> Answer:
    """Show what changed since: files as a diff with who changed each, and how many messages came."""
    desk = Desk(context)
    found = desk.found(id)
    told = compared(desk.workspace, desk.table, found, desk.differences(found))
    if desk.run is not None and found.conversation == conversation_of(desk.run):
        told["messages_since"] = max(0, len(desk.run.messages) - found.count)
    return Answer(told, as_text(told))


def _foreseen(context: ToolContext, id: str, *, scope: str, force: bool) -> str:
    """What a rollback would change, for the person who approves it."""
    desk = Desk(context)
    found = desk.found(id)
    said = "" if scope == "files" else f"the conversation goes back to {found.count} messages\n"
    if scope == "history":
        return said
    differences = desk.differences(found)
    wanted = plan(differences, force=force)
    back = {*wanted.restore, *wanted.remove}
    chosen = [one for one in differences if one.path in back]
    shown = compared(desk.workspace, desk.table, found, chosen, backward=True)["diff"]
    if wanted.others and not force:
        said += f"it will be refused: somebody else has changed {', '.join(wanted.others[:_SHOWN])}\n"
    return f"{shown}{said}" or "nothing changes"


@checkpoint.action(
    effects="read,write",
    risk="high",
    preview=_foreseen,
    examples=[{"id": "last", "scope": "files", "dry_run": True}, {"id": "last", "scope": "files"}],
)
def rollback(
    context: Injected[ToolContext],
    id: Id,
    *,
    scope: Scope = "both",
    dry_run: Annotated[bool, Field(description="Only tell what would go back.")] = False,
    force: Force = False,
    report: Annotated[
        str, Field(max_length=20_000, description="What to remember of the messages that go.")
    ] = "",
) -> dict[str, Any]:
    """Go back to a checkpoint, after saving this moment. Files that others changed since are in the way.

    Of the conversation everything after the checkpoint goes, once this call is answered; `report` stays.
    """
    desk = Desk(context)
    found = desk.found(id)
    messages = desk.table.messages(found.id)
    if scope != "files":
        check_mine(the_run(desk.run), found, messages)

    def decide() -> Plan:
        wanted = plan(desk.differences(found), force=force)
        if wanted.others and not dry_run and not force:
            listed = ", ".join(wanted.others[:_SHOWN])
            raise ExpectedError(
                f"Nothing was taken back: somebody else has changed {listed} since {found.id}. Ask the "
                "person, or take back all the same with force=true."
            )
        return wanted

    wanted = Plan() if scope == "history" else decide()
    if dry_run:
        return {"dry_run": True, **_planned(wanted, found, desk.run, scope)}
    before = desk.save(f"before going back to {found.label}"[:200], kind="before rollback")
    if scope != "history":
        wanted = put_back(desk.workspace, desk.table, desk.table.files(found.id), decide)
    told = _planned(wanted, found, desk.run, scope)
    if scope != "files":
        taken_back(the_run(desk.run), found, messages, report)
    return {"went_back_to": found.id, **told, "saved_before": before.id}


@checkpoint.action(
    effects="read,write",
    ask=False,
    examples=[{"id": "last", "summary": "Three ways were tried; two failed."}],
)
def collapse(
    context: Injected[ToolContext],
    id: Id,
    *,
    summary: Annotated[str, Field(min_length=1, max_length=20_000, description="What takes their place.")],
    until: Annotated[
        str | None, Field(description="A later checkpoint to which they go; up to now, when left out.")
    ] = None,
) -> dict[str, Any]:
    """Replace the messages of this conversation since a checkpoint by a summary. `show` has the originals."""
    desk = Desk(context)
    run = the_run(desk.run)
    start = desk.found(id)
    begun = desk.table.messages(start.id)
    check_mine(run, start, begun)
    end = None if until is None else desk.table.messages(desk.found(until).id)
    whole = desk.save(f"whole, before it was put together: {start.label}"[:200], kind="collapsed")
    told = (
        f"[Earlier messages were put together: {summary} "
        f"The originals: checkpoint show, id {whole.id!r}, start {len(begun)}.]"
    )
    return {"collapsed": collapsed(run, begun, end, told), "originals": whole.id}


@checkpoint.action(effects="read", trust="untrusted", examples=[{"id": "last"}])
def show(
    context: Injected[ToolContext],
    id: Id,
    start: Annotated[int, Field(ge=0, description="The first message to show, from 0.")] = 0,
    limit: Annotated[int, Field(ge=1, le=200, description="Messages at most.")] = 20,
) -> dict[str, Any]:
    """Show the messages of the conversation at a checkpoint, also those that were put together since."""
    desk = Desk(context)
    found = desk.found(id)
    return {
        "id": found.id,
        "of": found.count,
        "messages": stretch(desk.table.messages(found.id), start, limit),
    }


def _planned(wanted: Plan, found: Checkpoint, run: Run | None, scope: str) -> dict[str, Any]:
    told: dict[str, Any] = {}
    if scope != "history":
        told |= {"restored": wanted.restore, "removed": wanted.remove}
        told["left_alone"] = [*wanted.others, *wanted.unkept]
    if scope != "files" and run is not None:
        told["messages"] = {"now": len(run.messages), "then": found.count}
    return told


def _told(one: Checkpoint) -> dict[str, Any]:
    told: dict[str, Any] = {"id": one.id, "label": one.label}
    told["at"] = datetime.fromtimestamp(one.at, UTC).isoformat(timespec="seconds")
    told |= {"files": one.files, "messages": one.count}
    if one.cell is not None:
        told["cell"] = one.cell
    return told if one.kind == "checkpoint" else {**told, "kind": one.kind}
