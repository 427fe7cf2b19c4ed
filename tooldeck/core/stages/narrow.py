"""narrow: a call of a tool with actions becomes a call of the action that its arguments choose.

The action is a declaration of its own, and the stages inward of here are composed for it.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.tool import Tool
from tooldeck.core.world import Handler, World


def narrow(next: Handler, tool: Tool, world: World) -> Handler:
    """Go on with the stages of the action; cannot act on a tool without actions."""
    if not tool.actions:
        return next
    chain = world.chain

    def run(call: ToolCall) -> Coroutine[Any, Any, Outcome]:
        action = tool.narrowed(call.arguments)
        return chain(action)(call.resolved(action))

    return run
