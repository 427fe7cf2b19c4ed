"""How a model without native calls is told of the ends of its actions: a header, and the text in a fence.

Nothing in the text can be taken for a label or for the end of the fence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tooldeck.core.actions.labels import label_at
from tooldeck.core.actions.records import Refusal
from tooldeck.core.messages import Message
from tooldeck.core.model_text import cut
from tooldeck.core.run_result import Step

__all__ = ["observation", "observed", "refused"]

_LINE_ENDS = re.compile(r"\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""What some readers take for the end of a line, though it is no line feed."""
_TICKS = re.compile(r"`{3,}")
_HEADER = re.compile(r"^Observation\[(\d{1,9})\] ", re.MULTILINE)


def observed(messages: Iterable[Message]) -> int:
    """The number of the last observation in a conversation; 0 where there is none."""
    found = [int(one) for said in messages if said.role == "user" for one in _HEADER.findall(said.text)]
    return max(found, default=0)


def observation(number: int, step: Step, limit: int) -> str:
    """The end of one action, its text cut to `limit` characters."""
    result = step.result
    if result is None:
        return _written(
            f"Observation[{number}] tool={step.request.name} status=error code=not_run", step.answer.text
        )
    status = "status=ok" if result.ok else f"status=error code={result.status}"
    header = f"Observation[{number}] tool={result.call.name} {status} ms={result.seconds * 1000:.0f}"
    return _written(header, cut(step.answer.text, limit, result.call.id))


def refused(number: int, refusal: Refusal, hint: str) -> str:
    """Why a reply was not understood, with the call as it should be written."""
    # Behind a bar the excerpt is no line that starts with a label, and its mark stays below its place.
    excerpt = "\n".join(f"| {line.removeprefix('  ')}" for line in refusal.caret.split("\n") if line)
    corrected = "" if refusal.corrected is None else f"Write: {refusal.corrected}"
    lines = [f"{refusal.code}: {refusal.message}", excerpt, corrected, hint]
    header = f"Observation[{number}] status=error code={refusal.code}"
    return _written(header, "\n".join(line for line in lines if line))


def _written(header: str, text: str) -> str:
    lines = [_escaped(line) for line in _LINE_ENDS.sub("\n", text).split("\n")]
    body = "\n".join(lines)
    fence = "`" * max([3, *(len(ticks) + 1 for ticks in _TICKS.findall(body))])
    return f"{header}\n{fence}\n{body}\n{fence}"


def _escaped(line: str) -> str:
    """The line, with a backslash before what looks like a label."""
    label = label_at(line, 0)
    return line if label is None else f"\\{line}"
