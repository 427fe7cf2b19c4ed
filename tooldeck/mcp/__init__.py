"""MCP servers as a source of tools: connecting, calling, watching over their processes.

Nothing here imports the ``mcp`` package until the first connection is made.
"""
