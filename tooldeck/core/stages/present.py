"""present: on the way out, once, the text that a model is given. The value stays untouched and whole."""

from __future__ import annotations

from typing import Any

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.model_text import error_text, value_text
from tooldeck.core.strangers import error_words
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status, Trust
from tooldeck.core.world import Handler, World

_FROM_OUTSIDE = {Status.OK, Status.FAILED, Status.TRIPPED}
"""The ends whose text has words of the tool in it; a tripped call repeats the last error."""
_UNRESOLVED_CHARS = 4_000
# Bound once: reading a member off its Enum costs 0.1 µs on Python 3.11, and this runs for every call.
_OK, _UNTRUSTED = Status.OK, Trust.UNTRUSTED


def present(next: Handler, tool: Any, world: World) -> Handler:
    """Make the text: cut to size, and fenced where the tool's output is untrusted, errors included."""

    async def run(call: ToolCall) -> Outcome:
        try:
            outcome = await next(call)
        except Exception as error:  # noqa: BLE001 - an argument or setting of strangers raised in a stage
            outcome = Outcome(Status.FAILED, error=error_words(error), exception=error)
        found = (call.log.call or call).tool
        limit = found.max_chars if found is not None else _UNRESOLVED_CHARS
        if outcome.text:
            text = outcome.text  # another call's result, presented there
        elif outcome.status is _OK:
            text = value_text(outcome.value, limit)
        else:
            text = error_text(outcome.status, outcome.error or "", limit)
        if found is not None and outcome.status in _FROM_OUTSIDE and _comes_from_outside(found):
            text = world.fence(text, f"{found.name} ({found.origin})")
        call.log.text = text
        return outcome

    return run


def _comes_from_outside(tool: Tool) -> bool:
    """Whatever a remote tool claims of itself, its output is another program's."""
    return tool.trust is _UNTRUSTED or tool.origin.remote
