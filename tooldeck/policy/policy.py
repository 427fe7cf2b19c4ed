"""The policy of a deck: the user's words first, then the author's, then a preset over declared effects."""

from __future__ import annotations

import fnmatch
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tooldeck.core.approval import Scope, Verdict, Word
from tooldeck.core.call import ToolCall
from tooldeck.core.canonical import exact_text
from tooldeck.core.errors import DefinitionError
from tooldeck.core.strangers import quoted
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Effect, nearest

__all__ = ["PRESETS", "Grant", "Policy"]

GRANTS_KEPT = 1_000
"""Grants remembered; beyond that the oldest is forgotten, so that its call asks again."""
_SAFE = frozenset({Effect.READ, Effect.HUMAN})


def _default(tool: Tool) -> Verdict:
    if tool.effects is None:
        return Verdict(Word.ASK, "default/undeclared-effects")
    if tool.effects <= _SAFE:
        return Verdict(Word.ALLOW, "default/reads-only" if tool.effects else "default/no-effects")
    return Verdict(Word.ASK, f"default/{'+'.join(sorted(tool.effects - _SAFE))}")


def _read_only(tool: Tool) -> Verdict:
    if tool.effects is not None and tool.effects <= _SAFE:
        return Verdict(Word.ALLOW, "read_only/reads-only")
    return Verdict(Word.DENY, "read_only/anything-else")


def _ask_everything(tool: Tool) -> Verdict:
    return Verdict(Word.ASK, "ask_everything")


def _auto(tool: Tool) -> Verdict:
    return Verdict(Word.ALLOW, "auto")


PRESETS: Mapping[str, Callable[[Tool], Verdict]] = MappingProxyType(
    {"default": _default, "read_only": _read_only, "ask_everything": _ask_everything, "auto": _auto}
)
"""What is said of tools that no rule names: by preset, a function of the tool's declarations.

``default`` allows tools that declare no effects or only read, and asks for everything else; ``read_only``
denies everything else; ``ask_everything`` asks always; ``auto`` never asks.
"""


@dataclass(frozen=True, slots=True)
class Grant:
    """An approval that a person gave beyond one call."""

    tool: Tool
    scope: Scope
    arguments: str = ""
    """The canonical arguments it covers; empty for a whole tool."""

    def __str__(self) -> str:
        return f"{self.tool.name}{self.arguments}" if self.arguments else f"{self.tool.name} for this session"


class Policy:
    """Decides whether a call is allowed, denied or put before a person.

    Order: deny rules of the user, allow and ask rules of the user (the last one given counts), the author's
    ``ask`` setting (a remote tool's is ignored), the preset. Rules name tools by pattern (``*`` and ``?``).
    """

    def __init__(self, preset: str = "default") -> None:
        self._watchers: list[weakref.WeakMethod[Callable[[], None]]] = []
        self._rules: list[tuple[Word, str]] = []
        self._grants: dict[tuple[int, str], Grant] = {}
        self.preset = preset

    def watch(self, changed: Callable[[], None]) -> None:
        """Call a method, held weakly, whenever the rules change; each deck that uses the policy does so."""
        self._watchers.append(weakref.WeakMethod(changed))

    def _changed(self) -> None:
        self._watchers = [watcher for watcher in self._watchers if watcher() is not None]
        for watcher in self._watchers:
            changed = watcher()
            if changed is not None:
                changed()

    @property
    def preset(self) -> str:
        """The name of the preset; one of `PRESETS`."""
        return self._preset

    @preset.setter
    def preset(self, name: str) -> None:
        if not isinstance(name, str) or name not in PRESETS:
            close = nearest(name, PRESETS, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(PRESETS)}."
            raise DefinitionError(f"Unknown policy {name!r}; {hint}")
        self._preset = name
        self._changed()

    @property
    def rules(self) -> tuple[tuple[Word, str], ...]:
        """The user's rules in the order given: a word and a pattern of tool names."""
        return tuple(self._rules)

    def allow(self, *patterns: str) -> None:
        """Let tools of these names run without a question."""
        self._add(Word.ALLOW, patterns)

    def ask(self, *patterns: str) -> None:
        """Ask before every call of tools of these names."""
        self._add(Word.ASK, patterns)

    def deny(self, *patterns: str) -> None:
        """Never run tools of these names; wins over every allow."""
        self._add(Word.DENY, patterns)

    def forget(self, pattern: str) -> bool:
        """Take the rules with exactly this pattern back; says whether there were any."""
        kept = [rule for rule in self._rules if rule[1] != pattern]
        found = len(kept) != len(self._rules)
        self._rules = kept
        self._changed()
        return found

    def _add(self, word: Word, patterns: tuple[str, ...]) -> None:
        if not patterns:
            raise DefinitionError(f"policy.{word}() needs the name of a tool, or a pattern such as 'git__*'.")
        odd = next((pattern for pattern in patterns if not isinstance(pattern, str) or not pattern), None)
        if odd is not None:
            raise DefinitionError(f"policy.{word}() takes names and patterns as text, got {odd!r}.")
        self._rules += [(word, pattern) for pattern in patterns]
        self._changed()

    def static(self, tool: Tool, /) -> Verdict:
        """The verdict on every call of `tool`."""
        matching = [rule for rule in self._rules if fnmatch.fnmatchcase(tool.name, rule[1])]
        denied = next((rule for rule in matching if rule[0] is Word.DENY), None)
        if denied is not None:
            return Verdict(Word.DENY, f"deny {denied[1]}")
        if matching:
            word, pattern = matching[-1]
            return Verdict(word, f"{word} {pattern}")
        if tool.ask is not None and not tool.origin.remote:
            return (
                Verdict(Word.ASK, "the tool asks always")
                if tool.ask
                else Verdict(Word.ALLOW, "the tool asks never")
            )
        return PRESETS[self._preset](tool)

    def decide(self, call: ToolCall, /) -> Verdict:
        """The verdict on one call."""
        if call.tool is None:
            return Verdict(Word.DENY, "no such tool")
        return self.static(call.tool)

    def granted(self, call: ToolCall, /) -> str | None:
        """The earlier approval that covers the call, in words, or None.

        A grant holds for the very tool object it was given for: a redefined tool asks again. Arguments that
        JSON cannot carry are never taken for the same.
        """
        tool = call.tool
        for arguments in ("", exact_text(call.arguments)):
            grant = self._grants.get((id(tool), arguments))
            if grant is not None and grant.tool is tool:
                return str(grant)
        return None

    def grant(self, call: ToolCall, scope: Scope, /) -> None:
        """Remember an approval: of exactly these arguments, or of the tool for as long as the deck lives."""
        if call.tool is None or scope is Scope.ONCE:
            return
        arguments = "" if scope is Scope.SESSION else exact_text(call.arguments)
        self._grants[id(call.tool), arguments] = Grant(call.tool, scope, arguments)
        while len(self._grants) > GRANTS_KEPT:
            self._grants.pop(next(iter(list(self._grants))), None)

    @property
    def grants(self) -> tuple[Grant, ...]:
        """What people have granted beyond single calls."""
        return tuple(self._grants.values())

    def revoke(self, name: str = "*") -> int:
        """Take grants for tools of this name or pattern back; returns how many there were."""
        gone = [key for key, grant in self._grants.items() if fnmatch.fnmatchcase(grant.tool.name, name)]
        for key in gone:
            del self._grants[key]
        return len(gone)

    def __repr__(self) -> str:
        rules = "".join(f", {word} {quoted(pattern)}" for word, pattern in self._rules)
        return f"<Policy {self._preset}{rules}; {len(self._grants)} grants>"
