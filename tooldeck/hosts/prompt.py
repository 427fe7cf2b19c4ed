"""Approval as a question on the terminal, and the refusal where there is none."""

from __future__ import annotations

import json
import math
import select
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait

from tooldeck.core.approval import ApprovalRequest, Decision, Scope
from tooldeck.core.credentials import without_logins
from tooldeck.core.strangers import to_repr
from tooldeck.guards.text import one_line
from tooldeck.hosts.threads import start

__all__ = [
    "KEYBOARD",
    "ask_by_input",
    "ask_on_terminal",
    "on_a_terminal",
    "question",
    "refuse",
    "typed_within",
]

_WORDS = {
    Scope.ONCE: "[y]es once",
    Scope.EXACT: "[e]xactly this call",
    Scope.SESSION: "this tool for the [s]ession",
    Scope.ALWAYS: "this tool [a]lways",
}
KEYBOARD = threading.RLock()
"""Calls that run at once ask one after the other: there is one keyboard."""
_TICK = 0.1
"""Seconds between looks at the keyboard where an interrupt has to be heard."""
_TRIES = 3
"""Answers that may be none of the choices, before that counts as a no."""
_SHOWN = 40
"""Characters of such an answer that are repeated."""
_NO = {"", "n", "no"}
_ANSWERS = {"y": Scope.ONCE, "yes": Scope.ONCE, "e": Scope.EXACT, "s": Scope.SESSION, "a": Scope.ALWAYS}


def on_a_terminal() -> bool:
    """Whether standard input is a terminal."""
    try:
        return sys.stdin is not None and sys.stdin.isatty()
    except ValueError:  # closed
        return False


def ask_on_terminal(request: ApprovalRequest) -> Decision:
    """Ask where standard input is a terminal; refuse elsewhere."""
    if not on_a_terminal():
        return refuse(request)
    on_main = threading.current_thread() is threading.main_thread()
    if on_main and request.timeout is None:
        return ask_by_input(request)
    return _ask(request, typed_within, request.timeout)


def typed_within(prompt: str, seconds: float | None) -> str | None:
    """What `input` gives, but an interrupt of this thread (see `Lane`) is heard while nobody types."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = _line_within(seconds)
    if line == "":
        raise EOFError
    return line


def _line_within(seconds: float | None) -> str | None:
    """The next line typed, or None when nothing came in time."""
    end = math.inf if seconds is None else time.monotonic() + seconds
    reader: Future[str] | None = None
    while True:
        left = max(0.0, min(_TICK, end - time.monotonic()))
        try:
            if reader is None and select.select([sys.stdin], [], [], left)[0]:
                return sys.stdin.readline()
        except (OSError, ValueError):  # Windows waits for sockets only: read beside, and leave the reader
            reader = start(sys.stdin.readline, "prompt")
        if reader is not None and wait([reader], left).done:
            return reader.result()
        if time.monotonic() >= end:
            return None


def ask_by_input(request: ApprovalRequest) -> Decision:
    """Ask with `input`, however long it takes."""
    return _ask(request, lambda prompt, _: input(prompt))


def _ask(
    request: ApprovalRequest,
    typed: Callable[[str, float | None], str | None],
    seconds: float | None = None,
) -> Decision:
    """Ask until the answer is one of the choices, a few times at most.

    `typed` shows a prompt and gives what is typed within so many seconds (None: however long it takes), or
    None when nothing is; EOFError when there is nothing to come.
    """
    try:
        return _answered(request, typed, seconds)
    except EOFError:
        return refuse(request, "the input has ended")


def _answered(
    request: ApprovalRequest, typed: Callable[[str, float | None], str | None], seconds: float | None
) -> Decision:
    with KEYBOARD:
        end = None if seconds is None else time.monotonic() + seconds
        said = f"{question(request)}\n"
        for _ in range(_TRIES):
            within = "" if seconds is None else f" (within {seconds:.3g} s)"
            answer = typed(f"{said}{_choices(request)}{within}: ", seconds)
            if answer is None:
                return Decision(False, by="time-out")
            decision = _read(answer, request)
            if decision is not None:
                return decision
            said = f"{one_line(answer.strip()[:_SHOWN])!r} is none of the choices. "
            seconds = None if end is None else max(0.0, end - time.monotonic())
    return Decision(False, note=f"{_TRIES} answers were none of the choices")


def _read(answer: str, request: ApprovalRequest) -> Decision | None:
    """The decision that a typed answer means; None for what is none of the choices. No answer is a no."""
    word = answer.strip().casefold()
    if word in _NO:
        return Decision(False)
    if word == "x" and request.call.caller.run is not None:
        return Decision(False, stop=True)
    scope = _ANSWERS.get(word)
    return Decision(True, scope=scope) if scope in request.scopes and scope is not None else None


def _choices(request: ApprovalRequest) -> str:
    words = [_WORDS[scope] for scope in request.scopes]
    words += ["[N]o", *(["no, and e[x]it the run"] if request.call.caller.run is not None else [])]
    return f"Approve? {', '.join(words)}"


def question(request: ApprovalRequest) -> str:
    """The whole request as text: nothing that could pose as something else, nothing left out.

    Only credentials in addresses are masked.
    """
    tool, call = request.tool, request.call
    effects = (
        "undeclared effects"
        if tool.effects is None
        else f"effects: {', '.join(sorted(tool.effects)) or 'none'}"
    )
    who = f", asked by {one_line(call.caller.label or str(call.caller.source))}"
    lines = [
        f"{one_line(tool.name)} ({one_line(str(tool.origin))}{who})",
        f"  {effects}; risk {tool.risk}; rule {one_line(request.rule)}",
    ]
    for name, given in call.arguments.items():
        value = without_logins(given)
        try:
            shown = json.dumps(value, ensure_ascii=False)
        except Exception:  # noqa: BLE001 - not JSON, or an object of strangers that raises
            shown = to_repr(value)
        lines.append(f"  {one_line(name)} = {one_line(shown)}")
    if request.preview is not None:
        lines.append("  what it would change:")
        lines += [f"  | {one_line(line)}" for line in request.preview.rstrip("\n").split("\n")]
    return "\n".join(lines)


def refuse(request: ApprovalRequest, why: str = "this program has no terminal to ask on") -> Decision:
    """The answer where nobody can be asked: says `why`, and the ways to approve beforehand."""
    tool = request.tool
    if tool.action:
        ways = (
            f"deck.policy.allow({tool.name!r}, arguments={{'action': {tool.action!r}}}), "
            f"or %policy allow {tool.name} action={tool.action} in a notebook."
        )
    else:
        ways = (
            f"deck.policy.allow({tool.name!r}), %policy allow {tool.name} in a notebook, "
            'or declare what the tool does, for example effects="read".'
        )
    return Decision(False, by="nobody", note=f"{why}; to approve it beforehand use {ways}")
