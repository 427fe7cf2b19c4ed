"""Requests below the client library's typed calls; the one place that knows private names of it.

The library checks every answer against the method that was asked for, and knows no other methods. Whoever
looks for a fault of a server wants the answer as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tooldeck.mcp.frames import FrameLog

__all__ = ["request", "set_level", "watch"]


async def request(
    client: Any, method: str, params: Mapping[str, Any] | None, timeout: float, *, name: str | None = None
) -> Any:
    """Send any request of the protocol, stamped as the library stamps its own; gives the raw result.

    `timeout` is in seconds. `name` is what it is about, where that goes into a header of HTTP and the library
    does not know so. Raises ``MCPError`` for an answer that is an error, and when the time is over.
    """
    session = client.session
    data: dict[str, Any] = {"method": method}
    if params is not None:
        data["params"] = dict(params)
    options: dict[str, Any] = {"timeout": timeout}
    if name is not None:
        from mcp.shared.inbound import MCP_NAME_HEADER, encode_header_value

        options["headers"] = {MCP_NAME_HEADER: encode_header_value(name)}
    session._stamp(data, options)  # noqa: SLF001 - see above
    return await session._dispatcher.send_raw_request(method, data.get("params"), options)  # noqa: SLF001


def set_level(client: Any, level: str) -> None:
    """Have every request from now on ask for log lines of this level, as the newer protocol does it."""
    session = client.session
    session._log_level = level  # noqa: SLF001 - see above
    session.adopt(session._discover_result)  # noqa: SLF001 - see above


def watch(client: Any, log: FrameLog) -> None:
    """Log the requests to a server object of this process, to which the library speaks without a wire."""
    from mcp.shared.direct_dispatcher import DirectDispatcher
    from mcp.shared.exceptions import MCPError
    from mcp_types import JSONRPCError, JSONRPCRequest, JSONRPCResponse

    dispatcher = client.session._dispatcher  # noqa: SLF001 - see above
    if not isinstance(dispatcher, DirectDispatcher):
        return
    send: Any = dispatcher.send_raw_request
    ids = iter(range(1, 2**63))

    async def logged(method: str, params: Any, options: Any = None) -> Any:
        number = next(ids)
        log.add(JSONRPCRequest(jsonrpc="2.0", id=number, method=method, params=params), sent=True)
        try:
            result = await send(method, params, options)
        except MCPError as error:
            log.add(JSONRPCError(jsonrpc="2.0", id=number, error=error.error), sent=False)
            raise
        log.add(JSONRPCResponse(jsonrpc="2.0", id=number, result=result), sent=False)
        return result

    dispatcher.send_raw_request = logged  # type: ignore[method-assign]
