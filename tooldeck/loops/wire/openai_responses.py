"""OpenAI's responses. Nothing is stored there: what the model thought comes encrypted and is sent back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tooldeck.core.errors import ModelError
from tooldeck.core.messages import Message, ModelReply, Native, ReplyEnd, ToolAnswer, ToolRequest
from tooldeck.core.parts import File, Image, Part
from tooldeck.core.tool import Tool
from tooldeck.loops.wire.form import (
    Sent,
    Turns,
    arguments_of,
    bearer,
    blocks,
    data_url,
    fail,
    media_of,
    system_of,
    usage_of,
)
from tooldeck.registry.export import export

__all__ = ["ResponsesForm"]


class ResponsesForm(Turns):
    """Responses."""

    name = "openai-responses"
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
        system, rest = system_of(messages)
        body: dict[str, Any] = {
            "model": model,
            "input": [item for message in rest for item in self.written(message)],
            "store": False,
            "include": ["reasoning.encrypted_content"],
        }
        if system:
            body["instructions"] = system
        if tools:
            body["tools"] = [
                {"type": "function", "strict": False, **one["function"]} for one in export(tools, "openai")
            ]
        if stream:
            body["stream"] = True
        return Sent("/responses", {**body, **options})

    def signed(self, key: str) -> dict[str, str]:
        """See `Form.signed`."""
        return bearer(key)

    def assembly(self) -> _Assembly:
        """See `Form.assembly`."""
        return _Assembly()

    def asked(self, message: Message) -> dict[str, Any]:
        """See `Turns.asked`."""
        return {"role": "user", "content": _content(message.text, message.parts)}

    def replied(self, message: Message, native: Any) -> list[dict[str, Any]]:
        """See `Turns.replied`."""
        if native is not None:
            return native
        said = [{"role": "assistant", "content": message.text}] if message.text else []
        return [*said, *(_call(request) for request in message.requests)]

    def answers(self, answers: Sequence[ToolAnswer]) -> list[dict[str, Any]]:
        """One item per call; pictures are part of it."""
        written: list[dict[str, Any]] = []
        for answer in answers:
            text, media = media_of(answer)
            output = _content(text, media) if media else text
            written.append({"type": "function_call_output", "call_id": answer.id, "output": output})
        return written

    def read(self, whole: dict[str, Any]) -> ModelReply:
        """See `Form.read`."""
        fail(whole.get("error"))
        output = whole.get("output")
        if not isinstance(output, list) or not all(isinstance(item, dict) for item in output):
            raise ModelError("the reply has no output")
        texts = [
            part for item in output if item.get("type") == "message" for part in item.get("content") or []
        ]
        thoughts = [
            part for item in output if item.get("type") == "reasoning" for part in item.get("summary") or []
        ]
        requests = [
            ToolRequest(
                str(item.get("call_id") or ""),
                str(item.get("name") or ""),
                item.get("arguments"),
                item.get("status") == "incomplete",
            )
            for item in output
            if item.get("type") == "function_call"
        ]
        why = (whole.get("incomplete_details") or {}).get("reason")
        refused = any(part.get("type") == "refusal" for part in texts) or why == "content_filter"
        cut = whole.get("status") == "incomplete" and not refused
        return ModelReply(
            "".join(str(part.get("text") or part.get("refusal") or "") for part in texts),
            tuple(requests),
            ReplyEnd.REFUSED if refused else ReplyEnd.LENGTH if cut else ReplyEnd.DONE,
            usage_of(
                whole.get("usage"), "input_tokens", ["output_tokens"], "input_tokens_details.cached_tokens"
            ),
            "\n".join(str(part.get("text") or "") for part in thoughts),
            str(whole.get("model") or ""),
            Native(self.name, [item for item in output if _may_go_back(item)]),
        )


def _may_go_back(item: dict[str, Any]) -> bool:
    """Thoughts that were neither stored there nor given here cannot be referred to."""
    return item.get("type") != "reasoning" or bool(item.get("encrypted_content"))


_MEDIA: dict[type[Any], Callable[[Any], dict[str, Any]]] = {
    Image: lambda part: {"type": "input_image", "detail": "auto", "image_url": data_url(part)},
    File: lambda part: {"type": "input_file", "filename": part.name, "file_data": data_url(part)},
}


def _content(text: str, parts: Sequence[Part]) -> list[dict[str, Any]]:
    return blocks(text, parts, lambda words: {"type": "input_text", "text": words}, _MEDIA)


def _call(request: ToolRequest) -> dict[str, Any]:
    called = {"call_id": request.id, "name": request.name, "arguments": arguments_of(request)}
    return {"type": "function_call", **called}


class _Assembly:
    """The last event holds the whole reply."""

    def __init__(self) -> None:
        self.whole: dict[str, Any] | None = None

    def take(self, data: dict[str, Any]) -> str:
        """See `Assembly.take`."""
        kind = data.get("type")
        if kind == "error":
            fail(data.get("error") or data)
        if kind in ("response.completed", "response.incomplete", "response.failed"):
            self.whole = data.get("response")
        if kind in ("response.output_text.delta", "response.refusal.delta"):
            return str(data.get("delta") or "")
        return ""
