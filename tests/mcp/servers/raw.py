"""A server written by hand, line by line, so that it can do what no library would do. Starts in a blink.

Speaks the older protocol. Options choose a misbehaviour; the tools do the rest.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

from wire import OBJECT, answer_beside, send

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
options = argparse.ArgumentParser()
options.add_argument("--noise", action="store_true", help="print a banner to stdout before anything else")
options.add_argument("--stubborn", action="store_true", help="ignore the end of input and SIGTERM")
options.add_argument("--silent", action="store_true", help="never answer anything")
options.add_argument("--exit", type=int, help="leave at once with this code")
options.add_argument("--stderr", type=int, default=0, help="so many lines to stderr at the start")
options.add_argument("--child", help="start a child that ignores SIGTERM and write its pid into this file")
options.add_argument(
    "--list", default="plain", help="which list of tools: plain, pages, empty-cursor, malformed"
)
options.add_argument("--about", default="Give back.", help="how the tool echo is described")
given = options.parse_args()

answers: dict[int, threading.Event] = {}
answered: dict[int, dict] = {}
cancelled: list = []
running: dict = {}
all_there = threading.Event()
tools_now: list[str] = []
ids = iter(range(1000, 9999))


def text(words: str, **more) -> dict:
    return {"content": [{"type": "text", "text": words}], **more}


def ask(method: str, params: dict) -> dict:
    number = next(ids)
    answers[number] = threading.Event()
    send({"id": number, "method": method, "params": params})
    answers[number].wait(30)
    return answered[number]


# --- the tools ---------------------------------------------------------------------------------


def echo(arguments, call):
    return text(json.dumps(arguments, sort_keys=True))


def die(arguments, call):
    print("dying now", file=sys.stderr, flush=True)
    os._exit(1)


def sleep(arguments, call):
    if "say" in arguments:
        send({"method": "notifications/message", "params": {"level": "info", "data": arguments["say"]}})
    if "report" in arguments:
        token = call["params"].get("_meta", {}).get("progressToken")
        send(
            {
                "method": "notifications/progress",
                "params": {"progressToken": token, "progress": 1, "message": arguments["report"]},
            }
        )
    running[call["id"]].wait(arguments.get("seconds", 3600))
    return text("slept")


def big(arguments, call):
    return text("x" * arguments.get("size", 5_000_000))


def env(arguments, call):
    return text("", structuredContent=dict(os.environ))


def bad(arguments, call):
    return text("quota exceeded", isError=True)


def odd(arguments, call):
    return text("Error: none found", isError=False)


def mix(arguments, call):
    resource = {"uri": "file:///a.txt", "mimeType": "text/plain", "text": "inside"}
    return {
        "content": [
            {"type": "text", "text": "one"},
            {"type": "image", "data": PIXEL, "mimeType": "image/png"},
            {"type": "text", "text": "two"},
            {"type": "resource", "resource": resource},
        ],
        "structuredContent": {"n": 2},
    }


def empty(arguments, call):
    return {"content": []}


def novel(arguments, call):
    return {"content": [{"type": "hologram", "depth": 3}, {"type": "text", "text": "after"}]}


def misfit(arguments, call):
    return text("seven", structuredContent={"n": "seven"})


def meet(arguments, call):
    """Answers once as many calls of it are running as asked for."""
    if sum(1 for one in list(running.values()) if one.tool == "meet") >= arguments["people"]:
        all_there.set()
    return text("met") if all_there.wait(20) else text("alone", isError=True)


def question(arguments, call):
    schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    result = ask(
        "elicitation/create", {"message": arguments.get("text", "Who are you?"), "requestedSchema": schema}
    )
    return text(json.dumps(result, sort_keys=True))


def talk(arguments, call):
    send(
        {
            "method": "notifications/message",
            "params": {"level": "warning", "logger": "raw", "data": "watch out"},
        }
    )
    token = call["params"].get("_meta", {}).get("progressToken")
    for step in (1, 2):
        send(
            {
                "method": "notifications/progress",
                "params": {"progressToken": token, "progress": step, "total": 2},
            }
        )
    return text("told")


def flood(arguments, call):
    end = time.monotonic() + arguments["seconds"]
    while time.monotonic() < end:
        send({"method": "notifications/message", "params": {"level": "debug", "data": "x" * 200}})
    return text("flooded")


def seen(arguments, call):
    return text("", structuredContent={"cancelled": cancelled})


def grow(arguments, call):
    tools_now.append("grown")
    send({"method": "notifications/tools/list_changed"})
    return text("grown")


def turn(arguments, call):
    """Describes `echo` in other words from now on."""
    given.about = arguments["about"]
    send({"method": "notifications/tools/list_changed"})
    return text("turned")


TOOLS = {
    f.__name__: f
    for f in (
        echo,
        die,
        sleep,
        big,
        env,
        bad,
        odd,
        mix,
        empty,
        novel,
        misfit,
        meet,
        question,
        talk,
        flood,
        seen,
        grow,
        turn,
    )
}


def tool(name: str, **more) -> dict:
    return {"name": name, "inputSchema": OBJECT, **more}


def plain() -> list[dict]:
    listed = [tool(name, annotations={"readOnlyHint": True}) for name in [*TOOLS, *tools_now]]
    listed[0]["description"] = given.about
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    return [{**one, "outputSchema": schema} if one["name"] in ("misfit", "mix") else one for one in listed]


def page(message: dict) -> dict:
    cursor = message.get("params", {}).get("cursor")
    if given.list == "pages":
        number = {None: 1, "p2": 2, "p3": 3}[cursor]
        named = [tool(f"tool{2 * number - 1}"), tool(f"tool{2 * number}")]
        return {"tools": named, **({} if number == 3 else {"nextCursor": f"p{number + 1}"})}
    if given.list == "empty-cursor":
        return {"tools": [tool("echo")] if not cursor else [], "nextCursor": ""}
    if given.list == "malformed":
        return {
            "tools": [
                tool("echo"),
                {"name": "no_schema"},
                {"name": "hints", "inputSchema": OBJECT, "annotations": []},
                {"name": "words", "inputSchema": {"type": "object", "properties": {"a": {"type": "str"}}}},
                {"inputSchema": OBJECT},
                "not even an object",
                tool("echo", description="again"),
                tool("last"),
            ]
        }
    return {"tools": plain()}


# --- the protocol ------------------------------------------------------------------------------


class Running(threading.Event):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.tool = name


def call(message: dict) -> dict | None:
    params = message["params"]
    running[message["id"]] = Running(params["name"])
    try:
        result = TOOLS.get(params["name"], echo)(params.get("arguments", {}), message)
    finally:
        gone = running.pop(message["id"])
    return None if gone.is_set() else result


def serve() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if given.silent:
            continue
        if message.get("method") == "notifications/cancelled":
            cancelled.append(message["params"]["requestId"])
            if message["params"]["requestId"] in running:
                running[message["params"]["requestId"]].set()
        elif "method" not in message:
            answered[message["id"]] = message.get("result") or {"error": message.get("error")}
            answers[message["id"]].set()
        elif "id" in message:
            answer_beside(message, "raw", {"tools/list": page, "tools/call": call})


for number in range(given.stderr):
    print(f"line {number} of a long story about nothing in particular", file=sys.stderr)
if given.exit is not None:
    print("boot: missing KEY", file=sys.stderr)
    sys.exit(given.exit)
if given.noise:
    print("Starting up...\n", flush=True)
if given.child:
    code = "import signal as s, time; s.signal(s.SIGTERM, s.SIG_IGN); print(1, flush=True); time.sleep(600)"
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    child.stdout.readline()
    pathlib.Path(given.child).write_text(str(child.pid))
if given.stubborn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
serve()
if given.stubborn:
    while True:
        time.sleep(60)
os._exit(0)
