"""Reading a patch: a unified diff, with or without headers of git, or one after ``*** Begin Patch``."""

from __future__ import annotations

from tooldeck.tools.patches.envelope import read_envelope
from tooldeck.tools.patches.records import BadPatch, FilePatch
from tooldeck.tools.patches.unified import read_unified

__all__ = ["read_patch"]

MOST_CHARS = 5_000_000
"""Longer patches are refused."""


def read_patch(text: str) -> list[FilePatch]:
    """What a patch says of each file. Raises `BadPatch` naming the line that cannot be read."""
    if len(text) > MOST_CHARS:
        raise BadPatch(f"The patch has {len(text)} characters, more than {MOST_CHARS}.")
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    begins = next((at for at, line in enumerate(lines) if line.strip() == "*** Begin Patch"), None)
    found = read_unified(lines) if begins is None else read_envelope(lines, begins)
    if not found:
        raise BadPatch(
            "There is no patch in the text; give a unified diff with --- and +++ lines, or one between "
            "*** Begin Patch and *** End Patch."
        )
    return found
