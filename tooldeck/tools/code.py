"""code: look at code by its symbols, find it by name, text or pattern, and change it so that it parses."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

from pydantic import Field

from tooldeck.core.action_tool import ActionTool
from tooldeck.core.cancel import CancelToken
from tooldeck.core.errors import ExpectedError
from tooldeck.core.injection import Injected, ToolContext
from tooldeck.guards.paths import Workspace
from tooldeck.hosts.background import background
from tooldeck.tools.coding import changes, meaning
from tooldeck.tools.coding.changing import body_of
from tooldeck.tools.coding.finding import Unread, matching, ranked
from tooldeck.tools.coding.languages import LANGUAGES, Language, language_of
from tooldeck.tools.coding.parameters import (
    Below,
    CellOf,
    Column,
    FilePath,
    Line,
    NameOnLine,
    NamePathText,
    asked_of_line,
    asked_of_symbol,
)
from tooldeck.tools.coding.records import Body, CodeHits, FoundSymbol, Places, Symbols
from tooldeck.tools.coding.symbols import Kind
from tooldeck.tools.coding.units import sources_below, the_symbol
from tooldeck.tools.file_records import SearchHits
from tooldeck.tools.folders.searching import Wanted as WantedText
from tooldeck.tools.folders.searching import searched
from tooldeck.tools.texts.documents import digest
from tooldeck.tools.texts.snapshots import snapshots_of

__all__ = ["code"]

code = ActionTool(
    "code",
    "Look at code by its symbols, find it by name, text or pattern of code, and change it symbol by symbol. "
    "A name path such as Lamp/on names a symbol from the outside in. Paths are relative to the workspace.",
    executor=background(),
    trust="untrusted",
    max_chars=60_000,
)


@code.action(effects="read", examples=[{"path": "src/lamp.py"}, {"path": "src", "depth": 1}])
async def symbols(
    path: Below,
    *,
    workspace: Injected[Workspace],
    cancel: Injected[CancelToken],
    depth: Annotated[int, Field(ge=1, le=20, description="How many levels of names.")] = 3,
) -> Symbols:
    """List what a file, or every file below a folder, defines: kind, name path, lines and signature."""
    unread = Unread()

    def listed() -> list[FoundSymbol]:
        return [
            FoundSymbol.of(unit, one)
            for source in sources_below(workspace, path, cancel)
            for unit in source.units
            for one in unread.symbols(unit)
            if one.depth < depth
        ]

    found = await asyncio.to_thread(listed)
    if not found and unread.notes:
        raise ExpectedError(unread.reasons)
    return Symbols(tuple(found), "syntax trees", unread.notes)


@code.action(
    effects="read",
    timeout=120,
    examples=[
        {"query": "off"},
        {"query": "turns a lamp", "mode": "text", "path": "README.md"},
        {"query": "def $F($$$ARGS) -> str: $$$BODY", "mode": "structural", "language": "python"},
    ],
)
async def search(
    query: Annotated[str, Field(min_length=1, description="What to look for; see mode.")],
    *,
    workspace: Injected[Workspace],
    cancel: Injected[CancelToken],
    mode: Annotated[
        Literal["symbol", "text", "structural"],
        Field(
            description="symbol: names, parts of names and words of docstrings, best first. text: what "
            "stands in files. structural: a pattern of code, in which $X is any one node and $$$X any number."
        ),
    ] = "symbol",
    path: Below = ".",
    kind: Annotated[Kind | None, Field(description="Only symbols of this kind.")] = None,
    language: Annotated[
        Language | None,
        Field(description="The language of a structural pattern; not needed where path is a file."),
    ] = None,
    k: Annotated[int, Field(ge=1, le=500, description="Results at most.")] = 20,
) -> Symbols | SearchHits | CodeHits:
    """Find symbols by name, lines by text, or code by a pattern of code; in notebooks as well."""
    if mode == "text":
        wanted = WantedText(query, path, False, query == query.lower(), None, 1)
        return SearchHits(*await searched(workspace, wanted, k, cancel))
    unread = Unread()
    if mode == "symbol":
        sources = sources_below(workspace, path, cancel, language)
        found = await asyncio.to_thread(ranked, sources, query, kind or "", k, unread)
        return Symbols(tuple(found), "names and docstrings", unread.notes)
    tongue = language or language_of(path)
    if tongue is None:
        raise ExpectedError(
            f"Say which language the pattern is in: language is one of {', '.join(LANGUAGES)}."
        )
    units = (unit for source in sources_below(workspace, path, cancel, tongue) for unit in source.units)
    pieces = await asyncio.to_thread(matching, units, query, tongue, k + 1)
    return CodeHits(tuple(pieces[:k]), len(pieces) > k, "ast-grep")


@code.action(
    effects="read",
    timeout=120,
    examples=[{"path": "tests/test_lamp.py", "line": 5, "symbol": "off"}],
)
async def definition(
    path: FilePath,
    *,
    line: Line,
    workspace: Injected[Workspace],
    context: Injected[ToolContext],
    cancel: Injected[CancelToken],
    symbol: NameOnLine = "",
    column: Column = None,
    cell: CellOf = "",
) -> Places:
    """Tell where a name that stands on a line is defined."""
    asked = asked_of_line(
        context, workspace, cancel, path=path, line=line, symbol=symbol, column=column, cell=cell
    )
    found = await meaning.definitions(asked)
    return Places(found.places, found.engine, found.notes)


@code.action(
    effects="read",
    timeout=120,
    examples=[
        {"path": "src/lamp.py", "name_path": "off"},
        {"path": "src/lamp.py", "line": 8, "symbol": "off"},
    ],
)
async def references(
    path: FilePath,
    *,
    workspace: Injected[Workspace],
    context: Injected[ToolContext],
    cancel: Injected[CancelToken],
    name_path: Annotated[str, Field(description="The symbol; or give a line and the name on it.")] = "",
    line: Line = None,
    symbol: NameOnLine = "",
    column: Column = None,
    cell: CellOf = "",
) -> Places:
    """Tell where a symbol is used in the workspace, its definition included, each with what it is used in."""
    if name_path:
        asked, _ = asked_of_symbol(context, workspace, cancel, path, name_path)
    else:
        asked = asked_of_line(
            context, workspace, cancel, path=path, line=line, symbol=symbol, column=column, cell=cell
        )
    found = await meaning.references(asked)
    unsure = (f"[may be as well, for it could not be found out: {one}]" for one in found.unsure[:20])
    return Places(found.places, found.engine, (*found.notes, *unsure))


@code.action(effects="read", examples=[{"name_path": "off"}, {"name_path": "on", "path": "src/lamp.py"}])
async def body(
    name_path: NamePathText,
    *,
    workspace: Injected[Workspace],
    cancel: Injected[CancelToken],
    path: Below = ".",
) -> Body:
    """Show the text of one symbol, as `replace` takes it, with the hash of its file."""

    def found() -> Body:
        source, unit, one = the_symbol(sources_below(workspace, path, cancel), name_path, path)
        snapshots_of(workspace).keep(source.path, source.data)
        return Body(FoundSymbol.of(unit, one), body_of(unit, one), digest(source.data))

    return await asyncio.to_thread(found)


_RENAMED = {"path": "src/lamp.py", "name_path": "off", "new_name": "turn_off"}

code.action(
    effects="read,write",
    preview=changes.replace_preview,
    timeout=120,
    examples=[
        {"name_path": "off", "path": "src/lamp.py", "body": 'def off() -> str:\n    return "dark"'},
    ],
)(changes.replace)
code.action(
    effects="read,write",
    preview=changes.insert_preview,
    timeout=120,
    examples=[
        {"name_path": "off", "path": "src/lamp.py", "text": 'def dim() -> str:\n    return "dim"'},
        {"name_path": "on", "path": "src/lamp.py", "text": "LEVELS = 10", "where": "before"},
    ],
)(changes.insert)
code.action(effects="read", timeout=120, examples=[_RENAMED])(changes.preview_rename)
code.action(
    effects="read,write",
    preview=changes.rename_preview,
    preview_within=changes.PREVIEW_SECONDS,
    timeout=180,
    examples=[_RENAMED],
)(changes.rename)
code.action(
    effects="read,write",
    preview=changes.delete_preview,
    preview_within=changes.PREVIEW_SECONDS,
    timeout=180,
    examples=[{"path": "src/lamp.py", "name_path": "on"}],
)(changes.safe_delete)
code.action(
    effects="read,write",
    preview=changes.fix_preview,
    preview_within=changes.PREVIEW_SECONDS,
    timeout=300,
    examples=[{"paths": ["src"]}],
)(changes.fix)
