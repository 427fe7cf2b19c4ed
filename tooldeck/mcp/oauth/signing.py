"""Signing in for one session: who may be asked, when, and what became of it."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from tooldeck.core.errors import TooldeckError
from tooldeck.mcp.life import State
from tooldeck.mcp.oauth.redirect import SignInFailed, SignInRequest
from tooldeck.mcp.oauth.signin import SignIn

if TYPE_CHECKING:
    from tooldeck.mcp.calls import CallsInFlight
    from tooldeck.mcp.session import Session

__all__ = ["Signing"]

_NOBODY = (
    "nobody can be asked here; sign in where a person is (%mcp login in a notebook), or give "
    "headers={'Authorization': …}"
)


class Signing:
    """Asks the person of a session to sign in, once while it connects, and for calls that need it."""

    def __init__(self, session: Session, calls: CallsInFlight, settings: SignIn) -> None:
        self.settings = settings
        self.trouble = ""
        """Why nobody was signed in while the session connected."""
        self._session = session
        self._calls = calls

    def auth(self, url: str) -> Any:
        """What authorizes the requests of the HTTP client."""
        from tooldeck.mcp.oauth.auth import SigningAuth

        return SigningAuth(self._session.label, url, self.settings, self._ask, self._told)

    async def _ask(self, request: SignInRequest) -> str | None:
        """Put it before the person; raises `SignInFailed` where there is none, and where asking fails."""
        handler = self._session.handlers.on_sign_in
        if handler is None:
            raise SignInFailed(_NOBODY)
        with self._waiting():
            try:
                return await self._calls.ask(handler, request)
            except TooldeckError as error:
                raise SignInFailed(str(error).rstrip(".")) from None
            except Exception as error:  # noqa: BLE001 - a handler of the user's
                raise SignInFailed(f"asking for it failed ({type(error).__name__}: {error})") from None

    def _waiting(self) -> AbstractContextManager[None]:
        """Whoever waits for it now, with the clock stopped; raises `SignInFailed` where nobody does."""
        session = self._session
        if session.state is State.CONNECTING and session.opening is not None:
            if self.trouble:  # it was asked for this connection already
                raise SignInFailed(self.trouble)
            return session.opening.stopped()
        if self._calls.current() is None:
            raise SignInFailed("nobody waits for it now; sign in again with %mcp login")
        return nullcontext()

    def _told(self, why: str) -> None:
        call = self._calls.current()
        if self._session.state is State.CONNECTING:
            self.trouble = why
        elif call is not None:
            call.unauthorized = why
