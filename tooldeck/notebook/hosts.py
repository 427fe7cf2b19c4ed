"""The hosts of a notebook: the kernel's way of waiting, and the desk's way of asking."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from tooldeck.core.approval import ApprovalRequest, Decision
from tooldeck.core.host import Host, Work
from tooldeck.notebook.approvals import ApprovalDesk
from tooldeck.notebook.kernel.host import KernelAsyncHost, KernelHost
from tooldeck.notebook.places import working_here

__all__ = ["notebook_hosts"]


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


def notebook_hosts(desk: ApprovalDesk) -> tuple[Host, Host]:
    """The blocking and the async host of a notebook."""
    return _NotebookHost(desk), _NotebookAsyncHost(desk)
