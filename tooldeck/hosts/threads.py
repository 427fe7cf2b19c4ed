"""A body on a thread of its own, with the caller's context, so that a hung one holds up nobody else."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

__all__ = ["start"]


def start(function: Callable[[], Any], name: str = "") -> Future[Any]:
    """Run `function` on a new daemon thread and return its future.

    A thread per body rather than a pool: bodies that hang never use up the workers of healthy ones.
    """
    future: Future[Any] = Future()
    context = contextvars.copy_context()

    def work() -> None:
        if not future.set_running_or_notify_cancel():
            return  # cancelled before it began
        try:
            value = context.run(function)
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits
            future.set_exception(error)
        else:
            future.set_result(value)

    threading.Thread(target=work, name=f"tooldeck body {name}".strip(), daemon=True).start()
    return future
