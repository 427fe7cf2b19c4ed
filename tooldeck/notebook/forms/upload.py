"""Binary content: a file from the reader's machine, or base64 typed by hand."""

from __future__ import annotations

import base64
import binascii
from typing import Any

import ipywidgets

from tooldeck.notebook.facts import count
from tooldeck.notebook.forms.field import UNSET, Leaf, label, labelled, made

__all__ = ["UploadField", "is_binary"]

_FORMATS = frozenset({"base64", "base64url", "binary", "byte"})


def is_binary(schema: Any) -> bool:
    """Whether a text of this schema holds the bytes of a file."""
    return schema.get("contentEncoding") in ("base64", "base64url") or schema.get("format") in _FORMATS


class UploadField(Leaf):
    """A box of text with a button that fills it from a file.

    What is sent is base64, and text where the schema wants plain ``binary`` and the file is text; the line
    below says which.
    """

    def __init__(self, label_words: str, schema: Any) -> None:
        super().__init__()
        self._plain = schema.get("format") == "binary" and "contentEncoding" not in schema
        self._url = "base64url" in (schema.get("contentEncoding"), schema.get("format"))
        media = schema.get("contentMediaType")
        hint = "the text, or choose a file" if self._plain else "base64, or choose a file"
        self._text = labelled(ipywidgets.Textarea, label_words, placeholder=hint, rows=2)
        self._file = made(
            ipywidgets.FileUpload,
            description="File…",
            accept=media if isinstance(media, str) else "",
            tooltip=f"Choose a file for {label_words}",
        )
        self._told = label("", "td-form-note")
        line = made(ipywidgets.HBox, [self._text, self._file])
        line.add_class("td-form-upload")
        self.widget = made(ipywidgets.VBox, [line, self._told])
        self.widget.add_class("td-form-fill")
        self._touched = False
        self._text.observe(self._typed, "value")
        self._file.observe(self._chosen, "value")

    def _chosen(self, _change: Any) -> None:
        if not self._file.value:
            return
        file = self._file.value[-1]
        data = bytes(file["content"])
        text = self._as_text(data)
        sent = "base64" if text is None else "text"
        encode = base64.urlsafe_b64encode if self._url else base64.b64encode
        self._text.value = encode(data).decode() if text is None else text
        self._touched = True
        self._told.value = f"{file['name']}, {count(len(data), 'byte')}, sent as {sent}"
        self._watchers.tell()

    def _as_text(self, data: bytes) -> str | None:
        """The file as text where text may be sent and that is what it holds."""
        try:
            return data.decode() if self._plain else None
        except UnicodeDecodeError:
            return None

    def _typed(self, _change: Any) -> None:
        self._touched = True
        self._told.value = ""
        self._watchers.tell()

    def get(self) -> Any:
        """The text to send, or unset."""
        return self._text.value if self._text.value or self._touched else UNSET

    def set(self, value: Any) -> None:
        """Show a text."""
        self._text.value = value if isinstance(value, str) else ""
        self._told.value = ""
        self._touched = value is not UNSET

    def fault(self) -> str:
        """What is no base64 is a fault, unless plain text may be sent."""
        text = "".join(self._text.value.split())
        if self._plain or not text:
            return ""
        try:
            base64.b64decode(text, altchars=b"-_" if self._url else None, validate=True)
        except (binascii.Error, ValueError):
            return "is no base64; choose a file to have it encoded"
        return ""
