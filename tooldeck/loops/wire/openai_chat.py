"""OpenAI's chat completions, which most other servers speak as well."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tooldeck.core.errors import ModelError
from tooldeck.core.messages import Message, ModelReply, Native, ReplyEnd, ToolAnswer, ToolRequest, Usage
from tooldeck.core.parts import Audio, File, Image, Part
from tooldeck.core.tool import Tool
from tooldeck.loops.wire.form import (
    Sent,
    Turns,
    arguments_of,
    base64_of,
    bearer,
    blocks,
    data_url,
    fail,
    media_of,
    usage_of,
)
from tooldeck.registry.export import export

__all__ = ["ChatForm"]

_ENDS = {"length": ReplyEnd.LENGTH, "content_filter": ReplyEnd.REFUSED}
_MOST_COST = 1e12
_KNOWN = {"id", "type", "function", "index"}


class ChatForm(Turns):
    """Chat completions."""

    name = "openai-chat"
    provider = "openai"
    base_url = "https://api.openai.com/v1"
    keys = ("OPENAI_API_KEY",)

    def sent(
        self,
        model: str,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        options: Mapping[str, Any],
        *,
        stream: bool,
    ) -> Sent:
        """See `Form.sent`."""
        body: dict[str, Any] = {
            "model": model,
            "messages": [one for message in messages for one in self.written(message)],
        }
        if tools:
            body["tools"] = export(tools, "openai")
        if stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return Sent("/chat/completions", {**body, **options})

    def signed(self, key: str) -> dict[str, str]:
        """See `Form.signed`."""
        return bearer(key)

    def assembly(self) -> _Assembly:
        """See `Form.assembly`."""
        return _Assembly()

    def asked(self, message: Message) -> dict[str, Any]:
        """See `Turns.asked`."""
        return {"role": message.role, "content": _content(message.text, message.parts)}

    def replied(self, message: Message, native: Any) -> list[dict[str, Any]]:
        """See `Turns.replied`."""
        written: dict[str, Any] = {"role": "assistant", "content": message.text or None}
        if native is not None:
            written["tool_calls"] = native
        elif message.requests:
            written["tool_calls"] = [_call(request) for request in message.requests]
        elif not message.text:
            written["content"] = ""
        return [written]

    def answers(self, answers: Sequence[ToolAnswer]) -> list[dict[str, Any]]:
        """One message per call, and one with the pictures, which no ``tool`` message can hold."""
        written: list[dict[str, Any]] = []
        shown: list[Part] = []
        for answer in answers:
            text, media = media_of(answer)
            written.append({"role": "tool", "tool_call_id": answer.id, "content": text})
            shown += media
        if shown:
            written.append({"role": "user", "content": _content("What the calls returned:", shown)})
        return written

    def read(self, whole: dict[str, Any]) -> ModelReply:
        """See `Form.read`."""
        fail(whole.get("error"))
        try:
            choice = whole["choices"][0]
            message = choice["message"]
            calls = message.get("tool_calls") or []
            requests = [_request(call) for call in calls]
        except (LookupError, TypeError, AttributeError):
            raise ModelError("the reply has no message in its choices") from None
        odd = any(set(call) - _KNOWN for call in calls)
        refusal = message.get("refusal")
        end = ReplyEnd.REFUSED if refusal else _ENDS.get(str(choice.get("finish_reason")), ReplyEnd.DONE)
        thinking = message.get("reasoning_content") or message.get("reasoning")
        return ModelReply(
            _text(message.get("content")) or (refusal or ""),
            tuple(requests),
            end,
            _usage(whole.get("usage")),
            thinking if isinstance(thinking, str) else "",
            str(whole.get("model") or ""),
            Native(self.name, calls) if odd else None,
        )


def _content(text: str, parts: Sequence[Part]) -> Any:
    if not parts:
        return text
    return blocks(text, parts, lambda words: {"type": "text", "text": words}, _MEDIA)


def _sound(part: Audio) -> dict[str, Any]:
    sound = {"data": base64_of(part), "format": part.mime.partition("/")[2].removeprefix("x-")}
    return {"type": "input_audio", "input_audio": sound}


_MEDIA: dict[type[Any], Callable[[Any], dict[str, Any]]] = {
    Image: lambda part: {"type": "image_url", "image_url": {"url": data_url(part)}},
    Audio: _sound,
    File: lambda part: {"type": "file", "file": {"filename": part.name, "file_data": data_url(part)}},
}


def _call(request: ToolRequest) -> dict[str, Any]:
    function = {"name": request.name, "arguments": arguments_of(request)}
    return {"id": request.id, "type": "function", "function": function}


def _request(call: dict[str, Any]) -> ToolRequest:
    function = call.get("function") or {}
    arguments = function.get("arguments")
    return ToolRequest(str(call.get("id") or ""), str(function.get("name") or ""), arguments)


def _text(content: Any) -> str:
    """The text of a message; some servers give a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _usage(told: Any) -> Usage | None:
    usage = usage_of(told, "prompt_tokens", ["completion_tokens"], "prompt_tokens_details.cached_tokens")
    cost: Any = told.get("cost") if isinstance(told, dict) else None
    told_cost = type(cost) in (int, float) and 0 <= cost < _MOST_COST
    return replace(usage, cost=cost) if usage is not None and told_cost else usage


class _Assembly:
    """The deltas of one message."""

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}
        self._calls: dict[Any, dict[str, Any]] = {}
        self._arguments: dict[Any, list[str]] = {}
        self._seen: dict[str, Any] = {}
        self._finish: str | None = None

    def take(self, data: dict[str, Any]) -> str:
        """See `Assembly.take`."""
        fail(data.get("error"))
        for name in ("model", "usage"):
            if data.get(name):
                self._seen[name] = data[name]
        told = ""
        for choice in (data.get("choices") or [])[:1]:
            told = self._delta(choice.get("delta") or {})
            self._finish = choice.get("finish_reason") or self._finish
        return told

    def _delta(self, delta: dict[str, Any]) -> str:
        for name in ("content", "refusal", "reasoning_content", "reasoning"):
            if isinstance(delta.get(name), str):
                self._texts.setdefault(name, []).append(delta[name])
        for place, call in enumerate(delta.get("tool_calls") or []):
            self._piece(call.get("index", place), call)
        return delta["content"] if isinstance(delta.get("content"), str) else ""

    def _piece(self, index: Any, piece: dict[str, Any]) -> None:
        """A piece of a call. Some servers give every call the index 0, and tell them apart by their ids."""
        known = self._calls.get(index)
        given = piece.get("id")
        if known is not None and given and known.get("id") and given != known["id"]:
            index = f"{index} {given}"
            known = self._calls.get(index)
        if known is None:
            known = self._calls[index] = {"function": {"name": ""}}
        function = piece.get("function") or {}
        known.update(
            {name: value for name, value in piece.items() if name not in ("function", "index") and value}
        )
        known["function"]["name"] = known["function"]["name"] or function.get("name") or ""
        self._arguments.setdefault(index, []).append(function.get("arguments") or "")

    @property
    def whole(self) -> dict[str, Any] | None:
        """See `Assembly.whole`."""
        if self._finish is None:
            return None
        message: dict[str, Any] = {name: "".join(pieces) for name, pieces in self._texts.items()}
        message["tool_calls"] = [
            {**call, "function": {**call["function"], "arguments": "".join(self._arguments[index])}}
            for index, call in self._calls.items()
        ]
        return {"choices": [{"message": message, "finish_reason": self._finish}], **self._seen}
