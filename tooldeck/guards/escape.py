"""Tries to get out of the sandbox that it runs in, harmlessly, and says as JSON what it was kept from.

Run as ``python -I -S escape.py FILE PID``: a file outside, whose text must not be read nor changed, and a
process outside that must not be reached.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
from collections.abc import Callable


def kept_from(attempt: Callable[[], object]) -> bool:
    """Whether something fails."""
    try:
        attempt()
    except OSError:
        return True
    return False


def network() -> None:
    """Find a way to another machine: nothing is sent, and nobody needs to be there."""
    with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as asked:
        asked.connect(("192.0.2.1", 9))  # an address for documentation; UDP only looks for a route


def main(words: list[str]) -> None:
    """Try everything."""
    outside, pid = words[0], int(words[1])
    attempts: dict[str, tuple[Callable[[], object], ...]] = {
        "files": (
            lambda: os.open(outside, os.O_RDONLY),
            lambda: os.open(outside, os.O_WRONLY | os.O_TRUNC),
            lambda: os.open("/etc/passwd", os.O_RDONLY),
        ),
        "network": (network,),
        "processes": (lambda: os.open(f"/proc/{pid}/environ", os.O_RDONLY),),
        "signals": (lambda: os.kill(pid, 0),),
    }
    held = [name for name, tries in attempts.items() if all(kept_from(attempt) for attempt in tries)]
    sys.stdout.write(json.dumps(held))


if __name__ == "__main__":
    main(sys.argv[1:])
