"""claim: a call of a batch waits while another one uses a resource that it has declared."""

from __future__ import annotations

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.resources import Resources
from tooldeck.core.stages.steer import held
from tooldeck.core.tool import Tool
from tooldeck.core.world import Handler, World


def claim(next: Handler, tool: Tool, world: World) -> Handler:
    """Hold what the final arguments name until the call has ended; cannot act on tools without resources."""
    resources = tool.resources
    if resources is None:
        return next

    async def run(call: ToolCall) -> Outcome:
        claims = call.log.claims
        if claims is None:  # no batch
            return await next(call)
        mine = claims.make(_used(resources, call))
        try:
            if mine.free.done():
                return await next(call)
            call.log.decide("claim", "waited for a resource")
            await world.host.wait(mine.free)
            return held(call) or await next(call)
        finally:
            claims.release(mine)

    return run


def _used(resources: Resources, call: ToolCall) -> frozenset[str] | None:
    try:
        return resources(call.values)
    except Exception:  # noqa: BLE001 - functions of the author may raise anything
        return None
