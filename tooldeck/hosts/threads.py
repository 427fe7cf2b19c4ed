"""A body on a thread of its own, with the caller's context, so that a hung one holds up nobody else."""

from __future__ import annotations

import contextvars
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from tooldeck.core.errors import TooManyHungBodies

__all__ = ["leave_behind", "prepared", "start"]

MOST_OF_ONE = 32
"""Bodies of one tool that may have been left behind and still run."""
MOST_OF_ALL = 256
"""The same for all tools together."""

_left: Counter[str] = Counter()
_lock = threading.Lock()


def start(function: Callable[[], Any], name: str = "") -> Future[Any]:
    """Run `function` on a new daemon thread and return its future; raises as `prepared` does."""
    future, thread = prepared(function, name)
    thread.start()
    return future


def prepared(function: Callable[[], Any], name: str = "") -> tuple[Future[Any], threading.Thread]:
    """The future of `function` and the daemon thread that will run it once it is started.

    A thread per body rather than a pool: bodies that hang never use up the workers of healthy ones. Raises
    `TooManyHungBodies` when too many have been left behind (see `leave_behind`).
    """
    _refuse_beyond_reason(name)
    future: Future[Any] = Future()
    context = contextvars.copy_context()

    def work() -> None:
        if not future.set_running_or_notify_cancel():
            return  # cancelled before it began
        try:
            value = context.run(function)
        except StopIteration as stop:  # no coroutine could raise it again, and no loop's future would end
            future.set_exception(_told(stop))
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits
            future.set_exception(error)
        else:
            future.set_result(value)

    return future, threading.Thread(target=work, name=f"tooldeck body {name}".strip(), daemon=True)


def _told(stop: StopIteration) -> RuntimeError:
    """What Python makes of it where a generator or coroutine raises it (PEP 479)."""
    error = RuntimeError(f"the function raised StopIteration{f': {stop}' if stop.args else ''}")
    error.__cause__ = stop
    return error


def leave_behind(future: Future[Any], name: str) -> None:
    """Count a body that nobody waits for any more, for as long as it runs."""
    with _lock:
        _left[name] += 1
    future.add_done_callback(lambda _ended: _ended_after_all(name))


def _ended_after_all(name: str) -> None:
    with _lock:
        _left[name] -= 1
        if _left[name] <= 0:
            del _left[name]


def _refuse_beyond_reason(name: str) -> None:
    with _lock:
        mine, all_of_them = _left[name], _left.total()
        worst = _left.most_common(1)
    if mine >= MOST_OF_ONE:
        raise TooManyHungBodies(
            f"{mine} earlier calls of {name!r} passed their time limit and still run, so no further one is "
            "started; let its body look at an Injected[CancelToken], or restart to end them."
        )
    if all_of_them >= MOST_OF_ALL:
        raise TooManyHungBodies(
            f"{all_of_them} bodies passed their time limits and still run, most of them of {worst[0][0]!r}, "
            "so no further one is started on a thread; restart to end them."
        )
