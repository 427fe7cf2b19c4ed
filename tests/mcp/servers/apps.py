"""A server with pages (MCP Apps): a good one, and one that tries what it may not; argument: an address."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer

PAGES = Path(__file__).parent / "pages"

apps = Apps()
time = "11:59"


@apps.tool(resource_uri="ui://clock/good.html")
def get_time() -> dict[str, Any]:
    """The time."""
    return {"time": time}


@apps.tool(resource_uri="ui://clock/good.html", visibility=["app"])
def set_time(time: str) -> dict[str, Any]:
    """Set the clock."""
    globals()["time"] = time
    return {"time": time}


@apps.tool(resource_uri="ui://clock/hostile.html")
def get_trouble() -> str:
    """A page that wants more than it may."""
    return "trouble"


@apps.tool(resource_uri="ui://clock/good.html", visibility=["model"])
def think() -> str:
    """Not for pages."""
    return "thought"


for name in ("good.html", "hostile.html"):
    page = (PAGES / name).read_text(encoding="utf-8").replace("EVIL", sys.argv[1])
    apps.add_html_resource(f"ui://clock/{name}", page)
server = MCPServer("clock", extensions=[apps])


@server.resource("clock://zones", mime_type="text/plain")
def zones() -> str:
    """The zones that it knows."""
    return "utc, cet"


server.run("stdio")
