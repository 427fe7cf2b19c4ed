"""The deck as an MCP server: chosen tools for other programs, through the one pipeline of the deck.

`exposure` says which tools and actions others see, `describing` how they are listed, `answering` what a call
gives back, `server` speaks the protocol, `http` and `stdio` carry it, `guard` keeps strangers out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tooldeck.mcp import sdk

if TYPE_CHECKING:
    from concurrent.futures import Future

    from tooldeck.serve.serving import Serving

__all__ = ["open_serving"]


def open_serving(*given: Any, **settings: Any) -> tuple[Serving, Future[None]]:
    """See `tooldeck.serve.opening.open_serving`. Raises `SetupError` where the mcp package is missing."""
    sdk.require()
    from tooldeck.serve import opening

    return opening.open_serving(*given, **settings)
