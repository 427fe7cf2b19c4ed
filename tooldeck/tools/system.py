"""``system``: the tools of the deck, so that a model need not be shown all at once; and the person, asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from tooldeck.core.action_tool import ActionTool
from tooldeck.core.caller import Caller
from tooldeck.core.errors import ExpectedError
from tooldeck.core.injection import Injected, ToolContext
from tooldeck.core.questions import Question
from tooldeck.core.vocabulary import Source
from tooldeck.hosts.background import background
from tooldeck.registry.questions import check_of
from tooldeck.search.bridges import described, found

__all__ = ["system"]

system = ActionTool(
    "system",
    "The tools of this deck: find one, see what it takes. The person: ask what only a person can know.",
    trust="untrusted",
)
"""The tool. Descriptions may be those of remote tools, so what it says of tools is outside text."""

_SAYS: Mapping[str, str] = {
    "nobody": "nobody is there to ask",
    "late": "nobody answered in time",
    "decline": "the person does not want to answer",
    "cancel": "the person put the question away",
}


_OWN: Mapping[Source, str] = {
    Source.PYTHON: "your code", Source.CELL: "a cell", Source.FORM: "a form",
}  # fmt: skip
"""How the code of the person is called, by what started the call."""


@system.action(
    effects="human",
    trust="trusted",
    executor=background(),
    examples=[
        {"question": "Which of the two files is the newer draft?", "default": "a.txt"},
        {"question": "Go on?", "choices": ["yes", "no"], "default": "no", "timeout": 60},
    ],
)
async def ask(
    context: Injected[ToolContext],
    question: Annotated[str, Field(pattern=r"\S", max_length=4_000, description="What to ask, in full.")],
    choices: Annotated[
        list[str], Field(max_length=50, description="Answers to choose from; any text, when left out.")
    ] = [],  # noqa: B006 - never changed
    default: Annotated[
        str | None, Field(description="The answer to go on with where nobody is there or in time.")
    ] = None,
    timeout: Annotated[
        float | None, Field(gt=0, description="Seconds to wait for an answer; for ever, when left out.")
    ] = None,
) -> dict[str, Any]:
    """Ask the person and wait for the answer. Says so where nobody can be asked; never guesses."""
    _check_choices(choices, default)
    schema = _form(choices, default)
    caller = context.call.caller
    asked = Question(
        asker=_asker(caller),
        tool="system ask",
        message=question,
        schema=schema,
        kind="program" if caller.source in _OWN else "model",
        timeout=timeout,
        check=check_of(schema),
    )
    answer = await context.deck.ask_person(asked)
    if answer.action == "accept":
        return {"answered": True, "answer": (answer.content or {}).get("answer", default)}
    said = _SAYS[answer.action] + (f": {answer.note}" if answer.note else "")
    if answer.action in ("decline", "cancel"):
        return {"answered": False, "answer": None, "why": said}
    if default is not None:
        return {"answered": False, "answer": default, "why": f"{said}; this is the default"}
    raise ExpectedError(f"There is no answer, since {said}. Go on without it, or ask with a `default`.")


def _asker(caller: Caller) -> str:
    """Who asks, in words or by name: whoever started the call that asks, and as which agent."""
    name = caller.label or _OWN.get(caller.source, "a model")
    agent = "" if caller.run is None else caller.run.agent
    return f"{agent} ({name})" if agent else name


def _check_choices(choices: list[str], default: str | None) -> None:
    if not all(choice.strip() for choice in choices):
        raise ExpectedError("One of the choices is empty; a person could not see what it means.")
    if len(set(choices)) < len(choices):
        raise ExpectedError("Two of the choices are the same; a person could not tell them apart.")
    if choices and default is not None and default not in choices:
        raise ExpectedError(f"The default {default!r} is none of the choices: {', '.join(choices)}.")


def _form(choices: list[str], default: str | None) -> dict[str, Any]:
    """The schema of the one field that a person fills in."""
    field: dict[str, Any] = {"type": "string", "title": "Answer"}
    field |= {"enum": choices} if choices else {"minLength": 1}
    if default is not None:
        field["default"] = default
    return {"type": "object", "properties": {"answer": field}, "required": ["answer"]}


@system.action(effects="read", examples=[{"query": "find tools"}, {"query": "schema", "limit": 3}])
def tool_search(
    context: Injected[ToolContext],
    query: Annotated[str, Field(min_length=1, description="What the tool should do.")],
    limit: Annotated[int, Field(ge=1, le=50, description="How many tools at most.")] = 5,
) -> dict[str, Any]:
    """Find tools by words of their names, descriptions and parameters, the best first."""
    return found(context.deck, query, limit)


@system.action(effects="read", examples=[{"tool": "system"}, {"tool": "system", "for_action": "tool_schema"}])
def tool_schema(
    context: Injected[ToolContext],
    tool: Annotated[str, Field(description="Its name.")],
    for_action: Annotated[
        str | None, Field(description="One of its actions; all of them, when left out.")
    ] = None,
) -> dict[str, Any]:
    """Say what a tool does and what it takes, with examples."""
    return described(context.deck, tool, for_action)
