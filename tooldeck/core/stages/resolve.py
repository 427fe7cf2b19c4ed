"""resolve: the exact tool object for a name, before any check; all that follows looks at the object."""

from __future__ import annotations

from typing import Any

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.world import Handler, World


def resolve(next: Handler, tool: Any, world: World) -> Handler:
    """Find the tool and go on with the stages composed for it."""

    async def run(call: ToolCall) -> Outcome:
        found = world.find(call)
        if isinstance(found, Outcome):
            return found
        return await world.chain(found)(call.resolved(found))

    return run
