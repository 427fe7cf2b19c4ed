"""The grants for those who sign in without a browser, and a company's identity provider at ``/company``."""

from __future__ import annotations

import base64
from types import SimpleNamespace
from urllib.parse import parse_qs, unquote

import jwt
from starlette.responses import JSONResponse

CLIENT = "reports"
SECRET = "odd: /secret+100%"
ID_TOKEN = "id-token-of-the-person"
_PREFIX = "urn:ietf:params:oauth:"
_BETWEEN = "a secret of the company's provider and the server's"


class Refused(Exception):
    """The error of OAuth to answer with."""


async def whole(receive):
    """The body of a request."""
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            return body


def granting(app, provider, server, faults, seen):
    """The authorization server `app`, which also knows programs and employees."""

    async def serve(scope, receive, send):
        if scope.get("path") not in {"/token", "/company"} or scope["method"] != "POST":
            return await app(scope, receive, send)
        body = await whole(receive)
        form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        if form.get("grant_type") in {"authorization_code", "refresh_token"}:
            return await app(scope, lambda: _again(body), send)
        seen["granted"].append({"at": scope["path"], **form})
        login = dict(scope["headers"]).get(b"authorization", b"").decode()
        try:
            if scope["path"] == "/company":
                answer = _vouched(form, faults)
            else:
                _check(form, login, provider.issuer, f"{server}/mcp", faults)
                issued = provider._issued(SimpleNamespace(client_id=CLIENT), ["use"], f"{server}/mcp")
                answer = issued.model_dump(exclude_none=True) | {
                    "expires_in": int(faults.get("lasts", "3600"))
                }
                answer.pop("refresh_token")
            response = JSONResponse(answer)
        except Refused as refused:
            said = {"error": str(refused), "error_description": f"not with {SECRET} or {form}"}
            response = JSONResponse(said, 401)
        return await response(scope, receive, send)

    return serve


async def _again(body):
    return {"type": "http.request", "body": body, "more_body": False}


def _check(form, login, issuer, resource, faults):
    if "refuse" in faults:
        raise Refused(faults["refuse"])
    if "client_assertion" in form:
        try:
            found = jwt.decode(
                form["client_assertion"],
                faults["public"],
                algorithms=["RS256", "ES256", "EdDSA"],
                audience=issuer,
                options={"require": ["exp", "iat", "jti"]},
            )
        except jwt.InvalidTokenError as error:
            raise Refused("invalid_client") from error
        if found["iss"] != CLIENT or found["sub"] != CLIENT:
            raise Refused("invalid_client")
        return
    name, _, secret = base64.b64decode(login.removeprefix("Basic ")).decode().partition(":")
    if (unquote(name), unquote(secret)) != (CLIENT, SECRET):
        raise Refused("invalid_client")
    if form["grant_type"] == f"{_PREFIX}grant-type:jwt-bearer":
        found = jwt.decode(form["assertion"], _BETWEEN, algorithms=["HS256"], audience=issuer)
        if found["resource"] != resource:
            raise Refused("invalid_grant")
    elif form["grant_type"] != "client_credentials":
        raise Refused("unsupported_grant_type")


def _vouched(form, faults):
    if (form["grant_type"], form["subject_token"]) != (f"{_PREFIX}grant-type:token-exchange", ID_TOKEN):
        raise Refused("invalid_grant")
    grant = jwt.encode({"aud": form["audience"], "resource": form["resource"]}, _BETWEEN, algorithm="HS256")
    kind = faults.get("kind", f"{_PREFIX}token-type:id-jag")
    return {"access_token": grant, "issued_token_type": kind, "token_type": "N_A"}
