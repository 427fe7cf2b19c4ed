"""Asking a model once, whatever kind of function it is: plain, async, or one that gives pieces."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Generator, Sequence
from functools import partial
from typing import Any

from tooldeck.core.cancel import CancelToken
from tooldeck.core.errors import Cancelled, ModelError
from tooldeck.core.host import Host, Work
from tooldeck.core.messages import Message, ModelReply
from tooldeck.core.model import Model, name_of
from tooldeck.core.strangers import to_repr
from tooldeck.core.tool import Tool

__all__ = ["Again", "ask"]


class Again:
    """Given by a model in place of a piece: the reply broke off and begins anew."""


Tell = Callable[[str, bool], None]
"""Hears pieces of text, and whether they begin the reply anew."""


class _Gathered:
    """The reply as it comes."""

    def __init__(self, tell: Tell, most_chars: int) -> None:
        self._tell = tell
        self._most = most_chars
        self._pieces: list[str] = []
        self._size = 0
        self._reply: ModelReply | None = None

    def take(self, item: Any) -> None:
        """One more piece, or the reply itself."""
        if isinstance(item, Again):
            self._pieces, self._size = [], 0
            self._tell("", True)
        elif isinstance(item, str):
            self._size += len(item)
            self._check(self._size)
            self._pieces.append(item)
            if item:
                self._tell(item, False)
        else:
            self._reply = self._read(item)

    def whole(self, value: Any) -> None:
        """The reply of a model that gives no pieces."""
        self._reply = self._read(ModelReply(value) if isinstance(value, str) else value)

    def end(self) -> ModelReply:
        """What came."""
        return ModelReply("".join(self._pieces)) if self._reply is None else self._reply

    def _read(self, value: Any) -> ModelReply:
        if not isinstance(value, ModelReply):
            raise ModelError(f"The model gave {to_repr(value)[:100]}; it must give a ModelReply or text.")
        self._check(len(value.text))
        return value

    def _check(self, size: int) -> None:
        if size > self._most:
            raise ModelError(f"The reply is longer than {self._most} characters (limit reply_chars).")


async def ask(
    model: Model,
    messages: Sequence[Message],
    tools: Sequence[Tool],
    *,
    host: Host,
    token: CancelToken,
    tell: Tell,
    most_chars: int,
    seconds: float | None,
) -> ModelReply:
    """The reply of `model`, which may take so many seconds. Raises what it raises.

    Raises `Cancelled` when `token` is set meanwhile; a plain function is waited for first. Raises
    `LimitPassed`, and `ModelError` for what is no reply.
    """
    gathered = _Gathered(tell, most_chars)
    label = name_of(model)
    given: Any = None
    if _is_async(model):
        given = model(messages, tools)
    else:
        plain = partial(_called, model, messages, tools, gathered)
        given = await host.run(Work(plain, limit=seconds, label=label))
    if given is not None:
        executor = getattr(model, "executor", None)
        work = partial(_awaited, given, gathered, token)
        await host.run(Work(work, is_async=True, executor=executor, limit=seconds, label=label))
    token.raise_if_cancelled()
    return gathered.end()


def _is_async(model: Any) -> bool:
    return any(
        inspect.iscoroutinefunction(one) or inspect.isasyncgenfunction(one)
        for one in (model, getattr(model, "__call__", None))  # noqa: B004 - of an object that is a function
    )


def _called(model: Model, messages: Sequence[Message], tools: Sequence[Tool], gathered: _Gathered) -> Any:
    """Ask a plain function; what has to be awaited is returned."""
    value = model(messages, tools)
    if isinstance(value, Generator):
        for item in value:
            gathered.take(item)
        return None
    if inspect.isawaitable(value) or isinstance(value, AsyncIterator):
        return value
    gathered.whole(value)
    return None


async def _awaited(given: Any, gathered: _Gathered, token: CancelToken) -> None:
    """Await the reply in a task of its own, so that it alone is cancelled when the run is stopped."""
    loop = asyncio.get_running_loop()
    inner = asyncio.ensure_future(_gather(given, gathered))
    undo = token.on_cancel(lambda: loop.call_soon_threadsafe(inner.cancel))
    try:
        await inner
    except asyncio.CancelledError:
        this = asyncio.current_task()
        if token.cancelled and inner.cancelled() and not (this is not None and this.cancelling()):
            raise Cancelled(token.reason) from None
        raise
    finally:
        undo()


async def _gather(given: Any, gathered: _Gathered) -> None:
    if not isinstance(given, AsyncIterator):
        gathered.whole(await given)
        return
    try:
        async for item in given:
            gathered.take(item)
    finally:
        close = getattr(given, "aclose", None)
        if close is not None:
            await close()
