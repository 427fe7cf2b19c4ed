"""``skill_view``: instructions for a kind of work, kept in folders with a ``SKILL.md``."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from tooldeck.core.errors import ExpectedError
from tooldeck.core.graphemes import cut_before
from tooldeck.core.injection import Injected, ToolContext
from tooldeck.core.parts import Answer
from tooldeck.core.tool import Tool
from tooldeck.tools.declaring import builtin
from tooldeck.tools.skills.finding import Skills
from tooldeck.tools.skills.reading import Skill

__all__ = ["skill_view", "view"]


def view(
    context: Injected[ToolContext],
    skills: Injected[Skills | None],
    name: str = "",
    *,
    file: str = "",
    start: Annotated[int, Field(ge=0)] = 0,
    max_chars: Annotated[int, Field(ge=100, le=50_000)] = 12_000,
) -> Answer:
    """Read a skill: instructions for a kind of work. Without a name: which skills there are.

    Args:
        name: Its name; place:name where several have it.
        file: One of its other files, by the path that the skill lists it under.
        start: From which character of the text on.
        max_chars: How many characters.
    """
    there = Skills.usual(context.deck.workspace) if skills is None else skills
    if not name.strip() and not file:
        return _catalogue(there)
    skill, hidden = there.find(name)
    if skill.closed():
        raise ExpectedError(f"The skill {skill.name!r} {skill.closed()}.")
    text = skill.read(file) if file else skill.text
    end = cut_before(text, start + max_chars)
    value: dict[str, Any] = {"name": skill.name, "place": skill.place, "sha256": skill.sha256}
    if file:
        value["file"] = file
    else:
        value |= _facts(skill, hidden, context.deck.tools)
    value |= {"text": text[start:end], "start": start, "total": len(text)}
    if end < len(text):
        value["next"] = end
    return Answer(value)


def _catalogue(skills: Skills) -> Answer:
    every = skills.all()
    value: dict[str, Any] = {
        "skills": [
            {"name": one.name, "place": one.place, "description": "" if one.held else one.description}
            for one in every
        ]
    }
    problems = [
        *skills.problems,
        *(f"{one.place}:{one.folder}: {one.problem}" for one in every if one.problem),
        *(f"{one.place}:{one.folder} {one.closed()}" for one in every if one.closed()),
    ]
    return Answer({**value, "problems": problems} if problems else value)


def _facts(skill: Skill, hidden: list[Skill], tools: Any) -> dict[str, Any]:
    """What is known of a skill besides its text, without what is empty."""
    asked = skill.listed("allowed-tools", "allowed_tools")
    facts = {
        "description": skill.description,
        "tags": skill.listed("tags"),
        "related": skill.listed("related", "related-skills"),
        "files": skill.linked(),
        "missing": skill.missing(),
        # What a skill asks for gives no permission; these are the tools that are there anyway.
        "tools_here": [one for one in asked if one in tools],
        "tools_not_here": [one for one in asked if one not in tools],
        "hides": [f"{one.place}:{one.folder}" for one in hidden],
        "problem": skill.problem,
    }
    return {name: fact for name, fact in facts.items() if fact}


skill_view: Tool = builtin(
    name="skill_view",
    effects="read",
    trust="untrusted",
    max_chars=60_000,
    examples=({}, {"name": "tidy-notes"}, {"name": "Tidy-Notes", "file": "references/style.md"}),
)(view)
"""The tool."""
