"""What can go wrong with an MCP server. Every error names the server and says what to do.

McpError(TooldeckError)
├── McpConnectError    no session came about: missing program, exit at start, refusal, silence
├── McpClosed          the session is over: the server ended, the connection broke, somebody closed it
├── McpTimeout         a call took longer than its limit; the server was told to stop
├── McpToolError       the tool itself reported a failure (``isError``)
├── McpAnswerError     the server answered with a JSON-RPC error, or with what is no MCP
├── McpNotSignedIn     the server wants to know who asks, and nobody signed in; not counted by the breaker
├── McpRestarting      the server is being started again; not counted by the breaker
└── McpRefused         the server refused the arguments: a proper no, not counted by the breaker
"""

from __future__ import annotations

from tooldeck.core.errors import ExpectedError, TooldeckError

__all__ = [
    "McpAnswerError",
    "McpClosed",
    "McpConnectError",
    "McpError",
    "McpNotSignedIn",
    "McpRefused",
    "McpRestarting",
    "McpTimeout",
    "McpToolError",
]


class McpError(TooldeckError):
    """Base of all MCP errors; `server` is the label of the session."""

    def __init__(self, message: str, server: str = "") -> None:
        super().__init__(message)
        self.server = server


class McpConnectError(McpError):
    """No session came about; the message has the command, the exit code and the last lines of stderr."""


class McpClosed(McpError):
    """The session is over; the message says why and how to connect again."""


class McpTimeout(McpError, TimeoutError):
    """A call took longer than its limit; names the tool, the server and the limit in seconds."""


class McpToolError(McpError):
    """The tool reported a failure; the message is its text, `value` holds everything it sent."""

    def __init__(self, message: str, server: str = "", value: object = None) -> None:
        super().__init__(message, server)
        self.value = value


class McpAnswerError(McpError):
    """The server answered with an error of the protocol, or with something that is no valid answer."""

    def __init__(self, message: str, server: str = "", code: int | None = None) -> None:
        super().__init__(message, server)
        self.rpc_code = code


class McpRefused(McpError, ExpectedError):
    """The server refused the arguments."""


class McpRestarting(McpError, ExpectedError):
    """The server is being started again, or was during the call; what it was doing is lost."""


class McpNotSignedIn(McpError, ExpectedError):
    """The server wants to know who asks, or for more than it was signed in for, and nobody signed in."""
