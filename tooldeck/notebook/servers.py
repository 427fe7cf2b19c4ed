"""What an MCP server wants of the notebook in the middle of a call: answers, progress bars, log lines.

Handlers run on the session's thread; whatever touches the screen is posted to the thread of the cell that
waits, so that it lands in that cell.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from tooldeck.core.call import current_call
from tooldeck.mcp.handlers import Answer, Handlers, LogLine, Progress, Question
from tooldeck.notebook.approvals import RENDER_WITHIN, ApprovalDesk, show_in_place
from tooldeck.notebook.kernel.environment import Audience, audience
from tooldeck.notebook.kernel.jobs import post
from tooldeck.notebook.places import current_place
from tooldeck.notebook.progress import ProgressBars
from tooldeck.notebook.say import say

__all__ = ["make_handlers"]

T = TypeVar("T")
_QUIET = {"debug"}
"""Log levels that are not shown in the cell."""


def make_handlers(desk: ApprovalDesk, bars: ProgressBars) -> Handlers:
    """Handlers that put questions, progress and logs into the waiting cell."""

    async def answered(question: Question) -> Answer:
        return await answer(question, desk.render_within)

    async def moved(report: Progress) -> None:
        call = current_call()
        key = call.id if call is not None else f"{report.server}/{report.tool}"
        title = f"{report.server}: {report.tool}"
        shown = bars.move(key, title, report.progress, report.total, report.message)
        if shown is not None and not shown.done():
            await asyncio.shield(asyncio.wrap_future(shown))

    return Handlers(on_elicit=answered, on_progress=moved, on_log=_log)


async def answer(question: Question, render_within: float = RENDER_WITHIN) -> Answer:
    """Put a server's question before the person; declined where nobody can answer.

    `render_within` is the seconds a front end has to draw the card, before typing is tried instead.
    """
    from tooldeck.notebook.prompts import ask_by_text

    reach = audience()
    if reach is Audience.NOBODY:
        return Answer("decline")
    if reach is Audience.STDIN:
        return await _in_cell(ask_by_text, question)
    card = await _in_cell(_show_card, question)
    try:
        # Not `wait_for`: a time-out there would cancel the card's own future.
        await asyncio.wait([asyncio.wrap_future(card.rendered)], timeout=render_within)
        if not card.rendered.done() and card.answer.cancel():
            typed = await _in_cell(ask_by_text, question)
            card.settle(typed)
            return typed
        return await asyncio.wrap_future(card.answer)
    except asyncio.CancelledError:
        card.interrupt()
        raise


def _show_card(question: Question) -> Any:
    from tooldeck.notebook.widgets.question import QuestionCard

    card = QuestionCard(question)
    show_in_place(card)
    return card


async def _in_cell(function: Callable[..., T], *args: Any) -> T:
    future: Future[T] = post(function, *args, place=current_place())
    return await asyncio.wrap_future(future)


async def _log(line: LogLine) -> None:
    if line.level in _QUIET:
        return
    name = f" {line.logger}" if line.logger else ""
    text = line.data if isinstance(line.data, str) else repr(line.data)
    await _in_cell(say, f"[{line.server}{name} {line.level}] {text}")
