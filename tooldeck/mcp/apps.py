"""MCP Apps (extension ``io.modelcontextprotocol/ui``): which tools have a page for their results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

__all__ = ["EXTENSION", "MIME", "App", "Ui", "extension", "mapping", "ui_of"]

EXTENSION = "io.modelcontextprotocol/ui"
"""The name of the extension, by which either side says that it has it."""
MIME = "text/html;profile=mcp-app"
"""The media type of pages; nothing else is shown."""


@dataclass(frozen=True, slots=True)
class Ui:
    """What the definition of a tool says of its page and of who may call it."""

    uri: str = ""
    """The page that shows its results; empty for a tool without one."""
    for_models: bool = True
    """Whether models are shown it."""
    for_apps: bool = True
    """Whether pages of the same server may call it."""


@dataclass(frozen=True, slots=True)
class App:
    """A page for one result of a tool: plain data, so that a value with it can be kept and copied."""

    server: str
    """The label of the connection."""
    target: str
    """What the connection leads to, so that another server under the same label is told apart."""
    tool: str
    """The server's name of the tool."""
    uri: str
    arguments: Mapping[str, Any]
    answer: Mapping[str, Any]
    """The result as the server gave it."""


def extension() -> Any:
    """What the client library tells servers: that pages can be shown here."""
    from mcp.client import advertise

    return advertise(EXTENSION, {"mimeTypes": [MIME]})


def ui_of(definition: Mapping[str, Any]) -> Ui:
    """What a tool's definition says of its page, in the present spelling or the one before it."""
    meta = mapping(definition.get("_meta"))
    ui = mapping(meta.get("ui"))
    uri = ui.get("resourceUri", meta.get("ui/resourceUri"))
    seen = ui.get("visibility")
    known: list[Any] = cast("list[Any]", seen) if isinstance(seen, list) else ["model", "app"]
    named = uri if isinstance(uri, str) and uri.startswith("ui://") else ""
    return Ui(named, for_models="model" in known, for_apps="app" in known)


def mapping(given: Any) -> Mapping[str, Any]:
    """A member that should be an object; an empty one where it is something else."""
    return cast("Mapping[str, Any]", given) if isinstance(given, Mapping) else {}
