"""Tools, calls and results in words that a person reads; cards, static pages and plain text all use these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from tooldeck.core.approval import Provenance, Word
from tooldeck.core.call import ToolCall
from tooldeck.core.credentials import without_logins
from tooldeck.core.tool import Origin, Tool
from tooldeck.core.vocabulary import Effect, Source, Trust
from tooldeck.guards.text import json_text, visible
from tooldeck.notebook.say import THIN
from tooldeck.policy import Policy
from tooldeck.store.masking import MASK, names_secret

__all__ = [
    "Argument",
    "arguments",
    "asked_by",
    "asks",
    "call_line",
    "count",
    "duration",
    "marks",
    "origin",
    "pace",
    "paging",
    "powers",
    "trust",
    "trusted",
    "value",
]

_DOES = {
    Effect.READ: "reads",
    Effect.WRITE: "writes",
    Effect.EXECUTE: "runs code",
    Effect.NETWORK: "uses the network",
    Effect.REPOSITORY: "changes a repository",
    Effect.HUMAN: "talks to a person",
    Effect.MODEL: "calls a model",
}
_ASKED = {
    Source.PYTHON: "called from Python",
    Source.CELL: "called in a cell",
    Source.FORM: "started from its form",
    Source.MODEL: "asked by a model",
    Source.MCP: "asked by an MCP client",
    Source.APP: "asked by a page of an MCP server",
}
_ASKS = {
    Word.ALLOW: "runs without asking",
    Word.ASK: "asks before it runs",
    Word.DENY: "denied by policy",
}
_SHORT = 72
"""Characters that a value may have and still stand in one line beside its name."""


class Argument(NamedTuple):
    """One argument as it is shown: complete."""

    name: str
    text: str
    """A string as it is, anything else as JSON, or as Python where JSON cannot hold it."""
    length: str
    """The kind of value and its length in words."""
    block: bool
    """Whether it needs a box of its own."""


def powers(tool: Tool) -> str:
    """What the tool may do, in words; says so when nothing was declared."""
    if tool.effects is None:
        return "effects undeclared"
    return " · ".join(words for effect, words in _DOES.items() if effect in tool.effects) or "only computes"


def pace(tool: Tool) -> str:
    """How often the tool and its server may be called, in words; empty where nothing limits it."""
    server = None if tool.shared is None else tool.shared.rate
    own = [] if tool.rate is None else [f"at most {tool.rate.words}"]
    return " · ".join(own + ([] if server is None else [f"its server at most {server.words}"]))


def paging(tool: Tool) -> list[str]:
    """What pages of its server have to do with a tool, in words; nothing for most."""
    words = [visible(f"shows {tool.page}")] if tool.page else []
    return words if tool.for_models else [*words, "hidden from models"]


class Suspicious(Protocol):
    """A finding of the lint, as far as it is counted."""

    @property
    def severity(self) -> str:
        """``danger``, ``warning`` or ``info``."""
        ...


def marks(found: Iterable[Suspicious]) -> list[str]:
    """How many findings there are of each severity, in words: ``danger ×2``."""
    return [f"{severity} ×{many}" for severity, many in Counter(str(one.severity) for one in found).items()]


def trusted(tool: Tool, known: Provenance | None = None) -> bool:
    """Whether the tool's output is believed: as a policy has it, else as the tool is."""
    return not tool.from_outside if known is None else known.trust is Trust.TRUSTED


def trust(tool: Tool, known: Provenance | None = None) -> str:
    """The same in words, with the rule that says so."""
    words = "trusted output" if trusted(tool, known) else "untrusted output"
    return f"{words} (rule: {visible(known.rule)})" if known is not None and known.rule else words


def origin(where: Origin) -> str:
    """Where a tool comes from, in words."""
    if where.kind == "mcp":
        return f"MCP server {where.label}".strip()
    return {"python": "Python", "builtin": "tooldeck"}.get(where.kind, where.kind) + (
        f" {where.label}" if where.label else ""
    )


def asks(tool: Tool, policy: Policy | None = None) -> str:
    """Whether a call is asked about, in words: as a policy has it, else as the tool's author wants it."""
    if policy is not None:
        verdict = policy.static(tool)
        return "asks or not by its arguments" if verdict is None else _ASKS[verdict.word]
    if tool.ask is None:
        return "asks by policy"
    return "always asks" if tool.ask else "asks nobody"


def asked_by(call: ToolCall) -> str:
    """Who wants this call, in words."""
    caller = call.caller
    words = _ASKED[caller.source]
    if caller.label and caller.source in (Source.MCP, Source.APP):
        words = f"asked by {caller.label}"
    elif caller.label:
        named = caller.source is Source.MODEL
        words = f"{words} “{caller.label}”" if named else f"{words}, {caller.label}"
    return f"{words} in {caller.run.name or caller.run.id}" if caller.run is not None else words


def arguments(given: Mapping[str, Any]) -> list[Argument]:
    """Every argument, with nothing left out but the credentials in addresses."""
    return [_argument(str(name), without_logins(value)) for name, value in given.items()]


def _argument(name: str, value: Any) -> Argument:
    if isinstance(value, str):
        text, length = value, f"text, {count(len(value), 'character')}"
    else:
        text, length = _other(value)
    return Argument(name, text, length, block=len(text) > _SHORT or "\n" in text)


def _other(value: Any) -> tuple[str, str]:
    """A value that is no string, as text, and what it is."""
    text, is_json = _text(value)
    if not is_json:
        return text, f"Python {type(value).__name__}, {count(len(text), 'character')}"
    if isinstance(value, Mapping):
        return text, f"object, {count(len(value), 'entry', 'entries')}"
    if isinstance(value, Sequence):
        return text, f"list, {count(len(value), 'item')}"
    if value is None:
        return text, "nothing"
    return text, "yes or no" if isinstance(value, bool) else "number"


def _text(value: Any) -> tuple[str, bool]:
    """A value as JSON and True, or as Python and False."""
    try:
        line = json_text(value, indent=None)
        return line if len(line) <= _SHORT else json_text(value), True
    except (TypeError, ValueError, RecursionError):
        pass
    try:
        return repr(value), False
    except Exception as fault:  # noqa: BLE001 - a broken repr must not hide the card it is shown on
        return f"<{type(value).__name__} whose repr raises {type(fault).__name__}>", False


def value(given: Any) -> str:
    """Any value as text: JSON where it can hold it, else Python."""
    return _text(given)[0]


def call_line(name: str, given: Mapping[str, Any], room: int = 48) -> str:
    """The call as Python would write it, as visible text; a long value is told by its length.

    Credentials in addresses and arguments whose name says that they are a secret are masked.
    """
    shown = [
        f"{visible(str(argument))}={_brief(without_logins(_secret(argument, item)), room)}"
        for argument, item in given.items()
    ]
    return f"{visible(name)}({', '.join(shown)})"


def _secret(argument: object, item: Any) -> Any:
    return MASK if isinstance(item, str) and item and names_secret(str(argument)) else item


def _brief(item: Any, room: int) -> str:
    text = repr(item) if isinstance(item, str) else _text(item)[0].replace("\n", " ")
    if len(text) <= room:
        return visible(text)
    return f"<{count(len(item) if isinstance(item, str) else len(text), 'character')}>"


def count(number: int, one: str = "", many: str = "") -> str:
    """A number with thin spaces between thousands, and its noun."""
    shown = f"{number:,}".replace(",", THIN)
    return f"{shown} {one if number == 1 else many or f'{one}s'}" if one else shown


def duration(seconds: float) -> str:
    """A time as a person reads it: milliseconds below one second, else seconds with one decimal."""
    if seconds < 1:
        milliseconds = seconds * 1000
        places = 2 if milliseconds < 1 else 1 if milliseconds < 100 else 0
        return f"{milliseconds:.{places}f} ms"
    return f"{seconds:.1f} s"
