"""Anthropic's messages. Blocks go back as they came, thoughts with their signatures among them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tooldeck.core.errors import ModelError
from tooldeck.core.messages import Message, ModelReply, Native, ReplyEnd, ToolAnswer, ToolRequest, Usage
from tooldeck.core.parts import File, Image, Part
from tooldeck.core.tool import Tool
from tooldeck.loops.wire.form import (
    Sent,
    Turns,
    base64_of,
    blocks,
    counted,
    fail,
    media_of,
    object_of,
    system_of,
)
from tooldeck.registry.export import export

__all__ = ["AnthropicForm"]

_VERSION = "2023-06-01"
_MAX_TOKENS = 8_192
_ENDS = {
    "max_tokens": ReplyEnd.LENGTH,
    "model_context_window_exceeded": ReplyEnd.LENGTH,
    "refusal": ReplyEnd.REFUSED,
}


class AnthropicForm(Turns):
    """Messages."""

    name = "anthropic"
    provider = "anthropic"
    base_url = "https://api.anthropic.com/v1"
    keys = ("ANTHROPIC_API_KEY",)

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
        system, rest = system_of(messages)
        body: dict[str, Any] = {
            "model": model,
            "max_tokens": _MAX_TOKENS,
            "messages": _turns([one for message in rest for one in self.written(message)]),
        }
        if system:
            body["system"] = system
        if tools:
            body["tools"] = export(tools, "anthropic")
        if stream:
            body["stream"] = True
        return Sent("/messages", {**body, **options}, {"anthropic-version": _VERSION})

    def signed(self, key: str) -> dict[str, str]:
        """See `Form.signed`."""
        return {"x-api-key": key}

    def assembly(self) -> _Assembly:
        """See `Form.assembly`."""
        return _Assembly()

    def asked(self, message: Message) -> dict[str, Any]:
        """See `Turns.asked`."""
        return {"role": "user", "content": _content(message.text, message.parts)}

    def replied(self, message: Message, native: Any) -> list[dict[str, Any]]:
        """See `Turns.replied`."""
        if native is not None:
            return [{"role": "assistant", "content": native}]
        calls = [
            {"type": "tool_use", "id": one.id, "name": one.name, "input": object_of(one)}
            for one in message.requests
        ]
        return [{"role": "assistant", "content": [*_content(message.text, ()), *calls]}]

    def answers(self, answers: Sequence[ToolAnswer]) -> list[dict[str, Any]]:
        """One message with a block per call; pictures are part of it."""
        blocks: list[dict[str, Any]] = []
        for answer in answers:
            text, media = media_of(answer)
            content = _content(text, media) if media else text
            block = {"type": "tool_result", "tool_use_id": answer.id, "content": content}
            blocks.append(block if answer.ok else {**block, "is_error": True})
        return [{"role": "user", "content": blocks}]

    def read(self, whole: dict[str, Any]) -> ModelReply:
        """See `Form.read`."""
        fail(whole.get("error"))
        content = whole.get("content")
        if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
            raise ModelError("the reply has no content")
        requests = [
            ToolRequest(str(block.get("id") or ""), str(block.get("name") or ""), block.get("input"))
            for block in content
            if block.get("type") == "tool_use"
        ]
        return ModelReply(
            "".join(str(block.get("text") or "") for block in content if block.get("type") == "text"),
            tuple(requests),
            _ENDS.get(str(whole.get("stop_reason")), ReplyEnd.DONE),
            _usage(whole.get("usage")),
            "\n".join(str(b.get("thinking") or "") for b in content if b.get("type") == "thinking"),
            str(whole.get("model") or ""),
            Native(self.name, [_sendable(block) for block in content if _says(block)]),
        )


def _turns(written: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Messages whose roles take turns; ones without content say nothing and are refused there."""
    turns: list[dict[str, Any]] = []
    for one in written:
        if not one["content"]:
            continue
        if turns and turns[-1]["role"] == one["role"]:
            turns[-1] = {**one, "content": [*turns[-1]["content"], *one["content"]]}
        else:
            turns.append(one)
    return turns


def _content(text: str, parts: Sequence[Part]) -> list[dict[str, Any]]:
    return blocks(text, parts, lambda words: {"type": "text", "text": words}, _MEDIA)


def _medium(kind: str) -> Callable[[Any], dict[str, Any]]:
    def write(part: Any) -> dict[str, Any]:
        source = {"type": "base64", "media_type": part.mime, "data": base64_of(part)}
        return {"type": kind, "source": source}

    return write


_MEDIA: dict[type[Any], Callable[[Any], dict[str, Any]]] = {
    Image: _medium("image"),
    File: _medium("document"),
}


def _says(block: dict[str, Any]) -> bool:
    return block.get("type") != "text" or bool(str(block.get("text") or "").strip())


def _sendable(block: dict[str, Any]) -> dict[str, Any]:
    """The block; arguments that are no object are put into one."""
    if block.get("type") != "tool_use" or isinstance(block.get("input"), dict):
        return block
    return {**block, "input": object_of(ToolRequest("", "", block.get("input")))}


def _usage(told: Any) -> Usage | None:
    if not isinstance(told, dict):
        return None
    cached = told.get("cache_read_input_tokens")
    read = (told.get("input_tokens"), told.get("cache_creation_input_tokens"), cached)
    return counted(read, [told.get("output_tokens")], cached)


class _Assembly:
    """The blocks of one message."""

    def __init__(self) -> None:
        self.whole: dict[str, Any] | None = None
        self._message: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._pieces: dict[int, dict[str, list[str]]] = {}

    def take(self, data: dict[str, Any]) -> str:
        """See `Assembly.take`."""
        kind, index = data.get("type"), data.get("index", 0)
        if kind == "error":
            fail(data.get("error") or {})
        elif kind == "message_start":
            self._message = dict(data.get("message") or {})
        elif kind == "content_block_start":
            self._blocks[index] = dict(data.get("content_block") or {})
            return str(self._blocks[index].get("text") or "")
        elif kind == "content_block_delta":
            return self._delta(index, data.get("delta") or {})
        elif kind == "message_delta":
            self._message |= data.get("delta") or {}
            self._message["usage"] = {**(self._message.get("usage") or {}), **(data.get("usage") or {})}
        elif kind == "message_stop":
            self._message["content"] = [self._block(place) for place in sorted(self._blocks)]
            self.whole = self._message
        return ""

    def _delta(self, index: int, delta: dict[str, Any]) -> str:
        kind = delta.get("type")
        name = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "partial_json"}.get(
            str(kind)
        )
        if name is not None:
            self._blocks[index]  # a piece of nothing that was begun makes the stream unreadable
            self._pieces.setdefault(index, {}).setdefault(name, []).append(str(delta.get(name) or ""))
        elif kind == "signature_delta":
            self._blocks.setdefault(index, {})["signature"] = delta.get("signature")
        return str(delta.get("text") or "") if name == "text" else ""

    def _block(self, index: int) -> dict[str, Any]:
        block = self._blocks[index]
        for name, pieces in self._pieces.get(index, {}).items():
            if name == "partial_json":
                block["input"] = _read_input("".join(pieces))
            else:
                block[name] = str(block.get(name) or "") + "".join(pieces)
        return block


def _read_input(text: str) -> Any:
    """The arguments as an object; the text itself where it is none, which the deck will refuse or mend."""
    try:
        read = json.loads(text) if text.strip() else {}
    except ValueError:
        return text
    return read if isinstance(read, dict) else text
