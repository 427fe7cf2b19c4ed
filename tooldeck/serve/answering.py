"""What a client is given back: the text and parts that a model would get, and the value as JSON.

Text that comes from outside stays fenced: the model at the other end cannot know otherwise where it is from.
Structured content is for programs, so it is the plain value.
"""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import quote

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from tooldeck.core.parts import Audio, File, Image, Link, Part, Resource
from tooldeck.core.result import ToolResult
from tooldeck.core.tool import Tool
from tooldeck.serve.structure import Misfit, sound, structured

__all__ = ["answered"]

MOST_BYTES = 8 * 1024 * 1024
"""Bytes of pictures, sounds and files that one answer may carry."""


def answered(result: ToolResult) -> CallToolResult:
    """The end of a call as its client gets it; one that did not end well is marked as an error."""
    tool = result.call.tool
    notes = [_text(f"[note: {note}]") for note in result.notes]
    if not result.ok or tool is None:
        return CallToolResult(content=[_text(result.text), *notes], is_error=True)
    try:
        _check_size(tool, result)
        content = structured(tool, result)
    except Misfit as misfit:
        return CallToolResult(content=[_text(str(misfit)), *notes], is_error=True)
    blocks = [_block(part) for part in result.parts] or [_text(result.text)]
    return CallToolResult(content=[*blocks, *notes], structured_content=content)


def _check_size(tool: Tool, result: ToolResult) -> None:
    size = sum(len(data) for part in result.parts if isinstance(data := _data(part), bytes))
    if size > MOST_BYTES:
        raise Misfit(f"{tool.name} gave {size} bytes of media, and {MOST_BYTES} can be passed on.")


def _text(text: str) -> TextContent:
    return TextContent(text=sound(text))


def _data(part: Part) -> Any:
    return part.content if isinstance(part, Resource) else getattr(part, "data", None)


def _block(part: Part) -> Any:
    if isinstance(part, Image):
        return ImageContent(data=_base64(part.data), mime_type=part.mime)
    if isinstance(part, Audio):
        return AudioContent(data=_base64(part.data), mime_type=part.mime)
    if isinstance(part, File):
        blob = BlobResourceContents(
            uri=f"file:///{quote(part.name, errors='replace')}", mime_type=part.mime, blob=_base64(part.data)
        )
        return EmbeddedResource(resource=blob)
    if isinstance(part, Resource):
        return EmbeddedResource(resource=_contents(part))
    if isinstance(part, Link):
        return ResourceLink(
            uri=sound(part.uri), name=sound(part.name or part.uri), mime_type=part.mime or None
        )
    return _text(str(part))


def _contents(part: Resource) -> TextResourceContents | BlobResourceContents:
    mime = part.mime or None
    if isinstance(part.content, str):
        return TextResourceContents(uri=sound(part.uri), mime_type=mime, text=sound(part.content))
    return BlobResourceContents(uri=sound(part.uri), mime_type=mime, blob=_base64(part.content))


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
