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
from mcp.client.auth.oauth2 import OAuthContext
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from pydantic import AnyUrl, ValidationError

from tooldeck.guards.text import one_line
from tooldeck.guards.urls import UrlGuard
from tooldeck.mcp.oauth.answers import check_answer
from tooldeck.mcp.oauth.browser import Ask, came_back
from tooldeck.mcp.oauth.errands import Errands
from tooldeck.mcp.oauth.keeping import Kept
from tooldeck.mcp.oauth.loopback import free_port
from tooldeck.mcp.oauth.providers import Provider, provider_of
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
        self._errands = Errands(url, UrlGuard(allow=settings.allowed))
        self._provider: Provider | None = None
        self._kept = Kept()
        self._page = ""

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Drive the provider for one request."""
        try:
            provider = await self._made()
        except SignInFailed as error:  # a program without its secret
            self._told(str(error))
            yield request
            return
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
                    check_answer(outgoing, response)
                outgoing = await flow.asend(response)
        except StopAsyncIteration:
            return
        except (SignInFailed, OAuthFlowError, ValidationError) as error:
            self._told(self._in_words(error))
        finally:
            await flow.aclose()
        if not sent:
            yield request

    async def _made(self) -> Provider:
        if self._provider is None:
            self._kept = await self._settings.kept(self._url)
            storage, by = _Storage(self._kept, self._save), self._settings.by
            if by is None:
                self._provider = self._of_person(storage)
            else:
                secret = by.read_secret()
                if secret is not None:
                    self._kept.client = _registered(by.client_id, secret, None)
                self._provider = provider_of(by, secret, self._url, storage, self._errands)
        return self._provider

    def _of_person(self, storage: _Storage) -> Provider:
        settings, kept = self._settings, self._kept
        kept.port = kept.port or settings.port or free_port()
        redirect = AnyUrl(ends_at(kept.port))
        if settings.client_id is not None:
            kept.client = _registered(settings.client_id, settings.client_secret, [redirect])
        provider = OAuthClientProvider(
            self._url,
            OAuthClientMetadata(client_name="tooldeck", redirect_uris=[redirect]),
            storage,
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
        return provider

    @property
    def _context(self) -> OAuthContext | None:
        """What the library found out of the authorization server; None where the user said it all."""
        return self._provider.context if isinstance(self._provider, OAuthClientProvider) else None

    async def _save(self, tokens: OAuthToken) -> None:
        """Keep new tokens, and what it takes to renew them."""
        context, kept = self._context, self._kept
        kept.tokens, kept.ends_at = tokens, None
        if tokens.expires_in is not None:
            kept.ends_at = time.time() + int(tokens.expires_in)
        if context is not None:
            kept.metadata, kept.resource = context.oauth_metadata, context.protected_resource_metadata
        await self._settings.save(self._url)

    # -- the person ---

    async def _sent_to(self, page: str) -> None:
        self._page = page

    async def _came_back(self) -> AuthorizationCodeResult:
        """Ask the person, and wait until the browser comes back or its address is pasted."""
        check_page(self._page)
        metadata = self._context.oauth_metadata if self._context is not None else None
        if metadata is not None and "S256" not in (metadata.code_challenge_methods_supported or ()):
            raise SignInFailed("its authorization server does not say that it protects codes (PKCE, S256)")
        found = await came_back(self._ask, self._label, self._page, self._kept.port, self._settings.seconds)
        return AuthorizationCodeResult(code=found.code, state=found.state, iss=found.iss)

    def _in_words(self, error: Exception) -> str:
        """Why nobody was signed in, as the end of a sentence, with no secret in it."""
        context = self._context
        if isinstance(error, OAuthRegistrationError) and context is not None:
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


def _registered(
    client_id: str, secret: str | None, redirects: list[AnyUrl] | None
) -> OAuthClientInformationFull:
    """A client that the authorization server knows already."""
    client = OAuthClientInformationFull(client_id=client_id, client_secret=secret, redirect_uris=redirects)
    if secret is not None:
        client.token_endpoint_auth_method = _BASIC
    return client
