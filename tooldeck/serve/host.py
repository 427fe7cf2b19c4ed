"""Where the bodies of served calls run: never on the loop that serves, which has other clients."""

from __future__ import annotations

import sys
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import Any

from tooldeck.core.approval import ApprovalRequest, Decision
from tooldeck.core.deadline import as_deadline
from tooldeck.core.errors import Cancelled
from tooldeck.core.host import Work
from tooldeck.hosts.asynchronous import AsyncHost
from tooldeck.hosts.background import background
from tooldeck.hosts.prompt import ask_on_terminal, refuse
from tooldeck.hosts.threads import start

__all__ = ["ServedHost"]


class ServedHost(AsyncHost):
    """Plain bodies run on threads of their own, async ones on the session thread, as those of blocking calls.

    A notebook overrides `plain` and `awaited` with forms that run them where its cells run.
    """

    in_place = False

    async def run(self, work: Work) -> Any:
        """See `Host.run`. A body that is interrupted, or ends the program, ends its own call and no more."""
        try:
            return await self._run(work)
        except KeyboardInterrupt:
            raise Cancelled("it was interrupted") from None
        except (SystemExit, GeneratorExit) as stop:
            raise RuntimeError(f"it tried to end the program: {stop!r}") from None

    async def _run(self, work: Work) -> Any:
        limit = as_deadline(work.limit, self.now)
        if work.executor is not None:
            return await self._limited(work.executor.submit(work.function), limit)
        if work.is_async:
            return await self._limited(self.awaited(work), limit)
        return await self._limited(self.plain(work), limit, label=work.label)

    def plain(self, work: Work) -> Future[Any]:
        """Start a body that blocks."""
        return start(work.function, work.label)

    def awaited(self, work: Work) -> Future[Any]:
        """Start a body that is awaited; cancelling the future cancels it."""
        return background().submit(AsyncHost().run, replace(work, limit=None))

    async def ask(self, request: ApprovalRequest) -> Decision:
        """Prompt on the terminal, off the loop; refuse where there is none, or where Python has it."""
        if hasattr(sys, "ps1"):
            return refuse(request, "the prompt of Python has the terminal")
        return await self._limited(start(partial(ask_on_terminal, request), "prompt"), None)
