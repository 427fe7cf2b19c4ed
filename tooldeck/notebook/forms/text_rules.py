"""What a schema says of a text: its format and its pattern, in words for a person and as a check."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from tooldeck.guards.patterns import UnsafePattern, matches

__all__ = ["HINTS", "text_fault"]

HINTS = {
    "date": "2026-12-31",
    "date-time": "2026-12-31T23:59:59Z",
    "duration": "P1DT12H",
    "email": "name@example.org",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "time": "23:59:59Z",
    "uri": "https://…",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
}
"""An example of each format."""

_PATTERNS = {
    "duration": r"[-+]?P(?!$)(\d+(\.\d+)?[YMWD])*(T(?!$)(\d+(\.\d+)?[HMS])+)?",
    "email": r"[^@\s]+@[^@\s]+",
    "idn-email": r"[^@\s]+@[^@\s]+",
    "iri": r"[A-Za-z][A-Za-z0-9+.-]*:\S+",
    "uri": r"[A-Za-z][A-Za-z0-9+.-]*:\S+",
    "uuid": r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
}
_READERS: dict[str, Callable[[str], object]] = {
    "ipv4": ipaddress.IPv4Address,
    "ipv6": ipaddress.IPv6Address,
    "json": json.loads,
}
_NAMES = {
    "duration": "a duration",
    "email": "an e-mail address",
    "idn-email": "an e-mail address",
    "ipv4": "an IPv4 address",
    "ipv6": "an IPv6 address",
    "iri": "an address",
    "json": "JSON",
    "uri": "an address",
    "uuid": "a UUID",
}


def text_fault(schema: Mapping[str, Any], text: str) -> str:
    """Why `text` has not the format or the pattern that `schema` wants; empty when it has, or who knows."""
    return _format_fault(schema.get("format"), text) or _pattern_fault(schema.get("pattern"), text)


def _format_fault(format: Any, text: str) -> str:  # the word of JSON Schema
    if not isinstance(format, str) or _has_format(format, text):
        return ""
    example = f", such as {HINTS[format]}" if format in HINTS else ""
    return f"must be {_NAMES[format]}{example}"


def _has_format(format: str, text: str) -> bool:
    if format in _PATTERNS:
        return re.fullmatch(_PATTERNS[format], text) is not None
    read = _READERS.get(format)
    if read is None:
        return True
    try:
        read(text)
    except (ValueError, RecursionError):
        return False
    return True


def _pattern_fault(pattern: Any, text: str) -> str:
    if not isinstance(pattern, str):
        return ""
    try:
        return "" if matches(pattern, text) else f"must match {pattern}"
    except UnsafePattern:
        return ""
