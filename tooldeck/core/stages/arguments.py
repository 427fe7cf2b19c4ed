"""arguments: raw text or a mapping becomes validated values; all problems at once, every repair noted."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from tooldeck.core.arguments import read_arguments
from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.envelopes import unwrapped
from tooldeck.core.parameters import Checked, Note, Problem, problems_text
from tooldeck.core.repair import folded
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World, ended


def arguments(next: Handler, tool: Tool, world: World) -> Handler:
    """Check the arguments; a call goes on only with values that fit."""
    check = tool.params.check
    schema = tool.parameters
    lenient = world.ignore_unknown if tool.ignore_unknown is None else tool.ignore_unknown

    def run(call: ToolCall) -> Coroutine[Any, Any, Outcome]:
        given, notes, problems = read_arguments(call.raw, schema)
        if problems:
            return ended(_invalid(call, problems))
        checked = check(given)
        if checked.problems:
            meant = _unwrapped(given, tool) or (_without_unknown(given, checked, tool) if lenient else None)
            if meant is None:
                return ended(_invalid(call, checked.problems))
            checked = meant
        if notes or checked.notes:
            repairs = notes + checked.notes
            call.log.notes += repairs
            call.log.decide("arguments", f"noted {len(repairs)}")
        return next(call.checked(checked.arguments, checked.values))

    return run


def _unwrapped(given: dict[str, Any], tool: Tool) -> Checked | None:
    """The arguments out of a wrapping, where they fit then."""
    for inner, words in unwrapped(given, tool.name, tool.parameters):
        checked = tool.params.check(inner)
        if not checked.problems:
            return checked._replace(notes=(Note("arguments", words), *checked.notes))
    return None


def _without_unknown(given: dict[str, Any], refused: Checked, tool: Tool) -> Checked | None:
    """The arguments without those that no parameter has, where they fit then."""
    known = tool.parameters.get("properties", {})
    spelled = {folded(name) for name in known}  # in another spelling it is a repair's business
    refused_names = {problem.path for problem in refused.problems} & set(given)
    unknown = {name for name in refused_names if name not in known and folded(name) not in spelled}
    if not unknown:
        return None
    checked = tool.params.check({name: value for name, value in given.items() if name not in unknown})
    if checked.problems:
        return None
    left_out = ", ".join(repr(name) for name in given if name in unknown)
    note = Note("arguments", f"left out {left_out}, no parameter of {tool.name}")
    return checked._replace(notes=(note, *checked.notes))


def _invalid(call: ToolCall, problems: tuple[Problem, ...]) -> Outcome:
    call.log.decide("arguments", f"{len(problems)} problem{'s' if len(problems) > 1 else ''}")
    return Outcome(Status.INVALID, error=problems_text(call.name, problems), problems=problems)
