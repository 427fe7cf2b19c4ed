"""Answers for people who keep their own client: the calls of a provider in, the messages to append out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from tooldeck.core.caller import calling, current_caller
from tooldeck.core.canonical import canonical_text
from tooldeck.core.errors import DefinitionError
from tooldeck.core.messages import ToolAnswer, ToolRequest
from tooldeck.core.run import Run
from tooldeck.core.strangers import to_repr
from tooldeck.core.vocabulary import Source
from tooldeck.loops.loop import Doors
from tooldeck.loops.requests import CUT_OFF, answer_to, not_run
from tooldeck.loops.wire.anthropic import AnthropicForm
from tooldeck.loops.wire.form import Form
from tooldeck.loops.wire.gemini import UNNAMED, GeminiForm
from tooldeck.loops.wire.openai_chat import ChatForm
from tooldeck.loops.wire.openai_responses import ResponsesForm

__all__ = ["answer_calls"]

_CUT = {
    "length",
    "max_tokens",
    "max_output_tokens",
    "incomplete",
    "MAX_TOKENS",
    "model_context_window_exceeded",
}


class _Read(NamedTuple):
    form: Form
    request: ToolRequest


async def answer_calls(doors: Doors, given: Any, run: Run | None, limit: int) -> list[dict[str, Any]]:
    """Make the calls in `given`, and tell how they ended in the form that they came in."""
    reads = _reads(given)
    if not reads:
        return []
    form = reads[0].form
    if any(type(read.form) is not type(form) for read in reads):
        raise DefinitionError("These calls are of different providers; answer those of each by themselves.")
    requests, again = _told_apart([read.request for read in reads])
    with calling(Source.MODEL, run=run or current_caller().run):
        answers = await _made(doors, requests, limit)
    return form.answers([_with_note(one, again) for one in answers])


async def _made(doors: Doors, requests: list[ToolRequest], limit: int) -> list[ToolAnswer]:
    places = [place for place, request in enumerate(requests) if not request.cut]
    batch = doors.batch([(requests[one].name, requests[one].arguments) for one in places], limit=limit)
    await batch.run()
    ends = dict(zip(places, batch.results(), strict=True))
    return [
        answer_to(request, ends[place]) if place in ends else not_run(request, CUT_OFF)
        for place, request in enumerate(requests)
    ]


def _told_apart(requests: list[ToolRequest]) -> tuple[list[ToolRequest], set[str]]:
    """One call per id, since each id has one answer; and the ids that other calls had as well."""
    kept: dict[str, ToolRequest] = {}
    again: set[str] = set()
    for request in requests:
        known = kept.setdefault(request.id, request)
        same = known.name == request.name
        if not same or canonical_text(known.arguments) != canonical_text(request.arguments):
            again.add(request.id)
    return list(kept.values()), again


def _with_note(answer: ToolAnswer, again: set[str]) -> ToolAnswer:
    if answer.id not in again:
        return answer
    return replace(
        answer, text=f"{answer.text}\n[note: another call had the same id and was not run]", parts=()
    )


# -- reading what clients of providers give


def _get(holder: Any, *names: str) -> Any:
    """A member of a mapping or an object, under the first of these names that it has."""
    for name in names:
        found = holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)
        if found is not None:
            return found
    return None


class _Opened(NamedTuple):
    """What a message, a response or a list holds."""

    items: list[Any]
    cut: bool = False
    """Whether it says that it was cut off."""
    only_calls: bool = False
    """Whether every item must be a call, or something that is known to be none."""


def _reads(given: Any) -> list[_Read]:
    """The calls in a call, a list, a message or a whole response, in order."""
    opened = _opened(given)
    found = (_read(item, place, must=opened.only_calls) for place, item in enumerate(opened.items))
    reads = [read for read in found if read is not None]
    if reads and opened.cut:
        reads[-1] = reads[-1]._replace(request=replace(reads[-1].request, cut=True))
    return reads


def _opened(given: Any) -> _Opened:
    """The items in whatever was given."""
    if isinstance(given, list | tuple):
        return _Opened(list(given), only_calls=True)
    cut = str(_value(_get(given, "finish_reason", "finishReason", "stop_reason", "status"))) in _CUT
    for name in ("choices", "candidates"):
        inner = _list(_get(given, name))
        if inner:
            return _opened(inner[0])
    for name in ("message", "content"):
        inner = _get(given, name)
        if inner is not None and not isinstance(inner, str | list | tuple) and not callable(inner):
            return _opened(inner)._replace(cut=cut)
    for name in ("tool_calls", "output", "parts", "content"):
        inner = _list(_get(given, name))
        if inner is not None:
            return _Opened(inner, cut)
    if _get(given, "role") is not None:
        return _Opened([])
    return _Opened([given], only_calls=True)


def _value(reason: Any) -> Any:
    """A reason; Google's is a member of an enumeration."""
    return getattr(reason, "value", reason)


def _list(value: Any) -> list[Any] | None:
    return list(value) if isinstance(value, list | tuple) else None


_OTHERS = {
    *("text", "thinking", "redacted_thinking", "message", "reasoning", "server_tool_use"),
    *("output_text", "refusal"),
}


def _read(item: Any, place: int, *, must: bool) -> _Read | None:
    """One call in its provider's form; None for what is no call."""
    kind = _get(item, "type")
    function = _get(item, "function_call", "functionCall")
    if kind == "tool_use":
        return _Read(AnthropicForm(), _request(item, _get(item, "id"), _get(item, "input")))
    if kind == "function_call":
        cut = _get(item, "status") == "incomplete"
        return _Read(ResponsesForm(), _request(item, _get(item, "call_id"), _get(item, "arguments"), cut=cut))
    if function is not None:
        return _read(function, place, must=True)
    inner = _get(item, "function")
    if inner is not None and not callable(inner):
        return _Read(ChatForm(), _request(inner, _get(item, "id"), _get(inner, "arguments")))
    name = _get(item, "name")
    if isinstance(name, str) and kind is None:
        if _get(item, "arguments") is None and _get(item, "args") is not None:
            return _Read(
                GeminiForm(), _request(item, _get(item, "id") or f"{UNNAMED}{place}", _get(item, "args"))
            )
        return _Read(ChatForm(), _request(item, _get(item, "id"), _get(item, "arguments")))
    if not must or kind in _OTHERS or _get(item, "text", "thought") is not None:
        return None
    raise DefinitionError(
        f"{to_repr(item)[:100]} is no call; give the calls, the message or the response of the openai, "
        'anthropic or google-genai package, or {"id": …, "name": …, "arguments": …}.'
    )


def _request(named: Any, id: Any, arguments: Any, *, cut: bool = False) -> ToolRequest:
    name = _get(named, "name")
    return ToolRequest(str(id or ""), name if isinstance(name, str) else "", arguments, cut)
