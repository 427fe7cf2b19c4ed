"""resolve: the exact tool object for a name, before any check; all that follows looks at the object."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.world import Handler, World, ended


def resolve(next: Handler, tool: Any, world: World) -> Handler:
    """Find the tool and go on with the stages composed for it."""
    find, chain = world.find, world.chain

    def run(call: ToolCall) -> Coroutine[Any, Any, Outcome]:
        found = find(call)
        if isinstance(found, Outcome):
            return ended(found)
        return chain(found)(call.resolved(found))

    return run
