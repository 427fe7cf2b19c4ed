"""Starts the conformance client as a copy of a Python that has imported everything.

The suite starts a client for each scenario, and the imports take longer than all that a client does.

    python warm.py SOCKET               waits for orders, until its input ends
    python -I -S warm.py SOCKET URL     gives one: the command for the suite
"""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import traceback

_AT_ONCE = 4
# The suite starts all of its scenarios at the same time; some of them are told failed when that takes long.
_LIMIT = 120
# Seconds that a client may take, should the suite give it up before.


def order(path: str, url: str) -> int:
    """Have a client run with this environment; passes on what it says, returns its exit code."""
    given = [f"{key}={value}" for key, value in os.environ.items() if key.startswith("MCP_CONFORMANCE_")]
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)
        line.sendall(os.fsencode("\0".join([url, *given])))
        line.shutdown(socket.SHUT_WR)
        said, _, code = _all_of(line).rpartition(b"\0")
    os.write(1, said)
    return int(code or 1)


def wait(path: str) -> None:
    """Import, then run a client for each order, in a process of its own."""
    import client  # the neighbour of this file

    client.warm_up()
    copies: set[int] = set()
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(path)
        door.listen(64)
        print("ready", flush=True)
        while sys.stdin not in select.select([door, sys.stdin], [], [])[0]:
            line, _ = door.accept()
            while len(copies) >= _AT_ONCE:
                copies.discard(os.wait()[0])
            copy = os.fork()
            if copy == 0:
                _run(line, client)
            copies.add(copy)
            line.close()


def _run(line: socket.socket, client: object) -> None:
    """In the copy: become the client."""
    signal.alarm(_LIMIT)
    url, *given = os.fsdecode(_all_of(line)).split("\0")
    os.environ.update(one.partition("=")[::2] for one in given)
    for stream in (1, 2):
        os.dup2(line.fileno(), stream)
    code = 1
    try:
        client.main(url)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        line.sendall(b"\0%d" % code)
        os._exit(code)


def _all_of(line: socket.socket) -> bytes:
    return b"".join(iter(lambda: line.recv(65536), b""))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(order(*sys.argv[1:]))
    wait(sys.argv[1])
