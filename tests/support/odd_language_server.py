"""A language server that does as it is told by its first argument, as servers do or as no server should.

It answers a hover with what it was asked, or with what it found out, as JSON.
"""

import json
import os
import sys
import time

mode = sys.argv[1]
encoding = {"eight": "utf-8", "thirty-two": "utf-32", "odd-encoding": "klingon"}.get(mode, "utf-16")
span = (int(os.environ.get("FROM", "0")), int(os.environ.get("TO", "1")))
documents: dict[str, str] = {}
found: list[object] = []
later: list[dict] = []


def send(message: object) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message} if isinstance(message, dict) else message).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()


def raw(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def read() -> dict:
    length = 0
    while line := sys.stdin.buffer.readline():
        if not line.strip():
            return json.loads(sys.stdin.buffer.read(length))
        if line.lower().startswith(b"content-length"):
            length = int(line.split(b":")[1])
    sys.exit()


def ask(method: str, params: object) -> object:
    send({"id": f"ask-{len(found)}", "method": method, "params": params})
    while "method" in (message := read()):
        later.append(message)
    return message.get("result", message.get("error"))


def edit(start: int, stop: int, new: str, line: int = 0) -> dict:
    return {"range": {"start": {"line": line, "character": start}, "end": {"line": line, "character": stop}},
            "newText": new}  # fmt: skip


def renamed(uri: str, new: str) -> object:
    first = edit(0, 1, new)
    return {
        "outside": {"changes": {uri: [first], "file:///etc/passwd": [first]}},
        "up": {"changes": {f"{uri.rpartition('/')[0]}/../out/secret.txt": [first]}},
        "repository": {"changes": {f"{uri.rpartition('/')[0]}/.git/config": [first]}},
        "web": {"changes": {"https://example.org/a.odd": [first]}},
        "overlap": {"changes": {uri: [edit(0, 2, new), edit(1, 3, new)]}},
        "backwards": {"changes": {uri: [edit(2, 1, new)]}},
        "no-edit": {"changes": {uri: [{"range": "all of it", "newText": new}]}},
        "no-object": [uri],
        "strange-step": {"documentChanges": [{"kind": "explode", "uri": uri}]},
        "huge-text": {"changes": {uri: [edit(0, 1, "x" * 20_000_000)]}},
        "missing-file": {"changes": {uri.replace("a.odd", "nowhere.odd"): [first]}},
        "files": {
            "documentChanges": [
                {"kind": "create", "uri": uri.replace("a.odd", "sub/new.odd")},
                {"textDocument": {"uri": uri.replace("a.odd", "sub/new.odd"), "version": None},
                 "edits": [edit(0, 0, "made\n")]},
                {"kind": "rename", "oldUri": uri, "newUri": uri.replace("a.odd", "c.odd")},
                {"textDocument": {"uri": uri.replace("a.odd", "c.odd"), "version": None}, "edits": [first]},
                {"kind": "delete", "uri": uri.replace("a.odd", "b.odd")},
            ]
        },
    }.get(mode, {"documentChanges": [{"textDocument": {"uri": uri, "version": None}, "edits": [
        edit(*span, new)]}]})  # fmt: skip


def try_to_write(folder: str) -> None:
    for path in (f"{folder}/written.txt", "/etc/written.txt"):
        try:
            with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123
                file.write("x")
            found.append(path)
        except OSError:
            pass


capabilities = {
    "positionEncoding": encoding, "hoverProvider": True, "renameProvider": True, "definitionProvider": True,
    "textDocumentSync": 1, "documentFormattingProvider": True,
}  # fmt: skip
while True:
    message = later.pop(0) if later else read()
    method, number, params = message.get("method"), message.get("id"), message.get("params")
    if method == "initialize":
        if mode == "deaf":
            time.sleep(60)
        if mode == "noise":
            raw(b"Welcome to the odd server!\n\n")
        if mode == "many-words":
            sys.stderr.write("trouble\n" * 100_000 + "the last word\n")
            sys.stderr.flush()
            sys.exit(3)
        send({"id": number, "result": {"capabilities": capabilities, "serverInfo": {"name": "odd"}}})
        if mode == "writes":
            try_to_write(params["rootPath"])
        if mode == "asks":
            for asked, given in (
                ("workspace/configuration", {"items": [{"section": "odd.level"}, {"section": "no.such"}]}),
                ("client/registerCapability", {"registrations": [{"id": "1", "method": "textDocument/x"}]}),
                ("workspace/applyEdit", {"edit": {"changes": {}}}),
                ("workspace/configuration", None),
                ("odd/unknown", {}),
            ):
                found.append(ask(asked, given))
    elif method == "shutdown":
        send({"id": number, "result": None})
    elif method == "exit":
        sys.exit()
    elif method in {"textDocument/didOpen", "textDocument/didChange"}:
        about = params["textDocument"]
        documents[about["uri"]] = about.get("text") or params["contentChanges"][0]["text"]
        items = [{"range": edit(0, 1, "")["range"], "message": documents[about["uri"]][:20], "severity": 2}]
        push = {"uri": about["uri"], "version": about["version"], "diagnostics": items}
        if mode == "late":
            send({"method": "textDocument/publishDiagnostics", "params": {**push, "diagnostics": []}})
            time.sleep(0.7)
        if mode != "never":
            stale = {**push, "version": about["version"] - 1} if mode == "stale" else push
            send({"method": "textDocument/publishDiagnostics", "params": stale})
    elif number is not None and method is not None:
        if mode == "silent":
            continue
        if mode == "dies":
            os._exit(7)
        if mode == "garbage":
            raw(b"\x00\xff" * 1000)
        if mode == "no-json":
            raw(b"Content-Length: 5\r\n\r\nhello")
        if mode == "huge":
            raw(b"Content-Length: 999999999999\r\n\r\n")
        if mode == "half":
            raw(b"Content-Length: 100\r\n\r\n{")
            os._exit(0)
        if mode == "deep":
            raw(b"Content-Length: 200000\r\n\r\n" + b"[" * 200_000)
        if mode == "long-line":
            raw(b"x" * 3_000_000)
        if mode == "ids":
            for wrong in (number + 1, str(number), None, True, [number]):
                send({"id": wrong, "result": {"contents": "wrong"}})
        if mode == "refuses":
            send({"id": number, "error": {"code": -32803, "message": "no, not this one"}})
            continue
        if mode == "flood":
            for _ in range(20_000):
                send({"method": "window/logMessage", "params": {"type": 3, "message": "blah" * 10}})
                send({"method": "$/progress", "params": "nonsense"})
        if method == "textDocument/hover":
            told = found if mode in {"asks", "writes"} else {**params, "documents": list(documents.values())}
            send({"id": number, "result": {"contents": {"kind": "plaintext", "value": json.dumps(told)}}})
        elif method == "textDocument/rename":
            send({"id": number, "result": renamed(params["textDocument"]["uri"], params["newName"])})
        elif method == "textDocument/definition":
            place = edit(2, 3, "")["range"]
            send({"id": number, "result": [
                {"uri": params["textDocument"]["uri"], "range": place},
                {"targetUri": "file:///etc/passwd", "targetRange": place, "targetSelectionRange": place},
                {"uri": "untitled:x", "range": place}, {"uri": params["textDocument"]["uri"]}, 7,
            ]})  # fmt: skip
        elif method == "textDocument/formatting":
            send({"id": number, "result": [edit(*span, "long\nname")]})
        else:
            send({"id": number, "error": {"code": -32601, "message": "unknown"}})
