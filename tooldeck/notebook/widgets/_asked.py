"""What the page of an approval card is told of the question, and how it sends arguments back."""

import json
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from tooldeck.core.approval import ApprovalRequest, Scope
from tooldeck.core.credentials import without_logins
from tooldeck.guards.text import json_text
from tooldeck.hosts.blocking import BlockingHost, step
from tooldeck.hosts.threads import start
from tooldeck.notebook import facts
from tooldeck.notebook.diffs import diff_rows, diff_size
from tooldeck.notebook.widgets._panel import shown_pieces

__all__ = ["SCOPES", "asked", "drawn_preview", "foreseen", "parse_arguments"]

SCOPES = {
    Scope.ONCE: "this time",
    Scope.EXACT: "this exact call",
    Scope.SESSION: "this tool, this session",
    Scope.ALWAYS: "this tool, always",
}


def asked(request: ApprovalRequest) -> dict[str, Any]:
    """The question as the page draws it."""
    tool, call = request.tool, request.call
    return {
        "request": request.id,
        "tool": shown_pieces(tool.name),
        "asked": shown_pieces(facts.asked_by(call)),
        "powers": facts.powers(tool),
        "trust": facts.trust(tool, request.provenance),
        "trusted": facts.trusted(tool, request.provenance),
        "risk": str(tool.risk),
        "origin": shown_pieces(facts.origin(tool.origin)),
        "rule": shown_pieces(request.rule),
        "description": shown_pieces(tool.description),
        "notes": [shown_pieces(str(note)) for note in call.log.notes],
        "arguments": [
            {
                "name": shown_pieces(given.name),
                "value": shown_pieces(given.text),
                "length": given.length,
                "block": given.block,
            }
            for given in facts.arguments(call.arguments)
        ],
        "preview": drawn_preview(request.preview),
        "editable": _editable(call.arguments),
        "harmless": tool.effects is not None and not tool.effects,
        "scopes": [{"value": scope.value, "label": SCOPES[scope]} for scope in request.scopes],
        "stoppable": call.caller.run is not None,
    }


def drawn_preview(text: str | None) -> dict[str, Any] | None:
    """A preview as rows of a diff where it is one, else as text."""
    if text is None:
        return None
    rows = diff_rows(text)
    if rows is None:
        length = facts.count(len(text), "character")
        return {"rows": None, "text": shown_pieces(text), "size": length}
    drawn = [[row.kind, row.number, shown_pieces(row.text)] for row in rows]
    return {"rows": drawn, "text": [], "size": diff_size(rows)}


def _editable(arguments: Mapping[str, Any]) -> str | None:
    """The arguments as JSON to edit, or None when JSON cannot hold them exactly or they must not be shown."""
    if without_logins(arguments) is not arguments:
        return None
    try:
        text = json_text(dict(arguments))
        same = json.loads(text) == dict(arguments)
    except (TypeError, ValueError, RecursionError):
        return None
    return text if same is True else None


def foreseen(request: ApprovalRequest, arguments: Mapping[str, Any]) -> Future[str | None]:
    """The preview of the call with edited arguments that fit; made on a thread, since it may take seconds."""
    foresee = request.foresee

    async def preview() -> str | None:
        return None if foresee is None else await foresee(BlockingHost(), arguments)

    return start(lambda: step(preview()), "preview")


def parse_arguments(text: Any) -> dict[str, Any]:
    """Arguments from JSON text; raises `ValueError` or `TypeError` saying what is wrong with it."""
    if not isinstance(text, str):
        raise TypeError("the edited arguments are no text")
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except json.JSONDecodeError as fault:
        place = f"line {fault.lineno}, column {fault.colno}"
        raise ValueError(f"this is not JSON yet: {fault.msg} in {place}") from None
    if not isinstance(value, dict):
        raise TypeError("the arguments must be one JSON object, in braces")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object in which no name stands twice, so that what is read is what runs."""
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice!r} stands twice in one object")
    return made


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")
