"""The parameters that actions of `code` share, and what is asked with them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tooldeck.core.cancel import CancelToken
from tooldeck.core.errors import ExpectedError
from tooldeck.core.injection import ToolContext
from tooldeck.guards.paths import Workspace
from tooldeck.tools.coding.editing import named, on_line
from tooldeck.tools.coding.meaning import Question, Spot, spot_of
from tooldeck.tools.coding.symbols import Symbol

__all__ = [
    "Below",
    "CellOf",
    "Column",
    "ExpectHash",
    "FilePath",
    "Line",
    "NameOnLine",
    "NamePathText",
    "asked_of_line",
    "asked_of_symbol",
]

Below = Annotated[str, Field(description="A file or a folder, relative to the workspace.")]
FilePath = Annotated[str, Field(description="Path of the file, relative to the workspace.")]
NamePathText = Annotated[
    str,
    Field(
        min_length=1, description="Names from the outside in, such as Lamp/on; on[1] is the second of equals."
    ),
]
ExpectHash = Annotated[
    str | None,
    Field(
        description="The hash that was shown for the file: nothing is changed where it has another by now."
    ),
]
Line = Annotated[int | None, Field(ge=1, description="The line that has the name, from 1.")]
NameOnLine = Annotated[
    str, Field(description="The name on that line; name#2 is the second time that it stands there.")
]
Column = Annotated[int | None, Field(ge=1, description="In place of the name: its column, from 1.")]
CellOf = Annotated[str, Field(description="Of a notebook: the id or the number of the cell with the line.")]
NewName = Annotated[str, Field(min_length=1, max_length=200, description="The name that it shall have.")]


def asked_of_line(
    context: ToolContext,
    workspace: Workspace,
    cancel: CancelToken,
    *,
    path: str,
    line: int | None,
    symbol: str,
    column: int | None,
    cell: str,
) -> Question:
    """What is asked about a name on a line. Raises `ExpectedError` where it is not said which."""
    if line is None or not (symbol or column):
        raise ExpectedError("Say which name is meant: its line, and the name itself or its column.")
    source, unit = on_line(workspace, path, cell, cancel)
    spot = spot_of(unit, line, symbol, column)
    return Question(workspace, context.deck.policy.isolation, source, spot, cancel)


def asked_of_symbol(
    context: ToolContext, workspace: Workspace, cancel: CancelToken, path: str, name_path: str
) -> tuple[Question, Symbol]:
    """What is asked about a symbol."""
    source, unit, one = named(workspace, path, name_path, cancel)
    begin = unit.text.rfind("\n", 0, one.name_at) + 1
    spot = Spot(unit, unit.text.count("\n", 0, one.name_at) + 1, one.name_at - begin, one.name)
    return Question(workspace, context.deck.policy.isolation, source, spot, cancel), one
