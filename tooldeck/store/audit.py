"""The audit log: every call from its start on, written as it happens, so that it survives a killed program.

A failing database never disturbs a call: it is told once in one sentence, left alone for a while, then tried
again.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from tooldeck.core.arguments import read_arguments
from tooldeck.core.call import ToolCall
from tooldeck.core.call_log import CallLog
from tooldeck.core.canonical import canonical_text
from tooldeck.core.events import ApprovalAnswered, AttemptStarted, CallEnded, CallStarted, Event
from tooldeck.core.model_text import cut
from tooldeck.core.result import ToolResult
from tooldeck.core.strangers import to_repr, to_text
from tooldeck.core.tool import Tool
from tooldeck.store.masking import hints_at_secrets, mask, scrub
from tooldeck.store.protocol import Store
from tooldeck.store.sparing import Sparing

__all__ = ["AuditLog"]

KEPT = 100_000
"""Calls that stay in the log; the oldest beyond them go when a program begins to write."""
RESULT_CHARS = 4_000
"""Characters of a result or an error that are stored."""
ARGUMENT_CHARS = 100_000
"""Longer arguments are not stored, and their call cannot be replayed."""


@dataclass(slots=True)
class _Open:
    """A call that has not ended yet."""

    row: int
    secrets: tuple[str, ...] = ()
    hushed: bool = False
    """Whether the arguments are unreadable text with a secret in it, so that no word about them is stored."""
    seen: Any = None
    """The arguments that were last looked at, by identity."""
    written: str | None = None
    """The arguments in the row."""
    approvals: tuple[dict[str, Any], ...] = ()


class AuditLog:
    """An observer of a deck that writes into a store; `find` gives the tool that a call means, or None."""

    def __init__(self, store: Store, find: Callable[[ToolCall], Tool | None]) -> None:
        self.session = f"{os.getpid()}-{os.urandom(4).hex()}"
        """Tells the calls of this deck from those of others in the same store."""
        self._store = store
        self._find = find
        self._open: dict[CallLog, _Open] = {}
        self._write = Sparing("Calls")
        self._begun = False

    def observe(self, event: Event) -> None:
        """Write down what happens; never raises."""
        if isinstance(event, CallStarted):
            self._write(self._started, event.call)
        elif isinstance(event, AttemptStarted):
            self._write(self._attempted, event.call, event.attempt)
        elif isinstance(event, ApprovalAnswered):
            self._write(self._answered, event)
        elif isinstance(event, CallEnded):
            self._write(self._ended, event.result)
            self._open.pop(event.result.call.log, None)

    def running(self) -> frozenset[int]:
        """The ids of this deck's own calls that are under way."""
        return frozenset(call.row for call in list(self._open.values()))

    # -- what happens, as rows

    def _started(self, call: ToolCall) -> None:
        if not self._begun:
            self._store.run("DELETE FROM calls WHERE id <= (SELECT max(id) FROM calls) - ?", (KEPT,))
            self._begun = True
        tool = self._find(call)
        given, _, problems = read_arguments(call.raw)
        stored = _stored(given, tool)
        run = call.caller.run
        made = self._store.run(
            "INSERT INTO calls (session, call, parent, started, name, origin, source, label, run, arguments,"
            " masked, whole) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self.session,
                call.id,
                call.parent,
                time.time(),
                _sound(scrub(to_text(call.name)))[:200],
                None if tool is None else _sound(str(tool.origin)),
                str(call.caller.source),
                _sound(scrub(to_text(call.caller.label))),
                None if run is None else run.id,
                stored.text,
                _json(stored.paths),
                stored.whole and not problems,
            ),
        )
        hushed = bool(problems) and hints_at_secrets(to_text(call.raw))
        self._open[call.log] = _Open(made.row_id, stored.secrets, hushed, written=stored.text)

    def _attempted(self, call: ToolCall, attempt: int) -> None:
        known = self._open.get(call.log)
        if known is None:
            return
        self._rewrite(known, call)
        self._store.run("UPDATE calls SET attempts = ? WHERE id = ?", (attempt, known.row))

    def _answered(self, event: ApprovalAnswered) -> None:
        known = self._open.get(event.request.call.log)
        if known is None:
            return
        decision = event.decision
        answer = {
            "approved": decision.approved is True,
            "by": scrub(to_text(decision.by), known.secrets),
            "scope": str(decision.scope),
            "rule": scrub(event.request.rule, known.secrets),
            "note": scrub(to_text(decision.note), known.secrets),
            "edited": decision.arguments is not None,
        }
        known.approvals = (*known.approvals, answer)
        self._store.run("UPDATE calls SET approvals = ? WHERE id = ?", (_json(known.approvals), known.row))

    def _ended(self, result: ToolResult) -> None:
        known = self._open.get(result.call.log)
        if known is None:
            return
        self._rewrite(known, result.call)

        def clean(text: str) -> str:
            if known.hushed:
                return "the arguments could not be read, and may hold a secret"
            return _sound(cut(scrub(text, known.secrets), RESULT_CHARS))

        self._store.run(
            "UPDATE calls SET attempts = ?, decisions = ?, notes = ?, status = ?, seconds = ?, error = ?,"
            " result = ? WHERE id = ?",
            (
                result.attempts,
                _json({stage: clean(words) for stage, words in (result.decisions or {}).items()}),
                _json([clean(str(note)) for note in result.notes]),
                str(result.status),
                result.seconds,
                None if result.error is None else clean(result.error),
                clean(result.text),
                known.row,
            ),
        )

    def _rewrite(self, known: _Open, call: ToolCall) -> None:
        """Write the arguments as they were understood, repaired or edited, once they are known."""
        if call.arguments is known.seen or not call.arguments:
            return
        known.seen = call.arguments
        stored = _stored(call.arguments, call.tool)
        known.secrets = tuple(dict.fromkeys((*known.secrets, *stored.secrets)))
        if stored.text == known.written:
            return
        known.written = stored.text
        self._store.run(
            "UPDATE calls SET arguments = ?, masked = ?, whole = ? WHERE id = ?",
            (stored.text, _json(stored.paths), stored.whole, known.row),
        )


class _Stored(NamedTuple):
    """Arguments as they go into a row."""

    text: str | None
    """JSON; None when they are too long."""
    paths: tuple[str, ...]
    """Where secrets were taken out."""
    secrets: tuple[str, ...]
    whole: bool
    """Whether the text, with the secrets put back, is all that the call was given."""


def _stored(arguments: Mapping[str, Any], tool: Tool | None) -> _Stored:
    strangers: list[str] = []

    def stranger(value: Any) -> str:
        strangers.append(to_repr(value))
        return strangers[-1]

    plain = json.loads(canonical_text(dict(arguments), stranger))
    masked = mask(plain, None if tool is None else tool.parameters)
    text: str | None = _json(masked.arguments)
    if len(text) > ARGUMENT_CHARS:
        text = None
    return _Stored(text, masked.paths, masked.secrets, whole=text is not None and not strangers)


_json = json.JSONEncoder(separators=(",", ":")).encode


def _sound(text: str) -> str:
    """Without lone surrogates, which no database takes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
