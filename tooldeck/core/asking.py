"""Asking: for an approval, the deck's approvers in turn; a question, the program and then the person."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from tooldeck.core.approval import ApprovalRequest, Approver, Decision
from tooldeck.core.current import CURRENT
from tooldeck.core.deadline import clocks_stopped
from tooldeck.core.errors import DefinitionError
from tooldeck.core.host import Host, LimitPassed, Work
from tooldeck.core.questions import Answer, Answerer, AskPerson, Question
from tooldeck.core.strangers import to_repr

__all__ = ["answered", "ask_in_turn", "check_approvers", "person"]


def person(request: ApprovalRequest) -> Decision | None:
    """The person at the deck's host, as one of several approvers; asked last where the list does not name it.

    Only its place in a list means something: by itself, without a host, it passes the question on.
    """
    return None


def check_approvers(given: Any) -> Iterator[Approver]:
    """Approvers one by one, out of a function or of lists of functions within lists.

    Raises `DefinitionError` naming what is neither.
    """
    if callable(given):
        approver: Any = given
        yield approver
        return
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise DefinitionError(
            f"An approver must be a function that takes a request, or a list of them, got {to_repr(given)}."
        )
    for one in given:
        yield from check_approvers(one)


async def ask_in_turn(approvers: Iterable[Any], host: Host, request: ApprovalRequest) -> Decision:
    """The first answer; raises what an approver raises.

    An approver that returns None passes the question on, and so does the person where nobody is there. Where
    none is left the call is refused. The time that the request allows is for all of them together.
    """
    everybody = list(check_approvers(approvers))
    if person not in everybody:
        everybody.append(person)
    refusal = Decision(False, by="nobody", note="no approver was left to decide")
    end = None if request.timeout is None else host.now() + request.timeout
    for place, approver in enumerate(everybody):
        left = None if end is None else end - host.now()
        if left is not None and left <= 0:
            return Decision(False, by="time-out")
        asked = request if place == 0 or left is None else replace(request, timeout=left)
        try:
            answer = await (host.ask(asked) if approver is person else _asked(approver, host, asked))
        except LimitPassed:
            return Decision(False, by="time-out")
        if approver is person and answer.by == "nobody":
            refusal = answer
        elif answer is not None:
            return answer
    return refusal


async def answered(question: Question, answerer: Answerer | None, ask_person: AskPerson) -> Answer:
    """What the program's own function says, or else the person; the clock of the call stands still meanwhile.

    Raises what `answerer` raises, and `DefinitionError` where it gives something else than an `Answer`.
    """
    with clocks_stopped(CURRENT.get()):
        given: Any = None if answerer is None else answerer(question)
        answer: Any = await given if inspect.isawaitable(given) else given
        if answer is None:
            return await ask_person(question)
    if not isinstance(answer, Answer):
        raise DefinitionError(f"An answerer gives an Answer or None, got {to_repr(answer)}.")
    return answer


async def _asked(approver: Approver, host: Host, request: ApprovalRequest) -> Any:
    """What an approver says: a slow one has the time of the request, an async one runs where it can wait."""
    limit, label = request.timeout, getattr(approver, "__name__", "approver")
    answer: Any = (
        approver(request)
        if limit is None
        else await host.run(Work(partial(approver, request), limit=limit, label=label))
    )
    if inspect.isawaitable(answer):
        return await host.run(Work(partial(_itself, answer), is_async=True, limit=limit, label=label))
    return answer


def _itself(value: Any) -> Any:
    return value
