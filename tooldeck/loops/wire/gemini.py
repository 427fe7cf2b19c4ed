"""Google's Gemini API. Parts go back as they came, with the signatures of thoughts that it asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from tooldeck.core.errors import ModelError, TransientError
from tooldeck.core.messages import Message, ModelReply, Native, ReplyEnd, ToolAnswer, ToolRequest, Usage
from tooldeck.core.parts import Audio, File, Image, Part
from tooldeck.core.tool import Tool
from tooldeck.loops.wire.form import (
    Sent,
    Turns,
    base64_of,
    blocks,
    fail,
    media_of,
    object_of,
    system_of,
    usage_of,
)
from tooldeck.registry.export import export

__all__ = ["UNNAMED", "GeminiForm"]

UNNAMED = "unnamed-"
"""The beginning of ids of calls to which it gave none; they are not sent back."""
_NO_SIGNATURE = "skip_thought_signature_validator"
"""What Google's guide has for calls that another model made, which have no signature."""
_REFUSED = {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE"}


class GeminiForm(Turns):
    """``generateContent``."""

    name = "gemini"
    provider = "gcp.gemini"
    base_url = "https://generativelanguage.googleapis.com/v1beta"
    keys = ("GEMINI_API_KEY", "GOOGLE_API_KEY")

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
        written = [one for message in rest for one in self.written(message)]
        body: dict[str, Any] = {"contents": [one for one in written if one["parts"]]}
        if system:
            body["systemInstruction"] = {"parts": [{"text": system}]}
        if tools:
            body["tools"] = [{"functionDeclarations": export(tools, "gemini")}]
        call = "streamGenerateContent?alt=sse" if stream else "generateContent"
        return Sent(f"/models/{quote(model.removeprefix('models/'))}:{call}", {**body, **options})

    def signed(self, key: str) -> dict[str, str]:
        """See `Form.signed`."""
        return {"x-goog-api-key": key}

    def assembly(self) -> _Assembly:
        """See `Form.assembly`."""
        return _Assembly()

    def asked(self, message: Message) -> dict[str, Any]:
        """See `Turns.asked`."""
        return {"role": "user", "parts": _parts(message.text, message.parts)}

    def replied(self, message: Message, native: Any) -> list[dict[str, Any]]:
        """See `Turns.replied`."""
        if native is not None:
            return [{"role": "model", "parts": native}]
        calls = [
            {
                "functionCall": {**_id(one.id), "name": one.name, "args": object_of(one)},
                "thoughtSignature": _NO_SIGNATURE,
            }
            for one in message.requests
        ]
        return [{"role": "model", "parts": [*_parts(message.text, ()), *calls]}]

    def answers(self, answers: Sequence[ToolAnswer]) -> list[dict[str, Any]]:
        """One content with a part per call, and the pictures behind them."""
        parts: list[dict[str, Any]] = []
        shown: list[Part] = []
        for answer in answers:
            text, media = media_of(answer)
            response = {"output" if answer.ok else "error": text}
            parts.append({"functionResponse": {**_id(answer.id), "name": answer.name, "response": response}})
            shown += media
        return [{"role": "user", "parts": [*parts, *_parts("", shown)]}]

    def read(self, whole: dict[str, Any]) -> ModelReply:
        """See `Form.read`."""
        fail(whole.get("error"))
        blocked = (whole.get("promptFeedback") or {}).get("blockReason")
        usage, model = _usage(whole), str(whole.get("modelVersion") or "")
        if blocked:
            return ModelReply(f"The prompt was blocked: {blocked}", (), ReplyEnd.REFUSED, usage, model=model)
        try:
            candidate = whole["candidates"][0]
            parts = (candidate.get("content") or {}).get("parts") or []
            calls = [part["functionCall"] for part in parts if part.get("functionCall")]
        except (LookupError, TypeError, AttributeError):
            raise ModelError("the reply has no candidates") from None
        reason = str(candidate.get("finishReason"))
        if reason in ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"):
            raise TransientError(f"the model wrote a call that cannot be read ({reason})")
        end = ReplyEnd.LENGTH if reason == "MAX_TOKENS" else ReplyEnd.DONE
        said = [part for part in parts if isinstance(part.get("text"), str)]
        return ModelReply(
            "".join(part["text"] for part in said if not part.get("thought")),
            tuple(_request(place, call) for place, call in enumerate(calls)),
            ReplyEnd.REFUSED if reason in _REFUSED else end,
            usage,
            "".join(part["text"] for part in said if part.get("thought")),
            model,
            Native(self.name, parts),
        )


def _request(place: int, call: dict[str, Any]) -> ToolRequest:
    return ToolRequest(
        str(call.get("id") or f"{UNNAMED}{place}"), str(call.get("name") or ""), call.get("args")
    )


def _id(id: str) -> dict[str, str]:
    return {} if id.startswith(UNNAMED) else {"id": id}


def _parts(text: str, parts: Sequence[Part]) -> list[dict[str, Any]]:
    return blocks(text, parts, lambda words: {"text": words}, dict.fromkeys((Image, Audio, File), _inline))


def _inline(part: Image | Audio | File) -> dict[str, Any]:
    return {"inlineData": {"mimeType": part.mime, "data": base64_of(part)}}


def _usage(whole: dict[str, Any]) -> Usage | None:
    written = ["candidatesTokenCount", "thoughtsTokenCount"]
    return usage_of(whole.get("usageMetadata"), "promptTokenCount", written, "cachedContentTokenCount")


class _Assembly:
    """The parts of one content."""

    def __init__(self) -> None:
        self.whole: dict[str, Any] | None = None
        self._seen: dict[str, Any] = {}
        self._parts: list[dict[str, Any]] = []
        self._texts: list[list[str]] = []
        """The pieces of the text of each part."""

    def take(self, data: dict[str, Any]) -> str:
        """See `Assembly.take`."""
        fail(data.get("error"))
        for name in ("usageMetadata", "modelVersion", "promptFeedback"):
            if data.get(name):
                self._seen[name] = data[name]
        told, reason = "", None
        for candidate in (data.get("candidates") or [])[:1]:
            for part in (candidate.get("content") or {}).get("parts") or []:
                self._add(part)
                told += str(part.get("text") or "") if not part.get("thought") else ""
            reason = candidate.get("finishReason")
        if reason or self._seen.get("promptFeedback", {}).get("blockReason"):
            parts = [
                {**part, "text": "".join(pieces)} if pieces else part
                for part, pieces in zip(self._parts, self._texts, strict=True)
            ]
            content = {"role": "model", "parts": parts}
            self.whole = {"candidates": [{"content": content, "finishReason": reason}]}
        if self.whole is not None:
            self.whole |= self._seen
        return told

    def _add(self, part: dict[str, Any]) -> None:
        """Another part; plain text goes on in the part before it, and an empty one says nothing."""
        if part == {"text": ""}:
            return
        last = self._parts[-1] if self._parts else {}
        same = "text" in part and "text" in last and part.get("thought") == last.get("thought")
        if same and "thoughtSignature" not in last:
            self._parts[-1] = {**last, **part}
        else:
            self._parts.append(part)
            self._texts.append([])
        if "text" in part:
            self._texts[-1].append(str(part["text"]))
