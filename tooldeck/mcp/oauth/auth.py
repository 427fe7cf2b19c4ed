"""Signing in with the client library's OAuth provider: it does the protocol, this drives it.

The provider is a generator of requests. Those of signing in are sent here, past the guard; only the request
that is to be authorized goes back to the HTTP client. Whatever goes wrong is told, and the server's refusal
stands: an exception would end the whole connection with every call on it.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Awaitable, Callable

import httpx2
from mcp.client.auth import OAuthClientProvider, OAuthFlowError, OAuthRegistrationError
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from pydantic import AnyUrl, BaseModel, ValidationError

from tooldeck.guards.text import one_line
from tooldeck.guards.urls import UrlGuard
from tooldeck.mcp.oauth.browser import Ask, came_back
from tooldeck.mcp.oauth.errands import Errands
from tooldeck.mcp.oauth.keeping import Kept
from tooldeck.mcp.oauth.loopback import free_port
from tooldeck.mcp.oauth.redirect import SignInFailed, check_page, ends_at
from tooldeck.mcp.oauth.signin import SignIn
from tooldeck.store.masking import scrub

__all__ = ["SigningAuth"]

_SHOWN = 300
# Characters of a reason in the library's words.
_BASIC = "client_secret_basic"
_NO_WAY = "it offers no way to do so; give headers={'Authorization': …}"


class SigningAuth(httpx2.Auth):
    """Signs in to the server at `url` when it asks who is there, and renews tokens.

    `ask` puts the request before the person and gives the address they pasted, None when they gave up; it
    raises `SignInFailed` where nobody can be asked. `told` is given the reason when nobody was signed in.
    """

    def __init__(
        self,
        label: str,
        url: str,
        settings: SignIn,
        ask: Ask,
        told: Callable[[str], None],
    ) -> None:
        self._label = label
        self._url = url
        self._settings = settings
        self._ask = ask
        self._told = told
        self._errands = Errands(url, UrlGuard(allow=tuple(settings.allow)))
        self._provider: OAuthClientProvider | None = None
        self._kept = Kept()
        self._page = ""

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Drive the provider for one request."""
        provider = await self._made()
        flow = provider.async_auth_flow(request)
        sent = False
        try:
            outgoing = await anext(flow)
            while True:
                if outgoing is request:
                    sent = True
                    response = yield outgoing
                else:
                    response = await self._errands.send(outgoing)
                    _check_answer(outgoing, response)
                outgoing = await flow.asend(response)
        except StopAsyncIteration:
            return
        except (SignInFailed, OAuthFlowError, ValidationError) as error:
            self._told(self._in_words(error, provider))
        finally:
            await flow.aclose()
        if not sent:
            yield request

    async def _made(self) -> OAuthClientProvider:
        if self._provider is not None:
            return self._provider
        settings, kept = self._settings, await self._settings.kept(self._url)
        self._kept = kept
        kept.port = kept.port or settings.port or free_port()
        redirect = AnyUrl(ends_at(kept.port))
        if settings.client_id is not None:
            kept.client = OAuthClientInformationFull(
                client_id=settings.client_id, client_secret=settings.client_secret, redirect_uris=[redirect]
            )
            if settings.client_secret is not None:
                kept.client.token_endpoint_auth_method = _BASIC
        provider = OAuthClientProvider(
            self._url,
            OAuthClientMetadata(client_name="tooldeck", redirect_uris=[redirect]),
            _Storage(kept, self._save),
            redirect_handler=self._sent_to,
            callback_handler=self._came_back,
            client_metadata_url=settings.client_metadata_url,
        )
        context = provider.context
        context.token_expiry_time = kept.ends_at
        context.oauth_metadata = kept.metadata
        context.protected_resource_metadata = kept.resource
        if kept.resource is not None:
            context.auth_server_url = str(kept.resource.authorization_servers[0])
        self._provider = provider
        return provider

    async def _save(self, tokens: OAuthToken) -> None:
        """Keep new tokens, and what it takes to renew them."""
        assert self._provider is not None  # noqa: S101 - it is the provider that saves
        context, kept = self._provider.context, self._kept
        kept.tokens, kept.ends_at = tokens, None
        if tokens.expires_in is not None:
            kept.ends_at = time.time() + int(tokens.expires_in)
        kept.metadata, kept.resource = context.oauth_metadata, context.protected_resource_metadata
        await self._settings.save(self._url)

    # -- the person ---

    async def _sent_to(self, page: str) -> None:
        self._page = page

    async def _came_back(self) -> AuthorizationCodeResult:
        """Ask the person, and wait until the browser comes back or its address is pasted."""
        check_page(self._page)
        assert self._provider is not None  # noqa: S101 - it is the provider that asks
        metadata = self._provider.context.oauth_metadata
        if metadata is not None and "S256" not in (metadata.code_challenge_methods_supported or ()):
            raise SignInFailed("its authorization server does not say that it protects codes (PKCE, S256)")
        found = await came_back(self._ask, self._label, self._page, self._kept.port, self._settings.seconds)
        return AuthorizationCodeResult(code=found.code, state=found.state, iss=found.iss)

    def _in_words(self, error: Exception, provider: OAuthClientProvider) -> str:
        """Why nobody was signed in, as the end of a sentence, with no secret in it."""
        context = provider.context
        if isinstance(error, OAuthRegistrationError):
            if context.oauth_metadata is None:
                return _NO_WAY
            if context.oauth_metadata.registration_endpoint is None:
                return "its authorization server registers no clients; give sign_in=SignIn(client_id=…)"
        words = (
            one_line(str(error))[:_SHOWN] if not isinstance(error, ValidationError) else "an answer is wrong"
        )
        return scrub(words.rstrip("."), self._kept.secrets)


class _Storage:
    """What the library stores goes to what the user's settings keep."""

    def __init__(self, kept: Kept, save: Callable[[OAuthToken], Awaitable[None]]) -> None:
        self._kept = kept
        self._save = save

    async def get_tokens(self) -> OAuthToken | None:
        return self._kept.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        await self._save(tokens)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self._kept.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self._kept.client = client_info


def _check_answer(request: httpx2.Request, response: httpx2.Response) -> None:
    """Refuse answers that the library would quote in its errors and logs: they may hold secrets."""
    if request.method != "POST" or not response.is_success:
        return
    kind: type[BaseModel] = OAuthToken if b"grant_type=" in request.content else OAuthClientInformationFull
    try:
        kind.model_validate_json(response.content)
    except ValidationError as error:
        place = ".".join(str(step) for step in error.errors()[0]["loc"]) or "JSON"
        raise SignInFailed(f"its authorization server gave a wrong answer: {place}") from None
