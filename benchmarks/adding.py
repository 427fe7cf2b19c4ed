"""One function: a tool of a deck for ``tooldeck serve``; run as a program, one of the SDK's bare server."""

from __future__ import annotations

from tooldeck import Deck

deck = Deck()


@deck.tool(effects="none")
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


if __name__ == "__main__":
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("bare")
    server.tool()(add.function)
    server.run("stdio")
