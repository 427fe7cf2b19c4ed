"""Asking the person at the notebook to sign in to a server: a card, or the address and a prompt."""

from __future__ import annotations

import asyncio
from typing import Any

from tooldeck.guards.text import one_line
from tooldeck.mcp.oauth.redirect import SignInFailed, SignInRequest, WrongAddress
from tooldeck.notebook.approvals import RENDER_WITHIN, show_in_place
from tooldeck.notebook.kernel.environment import Audience, audience, why_nobody
from tooldeck.notebook.kernel.jobs import post
from tooldeck.notebook.places import current_place
from tooldeck.notebook.questions import in_cell
from tooldeck.notebook.say import say

__all__ = ["ask_to_sign_in"]

_TRIES = 5
# Wrong addresses that are pasted before it is given up.


async def ask_to_sign_in(request: SignInRequest, render_within: float = RENDER_WITHIN) -> str | None:
    """The pasted address; None when the person gave up. Cancelled when the browser came back by itself.

    `render_within` is the seconds a front end has to draw the card, before typing is tried instead.
    """
    reach = audience()
    if reach is Audience.NOBODY:
        raise SignInFailed(
            f"nobody can be asked here ({why_nobody()}); sign in where a person is (%mcp login), or give "
            "headers={'Authorization': …}"
        )
    if reach is Audience.STDIN:
        return await in_cell(_typed, request)
    card = await in_cell(_show_card, request)
    try:
        await asyncio.wait([asyncio.wrap_future(card.rendered)], timeout=render_within)
        if not card.rendered.done() and card.answer.cancel():
            typed = await in_cell(_typed, request)
            card.settle(given_up=typed is None)
            return typed
        return await asyncio.wrap_future(card.answer)
    except asyncio.CancelledError:
        card.over(arrived=request.arrived.is_set())
        raise
    finally:
        post(card.keep, place=current_place())


def _show_card(request: SignInRequest) -> Any:
    from tooldeck.notebook.widgets.signin import SignInCard

    card = SignInCard(request)
    card.shown_by(show_in_place(card))
    return card


def _typed(request: SignInRequest) -> str | None:
    """Show the address and wait for where the browser ended; an empty line gives up, or says it came back."""
    say(f"{request.server} wants you to sign in. Visit this page of {one_line(request.host)}:")
    say(one_line(request.page))
    for _ in range(_TRIES):
        if request.arrived.is_set():
            return None
        try:
            pasted = input("Paste the address at which the browser ended (empty when it said thanks): ")
        except EOFError:
            return None
        if not pasted.strip():
            return None
        try:
            request.read(pasted)
        except WrongAddress as wrong:
            say(str(wrong))
        else:
            return pasted
    return None
