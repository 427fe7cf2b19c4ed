"""The actions of `code` that change files, each with what it would change, for the person who is asked."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tooldeck.core.cancel import CancelToken
from tooldeck.core.injection import Injected, ToolContext
from tooldeck.guards.paths import FileChange, Workspace
from tooldeck.tools.checking.fixing import Fixed, WantedFixes, carry_out_fixes, plan_fixes
from tooldeck.tools.coding.changing import inserted, replaced
from tooldeck.tools.coding.deleting import deletable, planned_deletion
from tooldeck.tools.coding.editing import carried_out, diff_of, edited
from tooldeck.tools.coding.parameters import ExpectHash, FilePath, NamePathText, asked_of_symbol
from tooldeck.tools.coding.records import CodeChanged
from tooldeck.tools.coding.renamed import Renamed
from tooldeck.tools.coding.renaming import planned_rename
from tooldeck.tools.coding.units import MOST_BYTES

__all__ = [
    "PREVIEW_SECONDS",
    "delete_preview",
    "fix",
    "fix_preview",
    "insert",
    "insert_preview",
    "preview_rename",
    "rename",
    "rename_preview",
    "replace",
    "replace_preview",
    "safe_delete",
]

PREVIEW_SECONDS = 60.0
"""How long somebody who is asked waits to see what would change."""
NewName = Annotated[str, Field(min_length=1, max_length=200, description="The name that it shall have.")]


def replace_preview(
    *, name_path: str, body: str, path: str, expect_hash: str | None, workspace: Workspace
) -> str:
    """What `replace` would change."""
    return diff_of(
        edited(workspace, path, name_path, expect_hash, lambda unit, one: replaced(unit, one, body))
    )


async def replace(
    name_path: NamePathText,
    *,
    path: FilePath,
    body: Annotated[str, Field(description="The whole new definition, with decorators and signature.")],
    workspace: Injected[Workspace],
    context: Injected[ToolContext],
    cancel: Injected[CancelToken],
    expect_hash: ExpectHash = None,
) -> CodeChanged:
    """Put another definition in place of a symbol; refused where the file would not parse any more."""

    def make() -> list[FileChange]:
        return edited(workspace, path, name_path, expect_hash, lambda unit, one: replaced(unit, one, body))

    minimum = context.deck.policy.isolation
    return await carried_out(workspace, minimum, f"{name_path} was replaced", make, symbol=name_path)


def insert_preview(
    *,
    name_path: str,
    text: str,
    where: Literal["before", "after"],
    path: str,
    expect_hash: str | None,
    workspace: Workspace,
) -> str:
    """What `insert` would change."""
    return diff_of(
        edited(workspace, path, name_path, expect_hash, lambda unit, one: inserted(unit, one, text, where))
    )


async def insert(
    name_path: NamePathText,
    *,
    path: FilePath,
    text: Annotated[str, Field(description="The code to insert; it gets the indentation of the symbol.")],
    workspace: Injected[Workspace],
    context: Injected[ToolContext],
    cancel: Injected[CancelToken],
    where: Annotated[Literal["before", "after"], Field(description="On which side of the symbol.")] = "after",
    expect_hash: ExpectHash = None,
) -> CodeChanged:
    """Put code before or after a symbol; refused where the file would not parse any more."""

    def make() -> list[FileChange]:
        return edited(
            workspace, path, name_path, expect_hash, lambda unit, one: inserted(unit, one, text, where)
        )

    told = f"code was put {where} {name_path}"
    return await carried_out(workspace, context.deck.policy.isolation, told, make)


async def preview_rename(
    path: FilePath,
    *,
    name_path: NamePathText,
    new_name: NewName,
    workspace: Injected[Workspace],
    context: Injected[ToolContext],
    cancel: Injected[CancelToken],
) -> CodeChanged:
    """Say what a rename would change, as a diff of all files, without doing it."""
    plan = await planned_rename(*asked_of_symbol(context, workspace, cancel, path, name_path), new_name)
    return CodeChanged(plan.files, plan.diff, False, plan.told, (), plan.notes)


async def rename_preview(
    *,
    path: str,
    name_path: str,
    new_name: str,
    workspace: Workspace,
    context: ToolContext,
    cancel: CancelToken,
) -> str:
    """What `rename` would change, in all files."""
    plan = await planned_rename(*asked_of_symbol(context, workspace, cancel, path, name_path), new_name)
    return "\n".join([plan.diff.removesuffix("\n"), *plan.notes])


async def rename(
    path: FilePath,
    *,
    name_path: NamePathText,
    new_name: NewName,
    workspace: Injected[Workspace],
    context: Injected[ToolContext],
    cancel: Injected[CancelToken],
) -> CodeChanged:
    """Rename a symbol of Python wherever it is used, in all files or in none.

    What cannot be resolved is left alone and named.
    """
    plan = await planned_rename(*asked_of_symbol(context, workspace, cancel, path, name_path), new_name)
    minimum, names = context.deck.policy.isolation, Renamed(plan.old, new_name)
    return await carried_out(workspace, minimum, plan.told, lambda: plan.changes, plan.notes, renamed=names)


AlthoughUnsure = Annotated[
    bool, Field(description="Also where places with the name could not be resolved: they were looked at.")
]


async def delete_preview(
    *,
    path: str,
    name_path: str,
    although_unsure: bool,
    expect_hash: str | None,
    workspace: Workspace,
    context: ToolContext,
    cancel: CancelToken,
) -> str:
    """What `safe_delete` would take away."""
    asked = asked_of_symbol(context, workspace, cancel, path, name_path)
    return diff_of([await planned_deletion(*asked, expect_hash, although_unsure=although_unsure)])


async def safe_delete(
    path: FilePath,
    *,
    name_path: NamePathText,
    workspace: Injected[Workspace],
    context: Injected[ToolContext],
    cancel: Injected[CancelToken],
    although_unsure: AlthoughUnsure = False,
    expect_hash: ExpectHash = None,
) -> CodeChanged:
    """Take a symbol of Python away; refused with the places where it is used, or may be."""
    asked = asked_of_symbol(context, workspace, cancel, path, name_path)
    change = await planned_deletion(*asked, expect_hash, although_unsure=although_unsure)

    def make() -> list[FileChange]:
        return deletable(change, workspace.before(change.path, MOST_BYTES))

    return await carried_out(workspace, context.deck.policy.isolation, f"{name_path} was deleted", make)


async def fix_preview(
    *,
    paths: tuple[str, ...],
    codes: tuple[str, ...],
    unsafe: bool,
    workspace: Workspace,
    context: ToolContext,
) -> str:
    """What `fix` would change."""
    planned = await plan_fixes(workspace, context.deck.policy.isolation, WantedFixes(paths, codes, unsafe))
    return "".join(one.diff for one in planned.files) or "nothing changes"


async def fix(
    *,
    paths: Annotated[tuple[str, ...], Field(min_length=1, description="Files or folders of Python.")],
    workspace: Injected[Workspace],
    context: Injected[ToolContext],
    codes: Annotated[
        tuple[str, ...], Field(description="Only findings of these codes of ruff, as F401.")
    ] = (),
    unsafe: Annotated[bool, Field(description="Also by changes that ruff calls unsafe.")] = False,
) -> Fixed:
    """Mend what the linter can mend by itself, in files and notebooks, and tell what is left."""
    planned = await plan_fixes(workspace, context.deck.policy.isolation, WantedFixes(paths, codes, unsafe))
    return carry_out_fixes(workspace, planned)
