"""Putting a question before the person at the notebook: a card, a prompt, or the answer that nobody is there.

Runs on any loop, mostly that of the background thread; whatever touches the screen is posted to the thread of
the cell that waits, so that it lands in that cell.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from tooldeck.core.questions import Answer, Question
from tooldeck.hosts.questions import ask_by_text, ask_on_terminal
from tooldeck.notebook.approvals import RENDER_WITHIN, show_in_place
from tooldeck.notebook.kernel.adapter import running_kernel
from tooldeck.notebook.kernel.environment import Audience, audience, why_nobody
from tooldeck.notebook.kernel.jobs import post
from tooldeck.notebook.places import current_place

__all__ = ["answer", "in_cell"]

T = TypeVar("T")


async def answer(question: Question, render_within: float = RENDER_WITHIN) -> Answer:
    """The person's answer, by whatever this front end can do.

    `render_within` is the seconds a front end has to draw the card, before typing is tried instead.
    """
    reach = audience()
    if reach is Audience.NOBODY:
        return Answer("nobody", note=why_nobody())
    if reach is Audience.STDIN:
        typing = running_kernel() is not None
        return await in_cell(ask_by_text, question) if typing else await ask_on_terminal(question)
    card, kept = await in_cell(_show_card, question)
    try:
        told = await _told(question, card, render_within)
    except asyncio.CancelledError:
        card.interrupt()
        post(_keep, card, kept, place=current_place())
        raise
    await in_cell(_keep, card, kept)
    return told


async def _told(question: Question, card: Any, render_within: float) -> Answer:
    # Not `wait_for`: a time-out there would cancel the card's own future.
    await asyncio.wait([asyncio.wrap_future(card.rendered)], timeout=_patience(question, render_within))
    if not card.rendered.done() and card.answer.cancel():
        typed = await in_cell(ask_by_text, question)
        card.settle(typed)
        return typed
    await asyncio.wait([asyncio.wrap_future(card.answer)], timeout=question.timeout)
    if not card.answer.done() and card.answer.cancel():
        card.settle(Answer("late"))
        return Answer("late")
    return card.answer.result()


def _patience(question: Question, render_within: float) -> float:
    return render_within if question.timeout is None else min(render_within, question.timeout)


def _show_card(question: Question) -> tuple[Any, Any]:
    """The card, and the handle of the output that shows it; None in the tray of a form."""
    from tooldeck.notebook.widgets.question import QuestionCard

    card = QuestionCard(question)
    return card, show_in_place(card)


def _keep(card: Any, output: Any) -> None:
    """Leave how it ended in the output, as text and HTML that need no kernel any more."""
    if output is not None:
        output.update({"text/plain": repr(card), "text/html": card.html()}, raw=True)


async def in_cell(function: Callable[..., T], *args: Any) -> T:
    """Call a function on the thread of the waiting cell that this context belongs to."""
    future: Future[T] = post(function, *args, place=current_place())
    return await asyncio.wrap_future(future)
