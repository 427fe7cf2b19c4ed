"""Where other programs keep their lists of MCP servers on this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["CLIENTS", "found_files"]


def _support(*parts: str) -> str:
    """A file in the folder in which desktop programs keep their settings."""
    if sys.platform == "darwin":
        return str(Path("~/Library/Application Support", *parts))
    if sys.platform == "win32":
        return str(Path(os.environ.get("APPDATA", "~"), *parts))
    return str(Path("~/.config", *parts))


_CLINE = ("saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json")

CLIENTS: dict[str, tuple[str, ...]] = {
    "claude": (".mcp.json", "~/.claude.json", _support("Claude", "claude_desktop_config.json")),
    "cursor": (".cursor/mcp.json", "~/.cursor/mcp.json"),
    "vscode": (".vscode/mcp.json", _support("Code", "User", "mcp.json")),
    "windsurf": ("~/.codeium/windsurf/mcp_config.json",),
    "gemini": (".gemini/settings.json", "~/.gemini/settings.json"),
    "copilot": ("~/.copilot/mcp-config.json",),
    "codex": (".codex/config.toml", "~/.codex/config.toml"),
    "cline": (_support("Code", "User", "globalStorage", *_CLINE),),
    "goose": ("~/.config/goose/config.yaml",),
    "opencode": ("opencode.json", "~/.config/opencode/opencode.json"),
}
"""By program: its files, those of the folder first."""


def found_files(client: str | None = None) -> Iterator[tuple[str, Path]]:
    """The files that are there, each with its program: of one program, or of all."""
    for name, paths in CLIENTS.items():
        if client in {None, name}:
            files = (Path(path).expanduser() for path in paths)
            yield from ((name, file) for file in files if file.is_file())
