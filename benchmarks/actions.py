"""Actions of up to 16 KiB, against Python's own literal reader on the same text; the aim is under 20 ms."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.measure import Figure, in_turns
from tooldeck import parse_action, read_reply

CHARS = 16_384


def texts() -> dict[str, str]:
    """The most that the limits allow, by kind."""
    row = "[{}],".format(", ".join(["1"] * 495))
    members = ", ".join(f'"key{number}": {number}.5' for number in range(750))
    words = ", ".join(f'"word{number}"' for number in range(1_000))
    return {
        "one text": _call(f'"{"x" * (CHARS - 20)}"'),
        "one text, escaped": _call('"' + r"\n" * ((CHARS - 20) // 2) + '"'),
        "numbers, all tokens": _call(f"[{row * 4}{row[:-1]}]"),
        "an object": _call(f"{{{members}}}"),
        "a list of words": _call(f"[{words}]"),
        "JSON": json.dumps({"name": "f", "arguments": json.loads(f'{{"x": {{{members}}}}}')}),
    }


def _call(value: str) -> str:
    return f"f(x={value})"


def figures() -> Iterator[Figure]:
    """Milliseconds of processor time for each text, and for a reply around it."""
    for kind, text in texts().items():
        assert len(text) <= CHARS, kind
        assert parse_action(text).ok, (kind, str(parse_action(text)))
        yield _figure(
            f"action of {len(text):,} characters: {kind}", lambda text=text: parse_action(text), text
        )
    reply = f"Thought: {'words ' * 500}\nAction: {text}\nObservation: made up"
    assert read_reply(reply).actions
    yield _figure("a reply with the last of these", lambda: read_reply(reply), text)


def _figure(what: str, ours: Callable[[], Any], text: str) -> Figure:
    seconds = in_turns(ours, lambda: ast.literal_eval(_value(text)), calls=2, rounds=21)
    return Figure(what, seconds[0] * 1e3, seconds[1] * 1e3, "ms")


def _value(text: str) -> str:
    """The value in a call, which is all that Python's literal reader takes."""
    return text if text.startswith("{") else re.sub(r"\Af\(x=|\)\Z", "", text)
