"""Waiting for the browser: it comes back by itself, or the person pastes where it ended."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from tooldeck.mcp.oauth.loopback import listening
from tooldeck.mcp.oauth.redirect import Redirected, SignInFailed, SignInRequest, WrongAddress, ends_at

__all__ = ["Ask", "came_back"]

Ask = Callable[[SignInRequest], Awaitable[str | None]]
"""Puts it before the person; gives the pasted address, None when they gave up."""
_THANKS = "Thank you. You can close this page and go back to the notebook."


async def came_back(ask: Ask, label: str, page: str, port: int, seconds: float) -> Redirected:
    """Ask the person to sign in at `page`; gives what the browser brought back.

    Raises `SignInFailed` when it brought a refusal, when the person gave up, or when the time was over.
    """
    back: asyncio.Future[Redirected] = asyncio.get_running_loop().create_future()
    wanted = SignInRequest(label, page, ends_at(port), seconds)

    def came(address: str) -> str:
        try:
            found = wanted.read(address)
        except SignInFailed as failed:
            if not back.done():
                back.set_exception(failed)
            raise
        if not back.done():
            back.set_result(found)
        return _THANKS

    async with listening(port, came) as heard:
        wanted.listening = heard
        return await _first(ask, wanted, back)


async def _first(ask: Ask, wanted: SignInRequest, back: asyncio.Future[Redirected]) -> Redirected:
    """The browser, or the person, whoever is first."""
    asked = asyncio.ensure_future(ask(wanted))
    try:
        await asyncio.wait({asked, back}, timeout=wanted.seconds, return_when=asyncio.FIRST_COMPLETED)
        if back.done():
            wanted.arrived.set()
            return back.result()
        if not asked.done():
            raise SignInFailed(f"nobody came back within {wanted.seconds:g} s")
        pasted = asked.result()
        if pasted is None:
            raise SignInFailed("it was given up")
        return wanted.read(pasted)
    except WrongAddress as wrong:
        raise SignInFailed(f"what was pasted is wrong: {wrong}") from None
    finally:
        back.cancel()
        asked.cancel()
        await asyncio.wait({asked})
