"""The Python that lives on between calls of one session, inside of the sandbox.

Run as ``python worker.py``. Each line on stdin is JSON: ``code`` with a ``mark``, or ``interrupt``. The code
sees the names that earlier code left; then the mark follows on both streams, on stdout with a line of JSON
about the end. Standard library only.
"""

from __future__ import annotations

import ast
import contextlib
import json
import linecache
import os
import queue
import signal
import sys
import threading
import traceback
from types import CodeType
from typing import Any

requests: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
busy = threading.Event()


def listen(stream: Any) -> None:
    """Take requests in; an interrupt goes to the main thread at once."""
    for line in stream:
        request = json.loads(line)
        if not request.get("interrupt"):
            requests.put(request)
        elif busy.is_set():
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    requests.put(None)


def run(code: str, name: str, names: dict[str, Any]) -> bool:
    """Run code, and show the value of an expression at its end; whether it ended well."""
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    try:
        for part in compiled(code, name):
            exec(part, names)  # noqa: S102 - it is what the sandbox is for
    except SystemExit as leaving:
        return leaving.code in {None, 0}
    except BaseException as error:  # noqa: BLE001 - told, and the session lives on
        tail = error.__traceback__
        while tail is not None and tail.tb_frame.f_code.co_filename != name:
            tail = tail.tb_next
        traceback.print_exception(type(error), error, tail)
        return False
    return True


def compiled(code: str, name: str) -> list[CodeType]:
    """The statements, and the last expression on its own, so that its value is shown."""
    tree = ast.parse(code, name)
    parts: list[CodeType] = []
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
        parts = [compile(ast.Interactive([last]), name, "single")]
    return [compile(tree, name, "exec"), *parts]


def main() -> None:
    """Serve until the end of input."""
    stream = os.fdopen(os.dup(0), encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)  # code that reads gets the end of input, not our requests
    threading.Thread(target=listen, args=(stream,), daemon=True).start()
    names: dict[str, Any] = {"__name__": "__main__", "__builtins__": __builtins__}
    count = 0
    while (request := _next()) is not None:
        count += 1
        busy.set()
        good = run(request["code"], f"<call {count}>", names)
        with contextlib.suppress(KeyboardInterrupt):
            busy.clear()
        _mark(request["mark"], json.dumps({"ok": good}))


def _next() -> dict[str, Any] | None:
    while True:
        try:
            return requests.get()
        except KeyboardInterrupt:  # it came too late for the code that it was meant for
            continue


def _mark(mark: str, told: str) -> None:
    for stream, rest in ((sys.__stdout__, f"{told}\n"), (sys.__stderr__, "")):
        for own in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                own.flush()
        if stream is not None:
            stream.write(f"\0{mark}\0{rest}")
            stream.flush()


if __name__ == "__main__":
    main()
