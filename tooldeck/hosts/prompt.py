"""Approval as a question on the terminal, and the refusal where there is none."""

from __future__ import annotations

import json
import select
import sys
import threading

from tooldeck.core.approval import ApprovalRequest, Decision, Scope
from tooldeck.core.strangers import to_repr
from tooldeck.guards.text import one_line
from tooldeck.hosts.threads import start

__all__ = ["ask_by_input", "ask_on_terminal", "on_a_terminal", "question", "read_answer", "refuse"]

_WORDS = {
    Scope.ONCE: "[y]es once",
    Scope.EXACT: "[e]xactly this call",
    Scope.SESSION: "this tool for the [s]ession",
    Scope.ALWAYS: "this tool [a]lways",
}
_typing = threading.RLock()  # calls that run at once ask one after the other: there is one keyboard
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
    if request.timeout is None:
        return ask_by_input(request)
    with _typing:
        sys.stdout.write(f"{question(request)}\n{_choices(request)} (within {request.timeout:.3g} s): ")
        sys.stdout.flush()
        answer = _line_within(request.timeout)
    return Decision(False, by="time-out") if answer is None else read_answer(answer, request)


def _line_within(seconds: float) -> str | None:
    """The next line typed, or None when nothing came in time."""
    try:
        ready = select.select([sys.stdin], [], [], seconds)[0]
    except (OSError, ValueError):  # Windows waits for sockets only: read beside, and leave the reader behind
        try:
            return start(sys.stdin.readline, "prompt").result(seconds)
        except TimeoutError:
            return None
    return sys.stdin.readline() if ready else None


def ask_by_input(request: ApprovalRequest) -> Decision:
    """Ask with `input`; anything but a clear yes is a no."""
    try:
        with _typing:
            answer = input(f"{question(request)}\n{_choices(request)}: ")
    except EOFError:
        return refuse(request, "the input has ended")
    return read_answer(answer, request)


def read_answer(answer: str, request: ApprovalRequest) -> Decision:
    """The decision that a typed answer means: anything but a choice that is offered is a no."""
    word = answer.strip().casefold()
    if word == "x" and request.call.caller.run is not None:
        return Decision(False, stop=True)
    scope = _ANSWERS.get(word)
    return Decision(True, scope=scope) if scope in request.scopes and scope is not None else Decision(False)


def _choices(request: ApprovalRequest) -> str:
    words = [_WORDS[scope] for scope in request.scopes]
    words += ["[N]o", *(["no, and e[x]it the run"] if request.call.caller.run is not None else [])]
    return f"Approve? {', '.join(words)}"


def question(request: ApprovalRequest) -> str:
    """The whole request as text: nothing left out, nothing that could pose as something else."""
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
    for name, value in call.arguments.items():
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
    name = request.tool.name
    return Decision(
        False,
        by="nobody",
        note=(
            f"{why}; to approve it beforehand use deck.policy.allow({name!r}), "
            f"%policy allow {name} in a notebook, "
            'or declare what the tool does, for example effects="read".'
        ),
    )
