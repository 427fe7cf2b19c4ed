"""A server that wants a sign-in, and the authorization server that gives it, which can be told to misbehave.

Prints the ports of both. ``/set?key=value`` of the authorization server sets a fault, ``/set`` clears all;
``/seen`` tells what it was asked for.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
import time
from typing import Any

import uvicorn
from grants import granting, whole  # the neighbour of this file
from mcp.server.auth.provider import AccessToken, AuthorizationCode, RefreshToken, construct_redirect_uri
from mcp.server.auth.routes import build_metadata, create_auth_routes
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions, RevocationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthToken
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route

FAULTS: dict[str, str] = {}
SEEN: dict[str, Any] = {}


def forget() -> None:
    """As at the start."""
    FAULTS.clear()
    SEEN.update(authorized=[], granted=[], refreshed=0, revoked=0, registered=0, tokens=[])


forget()


class Provider:
    def __init__(self, issuer: str) -> None:
        self.issuer = str(AnyHttpUrl(issuer))
        self.clients: dict[str, Any] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.access: dict[str, AccessToken] = {}
        self.refresh: dict[str, RefreshToken] = {}

    async def get_client(self, client_id):
        return self.clients.get(client_id)

    async def register_client(self, client_info):
        SEEN["registered"] += 1
        client_info.scope = "use admin"
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client, params):
        SEEN["authorized"].append({"scopes": params.scopes, "resource": params.resource})
        given = {"state": FAULTS.get("state", params.state), "iss": FAULTS.get("iss", self.issuer)}
        if "error" in FAULTS:
            return construct_redirect_uri(str(params.redirect_uri), error=FAULTS["error"], **given)
        code = secrets.token_urlsafe(24)
        self.codes[code] = AuthorizationCode(
            code=code,
            client_id=client.client_id,
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            **params.model_dump(
                include={"code_challenge", "redirect_uri", "redirect_uri_provided_explicitly", "resource"}
            ),
        )
        return construct_redirect_uri(str(params.redirect_uri), code=code, **given)

    async def load_authorization_code(self, client, authorization_code):
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(self, client, authorization_code):
        del self.codes[authorization_code.code]
        lasts = int(FAULTS.get("lasts", "3600"))
        return self._issued(client, authorization_code.scopes, authorization_code.resource, lasts)

    async def load_refresh_token(self, client, refresh_token):
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(self, client, refresh_token, scopes):
        SEEN["refreshed"] += 1
        return self._issued(client, scopes, refresh_token.resource)

    async def load_access_token(self, token):
        return self.access.get(token)

    async def verify_token(self, token):
        found = self.access.get(token)
        return found if found is not None and (found.expires_at or 0) > time.time() else None

    async def revoke_token(self, token):
        SEEN["revoked"] += 1
        self.access.clear()
        self.refresh.clear()

    def _issued(self, client, scopes, resource, lasts=3600):
        access, refresh = "access-" + secrets.token_urlsafe(24), "refresh-" + secrets.token_urlsafe(24)
        SEEN["tokens"] += [access, refresh]
        common = {"client_id": client.client_id, "scopes": scopes, "resource": resource}
        self.access[access] = AccessToken(token=access, expires_at=int(time.time()) + 3600, **common)
        self.refresh[refresh] = RefreshToken(token=refresh, **common)
        return OAuthToken(
            access_token=access, refresh_token=refresh, expires_in=lasts, scope=" ".join(scopes) or None
        )


def faulty(app, provider, issuer):
    """The authorization server with its faults."""

    async def serve(scope, receive, send):
        path = scope.get("path", "")
        if "metadata" in path or "well-known" in path:
            metadata = build_metadata(
                AnyHttpUrl(issuer),
                None,
                ClientRegistrationOptions(enabled=True),
                RevocationOptions(enabled=True),
            ).model_dump(mode="json", exclude_none=True)
            metadata["authorization_response_iss_parameter_supported"] = True
            metadata.update(json.loads(FAULTS.get("claims", "{}")))
            return await JSONResponse({k: v for k, v in metadata.items() if v is not None})(
                scope, receive, send
            )
        if path == "/register" and "big" in FAULTS:
            return await PlainTextResponse("x" * 1_100_000)(scope, receive, send)
        if path == "/token" and "token" in FAULTS:
            return await PlainTextResponse(FAULTS["token"])(scope, receive, send)
        return await app(scope, receive, send)

    return serve


def guarded(app, provider, issuer):
    """The MCP server; its tool ``admin`` wants more than others, and its challenge can be a wrong one."""

    async def serve(scope, receive, send):
        if scope["type"] != "http" or scope["path"] != "/mcp":
            return await app(scope, receive, send)
        body = await whole(receive)
        headers = dict(scope["headers"])
        token = provider.access.get(headers.get(b"authorization", b"").decode().removeprefix("Bearer "))
        wants_admin = b'"admin"' in body and b"tools/call" in body
        if token is not None and wants_admin and "admin" not in token.scopes:
            challenge = f'Bearer error="insufficient_scope", scope="admin", resource_metadata="{ABOUT}"'
            return await PlainTextResponse("more", 403, {"WWW-Authenticate": challenge})(scope, receive, send)
        if "about" in FAULTS and token is None:
            challenge = f'Bearer resource_metadata="{FAULTS["about"]}"'
            return await PlainTextResponse("who?", 401, {"WWW-Authenticate": challenge})(scope, receive, send)

        told = False

        async def again():
            nonlocal told
            if told:
                return await receive()
            told = True
            return {"type": "http.request", "body": body, "more_body": False}

        return await app(scope, again, send)

    return serve


async def set_faults(request):
    forget()
    FAULTS.update(request.query_params)
    return PlainTextResponse("set")


async def seen(request):
    return JSONResponse(SEEN)


server_socket, issuer_socket = (socket.create_server(("127.0.0.1", 0)) for _ in range(2))
SERVER = f"http://127.0.0.1:{server_socket.getsockname()[1]}"
ISSUER = f"http://127.0.0.1:{issuer_socket.getsockname()[1]}"
ABOUT = f"{SERVER}/.well-known/oauth-protected-resource/mcp"
provider = Provider(ISSUER)
server = MCPServer(
    "guarded",
    token_verifier=provider,
    auth=AuthSettings(
        issuer_url=AnyHttpUrl(ISSUER),
        resource_server_url=AnyHttpUrl(f"{SERVER}/mcp"),
        required_scopes=["use"],
        validate_token_resource=True,
    ),
)


@server.tool()
def whisper() -> str:
    return "hush"


@server.tool()
def admin() -> str:
    return "done"


routes = create_auth_routes(
    provider,
    AnyHttpUrl(ISSUER),
    client_registration_options=ClientRegistrationOptions(enabled=True, valid_scopes=["use", "admin"]),
    revocation_options=RevocationOptions(enabled=True),
)
authorization = Starlette(routes=[*routes, Route("/set", set_faults), Route("/seen", seen)])


async def main() -> None:
    ways = [
        (guarded(server.streamable_http_app(), provider, ISSUER), server_socket),
        (
            faulty(granting(authorization, provider, SERVER, FAULTS, SEEN), provider, ISSUER),
            issuer_socket,
        ),
    ]
    print(SERVER, ISSUER, flush=True)
    await asyncio.gather(
        *(
            uvicorn.Server(uvicorn.Config(app, log_level="error")).serve(sockets=[listener])
            for app, listener in ways
        )
    )


asyncio.run(main())
