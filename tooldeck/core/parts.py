"""What an answer may be made of beside its value: texts, pictures, sounds, files, resources, links, tables.

A tool returns an `Answer` to give a value to Python and something else to a model; or a part, or a list with
parts in it; or an object of a class of its own with a method ``_tool_answer_`` that makes an `Answer`.
"""

from __future__ import annotations

import base64
import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

__all__ = ["Answer", "Audio", "File", "Image", "Link", "Part", "Resource", "Table", "Text", "is_media_type"]

_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}")
_SHOWN = {"image/png", "image/jpeg", "image/gif", "image/webp"}
"""Pictures that browsers show and that can hold no script."""


def is_media_type(text: str) -> bool:
    """Whether `text` is a media type and nothing else, such as ``image/png``."""
    return _MEDIA_TYPE.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text. Raises TypeError for anything else."""

    text: str

    def __post_init__(self) -> None:
        """Refuse what nobody could read."""
        if not issubclass(type(self.text), str):
            raise TypeError(f"Text: text must be text, got {type(self.text).__name__}.")

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Image:
    """A picture; notebooks show it. Raises TypeError for what is no bytes, ValueError for no media type."""

    data: bytes = field(repr=False)
    mime: str = "image/png"

    _told_as_text_: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse what nobody could show."""
        _check_data(self, self.data, self.mime)

    def __str__(self) -> str:
        return f"[{self.mime}, {len(self.data)} bytes]"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {"text/plain": str(self), **self.mimebundle()}

    def mimebundle(self) -> dict[str, str]:
        """The picture under its media type, empty when browsers would not show it."""
        return {self.mime: base64.b64encode(self.data).decode()} if self.mime in _SHOWN else {}


@dataclass(frozen=True, slots=True)
class Audio:
    """A sound. Raises like `Image`."""

    data: bytes = field(repr=False)
    mime: str = "audio/wav"

    _told_as_text_: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse what nobody could play."""
        _check_data(self, self.data, self.mime)

    def __str__(self) -> str:
        return f"[{self.mime}, {len(self.data)} bytes]"


@dataclass(frozen=True, slots=True)
class File:
    """A file sent along. Raises like `Image`."""

    name: str
    data: bytes = field(repr=False)
    mime: str = "application/octet-stream"

    _told_as_text_: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse what nobody could open."""
        _check_data(self, self.data, self.mime)

    def __str__(self) -> str:
        return f"[{self.name}, {self.mime}, {len(self.data)} bytes]"


@dataclass(frozen=True, slots=True)
class Resource:
    """The contents of a resource, sent along."""

    uri: str
    mime: str
    content: str | bytes = field(repr=False)

    _told_as_text_: ClassVar[bool] = True

    def __str__(self) -> str:
        if isinstance(self.content, str):
            return f"[{self.uri}]\n{self.content}"
        return f"[{self.uri}, {self.mime}, {len(self.content)} bytes]"


@dataclass(frozen=True, slots=True)
class Link:
    """A resource that may be read where it lies."""

    uri: str
    name: str
    mime: str = ""

    def __str__(self) -> str:
        return f"[{self.name}: {self.uri}]"


@dataclass(frozen=True, slots=True)
class Table:
    """The beginning of a table, as text in each cell."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: int
    """Rows of the whole table."""

    def __str__(self) -> str:
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([self.columns, *self.rows])
        size = f"{self.total} rows, {len(self.columns)} columns"
        shown = "" if len(self.rows) == self.total else f"; the first {len(self.rows)} rows are shown"
        return f"{out.getvalue()}[{size}{shown}]"


Part = Text | Image | Audio | File | Resource | Link | Table


@dataclass(frozen=True, slots=True)
class Answer:
    """A value for Python, with what a model is given in its place. Raises TypeError for what is no part."""

    value: Any = None
    text: str | None = None
    """The text for the model; empty for none. None: the value as text, where there is one or no part."""
    parts: tuple[Part, ...] = ()
    """Further parts for the model, in order. Plain text may stand for a `Text`."""
    artifacts: tuple[File, ...] = ()
    """Files that are kept with the result for the person; a model reads only their names and sizes."""

    def __post_init__(self) -> None:
        """Read lists as tuples, and refuse what is no part."""
        if self.text is not None and not isinstance(self.text, str):
            raise TypeError(f"Answer: text must be text or None, got {type(self.text).__name__}.")
        parts = [Text(part) if isinstance(part, str) else part for part in _listed("parts", self.parts)]
        for part in parts:
            if not isinstance(part, Part):
                raise TypeError(f"Answer: {type(part).__name__} is no part; give text, an Image, a Table, ….")
        artifacts = _listed("artifacts", self.artifacts)
        for artifact in artifacts:
            if not isinstance(artifact, File):
                raise TypeError(f"Answer: {type(artifact).__name__} is no artifact; give a File.")
        object.__setattr__(self, "parts", tuple(parts))
        object.__setattr__(self, "artifacts", tuple(artifacts))


def _listed(what: str, given: Any) -> list[Any]:
    if isinstance(given, str | bytes | Part) or not isinstance(given, Iterable):
        raise TypeError(f"Answer: {what} must be a list, got {type(given).__name__}.")
    return list(given)


def _check_data(part: Any, data: Any, mime: Any) -> None:
    kind = type(part).__name__
    if not isinstance(data, bytes):
        raise TypeError(f"{kind}: data must be bytes, got {type(data).__name__}.")
    if not isinstance(mime, str) or not is_media_type(mime):
        raise ValueError(f"{kind}: mime must be a media type such as image/png, got {mime!r}.")
