"""A server written by hand whose calls become tasks, in both forms of the protocol.

``slow`` takes ``looks`` looks until it is done, ``fails`` fails, ``asks`` wants to know a name, ``endless``
goes on until it is cancelled; ``seen`` tells which tasks were cancelled.
"""

from __future__ import annotations

import json
import sys

from wire import OBJECT, answer_beside

NEWER = "2026-07-28"
tasks: dict[str, dict] = {}
cancelled: list[str] = []


def tool(name: str, **more) -> dict:
    return {"name": name, "inputSchema": OBJECT, **more}


def text(words: str) -> dict:
    return {"content": [{"type": "text", "text": words}], "resultType": "complete"}


def is_newer(message: dict) -> bool:
    return "io.modelcontextprotocol/protocolVersion" in message["params"].get("_meta", {})


def shown(task: dict, newer: bool) -> dict:
    times = {"createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z"}
    said = {"taskId": task["id"], "status": task["status"], "statusMessage": task["said"], **times}
    return (
        {**said, "ttlMs": 60000, "pollIntervalMs": 50}
        if newer
        else {**said, "ttl": 60000, "pollInterval": 50}
    )


def call(message: dict) -> dict:
    params = message["params"]
    name, arguments = params["name"], params.get("arguments", {})
    if name == "seen":
        return text(json.dumps(cancelled))
    if not is_newer(message) and "task" not in params:
        return {"content": [{"type": "text", "text": "it wants a task"}], "isError": True}
    named = f"task-{len(tasks)}"
    task = {
        "id": named,
        "tool": name,
        "status": "working",
        "said": "begun",
        "looks": arguments.get("looks", 2),
    }
    tasks[named] = task
    if is_newer(message):
        return {"resultType": "task", **shown(task, newer=True)}
    return {"task": shown(task, newer=False)}


def look(message: dict) -> dict:
    task = tasks[message["params"]["taskId"]]
    if task["tool"] == "asks" and "answers" not in task:
        task["status"] = "input_required"
        schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
        wanted = {
            "who": {
                "method": "elicitation/create",
                "params": {"mode": "form", "message": "Who?", "requestedSchema": schema},
            }
        }
        return {"resultType": "complete", **shown(task, is_newer(message)), "inputRequests": wanted}
    if task["status"] in ("working", "input_required") and task["tool"] != "endless":
        task["looks"] -= 1
        task["said"] = f"{task['looks']} to go"
        task["status"] = "working"
        if task["looks"] <= 0:
            task["status"] = "failed" if task["tool"] == "fails" else "completed"
    done = {"result": text(json.dumps(task.get("answers", "done")))} if task["status"] == "completed" else {}
    error = {"error": {"code": -32000, "message": "it broke"}} if task["status"] == "failed" else {}
    return {
        "resultType": "complete",
        **shown(task, is_newer(message)),
        **(done or error if is_newer(message) else {}),
    }


def result(message: dict) -> dict:
    task = tasks[message["params"]["taskId"]]
    if task["status"] == "failed":
        return {"content": [{"type": "text", "text": "it broke"}], "isError": True}
    return text("done")


def cancel(message: dict) -> dict:
    task = tasks[message["params"]["taskId"]]
    task["status"] = "cancelled"
    cancelled.append(task["tool"])
    return {"resultType": "complete", **shown(task, is_newer(message))}


def update(message: dict) -> dict:
    tasks[message["params"]["taskId"]]["answers"] = message["params"]["inputResponses"]
    return {"resultType": "complete"}


def discover(message: dict) -> dict:
    extensions = {"io.modelcontextprotocol/tasks": {}}
    return {
        "resultType": "complete",
        "supportedVersions": [NEWER],
        "capabilities": {"tools": {}, "extensions": extensions},
        "ttlMs": 0,
        "cacheScope": "private",
    }


def listed(message: dict) -> dict:
    names = ("slow", "fails", "asks", "endless")
    tools = [tool(name, execution={"taskSupport": "required"}) for name in names]
    if is_newer(message):
        tools = [tool(name) for name in names]
    return {"resultType": "complete", "tools": [*tools, tool("seen")], "ttlMs": 0, "cacheScope": "private"}


METHODS = {
    "server/discover": discover,
    "tools/list": listed,
    "tools/call": call,
    "tasks/get": look,
    "tasks/result": result,
    "tasks/cancel": cancel,
    "tasks/update": update,
}
for line in sys.stdin:
    message = json.loads(line)
    if "method" in message and "id" in message:
        message.setdefault("params", {})
        answer_beside(message, "tasks", METHODS)
