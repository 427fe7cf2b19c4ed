"""One skill with a file beside it."""

from __future__ import annotations

from pathlib import Path

__all__ = ["make_sample_skills"]


def make_sample_skills(folder: Path) -> Path:
    """Write the skill into a folder of `folder`, and return it."""
    skill = folder / "tidy-notes"
    (skill / "references").mkdir(parents=True)
    text = "---\nname: Tidy-Notes\ndescription: How notes are tidied.\n---\nSort them by day."
    (skill / "SKILL.md").write_text(text, encoding="utf-8")
    (skill / "references" / "style.md").write_text("Be brief.", encoding="utf-8")
    return folder
