"""What a run did, as plain JSON: one record per call that its model asked for, without secrets."""

from __future__ import annotations

import hashlib
from typing import Any

from tooldeck.core.arguments import read_arguments
from tooldeck.core.canonical import canonical_text
from tooldeck.core.result import ToolResult
from tooldeck.core.run_result import RunResult, Step
from tooldeck.policy.fingerprint import fingerprint
from tooldeck.store.masking import mask, scrub

__all__ = ["records"]


def records(result: RunResult) -> list[dict[str, Any]]:
    """A record per call, in order; each is plain JSON, so that a file of them is JSONL.

    ``arguments`` and ``written`` are without their secrets; ``arguments_hash`` and ``value_hash`` tell
    whether two calls, or two ends, were the same. ``start`` is in seconds after the start of the run;
    ``seconds`` are those of the call, waits for people included.
    """
    return [_record(step, result) for step in result.calls]


def _record(step: Step, result: RunResult) -> dict[str, Any]:
    made, action = step.result, step.action
    tool = made.call.tool if made is not None else None
    given = read_arguments(step.request.arguments).arguments
    if made is not None and made.call.arguments:
        given = dict(made.call.arguments)
    masked = mask(given, tool.parameters if tool is not None else None)
    secrets = masked.secrets
    return {
        "run": result.run.id,
        "round": step.round,
        "id": step.request.id,
        "tool": step.request.name if made is None else made.call.name,
        "source": "native" if action is None else action.source,
        "written": "" if action is None else scrub(action.raw, secrets),
        "repairs": [] if action is None else [*action.repairs, *action.notes],
        "arguments": masked.arguments,
        "arguments_hash": _hash(canonical_text(given)),
        **(
            {"status": "not_run", "error": step.answer.text}
            if made is None
            else {"start": max(0.0, made.call.log.started - result.started), **_end(made, secrets)}
        ),
    }


def _end(result: ToolResult, secrets: tuple[str, ...]) -> dict[str, Any]:
    tool, call = result.call.tool, result.call
    exception = result.exception
    return {
        "call": call.id,
        "parent": call.parent,
        "origin": None if tool is None else str(tool.origin),
        "fingerprint": None if tool is None else fingerprint(tool),
        "trust": None if tool is None else str(tool.trust),
        "risk": None if tool is None else str(tool.risk),
        "decisions": {stage: scrub(said, secrets) for stage, said in (result.decisions or {}).items()},
        "notes": [scrub(str(note), secrets) for note in result.notes],
        "attempts": result.attempts,
        "seconds": result.seconds,
        "status": str(result.status),
        "error": None if result.error is None else scrub(result.error, secrets),
        "exception": None if exception is None else type(exception).__name__,
        "chars": len(result.text),
        "artifacts": [artifact.name for artifact in result.artifacts],
        "value_hash": _hash(canonical_text(result.value)),
    }


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
