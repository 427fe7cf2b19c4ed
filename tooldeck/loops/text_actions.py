"""Calls as lines of text, for any model: ``Thought``, ``Action``, ``Observation``, read by `read_reply`.

Only what was read without doubt is run, and of several actions in one reply none is run before all are
checked. What the model made up itself never enters the conversation.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from tooldeck.core.actions import Action, ActionLimits, read_reply
from tooldeck.core.actions.records import ActionCode, Refusal, Reply, Several
from tooldeck.core.arguments import read_arguments
from tooldeck.core.errors import DefinitionError
from tooldeck.core.messages import Message, ModelReply, ReplyEnd, ToolRequest
from tooldeck.core.parts import Audio, Image
from tooldeck.core.run_result import RunStatus, Step
from tooldeck.core.settings import LoopSettings
from tooldeck.core.tool import Tool
from tooldeck.loops.limits import RunLimits
from tooldeck.loops.manners import OUTPUT_LIMIT, Turn
from tooldeck.loops.observations import observation, refused
from tooldeck.loops.requests import CUT_OFF
from tooldeck.registry.schema_signature import property_schemas, signature_for

__all__ = ["TextActions", "TextManner"]

_FORMAT = """\
Work in turns. In each turn write one short thought and one action, then stop and wait for its observation:

Thought: what you know and what is missing
Action: tool_name(argument="value", other=3)

Values are texts in quotes, numbers, True, False, None, lists and {"key": value}; nothing is computed, and no
call stands inside another. When you can answer, write in place of an action:

Final Answer: your answer"""


@dataclass(frozen=True, slots=True)
class TextActions:
    """How actions are read and their ends told."""

    several: Several | None = None
    """What happens to more than one action in a reply: ``"refuse"`` it, run the ``"first"``, or all of them
    (``"sequential"``). None: all where every tool of the deck is declared to read only, else refuse."""
    repair: bool | None = None
    """Whether full-width marks, typographic quotes and line breaks in quotes are read all the same. None: for
    tools that are declared to read only; calls of others are refused with the corrected text."""
    strict: bool = False
    """Whether ``true`` and ``null`` are refused in place of ``True`` and ``None``, and backslashes that start
    no escape."""
    plain_answer: bool = True
    """Whether a reply without any label or call is the answer."""
    observation_chars: int = 4_000
    """Characters of one observation; of a longer one the head and the tail are told."""
    limits: ActionLimits = field(default_factory=ActionLimits)
    """How much is read."""

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        if self.several not in (None, "refuse", "first", "sequential"):
            raise DefinitionError(
                f"several must be 'refuse', 'first', 'sequential' or None, got {self.several!r}."
            )
        if type(self.observation_chars) is not int or self.observation_chars < 500:
            raise DefinitionError(
                f"observation_chars must be a whole number from 500 on, got {self.observation_chars!r}."
            )


class TextManner:
    """Actions in text, for one run."""

    limits = RunLimits(rounds=8)
    loop_guard = LoopSettings(warn=2, block=2, halt=1)

    def __init__(self, settings: TextActions, observed: int = 0) -> None:
        self._settings = settings
        self._observed = observed
        self._was_empty = False

    @property
    def kept(self) -> Any:
        """The settings."""
        return asdict(self._settings)

    def offered(self, tools: Sequence[Tool]) -> Sequence[Tool]:
        """None: the model reads of them in the text."""
        return ()

    def told(self, tools: Sequence[Tool]) -> str:
        """The format, and what there is to call."""
        listed = "\n".join(map(_line, tools)) or "(there are no tools)"
        return f"{_FORMAT}\n\nTools:\n{listed}"

    def read(self, reply: ModelReply, tools: Sequence[Tool], round: int) -> Turn:
        """The actions of the reply, its answer, or what to tell the model about its format."""
        read = self._read(reply, tools)
        message = Message("assistant", read.text if read.text or not reply.text else reply.text)
        if read.refusal is not None:
            self._was_empty = read.refusal.code is ActionCode.EMPTY_ANSWER
            return self._refused(message, read.refusal, reply, read.notes)
        cut = reply.end is ReplyEnd.LENGTH
        if not read.actions:
            end, why = (RunStatus.LIMIT, OUTPUT_LIMIT) if cut else (None, "")
            return Turn(message, answer=read.answer or "", end=end, why=why, notes=read.notes)
        requests = tuple(
            ToolRequest(f"r{round:03d}c{place:04d}", action.name, action.arguments)
            for place, action in enumerate(read.actions)
        )
        held = _held(read.actions, tools)
        if cut and _may_go_on(read.actions[-1], reply.text):
            held[len(requests) - 1] = CUT_OFF
        return Turn(message, requests, held, read.actions, notes=read.notes)

    def _read(self, reply: ModelReply, tools: Sequence[Tool]) -> Reply:
        settings = self._settings
        reading = [tool.name for tool in tools if tool.read_only]
        parameters = {tool.name: _properties(tool) for tool in tools}
        several = settings.several or ("sequential" if len(reading) == len(tools) else "refuse")

        def read(known: Mapping[str, list[str]] | None) -> Reply:
            return read_reply(
                reply.text,
                tools=known,
                lone={name: next(iter(given)) for name, given in parameters.items() if len(given) == 1},
                several=several,
                repair=reading if settings.repair is None else settings.repair,
                strict=settings.strict,
                plain_answer=settings.plain_answer,
                allow_empty_answer=self._was_empty,
                limits=settings.limits,
            )

        found = read(parameters)
        if found.refusal is None or found.refusal.code is not ActionCode.UNKNOWN_TOOL:
            return found
        # A call of what is not offered is a call all the same: the pipeline says what is wrong with it, and
        # the loop guard counts it. What only looks like a name stays refused.
        free = read(None)
        named = free.actions and all(one.name.isascii() and "__" not in one.name[:2] for one in free.actions)
        return free if named else found

    def _refused(self, message: Message, refusal: Refusal, reply: ModelReply, notes: tuple[str, ...]) -> Turn:
        self._observed += 1
        hint = "The reply reached the output limit; write less." if reply.end is ReplyEnd.LENGTH else ""
        told = Message("user", refused(self._observed, refusal, hint))
        return Turn(message, trouble=told, why=f"{refusal.code}: {refusal.message}", notes=notes)

    def answered(self, steps: Sequence[Step]) -> Message:
        """The observations, and the pictures and sounds among them."""
        written: list[str] = []
        for step in steps:
            self._observed += 1
            written.append(observation(self._observed, step, self._settings.observation_chars))
        parts = [part for step in steps for part in step.answer.parts if isinstance(part, Image | Audio)]
        return Message("user", "\n\n".join(written), tuple(parts))


def _properties(tool: Tool) -> list[str]:
    return list(property_schemas(tool.parameters))


def _line(tool: Tool) -> str:
    """One tool as a line, and a line for each parameter of which there is something to say."""
    shown = ", ".join(map(_parameter, signature_for(tool.parameters).parameters.values()))
    lines = [f"- {tool.name}({shown}): {' '.join(tool.description.split())}"]
    for name, schema in property_schemas(tool.parameters).items():
        said = schema.get("description") if isinstance(schema, Mapping) else None
        if isinstance(said, str) and said:
            lines.append(f"    {name}: {' '.join(said.split())}")
    return "\n".join(lines)


def _parameter(parameter: inspect.Parameter) -> str:
    return str(parameter).replace("typing.", "")


def _held(actions: Sequence[Action], tools: Sequence[Tool]) -> dict[int, str]:
    """Of several actions none is run while one of them does not fit: those that would, and why they wait."""
    if len(actions) < 2:
        return {}
    known = {tool.name: tool for tool in tools}
    wrong = {place for place, one in enumerate(actions) if not _fits(one, known.get(one.name))}
    why = "another action of the same reply does not fit its tool, and none was run; write them again"
    return {place: why for place in range(len(actions)) if wrong and place not in wrong}


def _may_go_on(action: Action, text: str) -> bool:
    """Whether an action at the end of a text that was cut off may have been meant to be longer."""
    return action.source == "input" and not text[action.span[1] :].strip()


def _fits(action: Action, tool: Tool | None) -> bool:
    if tool is None:
        return False
    given, _, problems = read_arguments(action.arguments, tool.parameters)
    return not problems and not tool.params.check(given).problems
