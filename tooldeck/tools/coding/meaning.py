"""What a name means and where it is used: the one seam behind which the engines stand.

Python is resolved by jedi. Of other languages all places with the same name are given, and said to be just
that.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import sys
import tempfile
import threading
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from tooldeck.core.cancel import CancelToken
from tooldeck.core.errors import ExpectedError, SetupError
from tooldeck.guards.isolation import Isolation
from tooldeck.guards.paths import PathRefused, Workspace
from tooldeck.guards.running import MIB, Finished, Limits, summed_up
from tooldeck.guards.sandbox import run_confined
from tooldeck.tools.checking.programs import Place as Surroundings
from tooldeck.tools.checking.programs import place_in
from tooldeck.tools.coding.languages import tree_of
from tooldeck.tools.coding.python_symbols import masked
from tooldeck.tools.coding.records import Place
from tooldeck.tools.coding.symbols import NamePath
from tooldeck.tools.coding.units import Source, Unit, sources_below, symbols_of

__all__ = ["Meaning", "Question", "Spot", "definitions", "references", "spot_of"]

_WORKER = Path(__file__).with_name("jedi_worker.py")
_LIMITS = Limits(seconds=60.0, kept=16 * MIB, output=32 * MIB, processes=64)
_MOST_FILES = 2_000
"""Files with the name in them that are resolved."""


class Spot(NamedTuple):
    """A name in a piece of code."""

    unit: Unit
    line: int
    """From 1."""
    column: int
    """From 0, in characters."""
    name: str


class Question(NamedTuple):
    """What is asked, and where answers may be looked for."""

    workspace: Workspace
    minimum: Isolation
    source: Source
    spot: Spot
    cancel: CancelToken


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an engine answers."""

    places: tuple[Place, ...]
    engine: str
    certain: bool
    """Whether the places were resolved; else they have the same name, and no more is known."""
    unsure: tuple[Place, ...] = ()
    """Places with the name of which nothing could be found out."""
    notes: tuple[str, ...] = ()
    elsewhere: bool = False
    """Whether it is defined outside of the workspace."""


def spot_of(unit: Unit, line: int, symbol: str, column: int | None) -> Spot:
    """The name on a line: the nth ``symbol`` (``name#2``), or what stands at a column from 1.

    Raises `ExpectedError` where nothing does.
    """
    lines = unit.text.split("\n")
    if not 1 <= line <= len(lines):
        raise ExpectedError(f"{unit.place} has {len(lines)} lines, so there is no line {line}.")
    shown = lines[line - 1]
    if column is not None:
        found = next(
            (one for one in re.finditer(r"\w+", shown) if one.start() < column <= one.end() + 1), None
        )
        if found is None:
            raise ExpectedError(
                f"There is no name at column {column} of line {line}: {shown.strip()[:80]!r}."
            )
        return Spot(unit, line, found.start(), found[0])
    name, _, number = symbol.partition("#")
    wanted = int(number) if number.isdigit() else 1
    places = [one.start() for one in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", shown)] if name else []
    if not 1 <= wanted <= len(places):
        raise ExpectedError(
            f"Line {line} of {unit.place} has {name!r} {len(places)} times, so there is no {symbol!r}: "
            f"{shown.strip()[:80]!r}."
        )
    return Spot(unit, line, places[wanted - 1], name)


async def definitions(asked: Question) -> Meaning:
    """Where the name is defined. Raises `SetupError`, `ExpectedError`."""
    if asked.spot.unit.language != "python":
        return await asyncio.to_thread(_same_names, asked, defined=True)
    answer = await _ask_jedi(asked, "definitions", ())
    found = [place for one in answer["places"] if (place := _read_place(asked, one)) is not None]
    outside = [
        f"[outside of the workspace: {one['full_name']}: {one['text']}]"
        for one in answer["places"]
        if _read_place(asked, one) is None
    ]
    return Meaning(tuple(found), _engine(), certain=True, notes=tuple(dict.fromkeys(outside)))


async def references(asked: Question) -> Meaning:
    """Where the name is used, its definition included. Raises like `definitions`."""
    if asked.spot.unit.language != "python":
        return await asyncio.to_thread(_same_names, asked, defined=False)
    files, books = await asyncio.to_thread(_with_name, asked)
    notes = [f"[notebooks with the name, which were not resolved: {', '.join(books)}]"] if books else []
    if len(files) > _MOST_FILES:
        raise ExpectedError(f"{len(files)} files have the name {asked.spot.name!r}; name a rarer one.")
    answer = await _ask_jedi(asked, "references", files)
    places = [place for one in answer["places"] if (place := _read_place(asked, one)) is not None]
    unsure = [place for one in answer["unsure"] if (place := _read_place(asked, one)) is not None]
    elsewhere = any(_read_place(asked, one) is None for one in answer["targets"])
    return Meaning(
        tuple(sorted(set(places), key=_order)), _engine(), certain=True,
        unsure=tuple(sorted(set(unsure), key=_order)), notes=tuple(notes), elsewhere=elsewhere,
    )  # fmt: skip


def _order(place: Place) -> tuple[str, int, int, int]:
    return place.path, place.cell or 0, place.line, place.column


def _engine() -> str:
    from importlib.metadata import version

    return f"jedi {version('jedi')}"


def _with_name(asked: Question) -> tuple[list[str], list[str]]:
    """The files, and the notebooks, that have the name as a word."""
    word = re.compile(rf"(?<!\w){re.escape(asked.spot.name)}(?!\w)")
    files: list[str] = []
    books: list[str] = []
    for source in sources_below(asked.workspace, ".", asked.cancel, "python"):
        if any(word.search(unit.text) for unit in source.units):
            is_book = source.path.casefold().endswith(".ipynb")
            (books if is_book else files).append(source.path)
    if asked.source.path in books:
        books.remove(asked.source.path)
    elif asked.source.path not in files:
        files.append(asked.source.path)  # an ignored file, which somebody has named
    return files, books


async def _ask_jedi(asked: Question, what: str, files: Iterable[str]) -> dict[str, Any]:
    if find_spec("jedi") is None:
        raise SetupError("Resolving Python names needs jedi; install it with: pip install jedi")
    spot = asked.spot
    text, line = (None, spot.line) if spot.unit.cell is None else _joined(asked.source, spot)
    request = {
        "what": what, "root": str(asked.workspace.root), "path": asked.source.path, "text": text,
        "line": line, "column": spot.column, "name": spot.name, "files": list(files),
    }  # fmt: skip
    words = [sys.executable, "-I", "-B", "-c", _WORKER.read_text("utf-8")]
    async with _one_at_a_time(), place_in(asked.workspace, asked.minimum, _LIMITS) as place:
        done = await _run_worker(place, words, json.dumps(request).encode())
        if not done.ok and not done.stopped:
            _Parsed.forget()  # a worker that was ended may have left half a file there
            done = await _run_worker(place, words, json.dumps(request).encode())
    if not done.ok:
        said = (done.stderr.text.strip().splitlines() or [""])[-1]
        raise ExpectedError(f"jedi could not answer ({summed_up(done)}): {said[:300]}")
    return json.loads(done.stdout.data)


async def _run_worker(place: Surroundings, words: list[str], data: bytes) -> Finished:
    view = replace(place.view, write=(_Parsed.folder(),))
    env = {**place.env, "XDG_CACHE_HOME": str(_Parsed.folder())}
    done, _ = await run_confined(words, view, place.walls, _LIMITS, env=env, data=data)
    return done


class _Parsed:
    """The folder in which jedi keeps what it has parsed, written and read in the sandbox alone."""

    _kept: tempfile.TemporaryDirectory[str] | None = None

    @classmethod
    def folder(cls) -> Path:
        """The folder, for as long as this process lives."""
        if cls._kept is None:
            cls._kept = tempfile.TemporaryDirectory(prefix="tooldeck-jedi-", ignore_cleanup_errors=True)
        return Path(cls._kept.name)

    @classmethod
    def forget(cls) -> None:
        """Begin anew."""
        if cls._kept is not None:
            cls._kept.cleanup()
            cls._kept = None


_asking = threading.Lock()


@contextlib.asynccontextmanager
async def _one_at_a_time() -> AsyncGenerator[None]:
    """Keep workers apart, which would read what another one has half written."""
    while not _asking.acquire(blocking=False):  # noqa: ASYNC110 - it may be held on another loop
        await asyncio.sleep(0.02)
    try:
        yield
    finally:
        _asking.release()


def _joined(source: Source, spot: Spot) -> tuple[str, int]:
    """All cells of a notebook as one text, and the line of the spot in it."""
    line = spot.line
    for unit in source.units:
        if unit.cell == spot.unit.cell:
            break
        line += unit.text.count("\n") + 1
    return "\n".join(masked(unit.text) for unit in source.units), line


def _read_place(asked: Question, one: dict[str, Any]) -> Place | None:
    """A place of the worker as a place of the workspace; None for one outside of it."""
    line, column = one["line"] or 1, one["column"] or 0
    if one["path"] is None:
        if asked.spot.unit.cell is None or not one["line"]:
            return None
        for unit in asked.source.units:
            count = unit.text.count("\n") + 1
            if line <= count:
                return _placed(unit, line, column)
            line -= count
        return None
    if not Path(one["path"]).is_relative_to(asked.workspace.root):
        return None
    path = os.path.relpath(one["path"], asked.workspace.root)
    try:
        for source in sources_below(asked.workspace, path, asked.cancel):
            return _placed(source.units[0], line, column)
    except (PathRefused, ExpectedError, IndexError):
        return None
    return None


def _placed(unit: Unit, line: int, column: int) -> Place:
    lines = unit.text.split("\n")
    text = lines[line - 1] if line <= len(lines) else ""
    return Place(unit.path, line, column + 1, text, _around(unit, line), unit.cell)


def _around(unit: Unit, line: int) -> str:
    """The innermost symbol that a line is in."""
    try:
        found = [one for one in symbols_of(unit) if one.line <= line <= one.end_line]
    except (ExpectedError, SetupError):
        return ""
    return max(found, key=lambda one: (one.depth, one.start)).path if found else ""


def _same_names(asked: Question, *, defined: bool) -> Meaning:
    """All places with the name in files of the same language."""
    name, language = asked.spot.name, asked.spot.unit.language
    places: list[Place] = []
    for source in sources_below(asked.workspace, ".", asked.cancel, language):
        for unit in source.units:
            if name not in unit.text:
                continue
            if defined:
                wanted = NamePath(name)
                found = [(one.name_at, one.path) for one in symbols_of(unit) if wanted.fits(one)]
            else:
                found = [(at, "") for at in _leaves(unit, name)]
            for at, _ in found:
                line = unit.text.count("\n", 0, at) + 1
                places.append(_placed(unit, line, at - unit.text.rfind("\n", 0, at) - 1))
    return Meaning(tuple(places), f"tree-sitter ({language}), by name alone", certain=False)


def _leaves(unit: Unit, name: str) -> list[int]:
    ahead = [tree_of(unit.text, unit.language)]
    found: list[int] = []
    while ahead:
        node = ahead.pop()
        if node.is_leaf():
            if node.text() == name and "string" not in node.kind() and "comment" not in node.kind():
                found.append(node.range().start.index)
        else:
            ahead += node.children()
    return sorted(found)
