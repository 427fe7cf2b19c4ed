"""The client library's providers for those who sign in without a browser, and their proofs."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.client.auth.extensions.client_credentials import (
    ClientCredentialsOAuthProvider,
    PrivateKeyJWTOAuthProvider,
    SignedJWTParameters,
)
from mcp.client.auth.extensions.identity_assertion import IdentityAssertionOAuthProvider
from pydantic import BaseModel, ValidationError

from tooldeck.mcp.oauth.answers import refusal
from tooldeck.mcp.oauth.errands import Errands
from tooldeck.mcp.oauth.redirect import SignInFailed
from tooldeck.mcp.oauth.unattended import Employee, Program

__all__ = ["Provider", "provider_of"]

Provider = OAuthClientProvider | IdentityAssertionOAuthProvider

_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
_ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token"  # noqa: S105 - the name of a kind
_GRANT = "urn:ietf:params:oauth:token-type:id-jag"
_CURVES = {"secp256r1": "ES256", "secp384r1": "ES384", "secp521r1": "ES512"}


def provider_of(
    who: Program | Employee, secret: str | None, url: str, storage: TokenStorage, errands: Errands
) -> Provider:
    """What signs `who` in to the server at `url`. Raises `SignInFailed` for an unusable key."""
    if isinstance(who, Employee):
        return IdentityAssertionOAuthProvider(
            url,
            storage,
            who.client_id,
            secret or "",
            who.issuer,
            _Vouching(who, errands),
            scope=who.scope,
            token_endpoint_auth_method="client_secret_basic",  # noqa: S106 - the name of a way
        )
    if secret is not None:
        return ClientCredentialsOAuthProvider(url, storage, who.client_id, secret, issuer=who.issuer)
    key = who.read_key()
    signed = SignedJWTParameters(
        issuer=who.client_id, subject=who.client_id, signing_key=key, signing_algorithm=_algorithm(key)
    )
    return PrivateKeyJWTOAuthProvider(
        url, storage, who.client_id, signed.create_assertion_provider(), issuer=who.issuer
    )


def _algorithm(key: str) -> str:
    """How a private key signs (RFC 7518, 8037)."""
    try:
        read = load_pem_private_key(key.encode(), None)
    except TypeError:
        raise SignInFailed("the private key of the sign-in has a passphrase; give one without") from None
    except Exception:  # noqa: BLE001 - several kinds, whose words may quote the key
        raise SignInFailed("the private key of the sign-in is no private key in PEM") from None
    if isinstance(read, RSAPrivateKey):
        return "RS256"
    if isinstance(read, Ed25519PrivateKey):
        return "EdDSA"
    if isinstance(read, EllipticCurvePrivateKey) and read.curve.name in _CURVES:
        return _CURVES[read.curve.name]
    raise SignInFailed("the private key of the sign-in is of no kind that signs; RSA, P-256 and Ed25519 do")


class _Granted(BaseModel):
    """What the provider of a company answers."""

    access_token: str
    issued_token_type: str


class _Vouching:
    """Has the company's provider vouch for the employee, for one authorization server and one MCP server."""

    def __init__(self, who: Employee, errands: Errands) -> None:
        self._who = who
        self._errands = errands

    async def __call__(self, issuer: str, resource: str) -> str:
        who = self._who
        form: dict[str, Any] = {
            "grant_type": _EXCHANGE,
            "requested_token_type": _GRANT,
            "audience": issuer,
            "resource": resource,
            "subject_token": await asyncio.to_thread(who.read_id_token),
            "subject_token_type": _ID_TOKEN,
            "client_id": who.provider_client_id,
        }
        if (secret := who.read_provider_secret()) is not None:
            form["client_secret"] = secret
        if who.scope:
            form["scope"] = who.scope
        response = await self._errands.send(httpx2.Request("POST", who.provider, data=form))
        if not response.is_success:
            raise SignInFailed(
                f"the company's provider did not vouch for the employee: {refusal(response, form)}"
            )
        try:
            granted = _Granted.model_validate_json(response.content)
        except ValidationError:
            raise SignInFailed("the company's provider gave a wrong answer") from None
        if granted.issued_token_type != _GRANT:
            raise SignInFailed("the company's provider gave another kind of token than a grant (ID-JAG)")
        return granted.access_token
