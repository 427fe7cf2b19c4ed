"""Questions to a person in the middle of a call, and their answers; who asks and who answers plug in here.

Servers (elicitation) and the built-in ``system ask`` make a `Question`; a deck's `ask_person` has it answered
by a function of the program, or by the person at the host: on a card, at a prompt, or not at all.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tooldeck.core.parameters import Problem

__all__ = ["Answer", "Answerer", "AskPerson", "Question"]


def _anything_fits(content: Mapping[str, Any]) -> tuple[Problem, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Question:
    """Somebody wants to know something of the person."""

    asker: str
    """Who: the label of a server's session, the name of the model, or in words the program's own code."""
    tool: str
    """The tool that is running, by its owner's name for it; empty when no call is."""
    message: str
    """The question, in the asker's words."""
    mode: Literal["form", "url"] = "form"
    """Whether a form is to be filled or a page to be visited."""
    schema: dict[str, Any] = field(default_factory=dict[str, Any])
    """The JSON Schema of the answer, in form mode."""
    url: str = ""
    """The page, in url mode."""
    kind: Literal["server", "model", "program"] = "server"
    """What the asker is."""
    timeout: float | None = None
    """Seconds after which no answer is `late`; None waits for ever."""
    check: Callable[[Mapping[str, Any]], tuple[Problem, ...]] = field(repr=False, default=_anything_fits)
    """Says what is wrong with a filled form; raises `DefinitionError` where the schema describes none."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What becomes of a `Question`."""

    action: Literal["accept", "decline", "cancel", "nobody", "late"]
    """The person answered, said no, or put the question away; nobody is there to ask; the time was over."""
    content: dict[str, Any] | None = None
    """The filled form; None unless accepted in form mode."""
    note: str = ""
    """Why nobody could be asked, as a clause without a full stop."""


AskPerson = Callable[[Question], Awaitable[Answer]]
"""How a host puts a question before its person. May be awaited on any loop; cancelling withdraws it."""

Answerer = Callable[[Question], "Awaitable[Answer | None] | Answer | None"]
"""A function of the program that answers questions, or returns None to leave one to the person."""
