"""Putting what a server sent into files. The server has no say in where: its names are only names."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tooldeck.core.parts import Audio, Image, Part, Resource

__all__ = ["save_parts"]

_LONGEST = 80


def save_parts(parts: Iterable[Part], folder: str | Path) -> list[Path]:
    """Write pictures, sounds and embedded resources into a folder; gives the files, which are all new.

    Raises OSError.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    return [_saved(part, place) for part in parts if isinstance(part, Image | Audio | Resource)]


def _saved(part: Image | Audio | Resource, folder: Path) -> Path:
    content = part.content if isinstance(part, Resource) else part.data
    data = content.encode() if isinstance(content, str) else content
    name = _name(part)
    stem, dot, ending = name.rpartition(".")
    for number in range(1, 10_000):
        tried = name if number == 1 else f"{stem}-{number}.{ending}" if dot else f"{name}-{number}"
        try:
            with (folder / tried).open("xb") as file:  # never over another file, nor through a link
                file.write(data)
        except FileExistsError:
            continue
        return folder / tried
    raise FileExistsError(f"The folder {str(folder)!r} has ten thousand files called {name!r} already.")


def _last_word(uri: str) -> str:
    """The end of an address; of one without a path, where it leads."""
    try:
        parts = urlsplit(uri)
    except ValueError:  # no address after all
        return uri.rsplit("/", 1)[-1]
    return unquote(parts.path).rsplit("/", 1)[-1] or parts.netloc


def _name(part: Image | Audio | Resource) -> str:
    """A plain file name: the last word of the address, or the kind of part, with a fitting ending."""
    said = _last_word(part.uri) if isinstance(part, Resource) else ""
    clean = re.sub(r"[^\w.-]+", "_", said).strip("._")[:_LONGEST]
    name = clean or {Image: "picture", Audio: "sound", Resource: "resource"}[type(part)]
    return name if "." in name else name + (mimetypes.guess_extension(part.mime) or "")
