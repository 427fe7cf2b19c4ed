"""Reading the line of a magic: words, options and ``key=value`` pairs; a mistake becomes one sentence."""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from tooldeck.core.errors import TooldeckError
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import nearest

__all__ = ["Line", "Mistake", "as_typed", "choose", "read_call", "read_line", "read_pairs"]


class Mistake(TooldeckError):
    """Something is wrong with what was typed; the message is one sentence with the remedy."""


@dataclass(frozen=True, slots=True)
class Line:
    """The words of a line that are no options, and the options by name."""

    words: tuple[str, ...]
    options: Mapping[str, str | bool]


def split(line: str) -> list[str]:
    """The words of a line, quotes respected; raises `Mistake` for a quote that never closes."""
    try:
        return shlex.split(line)
    except ValueError:
        raise Mistake(f"A quote in {line.strip()!r} is never closed.") from None


def read_line(magic: str, line: str, flags: Collection[str] = (), valued: Collection[str] = ()) -> Line:
    """Take options (``--name value``, ``--name=value``, ``--flag``) out of a line.

    Raises `Mistake` naming an unknown option and the nearest known one.
    """
    words: list[str] = []
    options: dict[str, str | bool] = {}
    pending = split(line)
    while pending:
        word = pending.pop(0)
        if not word.startswith("--") or word == "--":
            words.append(word)
            continue
        name, equals, value = word[2:].partition("=")
        name = name.replace("-", "_")
        if name in flags:
            options[name] = True
        elif name in valued:
            if not equals and (not pending or pending[0].startswith("--")):
                raise Mistake(f"{magic} {as_typed(name)} needs a value, as in {as_typed(name)} VALUE.")
            options[name] = value if equals else pending.pop(0)
        else:
            raise Mistake(
                unknown(
                    f"{magic} has no option", as_typed(name), [as_typed(known) for known in [*valued, *flags]]
                )
            )
    return Line(tuple(words), options)


def as_typed(name: str) -> str:
    """An option as it is typed, dashes between its words; underscores are read as well."""
    return f"--{name.replace('_', '-')}"


def unknown(what: str, given: str, known: Collection[str]) -> str:
    """One sentence about a word that is not known, with the nearest one or all of them."""
    close = nearest(given, known, 1)
    hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(known) or 'none yet'}."
    return f"{what} {given!r}; {hint}"


def choose(magic: str, word: str, known: Collection[str]) -> str:
    """`word`, if it is one of `known`; else `Mistake`."""
    if word in known:
        return word
    raise Mistake(unknown(f"{magic} does not know", word, known))


def read_call(line: str, magic: str = "%call") -> tuple[str, str | dict[str, Any]]:
    """The tool and the arguments of ``NAME key=value …`` or ``NAME {JSON}``.

    Values stay text; `fit_text` reads them as the tool's schema wants them.
    """
    name, rest = [*line.split(None, 1), "", ""][:2]
    if not name:
        raise Mistake(
            f"{magic} needs a tool: {magic} NAME key=value … or {magic} NAME {{…}}; %tools lists them."
        )
    if "(" in name:
        raise Mistake(f"{magic} is written without brackets: {magic} {name.partition('(')[0]} key=value …")
    rest = rest.strip()
    if rest.startswith("{"):
        return name, rest
    return name, read_pairs(f"{magic} {name}", rest, ", or all of them as one JSON object")


def read_pairs(magic: str, text: str, otherwise: str = "") -> dict[str, Any]:
    """The words ``key=value …`` of a line by key; raises `Mistake`, which names what may be `otherwise`."""
    arguments: dict[str, Any] = {}
    for word in split(text):
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise Mistake(f"{magic}: {word!r} is no argument; write key=value{otherwise}.")
        if key in arguments:
            raise Mistake(f"{magic}: {key!r} is given twice.")
        arguments[key] = value
    return arguments


def fit_text(tool: Tool | None, arguments: dict[str, str]) -> dict[str, Any]:
    """Typed-in values as the tool's schema wants them: text where it takes text, JSON elsewhere."""
    properties: Mapping[str, Any] = tool.parameters.get("properties", {}) if tool is not None else {}
    return {key: _fit(value, properties.get(key)) for key, value in arguments.items()}


def _fit(value: str, schema: Any) -> Any:
    if isinstance(schema, Mapping) and schema.get("type") == "string":
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return {"True": True, "False": False, "None": None}.get(value, value)
