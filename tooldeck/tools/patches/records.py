"""What a patch says, whichever form it was written in."""

from __future__ import annotations

from dataclasses import dataclass, field

from tooldeck.core.errors import ExpectedError

__all__ = ["BadPatch", "FilePatch", "Hunk"]


class BadPatch(ExpectedError):
    """A text that is no patch, or one that does not fit the files; says where."""


@dataclass(slots=True)
class Hunk:
    """A stretch of lines, some of which stay, go or are new."""

    lines: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Sign (blank, ``-`` or ``+``) and text of each."""
    start: int | None = None
    """The line, from 1, at which it stood when the patch was made; None where nothing says so."""
    headings: list[str] = field(default_factory=list[str])
    """Lines that come before it, one after the other."""
    at_end: bool = False
    """Whether it is said to end with the file."""
    old_open: bool = False
    """Whether the old file ends with it, without a line end."""
    new_open: bool = False
    """The same of the new file."""

    @property
    def old(self) -> list[str]:
        """The lines as they were."""
        return [text for sign, text in self.lines if sign != "+"]

    @property
    def new(self) -> list[str]:
        """The lines as they shall be."""
        return [text for sign, text in self.lines if sign != "-"]


@dataclass(slots=True)
class FilePatch:
    """What happens to one file."""

    path: str
    """Where it is; for a new one, where it shall be."""
    kind: str = "change"
    """``add``, ``delete`` or ``change``."""
    new_path: str = ""
    """Where it shall be, where that is another place."""
    mode: int | None = None
    """The mode bits that it shall have."""
    copy: bool = False
    """Whether the old one stays where it is moved."""
    hunks: list[Hunk] = field(default_factory=list[Hunk])
