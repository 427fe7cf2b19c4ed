"""Asking for an approval: the deck's own approvers in turn, then whoever sits at the host."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

from tooldeck.core.approval import ApprovalRequest, Approver, Decision
from tooldeck.core.host import Host, Work

__all__ = ["ask_in_turn"]


async def ask_in_turn(approvers: Iterable[Approver], host: Host, request: ApprovalRequest) -> Decision:
    """The first answer; raises what an approver raises."""
    for approver in approvers:
        answer = approver(request)
        if inspect.isawaitable(answer):
            answer = await _awaited(answer, host)
        if answer is not None:
            return answer
    return await host.ask(request)


async def _awaited(answer: Any, host: Host) -> Any:
    """What an async approver says, run where the host runs async bodies, since it may really wait."""
    return await host.run(Work(lambda: answer, is_async=True, label="approver"))
