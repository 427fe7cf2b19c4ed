"""How a reader of actions says no: at once, or after it has seen what the whole should have been."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from tooldeck.core.actions.records import ActionCode

__all__ = ["Fault", "Findings", "Refused", "short"]

MOST_NOTES = 20


class Fault(NamedTuple):
    """One thing that is wrong, with the place."""

    code: ActionCode
    at: int
    message: str
    repair: str = ""
    """What is done about it where repairs are allowed, in a few words; empty: nothing may be."""
    firm: bool = False
    """Whether it is the cause of what may go wrong behind it."""


class Refused(Exception):
    """Reading cannot go on. Becomes a `Refusal` where the reading was started; nobody outside sees it."""

    def __init__(self, code: ActionCode, at: int, message: str, *, corrected: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.at = at
        self.message = message
        self.corrected = corrected


@dataclass(slots=True)
class Findings:
    """What was found while one action was read."""

    notes: dict[str, None] = field(default_factory=dict)
    repairs: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    """Things that are wrong though their meaning is clear, so that the correct call can be shown."""

    def note(self, words: str) -> None:
        """Add a note, each once, and no more than a reader reads."""
        if len(self.notes) < MOST_NOTES:
            self.notes[words] = None

    def fault(self, code: ActionCode, at: int, message: str, *, repair: str = "", firm: bool = False) -> None:
        """Remember a fault and go on; of one kind with one remedy the first is enough."""
        if not any(each.code == code and each.repair == repair for each in self.faults):
            self.faults.append(Fault(code, at, message, repair, firm))

    def cause(self, refused: Refused) -> Refused:
        """The refusal to report in place of `refused`: an earlier fault that may have caused it."""
        for fault in self.faults if refused.corrected is None else ():
            if fault.firm and fault.at <= refused.at:
                return Refused(fault.code, fault.at, fault.message)
        return refused


def short(text: str, most: int = 40) -> str:
    """`text` in quotes for a message, cut when long."""
    return repr(text if len(text) <= most else text[: most - 1] + "…")
