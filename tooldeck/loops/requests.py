"""The calls of one reply, put in order: each has an id of its own, and what was cut off is marked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tooldeck.core.canonical import canonical_text
from tooldeck.core.messages import ModelReply, ReplyEnd, ToolAnswer, ToolRequest
from tooldeck.core.parts import Text
from tooldeck.core.result import ToolResult

__all__ = ["CUT_OFF", "answer_to", "in_order", "not_run"]

CUT_OFF = "it was cut off before its end; write it again, shorter or in parts"
"""Why a call that was cut off was not run."""


def in_order(reply: ModelReply, round: int) -> ModelReply:
    """The reply with calls that can be answered one by one.

    A call that comes twice, id and all, is one call. An id that is missing, or that another call has, is
    replaced: nine letters and digits, which every provider takes. The last call of a reply that reached the
    model's output limit counts as cut off.
    """
    kept: list[ToolRequest] = []
    taken: dict[str, ToolRequest] = {}
    for place, request in enumerate(reply.requests):
        known = taken.get(request.id)
        if request.id and known is not None and _same(known, request):
            continue
        mine = request
        if not request.id or known is not None:
            mine = replace(request, id=_free_id(round, place, taken))
        taken[mine.id] = mine
        kept.append(mine)
    if kept and reply.end is ReplyEnd.LENGTH:
        kept[-1] = replace(kept[-1], cut=True)
    requests = tuple(kept)
    if [one.id for one in requests] == [one.id for one in reply.requests]:
        return replace(reply, requests=requests)
    return reply.but(requests=requests)


def _free_id(round: int, place: int, taken: Mapping[str, Any]) -> str:
    number = place
    while (made := f"r{round % 1000:03d}c{number % 10_000:04d}") in taken:
        number += 1
    return made


def _same(one: ToolRequest, other: ToolRequest) -> bool:
    return one.name == other.name and canonical_text(one.arguments) == canonical_text(other.arguments)


def answer_to(request: ToolRequest, result: ToolResult) -> ToolAnswer:
    """What the model is told about a call that was made."""
    notes = tuple(f"[note: {note}]" for note in result.notes)
    parts = result.parts
    if parts and notes:
        parts = (*parts, Text("\n".join(notes)))
    return ToolAnswer(request.id, request.name, result.for_model, result.ok, parts)


def not_run(request: ToolRequest, why: str) -> ToolAnswer:
    """What the model is told about a call that was never made."""
    return ToolAnswer(request.id, request.name, f"Error (not run): {request.name} was not run: {why}.", False)
