"""Reading the audit log: its entries, also those of earlier programs, and their way into a JSONL file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tooldeck.core.errors import DefinitionError
from tooldeck.core.vocabulary import Status, nearest
from tooldeck.store.audit import AuditLog
from tooldeck.store.protocol import Store

__all__ = ["RUNNING", "UNFINISHED", "LoggedCall", "read_log", "write_jsonl"]

UNFINISHED = "unfinished"
"""The status of another program's call whose end is not known: it was killed, or it still runs."""
RUNNING = "running"
"""The status of a call of this deck that has not ended yet."""
_STATUSES = (*(status.value for status in Status), UNFINISHED, RUNNING)
_COLUMNS = (
    "id, session, call, parent, started, name, origin, source, label, run, arguments, masked, whole,"
    " attempts, approvals, decisions, notes, status, seconds, error, result"
)


@dataclass(frozen=True, slots=True)
class LoggedCall:
    """One call as the audit log has it, without its secrets."""

    id: int
    """Its number in the log, as ``deck.replay`` takes it."""
    session: str
    """The deck and program that made the call."""
    call: str
    """The id of the call within its session."""
    parent: str | None
    """The id of the call whose body started it."""
    started: str
    """When it began: ISO 8601, UTC."""
    name: str
    origin: str | None
    """Where the tool came from; None when there was no such tool."""
    source: str
    """Who started it: ``python``, ``cell``, ``form``, ``model`` or ``mcp``."""
    label: str
    run: str | None
    arguments: Mapping[str, Any] | None
    """As understood; None when they were too long to be stored."""
    masked: tuple[str, ...]
    """The places in the arguments where a secret was taken out."""
    whole: bool
    """Whether the arguments, with the secrets put back, are all that the call was given."""
    attempts: int
    """How many times the body was started."""
    approvals: tuple[Mapping[str, Any], ...]
    """The answers of whoever was asked: approved, by, scope, rule, note, edited."""
    decisions: Mapping[str, str]
    """What each stage decided."""
    notes: tuple[str, ...]
    status: str
    """How it ended, ``unfinished`` or ``running``."""
    seconds: float | None
    """How long it took; None while no end is known."""
    error: str | None
    result: str | None
    """The text for models, cut to 4,000 characters."""

    def missing(self, given: Mapping[str, Any]) -> list[str]:
        """The arguments with a secret in them that `given` has not."""
        return sorted({path.partition(".")[0].partition("[")[0] for path in self.masked} - set(given))

    def again(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments to call it with once more; `given` has what was masked, and may replace others.

        Raises `DefinitionError` where what is stored is not enough.
        """
        if self.arguments is None or not self.whole:
            raise DefinitionError(
                f"Call {self.id} of {self.name!r} cannot be replayed: its arguments were not stored whole; "
                "call the tool again with the arguments themselves."
            )
        missing = self.missing(given)
        if missing:
            raise DefinitionError(
                f"Call {self.id} of {self.name!r} had secrets, which are not stored: {', '.join(missing)}; "
                f"give them again, as in deck.replay({self.id}, {missing[0]}=…)."
            )
        return {**self.arguments, **given}


def read_log(
    store: Store,
    audit: AuditLog,
    *,
    n: int | None = 20,
    tool: str | None = None,
    status: str | None = None,
    id: int | None = None,
) -> list[LoggedCall]:
    """The last `n` entries that fit, oldest first; None gives all.

    `tool` is a name or a pattern with ``*`` and ``?``. Raises `DefinitionError` for what cannot be meant and
    `StoreError`.
    """
    if n is not None and (isinstance(n, bool) or not isinstance(n, int) or n < 0):
        raise DefinitionError(f"The number of calls must be 0 or more, or None for all, got {n!r}.")
    where, values = ["1"], list[Any]()
    if tool is not None:
        where.append("name GLOB ?")
        values.append(tool)
    if id is not None:
        where.append("id = ?")
        values.append(id)
    running = sorted(audit.running())
    if status is not None:
        condition, more = _with_status(status, running)
        where.append(condition)
        values += more
    chosen = f"WHERE {' AND '.join(where)} ORDER BY id DESC LIMIT ?"
    sql = f"SELECT {_COLUMNS} FROM calls {chosen}"  # noqa: S608 - all of it our own words
    rows = store.run(sql, (*values, -1 if n is None else n)).rows
    return [_entry(row, frozenset(running)) for row in reversed(rows)]


def write_jsonl(entries: Iterable[LoggedCall], path: str | os.PathLike[str]) -> int:
    """Write one JSON object a line; returns how many. Raises OSError."""
    count = 0
    with Path(path).open("w", encoding="utf-8") as file:
        for entry in entries:
            file.write(json.dumps(asdict(entry), ensure_ascii=False) + "\n")
            count += 1
    return count


def _with_status(status: str, running: list[int]) -> tuple[str, list[Any]]:
    """The condition on rows and its values."""
    if status not in _STATUSES:
        close = nearest(status, _STATUSES, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(_STATUSES)}."
        raise DefinitionError(f"Unknown status {status!r}; {hint}")
    if status not in {UNFINISHED, RUNNING}:
        return "status = ?", [status]
    listed = f"id IN ({', '.join('?' * len(running))})"
    return f"status IS NULL AND {'' if status == RUNNING else 'NOT '}{listed}", list(running)


def _entry(row: tuple[Any, ...], running: frozenset[int]) -> LoggedCall:
    entry = LoggedCall(*row)
    status = entry.status or (RUNNING if entry.id in running else UNFINISHED)
    try:
        return replace(
            entry,
            started=datetime.fromtimestamp(float(entry.started), UTC).isoformat(timespec="milliseconds"),
            arguments=None if entry.arguments is None else _mapping(json.loads(str(entry.arguments))),
            masked=tuple(json.loads(str(entry.masked))),
            whole=bool(entry.whole),
            approvals=tuple(_mapping(one) for one in json.loads(str(entry.approvals))),
            decisions=_mapping(json.loads(str(entry.decisions))),
            notes=tuple(json.loads(str(entry.notes))),
            status=status,
        )
    except (TypeError, ValueError, OverflowError, OSError, RecursionError):  # it must not hide the others
        return replace(
            entry,
            started=str(entry.started),
            name=str(entry.name),
            arguments=None,
            masked=(),
            whole=False,
            approvals=(),
            decisions={},
            notes=("this entry of the log is damaged",),
            status=str(status),
        )


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"{value!r} is no mapping")
    return value
