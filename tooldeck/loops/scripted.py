"""Models without a key: replies given beforehand, for demos and tests, and stored conversations again."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from tooldeck.core.errors import DefinitionError, ModelError
from tooldeck.core.messages import Message, ModelReply, ToolRequest
from tooldeck.core.model import Model
from tooldeck.core.run_result import RunResult
from tooldeck.core.stored import from_json
from tooldeck.core.strangers import file_fault, to_repr
from tooldeck.core.tool import Tool

__all__ = ["recorded", "scripted"]

_GIVE = "give a ModelReply, text, or pairs of a tool's name and its arguments."


def scripted(replies: Iterable[Any] | Callable[..., Any], *, name: str = "scripted") -> Model:
    """A model that gives these replies one after the other, or what a function of the messages gives.

    A reply is a `ModelReply`; text; one call as a pair of a tool's name and its arguments, or a list of such
    pairs; an exception, which is raised; or a function of the messages that gives one of these. The function
    in place of all replies is given the messages, and the tools where it takes two arguments.

    It counts by the replies in the conversation, so that one model can serve several. When no reply is left
    it raises `ModelError`. Raises `DefinitionError` for what is no list of replies and no function.
    """
    if callable(replies):
        return _Scripted(None, replies, name)
    if isinstance(replies, str | bytes) or not isinstance(replies, Iterable):
        raise DefinitionError(f"scripted() needs a list of replies or a function, got {to_repr(replies)}.")
    given = list(replies)
    for place, reply in enumerate(given, 1):
        if not (callable(reply) or _is_reply(reply)):
            raise DefinitionError(f"Reply {place} of the script is {to_repr(reply)[:100]}; {_GIVE}")
    return _Scripted(given, None, name)


def recorded(source: RunResult | Iterable[Message] | str | os.PathLike[str]) -> Model:
    """A model that says again what the model of a stored conversation said, and asks nobody.

    `source` is the `RunResult`, its messages, or the path of a file with what `to_json` made of them. It
    raises `ModelError` where the conversation goes otherwise: another question, calls of other tools, or
    beyond its end. Raises `DefinitionError` where the file cannot be read.
    """
    if isinstance(source, str | os.PathLike):
        messages = _stored(Path(source))
    else:
        messages = source.messages if isinstance(source, RunResult) else tuple(source)
    return _Recorded(tuple(one for one in messages if one.role != "system"))


def _stored(path: Path) -> tuple[Message, ...]:
    try:
        return from_json(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError) as error:
        why = file_fault(error)
        raise DefinitionError(f"The conversation {str(path)!r} cannot be read: {why}.") from None


class _Scripted:
    def __init__(self, replies: list[Any] | None, function: Callable[..., Any] | None, name: str) -> None:
        self._replies = replies
        self._function = function
        self.name = name

    def __call__(self, messages: Sequence[Message], tools: Sequence[Tool]) -> ModelReply:
        said = sum(message.role == "assistant" for message in messages)
        if self._function is not None:
            return _reply(_called(self._function, messages, tools))
        if self._replies is None or said >= len(self._replies):
            raise ModelError(f"The script has {len(self._replies or ())} replies, and is asked for one more.")
        given = self._replies[said]
        return _reply(_called(given, messages, tools) if callable(given) else given)

    def __repr__(self) -> str:
        size = "a function" if self._replies is None else f"{len(self._replies)} replies"
        return f"<scripted model: {size}>"


class _Recorded:
    name = "recorded"

    def __init__(self, messages: tuple[Message, ...]) -> None:
        self._messages = messages

    def __call__(self, messages: Sequence[Message], tools: Sequence[Tool]) -> ModelReply:
        asked = [message for message in messages if message.role != "system"]
        for place, message in enumerate(asked):
            if place >= len(self._messages):
                raise ModelError(f"The recording ends after {len(self._messages)} messages.")
            if _gist(message) != _gist(self._messages[place]):
                raise ModelError(
                    f"Message {place + 1} is another than in the recording: {_gist(message)!r}, "
                    f"recorded was {_gist(self._messages[place])!r}."
                )
        if len(asked) >= len(self._messages) or self._messages[len(asked)].role != "assistant":
            raise ModelError(f"The recording has no reply after message {len(asked)}.")
        told = self._messages[len(asked)]
        return ModelReply(told.text, told.requests, native=told.native)

    def __repr__(self) -> str:
        return f"<recorded model: {len(self._messages)} messages>"


def _gist(message: Message) -> tuple[Any, ...]:
    """What must be the same. Texts of tools may differ: times, and the markers of what comes from outside."""
    text = message.text if message.role == "assistant" or not message.text.startswith("Observation[") else ""
    return message.role, text, tuple((answer.id, answer.name) for answer in message.answers)


def _called(function: Callable[..., Any], messages: Sequence[Message], tools: Sequence[Tool]) -> Any:
    try:
        inspect.signature(function).bind(messages, tools)
    except (TypeError, ValueError):
        return function(messages)
    return function(messages, tools)


def _reply(given: Any) -> ModelReply:
    if isinstance(given, ModelReply):
        return given
    if isinstance(given, BaseException):
        raise given
    if isinstance(given, str):
        return ModelReply(given)
    if not _is_reply(given):
        raise ModelError(f"The script gives {to_repr(given)[:100]}; {_GIVE}")
    pairs = [given] if _is_call(given) else given
    return ModelReply(requests=tuple(ToolRequest("", name, arguments) for name, arguments in pairs))


def _is_reply(given: Any) -> bool:
    if isinstance(given, ModelReply | BaseException | str) or _is_call(given):
        return True
    return isinstance(given, list | tuple) and bool(given) and all(map(_is_call, given))


def _is_call(given: Any) -> bool:
    return isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str)
