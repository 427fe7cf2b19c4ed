"""What language servers know, asked for in records: the way for any tool.

    languages = Languages.of(deck)
    async with languages.session("src/app.py", DEFINITION) as session:
        found = await definition(session, Spot(line=12, symbol="load"))
    async with languages.session("src/app.py", RENAME) as session:
        changes = await rename_changes(session, Spot(symbol="load"), "read")

Every function here is awaited on the background loop, where the servers live.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from typing import Any

from tooldeck.core.errors import ExpectedError
from tooldeck.guards.paths import FileChange, PathRefused
from tooldeck.tools.language.edits import changes_of, check_named, touched
from tooldeck.tools.language.pool import Session
from tooldeck.tools.language.positions import Spot
from tooldeck.tools.language.protocol import SYMBOL_KINDS
from tooldeck.tools.language.reading import Reading, marked_text
from tooldeck.tools.language.records import (
    Call,
    Calls,
    Hover,
    Located,
    Location,
    Symbol,
    Symbols,
)

__all__ = [
    "ACTIONS",
    "CALLS",
    "FORMAT",
    "HOVER",
    "KINDS_OF_DEFINITION",
    "REFERENCES",
    "RENAME",
    "SYMBOLS",
    "WORKSPACE_SYMBOLS",
    "calls",
    "definition",
    "edit_changes",
    "format_changes",
    "hover",
    "references",
    "rename_changes",
    "symbols",
    "workspace_symbols",
]

KINDS_OF_DEFINITION = {
    "definition": "textDocument/definition",
    "declaration": "textDocument/declaration",
    "type": "textDocument/typeDefinition",
    "implementation": "textDocument/implementation",
}
REFERENCES = "textDocument/references"
HOVER = "textDocument/hover"
RENAME = "textDocument/rename"
FORMAT = "textDocument/formatting"
SYMBOLS = "textDocument/documentSymbol"
WORKSPACE_SYMBOLS = "workspace/symbol"
ACTIONS = "textDocument/codeAction"
CALLS = "textDocument/prepareCallHierarchy"
_ROUNDS = 3
_WORD = re.compile(r"\w+")
_NEAR = 200
# Characters from where a server says that a symbol begins, within which its name is looked for.
_HAVE_BODIES = frozenset({"class", "function", "method", "interface", "struct", "enum"})
_MOST = 5_000
# Places and symbols of one answer that are read.


# -- places


async def definition(session: Session, spot: Spot, kind: str = "definition") -> Located:
    """Where something is defined; `kind` is one of `KINDS_OF_DEFINITION`."""
    method = KINDS_OF_DEFINITION[kind]
    found = await session.ask_about(method, position=await _position(session, spot))
    return _located(session, found, _MOST)


async def references(
    session: Session, spot: Spot, *, declaration: bool = True, limit: int = _MOST
) -> Located:
    """Where something is used; its declaration is among them unless told otherwise."""
    position = await _position(session, spot)
    await _known_everywhere(session, _word(session, position))
    context = {"includeDeclaration": declaration}
    found = await session.ask_about(REFERENCES, position=position, context=context)
    return _located(session, found, limit)


async def hover(session: Session, spot: Spot) -> Hover:
    """What a server tells about a place."""
    found = await session.ask_about(HOVER, position=await _position(session, spot))
    return Hover(
        marked_text(found.get("contents") if isinstance(found, dict) else None).strip(), _name(session)
    )


async def calls(session: Session, spot: Spot, direction: str) -> Calls:
    """Who calls a function (``incoming``), or whom it calls (``outgoing``)."""
    position = await _position(session, spot)
    await _known_everywhere(session, _word(session, position))
    items = _items(await session.ask_about(CALLS, position=position))
    if not items:
        raise ExpectedError("There is no function at this place.")
    item = items[0]
    found = _items(await session.ask(f"callHierarchy/{direction}Calls", {"item": item}))
    end = "from" if direction == "incoming" else "to"
    read = Reading(session)
    made: list[Call] = []
    for one in found:
        with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
            other = one[end]
            where = read.location(other["uri"], other["selectionRange"])
            lines = sorted({int(place["start"]["line"]) + 1 for place in one.get("fromRanges", ())})
            made.append(Call(str(other["name"])[:300], _kind(other), where, tuple(lines)))
    return Calls(str(item.get("name", "it"))[:300], tuple(made), direction, _name(session))


# -- symbols


async def symbols(session: Session, limit: int = _MOST) -> Symbols:
    """The symbols of the file, each after what it is in."""
    read = Reading(session)
    made: list[Symbol] = []
    waiting = [(one, 0) for one in reversed(_items(await session.ask_about(SYMBOLS)))]
    while waiting and len(made) < _MOST:
        one, depth = waiting.pop()
        with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
            made.append(_symbol(read, one, depth, session.document.uri))
            waiting += [(child, depth + 1) for child in reversed(_items(one.get("children")))]
    return Symbols(tuple(made[:limit]), len(made), _name(session))


async def workspace_symbols(session: Session, query: str, limit: int = _MOST) -> Symbols:
    """The symbols of the workspace whose names are like `query`, as the server understands that."""
    await _known_everywhere(session, query)
    read = Reading(session)
    made: list[Symbol] = []
    for one in _items(await session.ask(WORKSPACE_SYMBOLS, {"query": query})):
        with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
            found = _symbol(read, one, 0, "")
            if found.location.inside:
                made.append(found)
    return Symbols(tuple(made[:limit]), len(made), _name(session), one_file=False)


def _symbol(read: Reading, one: Any, depth: int, uri: str) -> Symbol:
    """Of both shapes: the one with children, and the flat one with a location."""
    place = one.get("location") or {"uri": uri, "range": one["range"]}
    where = read.location(place["uri"], place.get("range") or _START)
    at = read.location(uri, one["selectionRange"]) if "selectionRange" in one else where
    container = str(one.get("containerName") or "")[:300]
    return Symbol(str(one["name"])[:300], _kind(one), where, at, depth, container)


# -- changes


async def rename_changes(session: Session, spot: Spot, new_name: str) -> list[FileChange]:
    """The changes of all files that give something another name; nothing is written.

    Raises `ExpectedError` where the server refuses, and `PathRefused` for a file that is not ours to change.
    """
    position = await _position(session, spot)
    await _known_everywhere(session, _word(session, position))

    async def ask() -> Any:
        return await session.ask_about(RENAME, position=position, newName=new_name)

    changes = await edit_changes(session, ask)
    check_named(changes, new_name)
    return changes


async def format_changes(session: Session, tab_size: int = 4) -> list[FileChange]:
    """The change that lays out the file as its language does; nothing is written."""
    options = {"tabSize": tab_size, "insertSpaces": True, "trimFinalNewlines": True}
    edits = _items(await session.ask_about(FORMAT, options=options))
    return changes_of(
        session.server.workspace, {"changes": {session.document.uri: edits}}, session.server.documents.get
    )


async def edit_changes(session: Session, ask: Any) -> list[FileChange]:
    """The changes of an edit that `ask` gets from the server.

    The server may have read other files at some other time than we: those that the edit touches are opened as
    they are now, and it is asked again, until it has had every text that is changed from us.
    """
    server = session.server
    for _ in range(_ROUNDS):
        edit = await ask()
        if edit is None:
            return []
        new = [path for path in touched(server.workspace, edit) if path not in server.documents]
        opened = [path for path in new if server.kind.language(path) is not None]
        if not opened:
            return changes_of(server.workspace, edit, server.documents.get)
        for path in opened:
            with contextlib.suppress(PathRefused):  # one that the edit makes first
                server.documents.open(path)
        if not any(path in server.documents for path in opened):
            return changes_of(server.workspace, edit, server.documents.get)
    raise ExpectedError(
        f"{server.kind.name} wants other files changed each time it is asked; nothing was changed."
    )


# -- reading what servers send

_START = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}


def _located(session: Session, found: Any, limit: int) -> Located:
    """Of all shapes: one place, several, links."""
    read = Reading(session)
    places: list[Location] = []
    for one in _items([found] if isinstance(found, dict) else found):
        with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
            uri = one.get("uri") or one["targetUri"]
            places.append(read.location(uri, one.get("range") or one["targetSelectionRange"]))
    unique = sorted(set(places), key=lambda one: (not one.inside, one.path, one.line, one.column))
    return Located(tuple(unique[:limit]), len(unique), _name(session))


async def _known_everywhere(session: Session, word: str) -> None:
    """Let the server have every file that may use a word, and finish what it is at."""
    await session.server.documents.open_with(word)
    await session.server.ready(session.seconds)


def _word(session: Session, position: dict[str, int]) -> str:
    """The whole word at a place."""
    text = session.document.text
    line, column = text.place(text.offset(position))
    for word in _WORD.finditer(text.line(line - 1)):
        if word.start() <= column - 1 <= word.end():
            return word[0]
    return text.line(line - 1)[column - 1 : column]


async def _position(session: Session, spot: Spot) -> dict[str, int]:
    """The place of a spot; without a line it is where the file declares the symbol, else its first use."""
    text = session.document.text
    if spot.line is None and session.server.can(SYMBOLS):
        declared = _declared((await symbols(session)).symbols, spot.symbol)
        if declared is not None:
            start = text.find(Spot(declared.at.line, declared.at.column))
            own = text.text.find(declared.name, start)
            return text.position(own if 0 <= own < start + _NEAR else start)
    return text.position(text.find(spot))


def _declared(outline: Sequence[Symbol], wanted: str) -> Symbol | None:
    """The outermost symbol of a name, or of a path of names with slashes or dots between.

    Raises `ExpectedError` where several on the same level have it.
    """
    path: list[str] = []
    fitting: list[Symbol] = []
    names = wanted.replace(".", "/").strip("/").split("/")
    for symbol in outline:
        path[symbol.depth :] = [symbol.name]
        if path[-len(names) :] == names:
            fitting.append(symbol)
    outermost = [one for one in fitting if one.depth == min(other.depth for other in fitting)]
    if len(outermost) > 1 and any(one.kind in _HAVE_BODIES for one in outermost):
        lines = ", ".join(str(one.at.line) for one in outermost[:10])
        raise ExpectedError(f"{wanted!r} is declared on lines {lines}; say which line is meant.")
    return outermost[0] if outermost else None


def _items(found: Any) -> list[Any]:
    return found[:_MOST] if isinstance(found, list) else []


def _kind(one: Any) -> str:
    return SYMBOL_KINDS.get(one.get("kind"), "symbol")


def _name(session: Session) -> str:
    return session.server.kind.name
