"""One call of a service: the request made of arguments, sent past the URL guard, and its answer read.

What is secret comes from the environment of this program and goes to the address of the service alone:
redirects are not followed, and no message shows it.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from tooldeck.core.errors import ExpectedError, SetupError, TransientError
from tooldeck.core.transient import retry_after
from tooldeck.guards.http import guarded_client
from tooldeck.guards.urls import UrlGuard
from tooldeck.tools.pages.bodies import read_body
from tooldeck.tools.services.bodies import text_of
from tooldeck.tools.services.reading import BODY, Operation, Parameter

__all__ = ["WORKSPACE", "Service"]

WORKSPACE = "_workspace"
"""Under which a call that sends files is given the workspace."""
_SHOWN = 2_000
"""Characters of an answer that are told in an error."""
_TROUBLE = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass
class Service:
    """Where a service is, and how it is reached."""

    title: str
    base: str
    schemes: Mapping[str, Any]
    auth: Mapping[str, str]
    """The environment variable with the secret of each security scheme."""
    guard: UrlGuard = field(default_factory=UrlGuard)
    seconds: float = 30.0
    most_bytes: int = 5_000_000
    transport: Any = None
    """An httpx transport that answers in place of the network."""

    async def call(self, operation: Operation, values: Mapping[str, Any]) -> Any:
        """The answer of an operation: JSON as its value, text as text.

        Raises `UrlRefused`, `ExpectedError` for a refusal of the service, `TransientError` where it is in
        trouble, and `SetupError` where a secret is missing.
        """
        import httpx

        request = self._request(operation, values)
        client = guarded_client(self.guard, redirects=0, seconds=self.seconds, inner=self.transport)
        try:
            async with client, asyncio.timeout(self.seconds), client.stream(**request) as response:
                body = await read_body(response, self.most_bytes)
        except (TimeoutError, httpx.TimeoutException):
            raise TransientError(f"{self.title} took longer than {self.seconds:g} s.") from None
        except httpx.TransportError as error:
            raise TransientError(f"{self.title} cannot be reached: {type(error).__name__}.") from None
        return _answer(self.title, response, body)

    def _request(self, operation: Operation, values: Mapping[str, Any]) -> dict[str, Any]:
        path, query = operation.path, list[tuple[str, str]]()
        headers = {"accept": "application/json, text/*;q=0.8, */*;q=0.5"}
        cookies: dict[str, str] = {}
        for one in operation.parameters:
            if one.argument not in values or values[one.argument] is None:
                continue
            value = values[one.argument]
            if one.where == "path":
                path = path.replace(f"{{{one.name}}}", _in_path(one, value))
            elif one.where == "query":
                query += _in_query(one, value)
            elif one.where == "header":
                headers[one.name] = _one_line(_plain(one, value))
            else:
                cookies[one.name] = _plain(one, value)
        self._sign(operation, query, headers, cookies)
        if cookies:
            headers["cookie"] = "; ".join(f"{name}={quote(value)}" for name, value in cookies.items())
        url = f"{self.base}{path}" + (f"?{urlencode(query)}" if query else "")
        made = {"method": operation.method.upper(), "url": url, "headers": headers}
        if operation.body is None or BODY not in values:
            return made
        return {**made, **operation.body.sent(values[BODY], values.get(WORKSPACE), headers)}

    def _sign(
        self,
        operation: Operation,
        query: list[tuple[str, str]],
        headers: dict[str, str],
        cookies: dict[str, str],
    ) -> None:
        """Add the secrets of the first way of signing in that this program has all secrets for."""
        if not operation.security:
            return
        ways = [
            {name: os.environ.get(self.auth.get(name, ""), "") for name in way} for way in operation.security
        ]
        ready = next((way for way in ways if all(way.values())), None)
        if ready is None:
            needed = " or ".join(
                " and ".join(self.auth.get(name, name) for name in way) for way in operation.security
            )
            raise SetupError(
                f"{operation.name} of {self.title} needs a secret: set the environment variable {needed}."
            )
        for name, secret in ready.items():
            scheme = self.schemes.get(name, {})
            kind, where = scheme.get("type"), scheme.get("in")
            if kind == "apiKey" and where == "query":
                query.append((str(scheme.get("name")), secret))
            elif kind == "apiKey" and where == "cookie":
                cookies[str(scheme.get("name"))] = secret
            elif kind == "apiKey":
                headers[str(scheme.get("name"))] = _one_line(secret)
            else:
                headers["authorization"] = _authorization(str(scheme.get("scheme", "")), secret)


def _authorization(scheme: str, secret: str) -> str:
    """The header for a token; for basic authentication the secret is ``user:password``."""
    if scheme.casefold() == "basic":
        return f"Basic {base64.b64encode(secret.encode()).decode()}"
    return f"Bearer {_one_line(secret)}"


def _in_path(one: Parameter, value: Any) -> str:
    text = _plain(one, value)
    if text in {"", ".", ".."}:
        raise ExpectedError(f"{one.argument} is a part of the address and cannot be {text!r}.")
    return quote(text, safe="," if isinstance(value, list) else "")


def _in_query(one: Parameter, value: Any) -> list[tuple[str, str]]:
    if one.as_json:
        return [(one.name, json.dumps(value))]
    if isinstance(value, Mapping):
        if one.style == "deepObject":
            return [(f"{one.name}[{key}]", text_of(inner)) for key, inner in value.items()]
        if one.explode:
            return [(str(key), text_of(inner)) for key, inner in value.items()]
        return [(one.name, ",".join(f"{key},{text_of(inner)}" for key, inner in value.items()))]
    if isinstance(value, list):
        if one.explode:
            return [(one.name, text_of(inner)) for inner in value]
        between = {"spaceDelimited": " ", "pipeDelimited": "|"}.get(one.style, ",")
        return [(one.name, between.join(map(text_of, value)))]
    return [(one.name, text_of(value))]


def _plain(one: Parameter, value: Any) -> str:
    if one.as_json:
        return json.dumps(value)
    if isinstance(value, list):
        return ",".join(map(text_of, value))
    if isinstance(value, Mapping):
        joint = "=" if one.explode else ","
        return ",".join(f"{key}{joint}{text_of(inner)}" for key, inner in value.items())
    return text_of(value)


def _one_line(text: str) -> str:
    if not text.isprintable() or not text.isascii():
        raise ExpectedError("A header takes plain characters only, on one line.")
    return text


def _answer(title: str, response: Any, body: bytes) -> Any:
    status, kind = response.status_code, response.headers.get("content-type", "")
    text = _decoded(body, kind)
    if status >= 400:
        said = f"{title} answered {status} {response.reason_phrase}: {text[:_SHOWN]}".strip().rstrip(":")
        if status in _TROUBLE:
            raise TransientError(said, retry_after=_wait(response))
        raise ExpectedError(said)
    if 300 <= status < 400:
        where = _host(response.headers.get("location", "")) or "elsewhere"
        raise ExpectedError(f"{title} answered {status} and sends to {where}, where no secret is taken.")
    if not body:
        return {"status": status}
    if "json" in kind.casefold():
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text


def _host(address: str) -> str:
    """Host and port of an address; empty for what is none."""
    try:
        return urlsplit(address).netloc.rpartition("@")[2]
    except ValueError:
        return ""


def _decoded(body: bytes, kind: str) -> str:
    if kind.casefold().startswith(
        ("image/", "audio/", "video/", "application/octet-stream", "application/pdf")
    ):
        return f"({len(body)} bytes of {kind.partition(';')[0]}, which are not shown)"
    return body.decode("utf-8", "replace")


def _wait(response: Any) -> float | None:
    return retry_after(_Told(response)) if "retry-after" in response.headers else None


class _Told(Exception):
    """An exception with the response, as `retry_after` reads one."""

    def __init__(self, response: Any) -> None:
        super().__init__()
        self.response = response
