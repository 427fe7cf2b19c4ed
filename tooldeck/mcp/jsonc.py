"""JSON as editors write it: with comments, and with commas before a closing bracket."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["read_jsonc"]

_TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/|,(?=\s*(?:(?://[^\n]*\n|/\*.*?\*/)\s*)*[}\]])', re.DOTALL
)


def read_jsonc(text: str) -> Any:
    """The value of a JSON text with comments; raises ValueError with the place of a mistake."""
    # Blanks in place of what JSON does not know, so that a mistake is reported where it is.
    return json.loads(_TOKEN.sub(lambda found: found[0] if found[0][0] == '"' else _blank(found[0]), text))


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
