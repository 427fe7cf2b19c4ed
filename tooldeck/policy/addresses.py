"""Addresses (URLs) as clients read them, for rules: spellings that mean the same, and the host."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

__all__ = ["ADDRESS", "host_of", "straight_address"]

ADDRESS = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.-]+:[/\\]{2}")
"""How an address begins. One letter before the colon is a drive, and more slashes before it a path."""
_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}


def straight_address(text: str) -> str:
    """An address as a client sends it.

    Scheme and host are in lower case, without the user's name and the usual port; detours in the path are
    taken out, also those behind backslashes and percent signs. A text that is no address comes back as it is.
    """
    split = _split(text)
    if split is None:
        return text
    host = _host(split)
    if host is None:
        return text
    return urlunsplit((split.scheme, host, _straight(split.path), split.query, split.fragment))


def host_of(text: str) -> str | None:
    """Host, and port where it is not the usual one, in lower case; None for what is no address."""
    split = _split(text)
    return None if split is None else _host(split)


def _split(text: str) -> SplitResult | None:
    if not ADDRESS.match(text):
        return None
    head, mark, rest = text.strip().partition("?")
    try:
        return urlsplit(head.replace("\\", "/") + mark + rest)
    except ValueError:
        return None


def _host(split: SplitResult) -> str | None:
    try:
        port = split.port
    except ValueError:
        return None
    name = (split.hostname or "").rstrip(".")
    name = f"[{name}]" if ":" in name else name
    return name if port is None or port == _PORTS.get(split.scheme) else f"{name}:{port}"


def _straight(path: str) -> str:
    plain = unquote(path).replace("\\", "/")
    if not {".", ".."} & set(plain.split("/")):
        return path
    straight = posixpath.normpath(plain)
    if straight.startswith("//"):
        straight = f"/{straight.lstrip('/')}"
    return f"{straight}/" if plain.endswith("/") and straight != "/" else straight
