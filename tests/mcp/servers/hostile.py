"""A server that means harm: the first argument is how its list looks, tools do the rest."""

from __future__ import annotations

import json
import os
import sys
import threading

SHAPE = sys.argv[1] if len(sys.argv) > 1 else ""
OBJECT = {"type": "object"}
TOOLS = ["echo", "progress", "logs", "questions", "changes", "line"]
out = sys.stdout.buffer
lock = threading.Lock()
lists_read = 0


def send(message: dict) -> None:
    with lock:
        out.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        out.flush()


def listed(cursor: str | None) -> dict:
    if SHAPE == "many":
        return {"tools": [{"name": f"t{number}", "inputSchema": OBJECT} for number in range(5000)]}
    if SHAPE == "endless":
        page = int(cursor or 0)
        tools = [{"name": f"t{page}-{number}", "inputSchema": OBJECT} for number in range(500)]
        return {"tools": tools, "nextCursor": str(page + 1)}
    names = ["_repr_html_", "_ipython_display_", "__class__"] if SHAPE == "display" else []
    return {"tools": [{"name": name, "inputSchema": OBJECT} for name in [*TOOLS, *names]]}


def call(params: dict) -> str:
    name, count = params["name"], params.get("arguments", {}).get("count", 0)
    token = params.get("_meta", {}).get("progressToken")
    for number in range(count):
        if name == "progress":
            done = {"progressToken": token, "progress": number + 1, "total": count}
            send({"method": "notifications/progress", "params": done})
        elif name == "logs":
            send({"method": "notifications/message", "params": {"level": "warning", "data": str(number)}})
        elif name == "changes":
            send({"method": "notifications/tools/list_changed"})
        elif name == "questions":
            asked = {"message": "Name?", "requestedSchema": {"type": "object", "properties": {}}}
            send({"id": f"q{number}", "method": "elicitation/create", "params": asked})
        elif name == "line":
            with lock:
                out.write(b"x" * 1_000_000)
    return str(lists_read)


def answer(message: dict) -> None:
    global lists_read
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        result = {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {"listChanged": True}, "logging": {}},
            "serverInfo": {"name": "hostile", "version": "1"},
        }
    elif method == "tools/list":
        lists_read += 1
        result = listed(params.get("cursor"))
    elif method == "tools/call":
        result = {"content": [{"type": "text", "text": call(params)}]}
    elif method in ("ping", "logging/setLevel"):
        result = {}
    else:
        send({"id": message["id"], "error": {"code": -32601, "message": f"no {method}"}})
        return
    send({"id": message["id"], "result": result})


def flood_stderr() -> None:
    while True:
        os.write(2, b"e" * 65_535 + b"\n")


if SHAPE == "stderr":
    threading.Thread(target=flood_stderr, daemon=True).start()
try:
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if "method" in request and "id" in request:
            threading.Thread(target=answer, args=(request,), daemon=True).start()
finally:
    os._exit(0)
