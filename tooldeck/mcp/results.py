"""What a remote tool gave back: all parts in order, as Python values that a notebook can show."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tooldeck.core.errors import SetupError
from tooldeck.core.parts import Answer, Audio, Image, Link, Part, Resource, Text, is_media_type
from tooldeck.guards.text import escape_html, visible
from tooldeck.mcp.reading import meant_by, rows_in
from tooldeck.mcp.records import record_of
from tooldeck.mcp.saving import save_parts

if TYPE_CHECKING:
    from tooldeck.mcp.apps import App

__all__ = ["McpValue", "part_html", "part_of", "part_of_resource", "value_of"]

_SHOWN_CHARS = 20_000
# Characters of a text that an output shows; a notebook with megabytes in one output freezes.


class McpValue:
    """The value of a call of a remote tool.

    `parts` has everything in the server's order, `structured` the structured content, `text` the whole as
    text, `data` the handiest form: structured content, else the one text, else the parts. Indexing and
    iterating go to `data`. `parsed` reads a text that is JSON or a table, `rows` and `frame` give the table
    in it, `save` writes what is no text into files. An answer with nothing in it has no parts and the text
    ``(empty result)``.
    """

    # No dataclass on purpose: JSON encoders would pour the bytes of pictures into a model's text, where str()
    # of this says just that there is one.
    __slots__ = ("answer", "app", "is_error", "parts", "schema", "structured")

    def __init__(
        self, parts: tuple[Part, ...] = (), structured: Any = None, *, is_error: bool = False
    ) -> None:
        self.parts = parts
        self.structured = structured
        self.is_error = is_error
        self.schema: Mapping[str, Any] | None = None
        """The output schema of the tool that it comes from."""
        self.answer: Mapping[str, Any] | None = None
        """The whole answer as JSON, kept where the server has pages that may want it (MCP Apps)."""
        self.app: App | None = None
        """The page of the server that shows it; None where there is none."""

    @property
    def text(self) -> str:
        """All parts as text; the structured content as JSON where there is no other text."""
        shown = [str(part) for part in self.parts]
        if self.structured is not None and not any(isinstance(part, Text) for part in self.parts):
            shown.append(json.dumps(self.structured, ensure_ascii=False))
        return "\n".join(shown) if shown else "(empty result)"

    @property
    def data(self) -> Any:
        """Structured content, else the text of a lone text, else the list of parts."""
        if self.structured is not None:
            return self.structured
        if len(self.parts) == 1 and isinstance(self.parts[0], Text):
            return self.parts[0].text
        return list(self.parts)

    @property
    def parsed(self) -> Any:
        """Structured content, else what the text means: JSON, a Python literal or a table with tabs.

        Raises ValueError where it is just words.
        """
        if self.structured is not None:
            return self.structured
        return meant_by("\n".join(part.text for part in self.parts if isinstance(part, Text)))

    @property
    def record(self) -> Any:
        """The structured content, or what the text means, as a `Record`: ``value.record.city.name``.

        Members that the tool's output schema lists and the value lacks are None, its dates and times are
        those of ``datetime``. Raises ValueError where the text is just words.
        """
        return record_of(self.parsed, self.schema)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of the one table in it: a list of objects, by itself or within an object.

        Raises ValueError where there is none, or more than one.
        """
        rows = rows_in(self.parsed)
        if rows is None:
            raise ValueError("There is no table in it, or more than one; look at its parsed.")
        return rows

    def frame(self) -> Any:
        """The rows as a pandas DataFrame. Raises `SetupError` without pandas, and what `rows` raises."""
        try:
            from pandas import DataFrame
        except ImportError:
            raise SetupError("A DataFrame needs pandas: pip install pandas") from None
        return DataFrame(self.rows)

    def save(self, folder: str | Path = ".") -> list[Path]:
        """Write its pictures, sounds and embedded resources into new files of a folder; gives the files."""
        return save_parts(self.parts, folder)

    @property
    def links(self) -> list[Link]:
        """The resources that it only points to."""
        return [part for part in self.parts if isinstance(part, Link)]

    @property
    def resources(self) -> list[Resource]:
        """The resources that came along."""
        return [part for part in self.parts if isinstance(part, Resource)]

    @property
    def images(self) -> list[Image]:
        """The pictures among the parts."""
        return [part for part in self.parts if isinstance(part, Image)]

    def _tool_answer_(self) -> Answer:
        """All parts, and the structured content as text where it is the only one."""
        if self.structured is not None and not any(isinstance(part, Text) for part in self.parts):
            return Answer(self, "", (*self.parts, Text(json.dumps(self.structured, ensure_ascii=False))))
        return Answer(self, "" if self.parts else self.text, self.parts)

    def __getitem__(self, key: Any) -> Any:
        return self.data[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        if isinstance(other, McpValue):
            return (self.parts, self.structured) == (other.parts, other.structured)
        return NotImplemented

    __hash__ = None  # type: ignore[assignment] - structured content is mutable

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return _seen(self.text)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Pictures as pictures; one alone under its own type, several among the text as HTML."""
        images = [image for image in self.images if image.mimebundle()]
        bundle: dict[str, Any] = {"text/plain": repr(self)}
        if len(images) == 1 and len(self.parts) == 1:
            bundle |= images[0].mimebundle()
        elif images:
            bundle["text/html"] = "\n".join(part_html(part) for part in self.parts)
        return bundle


def part_html(part: Part) -> str:
    """A part as HTML, nothing in it as markup."""
    for mime, data in part.mimebundle().items() if isinstance(part, Image) else ():
        return f'<img alt="{mime}" src="data:{mime};base64,{data}">'
    return f"<pre>{escape_html(_cut(str(part)))}</pre>"


def _seen(text: str) -> str:
    """Text of a server as it is shown: nothing hidden, no more than an output should hold."""
    return visible(_cut(text))


def _cut(text: str) -> str:
    if len(text) <= _SHOWN_CHARS:
        return text
    return f"{text[:_SHOWN_CHARS]}\n… [{len(text)} characters in all; the whole is in the value's text]"


def value_of(result: Any) -> McpValue:
    """Translate a ``CallToolResult``."""
    parts = tuple(part_of(block) for block in result.content)
    return McpValue(parts, result.structured_content, is_error=bool(result.is_error))


def part_of(block: Any) -> Part:
    """Translate one block of content."""
    kind = block.type
    if kind == "text":
        return Text(block.text)
    if kind in ("image", "audio"):
        data, mime = _decoded(block.data), block.mime_type.partition(";")[0].strip().lower()
        if data is None or not is_media_type(mime):
            return Text(f"[{block.mime_type} that cannot be decoded]")
        return Image(data, mime) if kind == "image" else Audio(data, mime)
    if kind == "resource_link":
        return Link(str(block.uri), block.title or block.name, block.mime_type or "")
    return part_of_resource(block.resource)


def part_of_resource(inner: Any) -> Resource:
    """Translate the contents of a resource."""
    text = cast("str | None", getattr(inner, "text", None))
    content = text if text is not None else _decoded(inner.blob) or b""
    return Resource(str(inner.uri), inner.mime_type or "", content)


def _decoded(data: str) -> bytes | None:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None
