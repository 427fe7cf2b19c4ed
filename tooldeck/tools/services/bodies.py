"""The body of a request: what an operation takes for it, and how it is sent.

Files of forms with parts, and bodies that are one file, are given as paths of the workspace.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from tooldeck.core.errors import DefinitionError, ExpectedError
from tooldeck.core.references import resolve
from tooldeck.guards.paths import Workspace
from tooldeck.tools.kinds import media_type_of

__all__ = ["Body", "read_body_of"]

MOST_BYTES = 20_000_000
"""Bytes of files that one request sends, together."""
_MOST_PARTS = 1000
_FORM = "application/x-www-form-urlencoded"
_PARTS = "multipart/form-data"
_FILES = ("image/", "audio/", "video/", "application/octet-stream", "application/pdf", "application/zip")
_PATH = "Path of a file of the workspace, which is sent."


@dataclass(frozen=True, slots=True)
class Body:
    """How the body is sent."""

    kind: str
    """Its media type."""
    files: frozenset[str] = frozenset()
    """The fields that are paths of files."""
    whole: bool = False
    """Whether the body is one file, given as its path."""

    @property
    def reads(self) -> bool:
        """Whether files of the workspace may be sent."""
        return self.whole or bool(self.files)

    def sent(self, value: Any, workspace: Workspace | None, headers: dict[str, str]) -> dict[str, Any]:
        """What httpx is given for it; the media type goes into `headers`."""
        if self.kind == _PARTS:
            return self._parts(value, workspace)
        headers["content-type"] = self.kind
        if self.whole:
            return {"content": _read(workspace, value)[1]}
        if self.kind == _FORM and isinstance(value, Mapping):
            return {"content": urlencode([(str(name), text_of(one)) for name, one in value.items()]).encode()}
        if self.kind.startswith("text/") and isinstance(value, str):
            return {"content": value.encode()}
        return {"content": json.dumps(value, ensure_ascii=False).encode()}

    def _parts(self, value: Any, workspace: Workspace | None) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise ExpectedError("The body is a form; give an object with its fields.")
        each = [
            (str(name), one)
            for name, given in value.items()
            for one in (given if isinstance(given, list) else [given])
        ]
        if len(each) > _MOST_PARTS:
            raise ExpectedError(f"The form has {len(each)} parts; send at most {_MOST_PARTS} at once.")
        parts: list[Any] = []
        left = MOST_BYTES
        for name, one in each:
            part = self._part(name, one, workspace)
            left -= len(part[1])
            if left < 0:
                raise ExpectedError(f"The form has more than {MOST_BYTES} bytes; send fewer files at once.")
            parts.append((name, part))
        return {"files": parts}

    def _part(self, name: str, one: Any, workspace: Workspace | None) -> Any:
        if name not in self.files:
            return (None, text_of(one).encode())
        base, data = _read(workspace, one)
        return (base, data, media_type_of(data) or "application/octet-stream")


def _read(workspace: Workspace | None, path: Any) -> tuple[str, bytes]:
    if workspace is None or not isinstance(path, str):
        raise ExpectedError(f"A file is given by its path in the workspace, got {path!r}.")
    return workspace.relative(path).rpartition("/")[2], workspace.read(path, MOST_BYTES)


def text_of(value: Any) -> str:
    """A value as a text of its own; what is no text, as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def read_body_of(content: Mapping[str, Any], document: Mapping[str, Any]) -> tuple[Any, Body]:
    """The schema of the body and how it is sent, of the kinds that an operation takes.

    Raises `DefinitionError` naming them where none can be sent.
    """
    kinds = list(content)
    fit = next((kind for kind in kinds if is_json(kind)), None)
    fit = fit or next((kind for kind in kinds if kind.startswith((_FORM, "text/"))), None)
    if fit is not None:
        return _schema(content[fit]), Body(_FORM if fit.startswith(_FORM) else fit)
    fit = next((kind for kind in kinds if kind.startswith(_PARTS)), None)
    if fit is not None:
        return _with_paths(_schema(content[fit]), document)
    fit = next((kind for kind in kinds if kind.startswith(_FILES)), None)
    if fit is not None:
        kind = "application/octet-stream" if "*" in fit else fit
        return {"type": "string", "description": _PATH}, Body(kind, whole=True)
    raise DefinitionError(
        f"its body is {' or '.join(kinds)}, which is not supported; JSON, forms, forms with files, text and "
        "single files are"
    )


def is_json(kind: str) -> bool:
    """Whether a media type is JSON."""
    plain = kind.partition(";")[0].strip().casefold()
    return plain == "application/json" or plain.endswith("+json")


def _schema(one: Any) -> Any:
    return one.get("schema", {}) if isinstance(one, Mapping) else {}


def _with_paths(schema: Any, document: Mapping[str, Any]) -> tuple[Any, Body]:
    """A form with parts, whose files have become paths."""
    whole = dict(resolve(schema, document))
    fields = whole.get("properties")
    made: dict[str, Any] = {}
    files: set[str] = set()
    for name, given in (fields if isinstance(fields, Mapping) else {}).items():
        one = resolve(given, document)
        items = resolve(one.get("items"), document) if one.get("type") == "array" else {}
        made[str(name)] = given
        if _is_file(one) or _is_file(items):
            files.add(str(name))
            path = {"type": "string", "description": _about(one)}
            made[str(name)] = (
                path if not items else {**one, "items": {"type": "string", "description": _PATH}}
            )
    return {**whole, "type": "object", "properties": made}, Body(_PARTS, frozenset(files))


def _is_file(schema: Mapping[str, Any]) -> bool:
    return schema.get("format") == "binary" or "contentMediaType" in schema


def _about(schema: Mapping[str, Any]) -> str:
    said = str(schema.get("description") or "").strip()
    return f"{said} ({_PATH.rstrip('.')})" if said else _PATH
