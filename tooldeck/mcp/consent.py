"""What a person is asked before anything of a server is trusted: to start its command, to accept its tools.

Each question is a call of a tool of our own, so that it goes through the deck's policy, cards, prompts and
log like any other. The words of the question are part of that tool: an approval for always covers this
command, or these definitions, and no others.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tooldeck.core.define import define
from tooldeck.core.options import Options
from tooldeck.core.tool import Origin, Tool
from tooldeck.mcp.changes import Changes, definition_diff
from tooldeck.mcp.lint import Finding

__all__ = ["APPROVE", "START", "approve_question", "start_question"]

START = "start_mcp_server"
APPROVE = "approve_mcp_tools"
_ORIGIN = Origin("builtin", "mcp")


def start_question(
    label: str, launch: Mapping[str, Any], before: Mapping[str, Any] | None
) -> tuple[Tool, dict[str, Any]]:
    """Whether a command may be started that the person has not typed.

    `launch` has its ``command``, ``folder`` and the names in ``environment``, whole; `before` is what was
    approved under this label last.
    """

    def start(server: str, command: list[str], folder: str, environment: list[str]) -> bool:
        """Runs when it was approved; the command itself is started by whoever asked."""
        return True

    changed = "" if before is None else definition_diff("command", _shown(before), _shown(launch))

    def diff(server: str) -> str:
        return changed

    tool = define(
        start,
        Options(
            name=START,
            description=f"Start the MCP server {label!r}: {shlex.join(launch['command'])}",
            effects="execute",
            ask=True,
            preview=diff if changed else None,
        ),
        origin=_ORIGIN,
    )
    return tool, {"server": label, **launch}


def approve_question(
    label: str,
    changes: Changes,
    findings: Sequence[Finding],
    accept: Callable[[], None],
) -> tuple[Tool, dict[str, Any]]:
    """Whether new and changed definitions of a server's tools are accepted; `accept` runs when they are."""
    names = [*changes.changed, *changes.added]

    def approve(server: str, tools: list[str], warnings: list[str]) -> bool:
        """Accept the definitions."""
        accept()
        return True

    def preview(server: str) -> str:
        return changes.diff

    tool = define(
        approve,
        Options(
            name=APPROVE,
            description=f"Accept these definitions of tools of the MCP server {label!r}.\n{changes.diff}",
            effects="write",
            ask=True,
            preview=preview,
        ),
        origin=_ORIGIN,
    )
    return tool, {"server": label, "tools": names, "warnings": [str(one) for one in findings]}


def _shown(launch: Mapping[str, Any]) -> dict[str, Any]:
    """A command for a difference, word by word."""
    return {key: launch[key] for key in ("command", "folder", "environment")}
