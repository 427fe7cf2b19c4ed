"""lsp: what language servers know of the code in the workspace, and the changes that they offer.

Servers are started when first needed, in the sandbox: they read the workspace, change nothing in it and reach
no network; where the policy asks for no sandbox, nothing keeps them from it. Before every question they are
told what has changed on the disk. What they want changed is shown before, placed in the files as they are,
and done to all of them or to none.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tooldeck.core.action_tool import ActionTool
from tooldeck.core.injection import Injected, ToolContext
from tooldeck.guards.paths import Workspace
from tooldeck.hosts.background import background
from tooldeck.tools.language import asking, changing
from tooldeck.tools.language.diagnosing import diagnosed, together
from tooldeck.tools.language.kinds import ServerKind
from tooldeck.tools.language.pool import Languages, Question
from tooldeck.tools.language.positions import Spot
from tooldeck.tools.language.records import (
    Calls,
    CodeActions,
    Diagnosed,
    Edited,
    Hover,
    Located,
    Standings,
    Symbols,
)
from tooldeck.tools.language.table import usual_file

__all__ = ["Languages", "ServerKind", "lsp"]

lsp = ActionTool(
    "lsp",
    "Ask language servers about the code of the workspace: diagnostics, definitions, references, symbols, "
    "calls; rename, format and code actions. Lines and columns count from 1.",
    executor=background(),
    trust="untrusted",
    max_chars=40_000,
)

PathOf = Annotated[str, Field(description="The file, relative to the workspace.")]
Line = Annotated[
    int | None,
    Field(ge=1, description="The line; none for the symbol that the file declares or uses first."),
]
SymbolText = Annotated[
    str,
    Field(
        max_length=500,
        description="What is meant: its text on the line, name#2 for the second there; without a line the "
        "name of what the file declares, also as Class/method.",
    ),
]
Column = Annotated[int | None, Field(ge=1, description="In place of the symbol: the column, in characters.")]
FirstLine = Annotated[int, Field(ge=1, description="The first line.")]
LastLine = Annotated[int | None, Field(ge=1, description="The last line; none for the same one.")]
ServerName = Annotated[
    str, Field(description="The server to ask; empty for the first that can, see action='status'.")
]
Seconds = Annotated[float, Field(gt=0, le=300, description="Seconds that an answer may take.")]
Limit = Annotated[int, Field(ge=1, le=2_000, description="How many are given at most.")]
Hashes = Annotated[
    dict[str, str] | None,
    Field(
        description="By path, the hash that a preview showed: nothing is changed where a file has another."
    ),
]


def _about(context: ToolContext, path: str, server: str, seconds: float) -> Question:
    return Question(Languages.of(context.deck), path, server, seconds)


# -- looking


@lsp.action(effects="read", examples=[{"paths": ["src/lamp.py"]}])
async def diagnostics(
    paths: Annotated[
        tuple[str, ...], Field(min_length=1, max_length=50, description="Files, relative to the workspace.")
    ],
    *,
    context: Injected[ToolContext],
    server: ServerName = "",
    timeout: Seconds = 20.0,
) -> Diagnosed:
    """What the servers complain about in files as they are now; each that is for the language is asked."""
    questions = [_about(context, path, server, timeout) for path in dict.fromkeys(paths)]
    return together([one for question in questions for one in await diagnosed(question)])


@lsp.action(effects="read", examples=[{"path": "tests/test_lamp.py", "line": 1, "symbol": "off"}])
async def definition(
    path: PathOf,
    *,
    context: Injected[ToolContext],
    line: Line = None,
    symbol: SymbolText = "",
    column: Column = None,
    kind: Annotated[
        Literal["definition", "declaration", "type", "implementation"],
        Field(description="What is looked for: the definition of the symbol, or that of its type."),
    ] = "definition",
    server: ServerName = "",
    timeout: Seconds = 30.0,
) -> Located:
    """Where something is defined."""
    method = asking.KINDS_OF_DEFINITION[kind]
    async with _about(context, path, server, timeout).session(method) as session:
        return await asking.definition(session, Spot(line, column, symbol), kind)


@lsp.action(effects="read", examples=[{"path": "src/lamp.py", "symbol": "off"}])
async def references(
    path: PathOf,
    *,
    context: Injected[ToolContext],
    line: Line = None,
    symbol: SymbolText = "",
    column: Column = None,
    declaration: Annotated[bool, Field(description="Whether the declaration is among them.")] = True,
    limit: Limit = 200,
    server: ServerName = "",
    timeout: Seconds = 60.0,
) -> Located:
    """Where something is used, in the whole workspace."""
    async with _about(context, path, server, timeout).session(asking.REFERENCES) as session:
        spot = Spot(line, column, symbol)
        return await asking.references(session, spot, declaration=declaration, limit=limit)


@lsp.action(effects="read", examples=[{"path": "src/lamp.py", "line": 4, "symbol": "on"}])
async def hover(
    path: PathOf,
    *,
    context: Injected[ToolContext],
    line: Line = None,
    symbol: SymbolText = "",
    column: Column = None,
    server: ServerName = "",
    timeout: Seconds = 30.0,
) -> Hover:
    """What is known of something: its type, its signature, its documentation."""
    async with _about(context, path, server, timeout).session(asking.HOVER) as session:
        return await asking.hover(session, Spot(line, column, symbol))


@lsp.action(effects="read", examples=[{"path": "src/lamp.py"}])
async def symbols(
    path: PathOf,
    *,
    context: Injected[ToolContext],
    limit: Limit = 500,
    server: ServerName = "",
    timeout: Seconds = 30.0,
) -> Symbols:
    """The outline of a file: its classes, functions and variables."""
    async with _about(context, path, server, timeout).session(asking.SYMBOLS) as session:
        return await asking.symbols(session, limit)


@lsp.action(effects="read", examples=[{"query": "off"}])
async def find_symbols(
    query: Annotated[str, Field(min_length=1, max_length=200, description="A name or a part of one.")],
    *,
    context: Injected[ToolContext],
    workspace: Injected[Workspace],
    path: Annotated[
        str, Field(description="A file of the language that is meant; empty for the most frequent one.")
    ] = "",
    limit: Limit = 100,
    server: ServerName = "",
    timeout: Seconds = 60.0,
) -> Symbols:
    """The symbols of the workspace with such a name."""
    chosen = path or usual_file(Languages.of(context.deck).table, workspace)
    async with _about(context, chosen, server, timeout).session(asking.WORKSPACE_SYMBOLS) as session:
        return await asking.workspace_symbols(session, query, limit)


@lsp.action(effects="read", examples=[{"path": "src/lamp.py", "symbol": "off"}])
async def calls(
    path: PathOf,
    *,
    context: Injected[ToolContext],
    line: Line = None,
    symbol: SymbolText = "",
    column: Column = None,
    direction: Annotated[
        Literal["incoming", "outgoing"], Field(description="Who calls it, or whom it calls.")
    ] = "incoming",
    server: ServerName = "",
    timeout: Seconds = 60.0,
) -> Calls:
    """The callers of a function, or the functions that it calls."""
    async with _about(context, path, server, timeout).session(asking.CALLS) as session:
        return await asking.calls(session, Spot(line, column, symbol), direction)


@lsp.action(effects="read", examples=[{"path": "src/lamp.py", "line": 1}])
async def code_actions(
    path: PathOf,
    *,
    context: Injected[ToolContext],
    line: FirstLine = 1,
    end_line: LastLine = None,
    only: Annotated[str, Field(description="A kind, such as quickfix, refactor or source.fixAll.")] = "",
    server: ServerName = "",
    timeout: Seconds = 30.0,
) -> CodeActions:
    """The changes that the servers offer for some lines of a file."""
    question = _about(context, path, server, timeout)
    found = await changing.offered(question, (line, end_line or line), only)
    return CodeActions(tuple(action for action, _ in found))


@lsp.action(effects="read", examples=[{}])
async def status(*, context: Injected[ToolContext]) -> Standings:
    """The language servers: which run, which can be started, and how to install the others."""
    return Standings(tuple(Languages.of(context.deck).standing()))


@lsp.action(effects="read", idempotent=True, examples=[{"server": "ty"}])
async def restart(
    server: Annotated[str, Field(description="The server.")], *, context: Injected[ToolContext]
) -> str:
    """End a language server; the next question starts it anew, also one that was given up."""
    await Languages.of(context.deck).restart(server)
    return f"The language server {server!r} has ended; the next question starts it."


# -- changing

NewName = Annotated[str, Field(min_length=1, max_length=200, description="The name that it gets.")]


@lsp.action(
    effects="read", examples=[{"path": "src/lamp.py", "symbol": "off", "new_name": "dark", "server": "ty"}]
)
async def check_rename(
    path: PathOf,
    new_name: NewName,
    *,
    context: Injected[ToolContext],
    line: Line = None,
    symbol: SymbolText = "",
    column: Column = None,
    server: ServerName = "",
    timeout: Seconds = 60.0,
) -> Edited:
    """Show what a rename would change, without doing it."""
    question = _about(context, path, server, timeout)
    return await changing.looked_at(changing.rename(question, Spot(line, column, symbol), new_name))


def _preview_rename(
    path: str,
    new_name: str,
    *,
    line: int | None,
    symbol: str,
    column: int | None,
    server: str,
    context: ToolContext,
) -> str:
    question = _about(context, path, server, changing.PREVIEW_SECONDS)
    return changing.previewed(changing.rename(question, Spot(line, column, symbol), new_name))


@lsp.action(
    effects="read,write",
    preview=_preview_rename,
    preview_within=changing.PREVIEW_SECONDS,
    examples=[{"path": "src/lamp.py", "symbol": "off", "new_name": "dark", "server": "ty"}],
)
async def rename(
    path: PathOf,
    new_name: NewName,
    *,
    context: Injected[ToolContext],
    workspace: Injected[Workspace],
    line: Line = None,
    symbol: SymbolText = "",
    column: Column = None,
    expect_hashes: Hashes = None,
    server: ServerName = "",
    timeout: Seconds = 60.0,
) -> Edited:
    """Give something another name wherever it is used, in all files or in none."""
    question = _about(context, path, server, timeout)
    change = changing.rename(question, Spot(line, column, symbol), new_name)
    return await changing.carried_out(change, workspace, expect_hashes)


@lsp.action(effects="read", examples=[{"path": "src/lamp.py"}])
async def check_format(
    path: PathOf, *, context: Injected[ToolContext], server: ServerName = "", timeout: Seconds = 30.0
) -> Edited:
    """Show how a file would be laid out, without doing it."""
    return await changing.looked_at(changing.layout(_about(context, path, server, timeout)))


def _preview_format(path: str, server: str, context: ToolContext) -> str:
    return changing.previewed(changing.layout(_about(context, path, server, changing.PREVIEW_SECONDS)))


@lsp.action(
    effects="read,write",
    preview=_preview_format,
    preview_within=changing.PREVIEW_SECONDS,
    examples=[{"path": "src/lamp.py"}],
)
async def format(  # noqa: A001 - the action's name
    path: PathOf,
    *,
    context: Injected[ToolContext],
    workspace: Injected[Workspace],
    expect_hashes: Hashes = None,
    server: ServerName = "",
    timeout: Seconds = 30.0,
) -> Edited:
    """Lay out a file as its language does."""
    change = changing.layout(_about(context, path, server, timeout))
    return await changing.carried_out(change, workspace, expect_hashes)


def _preview_action(
    path: str, title: str, *, line: int, end_line: int | None, server: str, context: ToolContext
) -> str:
    question = _about(context, path, server, changing.PREVIEW_SECONDS)
    return changing.previewed(changing.chosen_action(question, (line, end_line or line), title))


@lsp.action(
    effects="read,write",
    preview=_preview_action,
    preview_within=changing.PREVIEW_SECONDS,
    examples=[{"path": "src/lamp.py", "title": "Ruff: Organize imports", "server": "ruff"}],
)
async def apply_code_action(
    path: PathOf,
    title: Annotated[str, Field(min_length=1, description="Its title, as code_actions gives it.")],
    *,
    context: Injected[ToolContext],
    workspace: Injected[Workspace],
    line: FirstLine = 1,
    end_line: LastLine = None,
    expect_hashes: Hashes = None,
    server: ServerName = "",
    timeout: Seconds = 30.0,
) -> Edited:
    """Make a change that a server offers for some lines, in all files or in none."""
    question = _about(context, path, server, timeout)
    change = changing.chosen_action(question, (line, end_line or line), title)
    return await changing.carried_out(change, workspace, expect_hashes)
