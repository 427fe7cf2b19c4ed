"""Keeping a run in the store as it goes, and going on with one whose program ended, within its limits."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, Literal, NamedTuple

from tooldeck.core.actions import ActionLimits
from tooldeck.core.errors import DefinitionError, SetupError
from tooldeck.core.messages import Message, Usage
from tooldeck.core.run import Run
from tooldeck.core.stored import from_json, to_json
from tooldeck.loops.limits import Account, RunLimits
from tooldeck.loops.requests import not_run
from tooldeck.loops.text_actions import TextActions
from tooldeck.store.conversations import conversation_of
from tooldeck.store.masked_messages import without_secrets
from tooldeck.store.masking import scrub
from tooldeck.store.protocol import Store
from tooldeck.store.runs import KeptRun, RunTable
from tooldeck.store.sparing import Sparing

__all__ = ["Keeper", "Resumed", "resumed"]

_CUT = "the program ended while it was under way; whether it had an effect is not known"


class Keeper:
    """Writes one run down; never raises."""

    def __init__(self, store: Store | None, run: Run, actions: Any) -> None:
        self._table = None if store is None else RunTable(store)
        self._write = Sparing("Runs")
        self._run = run
        self._actions = actions
        self._begun = False

    def keep(self, messages: Sequence[Message], account: Account, status: str = "running") -> None:
        """Write how the run stands, secrets blacked out."""
        if self._table is not None:
            self._write(self._put, self._table, messages, account, status)

    def _put(self, table: RunTable, messages: Sequence[Message], account: Account, status: str) -> None:
        if not self._begun:
            table.forget_oldest()
            self._begun = True
        state = {
            "messages": to_json([without_secrets(one) for one in messages]),
            "spent": {
                "rounds": account.rounds,
                "calls": account.calls,
                "seconds": account.seconds,
                "worked": account.worked,
                "usage": asdict(account.usage),
                "inner": asdict(account.inner),
            },
            "limits": asdict(account.limits),
            "actions": self._actions,
            "standing": self._run.standing,
        }
        table.put(conversation_of(self._run), scrub(self._run.name), status, json.dumps(state, default=str))


class Resumed(NamedTuple):
    """A run that goes on."""

    id: str
    name: str
    messages: tuple[Message, ...]
    limits: RunLimits
    actions: Literal["native"] | TextActions
    standing: dict[str, Any]
    """Who worked in it, and what it was left; see `Run.standing`."""
    spend: Callable[[Account], None]
    """Puts what the run has used before into the account of the new one."""


def resumed(store: Store | None, id: str | None) -> Resumed:
    """The kept run of this id, the newest one for None; raises `SetupError` and `DefinitionError`."""
    if store is None:
        raise SetupError(
            'This deck keeps no runs; make it with a store, as in Deck(store=".tooldeck/deck.db").'
        )
    table = RunTable(store)
    kept = next(iter(table.recent(1)), None) if id is None else table.get(id)
    if kept is None:
        what = "no run" if id is None else f"no run {id!r}"
        raise DefinitionError(f"There is {what} to go on with; deck.kept_runs() lists those that are kept.")
    return _read(kept)


def _read(kept: KeptRun) -> Resumed:
    try:
        state = json.loads(kept.state)
        messages = from_json(state["messages"])
        limits = RunLimits(**state["limits"])
        spent = dict(state["spent"])
        usage, inner = Usage(**spent["usage"]), Usage(**spent.get("inner", {}))
        actions = _actions(state["actions"])
        standing = dict(state.get("standing", {}))
    except (ValueError, TypeError, LookupError, DefinitionError) as error:
        raise DefinitionError(f"The run {kept.id!r} cannot be read: {error}.") from None

    def spend(account: Account) -> None:
        account.rounds, account.calls = int(spent["rounds"]), int(spent["calls"])
        account.usage, account.inner = usage, inner
        seconds = float(spent["seconds"])
        account.took(seconds, float(spent.get("worked", seconds)))

    return Resumed(kept.id, kept.name, _answered(messages), limits, actions, standing, spend)


def _actions(kept: Any) -> Literal["native"] | TextActions:
    if kept == "native":
        return "native"
    settings: dict[str, Any] = {**kept, "limits": ActionLimits(**kept["limits"])}
    return TextActions(**settings)


def _answered(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The conversation, with an answer for every call that had none when the program ended."""
    last = messages[-1] if messages else None
    if last is None or not last.requests:
        return messages
    answers = tuple(not_run(request, _CUT) for request in last.requests)
    return (*messages, Message("tool", answers=answers))
