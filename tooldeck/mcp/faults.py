"""Everything that may go wrong with a session, told in our words: functions that make errors."""

from __future__ import annotations

from typing import Any, cast

from tooldeck.core.errors import TooldeckError
from tooldeck.mcp.errors import (
    McpAnswerError,
    McpClosed,
    McpConnectError,
    McpNotSignedIn,
    McpRefused,
    McpRestarting,
    McpTimeout,
)

__all__ = [
    "of_break",
    "of_call",
    "of_connect",
    "of_end",
    "of_fork",
    "of_late_restart",
    "of_limit",
    "of_loss",
    "of_refusal",
    "of_restart",
    "of_sign_in",
    "single",
]

_BAD_ARGUMENTS = -32602
# JSON-RPC: invalid params.


def of_call(error: Exception, tool: str, server: str) -> Exception:
    """The error of a call through a session that is still there."""
    from mcp import MCPError
    from pydantic import ValidationError

    inner = single(error)
    where = _where(tool, server)
    if isinstance(inner, TooldeckError):
        return inner
    if isinstance(inner, MCPError):
        if inner.code == _BAD_ARGUMENTS and where.startswith("The "):  # no tool, whose arguments it would be
            return McpRefused(f"The MCP server {server!r} refused {tool}: {inner.message}", server)
        if inner.code == _BAD_ARGUMENTS:
            return McpRefused(f"{where} refused the arguments: {inner.message}", server)
        told = f"{where} was answered" if where.startswith("The ") else f"{where} answered"
        return McpAnswerError(f"{told} with error {inner.code}: {inner.message}", server, inner.code)
    if isinstance(inner, ValidationError):
        return McpAnswerError(f"{where} gave an answer that is no valid MCP: {_misfit(inner)}", server)
    return McpAnswerError(f"{where} failed: {type(inner).__name__}: {inner}", server)


def of_break(error: BaseException) -> str:
    """Why a session that stood is over, where nobody closed it and the server had not gone."""
    inner = single(error)
    return f"the connection broke on what the server sent ({type(inner).__name__}: {inner})"


def of_connect(
    error: BaseException, server: str, target: object, ending: str = "", told: str = ""
) -> BaseException:
    """Why no session came about. `ending` says how the program ended, `told` what it printed."""
    inner = single(error)
    if not isinstance(inner, Exception):
        return inner
    if isinstance(inner, McpConnectError):
        if not inner.server:
            return McpConnectError(str(inner), server)  # a complete sentence already
        what = str(inner)
    else:
        what = ending or _in_words(inner)
    message = f"No connection to the MCP server {server!r} ({target}): it {what}."
    return McpConnectError(f"{message}\n{told}" if told else message, server)


def of_end(how: str, server: str) -> McpClosed:
    """A call through a session that is over; `how` says how it ended."""
    return McpClosed(
        f"The session with the MCP server {server!r} is over: {how}\n"
        f"Connect again with deck.mcp.reconnect({server!r}).",
        server,
    )


def of_restart(server: str) -> McpRestarting:
    """A use of a session that was closed to start its server again."""
    return McpRestarting(
        f"The MCP server {server!r} is started again, and this session with it was closed; ask again: "
        f"deck.mcp[{server!r}] has the new one as soon as it stands.",
        server,
    )


def of_late_restart(seconds: float, tool: str, server: str) -> McpRestarting:
    """A call that waited for such a server, all the time that it may take."""
    return McpRestarting(
        f"{_where(tool, server)} was not called: the server is starting again and was not ready within the "
        f"limit of {seconds:g} s; call again later.",
        server,
    )


def of_loss(tool: str, server: str) -> McpRestarting:
    """A call of a tool that the server has not, or not as it was, since it started again."""
    return McpRestarting(
        f"{_where(tool, server)} was not called: since the server was started again it is gone or another "
        f"one; %mcp tools {server} shows what there is.",
        server,
    )


def of_fork(server: str) -> McpClosed:
    """A call in a child of the process that opened the session."""
    return McpClosed(
        f"The session {server!r} belongs to the process that this one was forked from; connect "
        f"again here: deck.mcp.connect(…, label='another').",
        server,
    )


def of_sign_in(why: str, tool: str, server: str) -> McpNotSignedIn:
    """A call that the server wants somebody to sign in for, and nobody was."""
    return McpNotSignedIn(
        f"{_where(tool, server)} was not called: the server wants to know who asks; {why}.",
        server,
    )


def of_refusal(reason: str, tool: str, server: str) -> McpRefused:
    """A call whose server wanted words of a model and got none."""
    return McpRefused(f"{_where(tool, server)} wants a model to answer: {reason.rstrip('.')}.", server)


def of_limit(seconds: float, tool: str, server: str) -> McpTimeout:
    """A call that took too long."""
    return McpTimeout(
        f"{_where(tool, server)} took longer than its limit of {seconds:g} s; the server was told to stop.",
        server,
    )


def _where(tool: str, server: str) -> str:
    """What a sentence begins with: a tool by its name, or something like ``the resource 'x'``."""
    capital = f"T{tool[1:]}" if tool.startswith("the ") else tool
    return f"{capital} of the MCP server {server!r}"


def single(error: BaseException) -> BaseException:
    """The one error inside of groups of one."""
    while isinstance(error, BaseExceptionGroup):
        members = cast("tuple[BaseException, ...]", cast("Any", error).exceptions)
        if len(members) != 1:
            break
        error = members[0]
    return error


def _in_words(error: BaseException) -> str:
    name = type(error).__name__
    if name == "ConnectError" or isinstance(error, ConnectionRefusedError):
        return "refuses connections, so probably no server runs there"
    if name == "ValidationError":
        return f"gave an answer that is no valid MCP: {_misfit(error)}"
    message = str(error).strip().rstrip(".")
    return f"gave no session ({name}: {message})" if message else f"gave no session ({name})"


def _misfit(error: Any) -> str:
    """The first thing that is wrong with an answer."""
    fault = error.errors()[0]
    return f"{'.'.join(str(step) for step in fault['loc'])}: {fault['msg']}"
