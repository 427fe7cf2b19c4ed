"""Which of several rules decides, and the explanation of it: pure functions of rules, a tool and a call.

In this order: a deny rule of the user; the last allow or ask rule of the user; a preset that denies; the
author's ``ask`` (a remote tool's is ignored); the preset. What was merely found in the folder can make that
stricter, never more lenient.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from tooldeck.core.approval import Provenance, Verdict, Word
from tooldeck.core.call import ToolCall
from tooldeck.core.tool import Tool
from tooldeck.guards.isolation import Isolation
from tooldeck.policy.presets import PRESETS
from tooldeck.policy.rules import Rule

__all__ = ["Explanation", "Match", "Ruling", "matches_of", "stricter", "weigh"]


class Ruling(NamedTuple):
    """Rules in the order given, and the preset for everything else."""

    preset: str | None = None
    """None says nothing of anything else."""
    rules: tuple[Rule, ...] = ()
    isolation: Isolation | None = None
    """The weakest sandbox that code may run in; None says nothing of it."""
    command_lines: bool | None = None
    """Whether shells may read command lines; None says nothing of it."""


class Match(NamedTuple):
    """A rule that speaks of a tool or call."""

    whose: str
    """``yours``, ``found``, ``author`` or the name of a preset."""
    text: str
    sure: bool = True
    """False where that hangs on arguments which are not known."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a tool or a call is allowed, asked about or denied."""

    tool: str
    verdict: Verdict | None
    """None when it hangs on the arguments, and none were given."""
    matched: tuple[Match, ...]
    """Every rule that speaks of it, in the order in which they were given."""
    granted: str | None = None
    """The earlier approval that answers the question, in words."""
    provenance: Provenance | None = None
    """Whether the output is trusted; None where nobody looked."""
    problems: str = ""
    """Why no call can be made of the arguments; then they were left out of account."""

    def __str__(self) -> str:
        verdict = self.verdict
        if verdict is None:
            lines = [f"{self.tool}: that hangs on the arguments; give them as key=value."]
        else:
            lines = [f"{self.tool}: {verdict.word}, by the rule {verdict.rule}."]
        known = self.provenance
        if known is not None and known.rule:
            lines.append(f"  output {known.trust}, by the rule {known.rule}")
        if self.granted is not None:
            lines.append(f"  not asked again: {self.granted} was approved")
        if self.problems:
            lines.append(f"  {self.problems}")
        rest = [match for match in self.matched if verdict is None or match.text != verdict.rule]
        for match in rest:
            also = "also matches" if match.sure else "matches some arguments"
            lines.append(f"  {also}: {match.text} ({_WHOSE.get(match.whose, match.whose)})")
        return "\n".join(lines)


_WHOSE = {"yours": "your rule", "found": "a file in this folder", "author": "the tool's author"}


def weigh(ruling: Ruling, tool: Tool, call: ToolCall | None, *, heed_author: bool = True) -> Verdict | None:
    """The verdict on a call, or without one on every call of the tool; None: the arguments decide."""
    spoken = [(rule, speaks(rule, tool, call)) for rule in ruling.rules if isinstance(rule.word, Word)]
    denying = [(rule, sure) for rule, sure in spoken if rule.word is Word.DENY and sure is not False]
    certain = next((rule for rule, sure in denying if sure), None)
    if certain is not None:
        return Verdict(Word.DENY, str(certain))
    if denying:
        return None
    for rule, sure in reversed(spoken):
        if sure is None:
            return None
        if sure:
            return Verdict(Word(rule.word), str(rule))
    base = preset_verdict(ruling.preset, tool)
    if heed_author and base.word is not Word.DENY:
        return author_verdict(tool) or base
    return base


def speaks(rule: Rule, tool: Tool, call: ToolCall | None) -> bool | None:
    """Whether a rule speaks of a call; None where that hangs on arguments that are not known."""
    if not rule.of(tool):
        return False
    if not rule.hangs_on_arguments(tool):
        return True
    return None if call is None else rule.covers(call)


def preset_verdict(preset: str | None, tool: Tool) -> Verdict:
    """What a preset says of a tool."""
    if preset is None:
        return Verdict(Word.ALLOW, "nothing said")
    rule = next(rule for rule in reversed(PRESETS[preset]) if rule.of(tool))
    return Verdict(Word(rule.word), f"{preset}/{rule.note}")


def author_verdict(tool: Tool) -> Verdict | None:
    """What the author of a tool wants; a remote tool has no say."""
    if tool.ask is None or tool.origin.remote:
        return None
    if tool.ask:
        return Verdict(Word.ASK, "the tool asks always")
    return Verdict(Word.ALLOW, "the tool asks never")


_STRICTNESS = {Word.ALLOW: 0, Word.ASK: 1, Word.DENY: 2}


def stricter(own: Verdict | None, found: Verdict | None) -> Verdict | None:
    """The stricter of two verdicts, the first where they are equal; None where it hangs on arguments."""
    for verdict in (own, found):
        if verdict is not None and verdict.word is Word.DENY:
            return verdict
    if own is None or found is None:
        return None
    return found if _STRICTNESS[found.word] > _STRICTNESS[own.word] else own


def matches_of(ruling: Ruling, whose: str, tool: Tool, call: ToolCall | None) -> Iterator[Match]:
    """Every rule that says whether a tool or call may run."""
    for rule in ruling.rules:
        sure = speaks(rule, tool, call) if isinstance(rule.word, Word) else False
        if sure is not False:
            yield Match(whose, str(rule), sure is True)
    author = author_verdict(tool) if whose == "yours" else None
    if author is not None:
        yield Match("author", author.rule)
    if ruling.preset is not None:
        yield Match(f"preset {ruling.preset}", preset_verdict(ruling.preset, tool).rule)
