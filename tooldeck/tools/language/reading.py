"""Reading what servers send: places as people count them, and marked text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tooldeck.guards.paths import PathRefused
from tooldeck.tools.language.documents import MOST_BYTES, path_of
from tooldeck.tools.language.pool import Session
from tooldeck.tools.language.positions import Text
from tooldeck.tools.language.records import Location
from tooldeck.tools.texts.documents import NotText, decode

__all__ = ["Reading", "marked_text"]


class Reading:
    """Reads places; each file once."""

    def __init__(self, session: Session) -> None:
        self._server = session.server
        self._texts: dict[str, Text | None] = {session.path: session.document.text}

    def location(self, uri: Any, range_: Any) -> Location:
        """A place of the protocol. Raises ValueError and the like for what is none."""
        path, inside = path_of(self._server.workspace, uri)
        text = self._text(path) if inside else None
        start, stop = range_["start"], range_["end"]
        if text is None:
            at = [int(end[key]) + 1 for end in (start, stop) for key in ("line", "character")]
            return Location(path, at[0], at[1], at[2], at[3], inside=inside)  # in the server's units
        first, last = text.place(text.offset(start)), text.place(text.offset(stop))
        return Location(path, *first, *last, text=text.line(first.line - 1).strip())

    def _text(self, path: str) -> Text | None:
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def _read(self, path: str) -> Text | None:
        open_ = self._server.documents.get(path)
        if open_ is not None:
            return open_.text
        try:
            data = self._server.workspace.read(path, MOST_BYTES)
            form = decode(data, path)
        except (PathRefused, NotText):
            return None
        return Text(data[len(form.bom) :].decode(form.encoding), self._server.encoding)


def marked_text(contents: Any) -> str:
    """Marked text of any shape as one text."""
    parts: Sequence[Any] = contents if isinstance(contents, list) else [contents]
    texts = [one.get("value", "") if isinstance(one, dict) else one for one in parts]
    return "\n\n".join(text for text in texts if isinstance(text, str) and text)
