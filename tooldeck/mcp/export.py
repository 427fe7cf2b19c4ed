"""The messages of servers as files: JSON lines, and HAR 1.2, which browsers and HTTP debuggers read.

Secrets are masked in both, as they are in the log of calls.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from tooldeck import __version__
from tooldeck.mcp.connection import Connection
from tooldeck.mcp.frames import Exchange, Frame
from tooldeck.mcp.target import Url
from tooldeck.store.masking import mask, scrub

__all__ = ["har", "masked", "write_log"]

Chosen = Iterable[tuple[Connection, Exchange]]
"""What is to be written: exchanges, each with its server."""


def write_log(chosen: Chosen, path: str | os.PathLike[str]) -> int:
    """Write exchanges into a file, as HAR where its name ends with ``.har``; gives their number.

    Raises `OSError`.
    """
    kept = list(chosen)
    target = Path(path)
    if target.suffix.lower() == ".har":
        text = json.dumps(har(kept), indent=1, ensure_ascii=False)
    else:
        lines = [(frame, made, one) for made, one in kept for frame in one.frames]
        lines.sort(key=lambda line: (line[0].at, line[0].number))
        text = "".join(_line(*line) for line in lines)
    target.write_text(text, encoding="utf-8", errors="backslashreplace")
    return len(kept)


def masked(frame: Frame, exchange: Exchange) -> dict[str, Any]:
    """A message as JSON without its secrets."""
    body = frame.body
    if exchange.method not in ("tools/call", "elicitation/create", "prompts/get"):
        # In a list of tools a key like ``password`` names a parameter, not a secret.
        return json.loads(scrub(json.dumps(body, ensure_ascii=False)))
    for member in ("params", "result"):
        inner = body.get(member)
        if isinstance(inner, dict):
            body[member] = _without_secrets(cast("dict[str, Any]", inner))
    return body


def _without_secrets(given: dict[str, Any]) -> dict[str, Any]:
    meta = given.get("_meta")  # the token of a progress report is none
    clean = mask({key: value for key, value in given.items() if key != "_meta"}).arguments
    return clean if meta is None else {**clean, "_meta": meta}


def _line(frame: Frame, made: Connection, exchange: Exchange) -> str:
    record = {
        "server": made.label,
        "number": frame.number,
        "time": _time(frame),
        "direction": "sent" if frame.sent else "received",
        "message": masked(frame, exchange),
    }
    return json.dumps(record, ensure_ascii=False) + "\n"


def har(chosen: Chosen) -> dict[str, Any]:
    """Exchanges as an HTTP archive: each as if it were a request of its own to the server's address."""
    return {
        "log": {
            "version": "1.2",
            "creator": {"name": "tooldeck", "version": __version__},
            "entries": [_entry(made, one) for made, one in chosen],
        }
    }


def _entry(made: Connection, exchange: Exchange) -> dict[str, Any]:
    request, milliseconds = exchange.request, (exchange.seconds or 0.0) * 1000
    return {
        "startedDateTime": _time(request),
        "time": milliseconds,
        "request": {
            "method": "POST",
            "url": _address(made, exchange, received=not request.sent),
            "queryString": [],
            **_common(made),
            "postData": {
                "mimeType": "application/json",
                "text": json.dumps(masked(request, exchange), ensure_ascii=False),
            },
        },
        "response": _response(made, exchange),
        "cache": {},
        "timings": {"send": 0, "wait": milliseconds, "receive": 0},
        "comment": f"{'client to server' if request.sent else 'server to client'}: "
        f"{exchange.method} {exchange.subject}".strip(),
    }


def _response(made: Connection, exchange: Exchange) -> dict[str, Any]:
    answer = exchange.answer
    text = "" if answer is None else json.dumps(masked(answer, exchange), ensure_ascii=False)
    status, words = (202, "Accepted") if answer is None else (200, "OK")
    if exchange.fault and exchange.fault.startswith("error "):
        status, words = 500, "JSON-RPC error"
    return {
        "status": status,
        "statusText": words,
        **_common(made),
        "content": {"size": len(text.encode()), "mimeType": "application/json", "text": text},
        "redirectURL": "",
    }


def _common(made: Connection) -> dict[str, Any]:
    """What the format wants of both sides and a message does not have."""
    headers = [{"name": "mcp-protocol-version", "value": made.session.protocol}]
    return {
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": headers,
        "headersSize": -1,
        "bodySize": -1,
    }


def _address(made: Connection, exchange: Exchange, *, received: bool) -> str:
    target = made.session.target
    base = target.url if isinstance(target, Url) else f"stdio://{made.label}"
    side = "client" if received else "server"
    return scrub(f"{base}#{side}/{exchange.method}")


def _time(frame: Frame) -> str:
    return datetime.fromtimestamp(frame.at, UTC).isoformat(timespec="milliseconds")
