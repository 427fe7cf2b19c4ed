"""Processes that tests start: seen from outside, and ended with all their children."""

from __future__ import annotations

import os
import signal
import socket
import subprocess

import psutil


def free_port() -> int:
    """Return a TCP port on loopback that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def children_of(pid: int) -> list[psutil.Process]:
    """Return the living descendants of a process; none when it has gone."""
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def end_tree(process: subprocess.Popen[bytes], grace: float = 5.0) -> None:
    """Ask a process and its descendants to end, and after ``grace`` seconds make them."""
    family = [*children_of(process.pid), psutil.Process(process.pid)] if process.poll() is None else []
    if process.poll() is None:
        process.send_signal(signal.SIGINT if os.name == "nt" else signal.SIGTERM)
    _, alive = psutil.wait_procs(family, timeout=grace)
    for member in alive:
        try:
            member.kill()
        except psutil.NoSuchProcess:
            continue
    process.wait(timeout=grace)
