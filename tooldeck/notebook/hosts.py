"""The hosts of a notebook: the kernel's way of waiting, and the desk's way of asking."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError, Future
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from typing import Any

from tooldeck.core.approval import ApprovalRequest, Decision
from tooldeck.core.host import Host, Work
from tooldeck.hosts.asynchronous import AsyncHost
from tooldeck.hosts.prompt import refuse
from tooldeck.hosts.threads import start
from tooldeck.notebook.approvals import ApprovalDesk
from tooldeck.notebook.kernel.adapter import running_kernel
from tooldeck.notebook.kernel.executor import kernel_executor
from tooldeck.notebook.kernel.host import KernelAsyncHost, KernelHost
from tooldeck.notebook.kernel.jobs import Place, is_waiting, post
from tooldeck.notebook.places import working_here
from tooldeck.serve.host import ServedHost

__all__ = ["NotebookServedHost", "notebook_hosts"]


class _NotebookHost(KernelHost):
    def __init__(self, desk: ApprovalDesk) -> None:
        super().__init__()
        self._desk = desk

    async def run(self, work: Work) -> Any:
        """Run a body; what its server wants meanwhile belongs to this cell."""
        return await _in_this_cell(super().run, work)

    async def ask(self, request: ApprovalRequest) -> Decision:
        """Show a card and wait for the click, or whatever this front end can do instead."""
        return self._desk.ask(request)


class _NotebookAsyncHost(KernelAsyncHost):
    def __init__(self, desk: ApprovalDesk) -> None:
        super().__init__()
        self._desk = desk

    async def run(self, work: Work) -> Any:
        """The same, awaited."""
        return await _in_this_cell(super().run, work)

    async def ask(self, request: ApprovalRequest) -> Decision:
        """The same, awaited."""
        return await self._desk.ask_async(request)


async def _in_this_cell(run: Callable[[Work], Awaitable[Any]], work: Work) -> Any:
    if work.executor is None:
        return await run(work)
    with working_here():
        return await run(work)


class NotebookServedHost(ServedHost):
    """Calls of MCP clients: their bodies run where the cells run, between them or in a cell that waits.

    So they see what the cells see and never race with them. Outside of a kernel they run on threads.
    """

    def __init__(self, desk: ApprovalDesk) -> None:
        super().__init__()
        self._desk = desk
        self.show: Callable[[Any], None] | None = None
        """Where cards go; None while no card of the server is on a page."""

    def plain(self, work: Work) -> Future[Any]:
        """See `ServedHost.plain`."""
        if running_kernel() is None:
            return super().plain(work)
        answer: Future[Any] = Future()
        context = copy_context()
        job = post(_contained, partial(context.run, work.function), answer, place=_main())
        answer.add_done_callback(lambda ended: ended.cancelled() and job.cancel())
        return answer

    def awaited(self, work: Work) -> Future[Any]:
        """See `ServedHost.awaited`."""
        if running_kernel() is None:
            return super().awaited(work)
        job = kernel_executor().submit(AsyncHost().run, replace(work, limit=None))
        start(partial(_keep_going, job), "served")
        return job

    async def ask(self, request: ApprovalRequest) -> Decision:
        """Show a card in the cell that waits, since that is where the person looks; else in the server's."""
        if is_waiting(_main()):
            return await self._desk.ask_from_elsewhere(request, None, self)
        if self.show is None:
            return refuse(request, "the card of %mcp serve is not shown")
        return await self._desk.ask_from_elsewhere(request, self.show, self)


def _main() -> Place:
    return Place(threading.main_thread().ident or 0)


def _contained(function: Callable[[], Any], answer: Future[Any]) -> None:
    """Run a body on the kernel's thread; whatever it raises is the client's affair, not the cell's."""
    if not answer.set_running_or_notify_cancel():
        return
    try:
        value = function()
    except BaseException as error:  # noqa: BLE001 - handed to whoever waits
        answer.set_exception(error)
    else:
        answer.set_result(value)


def _keep_going(job: Future[Any]) -> None:
    """Keep the kernel's loop going for a job while a cell waits."""
    with contextlib.suppress(CancelledError):
        job.exception()


def notebook_hosts(desk: ApprovalDesk) -> tuple[Host, Host]:
    """The blocking and the async host of a notebook."""
    return _NotebookHost(desk), _NotebookAsyncHost(desk)
