"""The ``mcp`` package: is it there, is it new enough, and its import at a moment when it does not hurt."""

from __future__ import annotations

import logging
from importlib import import_module, metadata

from tooldeck.core.errors import SetupError

__all__ = ["prepare", "require"]

_NEEDED = (2, 3)
_INSTALL = "pip install 'mcp>=2.3,<3'"


def require() -> None:
    """Raise `SetupError` in one sentence unless a usable ``mcp`` is installed. Imports nothing."""
    try:
        found = metadata.version("mcp")
    except metadata.PackageNotFoundError:
        raise SetupError(f"MCP servers need the package mcp, which is not installed: {_INSTALL}") from None
    if _numbers(found) < _NEEDED:
        raise SetupError(f"MCP servers need mcp 2.3 or newer, and {found} is installed: {_INSTALL}")


def prepare() -> None:
    """Import the client. Takes a second or more the first time, so it never runs on the session loop."""
    import_module("mcp.client.streamable_http")
    for name in ("mcp", "client", "httpx2"):
        # What these report is told in our own errors; without a handler it would be printed into the cell.
        logging.getLogger(name).addHandler(_quiet)


_quiet = logging.NullHandler()


def _numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version, e.g. (2, 3) of ``2.3.1rc1``."""
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
