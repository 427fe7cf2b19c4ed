"""Every path by which a call can start: from a shell, a tool's name and arguments to the end of the call."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from ipython_shell import Shell
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from tooldeck import ToolResult, format_action, tool
from tooldeck.loops import scripted
from tooldeck.notebook.show import run_from_form
from tooldeck.serve.opening import make_server

__all__ = ["IN_THE_RUN", "NAMED_ONLY", "PATHS"]

Arguments = Mapping[str, Any]
Path = Callable[[Shell, str, Arguments], ToolResult]


def by_name(shell: Shell, name: str, arguments: Arguments) -> ToolResult:
    return shell.deck.call(name, arguments)


def by_json_text(shell: Shell, name: str, arguments: Arguments) -> ToolResult:
    return shell.deck.call(name, json.dumps(arguments))


def awaited(shell: Shell, name: str, arguments: Arguments) -> ToolResult:
    return asyncio.run(_acall(shell, name, arguments))


async def _acall(shell: Shell, name: str, arguments: Arguments) -> ToolResult:
    return await shell.deck.acall(name, arguments)


def awaited_in_a_cell(shell: Shell, name: str, arguments: Arguments) -> ToolResult:
    shell.ip.user_ns["_arguments"] = arguments
    return shell.run(f"await deck.acall({name!r}, _arguments)")


def by_magic(shell: Shell, name: str, arguments: Arguments) -> ToolResult:
    return shell.run(f"%call {name} {json.dumps(arguments)}")


def by_object(shell: Shell, name: str, arguments: Arguments) -> ToolResult:
    return shell.deck.call(shell.deck[name], arguments)


def by_a_bridge(shell: Shell, name: str, arguments: Arguments) -> ToolResult:
    return shell.deck.call("tool_call", {"name": name, "arguments": dict(arguments)})


def as_a_function(shell: Shell, name: str, arguments: Arguments) -> ToolResult:
    with contextlib.suppress(Exception):  # the end is looked up in the history
        shell.deck[name](**arguments)
    return shell.deck.history()[-1]


def by_form(shell: Shell, name: str, arguments: Arguments) -> ToolResult:
    notebook = shell.ip.find_line_magic("call").__self__.notebook
    card = _Card(shell.deck[name])
    run_from_form(notebook, card, dict(arguments))
    return shell.deck.history()[-1]


class _Card:
    """As much of a tool's card as running it needs."""

    def __init__(self, tool: Any) -> None:
        self.tool = tool

    def put(self, card: Any) -> None:
        """Nobody looks at it."""


def from_a_tool(shell: Shell, name: str, arguments: Arguments) -> ToolResult:
    inner: list[ToolResult] = []

    @tool(effects="none")
    def outer() -> str:
        inner.append(shell.deck.call(name, arguments))
        return "done"

    around = shell.deck.call(outer)
    return inner[0] if inner else around


def in_a_batch(shell: Shell, name: str, arguments: Arguments) -> ToolResult:
    return shell.deck.call_many([(name, arguments)])[0]


def in_an_awaited_batch(shell: Shell, name: str, arguments: Arguments) -> ToolResult:
    return asyncio.run(_many(shell, name, arguments))[0]


async def _many(shell: Shell, name: str, arguments: Arguments) -> list[ToolResult]:
    return await shell.deck.acall_many([(name, arguments)])


def by_a_model(shell: Shell, name: str, arguments: Arguments) -> ToolResult:
    made = shell.deck.run("go", model=scripted([(name, arguments), "done"])).calls[0].result
    assert made is not None
    return made


def by_a_text_action(shell: Shell, name: str, arguments: Arguments) -> ToolResult:
    action = format_action(name, arguments)
    model = scripted([f"Thought: go\nAction: {action}", "Final Answer: done"])
    made = shell.deck.run("go", model=model, actions="text").calls[0].result
    assert made is not None
    return made


def by_an_mcp_client(shell: Shell, name: str, arguments: Arguments) -> ToolResult:
    return asyncio.run(_served(shell, name, arguments))


async def _served(shell: Shell, name: str, arguments: Arguments) -> ToolResult:
    server = make_server(shell.deck, allow=list(shell.deck.tools))
    server.start()
    try:
        async with Client(server.protocol) as client:
            with contextlib.suppress(MCPError):  # an unknown tool is an error of the protocol
                await client.call_tool(name, dict(arguments))
    finally:
        await server.stop()
    return shell.deck.history()[-1]


PATHS: dict[str, Path] = {
    path.__name__: path
    for path in (
        by_name,
        by_json_text,
        by_a_bridge,
        awaited,
        awaited_in_a_cell,
        by_magic,
        by_object,
        as_a_function,
        by_form,
        from_a_tool,
        in_a_batch,
        in_an_awaited_batch,
        by_a_model,
        by_a_text_action,
        by_an_mcp_client,
    )
}
IN_THE_RUN = [name for name in PATHS if name not in ("by_a_model", "by_a_text_action")]
"""The paths that belong to the run of their caller; a model has a run of its own."""
NAMED_ONLY = {name for name in PATHS if name not in ("by_object", "as_a_function", "by_form")}
"""The paths that start from a name, which may be unknown."""
