"""What the servers written by hand have in common: the lines, and the answers that need no thought."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable

OBJECT = {"type": "object"}
out = sys.stdout.buffer
lock = threading.Lock()


def send(message: dict) -> None:
    with lock:
        out.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        out.flush()


def answer_beside(message: dict, name: str, methods: dict[str, Callable[[dict], dict | None]]) -> None:
    """Answer a request on a thread of its own, by one of `methods` of the server called `name`."""
    threading.Thread(target=_answer, args=(message, name, methods), daemon=True).start()


def _answer(message: dict, name: str, methods: dict[str, Callable[[dict], dict | None]]) -> None:
    method = message["method"]
    if method == "initialize":
        result = {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {"listChanged": True}, "logging": {}},
            "serverInfo": {"name": name, "version": "1"},
        }
    elif method in ("ping", "logging/setLevel"):
        result = {}
    elif method in methods:
        result = methods[method](message)
    else:
        send({"id": message["id"], "error": {"code": -32601, "message": f"no {method}"}})
        return
    if result is not None:  # a call that was cancelled is not answered
        send({"id": message["id"], "result": result})
