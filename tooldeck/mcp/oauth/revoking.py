"""Telling an authorization server that tokens are not used any more (RFC 7009)."""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import quote

import httpx2

from tooldeck.guards.urls import UrlGuard
from tooldeck.mcp.oauth.errands import Errands
from tooldeck.mcp.oauth.redirect import SignInFailed
from tooldeck.mcp.oauth.signin import SignIn

__all__ = ["revoke"]

_BASIC = "client_secret_basic"


async def revoke(url: str, settings: SignIn) -> bool:
    """Say that the tokens of the server at `url` are not used any more; False where that cannot be said."""
    kept = await settings.kept(url)
    endpoint = kept.metadata.revocation_endpoint if kept.metadata is not None else None
    if endpoint is None or kept.tokens is None or kept.client is None:
        return False
    errands = Errands(url, UrlGuard(allow=settings.allowed))
    token = kept.tokens.refresh_token or kept.tokens.access_token
    form: dict[str, Any] = {"token": token, "client_id": kept.client.client_id}
    headers: dict[str, str] = {}
    if kept.client.client_secret and kept.client.token_endpoint_auth_method == _BASIC:
        both = f"{quote(kept.client.client_id, safe='')}:{quote(kept.client.client_secret, safe='')}"
        headers["Authorization"] = f"Basic {base64.b64encode(both.encode()).decode()}"
    elif kept.client.client_secret:
        form["client_secret"] = kept.client.client_secret
    try:
        response = await errands.send(httpx2.Request("POST", str(endpoint), data=form, headers=headers))
    except SignInFailed:
        return False
    return response.is_success
