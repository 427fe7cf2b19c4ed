"""Names of tools as models write them: exactly one of the known ones, or a refusal that shows the nearest."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping

from tooldeck.core.actions.faults import Findings, Refused, short
from tooldeck.core.actions.misplaced import MOST_NAME
from tooldeck.core.actions.records import ActionCode
from tooldeck.core.vocabulary import nearest

__all__ = ["FINISH", "NOTHING", "Names", "is_plain_name"]

FINISH = frozenset({"finish", "final answer", "final_answer"})
"""Names that end the work, without case."""
NOTHING = frozenset({"none", "n/a", "na", "null", "no action", "nothing", "-", "无"})
"""What models write for no action, without case."""

_PLAIN = re.compile(r"[^\W\d]\w*")
_WORDS = re.compile(r"\w[\w.\-:/]*")
_LOOKALIKES = str.maketrans(
    "аеорсухѕіјһԁԛԝӏɡАВЕЅІЈКМНОРСТУХοανικρυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧı",
    "aeopcyxsijhdqwlgABESIJKMHOPCTYXoavikpuxABEZHIKMNOPTYXi",
)
"""Cyrillic, Greek and other letters that look like Latin ones."""


def is_plain_name(name: str) -> bool:
    """Whether `name` can stand before the bracket of a call and before the equals sign of an argument."""
    return (
        len(name) <= MOST_NAME
        and _PLAIN.fullmatch(name) is not None
        and unicodedata.normalize("NFKC", name) == name
    )


class Names:
    """The tools that are known: with None everything that is written like a name passes."""

    def __init__(self, tools: Collection[str] | None, aliases: Mapping[str, str] | None) -> None:
        self.tools = tools
        self.aliases = aliases or {}

    def knows(self, name: str) -> bool:
        """Whether `name` is certainly a tool."""
        return name in self.aliases or (self.tools is not None and name in self.tools)

    def parameters(self, name: str) -> list[str]:
        """The parameters of a tool in their order; empty where they are not known."""
        if not isinstance(self.tools, Mapping):
            return []
        found = self.tools.get(name, ())
        return list(found)

    def read(self, written: str, at: int, found: Findings, *, plain: bool = True) -> str:
        """The tool that `written` names. A near one is a fault, so that the correct call can be shown.

        `plain` says that it must be written like a Python name unless it is known. Raises `Refused`.
        """
        if written in self.aliases:
            return self.aliases[written]
        if len(written) > MOST_NAME:
            raise Refused(ActionCode.NAME, at, f"{short(written)} is too long for the name of a tool.")
        if self.tools is not None and written in self.tools:
            return written
        folded = unicodedata.normalize("NFKC", written)
        if folded.startswith("__") and folded.endswith("__"):
            raise Refused(ActionCode.UNKNOWN_TOOL, at, f"No tool has a name like {short(written)}.")
        if folded != written:
            latin = folded.translate(_LOOKALIKES)
            folded = latin if latin.isascii() else folded
            return self._fault(
                ActionCode.NAME, written, folded, at, found=found, words="has other characters than"
            )
        latin = written.translate(_LOOKALIKES)
        if latin != written and latin.isascii():
            return self._fault(
                ActionCode.UNKNOWN_TOOL,
                written,
                latin,
                at,
                found=found,
                words="has letters of another alphabet and looks like",
            )
        if plain and _PLAIN.fullmatch(written) is None:
            return self._unknown(ActionCode.NAME, written, at, found)
        if self.tools is not None:
            return self._unknown(ActionCode.UNKNOWN_TOOL, written, at, found)
        return written

    def read_line(self, written: str, at: int, found: Findings) -> str:
        """The tool that a line with nothing but its name means; case may differ where only one fits."""
        if self.tools is not None and not self.knows(written):
            same = [name for name in self.tools if name.casefold() == written.casefold()]
            if len(same) == 1:
                found.repairs.append(f"read {written!r} as {same[0]!r}")
                return same[0]
        return self.read(written, at, found, plain=False)

    def _fault(
        self, code: ActionCode, written: str, meant: str, at: int, *, found: Findings, words: str
    ) -> str:
        found.fault(code, at, f"{short(written)} {words} {short(meant)}; write the name itself.", firm=True)
        return meant

    def _unknown(self, code: ActionCode, written: str, at: int, found: Findings) -> str:
        known = [*(self.tools or ()), *self.aliases]
        close = nearest(written, known)
        hint = f"did you mean {', '.join(map(repr, close))}?" if close else _known(known)
        problem = f"{short(written)} is no tool" if known else f"{short(written)} is not written like a name"
        found.fault(code, at, f"{problem}; {hint}", firm=True)
        meant = close[0] if close else ""
        return self.aliases.get(meant, meant)


def _known(known: list[str]) -> str:
    if not known:
        return "write one name of letters, digits and '_'."
    shown = ", ".join(sorted(known)[:10])
    return f"known: {shown}{' …' if len(known) > 10 else '.'}"


def is_line_name(text: str) -> bool:
    """Whether a line that should name a tool could do so."""
    return len(text) <= MOST_NAME and _WORDS.fullmatch(text) is not None
