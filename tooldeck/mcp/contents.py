"""What was read from a resource: its text or its bytes as Python values, pictures as pictures."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tooldeck.core.parts import Audio, Image, Part, Resource, Text, is_media_type
from tooldeck.guards.text import escape_html
from tooldeck.mcp.lint import Finding, lint_words
from tooldeck.mcp.results import McpValue, part_of_resource
from tooldeck.mcp.saving import save_parts

__all__ = ["ResourceValue", "contents_of"]


class ResourceValue(McpValue):
    """What is under an address: mostly one text or some bytes, sometimes several of them.

    `contents` has all of them with their own addresses and media types; `data` is the text or the bytes of a
    single one, else the list of them. Everything else is as for the results of tools: `parsed` reads text
    that is JSON or a table, `frame` makes a DataFrame, `save` writes files. Pictures are shown.
    """

    def __init__(self, uri: str, contents: tuple[Resource, ...]) -> None:
        super().__init__(tuple(map(_shown, contents)))
        self.uri = uri
        self.contents = contents

    @property
    def data(self) -> Any:
        """The text or the bytes of the only content; else a list of them."""
        told = [one.content for one in self.contents]
        return told[0] if len(told) == 1 else told

    @property
    def mime(self) -> str:
        """The media type of the first content; empty where the server does not say."""
        return self.contents[0].mime if self.contents else ""

    @property
    def findings(self) -> list[Finding]:
        """What is suspicious in its texts, the gravest first; needs no network, and proves nothing."""
        told = [(one.uri, one.content) for one in self.contents if isinstance(one.content, str)]
        return lint_words(self.uri, told)

    def __repr__(self) -> str:
        return "\n".join([*(f"note: {one}" for one in self.findings), super().__repr__()])

    def _repr_mimebundle_(self, **more: Any) -> dict[str, Any]:
        """The notes come before the pictures as well."""
        bundle, found = super()._repr_mimebundle_(**more), self.findings
        if found and len(bundle) > 1:
            notes = "".join(f"<div>{escape_html(f'note: {one}')}</div>" for one in found)
            bundle["text/html"] = notes + bundle.get("text/html", "")
        return bundle

    def save(self, folder: str | Path = ".") -> list[Path]:
        """Write all of it into new files of a folder, named after the addresses; gives the files."""
        return save_parts(self.contents, folder)


def contents_of(uri: str, contents: Iterable[Any]) -> ResourceValue:
    """Translate the contents of a ``ReadResourceResult``."""
    return ResourceValue(uri, tuple(map(part_of_resource, contents)))


def _shown(content: Resource) -> Part:
    """A content as it is shown: text as text, a picture as a picture, the rest by its size."""
    if isinstance(content.content, str):
        return Text(content.content)
    mime = content.mime.partition(";")[0].strip().lower()
    if is_media_type(mime) and mime.startswith("image/"):
        return Image(content.content, mime)
    return Audio(content.content, mime) if is_media_type(mime) and mime.startswith("audio/") else content
