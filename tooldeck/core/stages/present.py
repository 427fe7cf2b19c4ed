"""present: on the way out, once, the text that a model is given. The value stays untouched and whole."""

from __future__ import annotations

from typing import Any

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.model_text import error_text, value_text
from tooldeck.core.vocabulary import Status, Trust
from tooldeck.core.world import Handler, World

_FROM_OUTSIDE = {Status.OK, Status.FAILED}


def present(next: Handler, tool: Any, world: World) -> Handler:
    """Make the text: cut to size, and fenced where the tool's output is untrusted, errors included."""

    async def run(call: ToolCall) -> Outcome:
        outcome = await next(call)
        found = (call.log.call or call).tool
        limit = found.max_chars if found is not None else 4_000
        if outcome.status is Status.OK:
            text = value_text(outcome.value, limit)
        else:
            text = error_text(outcome.status, outcome.error or "", limit)
        if found is not None and found.trust is Trust.UNTRUSTED and outcome.status in _FROM_OUTSIDE:
            text = world.fence(text, f"{found.name} ({found.origin})")
        return Outcome(*outcome[:-1], text)

    return run
