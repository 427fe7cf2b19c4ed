"""A time limit whose clock can be stopped, since a person who thinks is not the server's fault."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Generator
from types import TracebackType
from typing import Self

__all__ = ["Clock"]


class Clock:
    """`asyncio.timeout` of so many seconds, which do not pass within `stopped`."""

    def __init__(self, seconds: float) -> None:
        self._timeout = asyncio.timeout(seconds)
        self._stops = 0
        self._left: float | None = None

    async def __aenter__(self) -> Self:
        await self._timeout.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._timeout.__aexit__(kind, error, trace)

    def expired(self) -> bool:
        """Whether the time was over."""
        return self._timeout.expired()

    @contextlib.contextmanager
    def stopped(self) -> Generator[None]:
        """Time does not pass while the block lasts."""
        now = asyncio.get_running_loop().time
        until = self._timeout.when()
        if self._stops == 0 and until is not None:
            self._left = until - now()
            self._timeout.reschedule(None)
        self._stops += 1
        try:
            yield
        finally:
            self._stops -= 1
            if self._stops == 0 and self._left is not None:
                with contextlib.suppress(RuntimeError):  # what it limited has ended meanwhile
                    self._timeout.reschedule(now() + self._left)
                self._left = None
