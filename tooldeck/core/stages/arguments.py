"""arguments: raw text or a mapping becomes validated values; all problems at once, every repair noted."""

from __future__ import annotations

from tooldeck.core.arguments import read_arguments
from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.parameters import Problem, problems_text
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World


def arguments(next: Handler, tool: Tool, world: World) -> Handler:
    """Check the arguments; a call goes on only with values that fit."""
    check = tool.params.check

    async def run(call: ToolCall) -> Outcome:
        raw = call.raw
        if type(raw) is not dict:
            given, notes, problems = read_arguments(raw)
            if problems:
                return _invalid(call, tuple(problems))
            call.log.notes += notes
        else:
            given = raw
        checked = check(given)
        if checked.problems:
            return _invalid(call, checked.problems)
        if checked.notes:
            call.log.notes += checked.notes
        if call.log.notes:
            call.log.decide("arguments", f"repaired {len(call.log.notes)}")
        return await next(call.checked(checked.arguments, checked.values))

    return run


def _invalid(call: ToolCall, problems: tuple[Problem, ...]) -> Outcome:
    call.log.decide("arguments", f"{len(problems)} problem{'s' if len(problems) > 1 else ''}")
    return Outcome(Status.INVALID, error=problems_text(call.name, problems), problems=problems)
