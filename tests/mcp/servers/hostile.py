"""A server that means harm: the first argument is how its list looks, tools do the rest."""

from __future__ import annotations

import json
import os
import sys
import threading

from wire import OBJECT, answer_beside, lock, out, send

SHAPE = sys.argv[1] if len(sys.argv) > 1 else ""
TOOLS = ["echo", "progress", "logs", "questions", "nag", "changes", "line", "say"]
lists_read = 0
answers = threading.Semaphore(0)


def listed(message: dict) -> dict:
    global lists_read
    lists_read += 1
    cursor = message.get("params", {}).get("cursor")
    if SHAPE == "many":
        return {"tools": [{"name": f"t{number}", "inputSchema": OBJECT} for number in range(5000)]}
    if SHAPE == "endless":
        page = int(cursor or 0)
        tools = [{"name": f"t{page}-{number}", "inputSchema": OBJECT} for number in range(500)]
        return {"tools": tools, "nextCursor": str(page + 1)}
    names = ["_repr_html_", "_ipython_display_", "__class__"] if SHAPE == "display" else []
    return {"tools": [{"name": name, "inputSchema": OBJECT} for name in [*TOOLS, *names]]}


def say(message: dict, lines: list[str], token: object) -> None:
    """Whatever lines one likes; %ID% and %TOKEN% stand for those of this call."""
    for line in lines:
        filled = line.replace("%ID%", str(message["id"])).replace("%TOKEN%", json.dumps(token))
        with lock:
            out.write(filled.encode("latin-1") + b"\n")
            out.flush()


def call(message: dict) -> dict:
    params = message["params"]
    name, count = params["name"], params.get("arguments", {}).get("count", 0)
    token = params.get("_meta", {}).get("progressToken")
    say(message, params.get("arguments", {}).get("lines", []), token)
    for number in range(count):
        if name == "progress":
            done = {"progressToken": token, "progress": number + 1, "total": count}
            send({"method": "notifications/progress", "params": done})
        elif name == "logs":
            send({"method": "notifications/message", "params": {"level": "warning", "data": str(number)}})
        elif name == "changes":
            send({"method": "notifications/tools/list_changed"})
        elif name in ("questions", "nag"):
            asked = {"message": "Name?", "requestedSchema": {"type": "object", "properties": {}}}
            send({"id": f"q{number}", "method": "elicitation/create", "params": asked})
            if name == "nag":
                answers.acquire(timeout=30)
        elif name == "line":
            with lock:
                out.write(b"x" * 1_000_000)
    if name == "questions":
        for _ in range(count):
            answers.acquire(timeout=30)
    return {"content": [{"type": "text", "text": str(lists_read)}]}


def flood_stderr() -> None:
    while True:
        os.write(2, b"e" * 65_535 + b"\n")


if SHAPE == "stderr":
    threading.Thread(target=flood_stderr, daemon=True).start()
try:
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if "method" not in request:
            answers.release()
        elif "id" in request:
            answer_beside(request, "hostile", {"tools/list": listed, "tools/call": call})
finally:
    os._exit(0)
