"""present: on the way out, once, what a model is given. The value stays untouched and whole.

That is one text, and, where the answer has other parts, those in order. What comes from outside is fenced.
"""

from __future__ import annotations

from typing import Any, cast

from tooldeck.core.approval import Provenance
from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.call_log import CallLog
from tooldeck.core.errors import CallError
from tooldeck.core.model_text import Cut, cut, error_text, value_text
from tooldeck.core.options import MIN_CHARS
from tooldeck.core.parts import Answer, Audio, Image, Part, Text
from tooldeck.core.strangers import error_words
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Effect, Status, Trust
from tooldeck.core.world import Handler, World

_FROM_OUTSIDE = {Status.OK, Status.FAILED, Status.TRIPPED, Status.TIMEOUT}
"""The ends whose text may have words of the tool in it; a tripped call repeats the last error."""
_UNRESOLVED_CHARS = 4_000
_LINKS = 20
"""Exceptions in a chain of causes, and of inner calls, that are looked at."""
# Bound once: reading a member off its Enum costs 0.1 µs on Python 3.11, and this runs for every call.
_OK = Status.OK
_UNTRUSTED = Trust.UNTRUSTED
_UNKNOWN = Provenance(_UNTRUSTED)


def present(next: Handler, tool: Any, world: World) -> Handler:
    """Make the text: cut to size, and fenced where the tool's output is untrusted, errors included."""

    async def run(call: ToolCall) -> Outcome:
        try:
            outcome = await next(call)
        except Exception as error:  # noqa: BLE001 - an argument or setting of strangers raised in a stage
            outcome = Outcome(Status.FAILED, error=error_words(error), exception=error)
        log = call.log
        found = (log.call or call).tool
        limit = found.max_chars if found is not None else _UNRESOLVED_CHARS
        mark = None
        foreign = outcome.exception is not None and _is_foreign(log, outcome)
        if log.handed and not log.outside and outcome.status is _OK:
            log.outside = f"it has text from {log.handed}"
        known = _UNKNOWN if found is None else world.present_policy().trust_of(found)
        speaks = found is not None and known.trust is _UNTRUSTED and _may_speak(log, outcome)
        if found is not None and (foreign or speaks or log.outside):
            mark = _Fence(world, found)
            _spread(call, found, known)
            if log.outer is not None and outcome.exception is not None:
                log.outer.foreign = (*log.outer.foreign, outcome.exception)[-_LINKS:]
        if outcome.inner is not None or outcome.answer is not None:
            _present_answer(log, outcome, call.id, limit, mark)
        elif outcome.status is _OK:
            log.text = value_text(outcome.value, limit, call.id)
        else:
            log.text = error_text(outcome.status, outcome.error or "", limit, call.id)
        text = log.text
        if type(text) is Cut:
            world.weigh(call.id, text.total)
            log.text = str(text)
        if mark is not None:
            log.text = mark(log.text)
        _decided(log, known, fenced=mark is not None)
        return outcome

    return run


def _decided(log: CallLog, known: Provenance, *, fenced: bool) -> None:
    """Note what was decided, with the reason where it is not the tool's declaration."""
    distrusted = known.trust is _UNTRUSTED
    if fenced:
        why = log.outside or (f"the policy says: {known.rule}" if known.rule and distrusted else "")
        log.decide("present", f"fenced, since {why}" if why else "fenced")
    elif known.rule and not distrusted:
        log.decide("present", f"not fenced, by the rule {known.rule}")


def _spread(call: ToolCall, tool: Tool, known: Provenance) -> None:
    """Remember where text from elsewhere goes: into the call around this one, and to the model of its run.

    What tools of this machine say is fenced, and goes no further: their words are not a stranger's, unless
    the policy says that they are.
    """
    log = call.log
    if log.outside:
        log.source = log.outside.partition(" has text from ")[2] or log.outside
    elif known.rule or tool.origin.kind != "builtin" or Effect.NETWORK in (tool.effects or ()):
        log.source = f"{tool.label} ({tool.origin})" if tool.origin.remote else tool.label
    else:
        return
    run = call.caller.run
    if log.outer is not None:
        log.outer.handed = log.outer.handed or log.source
    elif run is not None:
        run.outside = run.outside or log.source


def _may_speak(log: CallLog, outcome: Outcome) -> bool:
    """Whether the end may have words of the tool in it."""
    return log.attempts > 0 or outcome.status in _FROM_OUTSIDE


def _is_foreign(log: CallLog, outcome: Outcome) -> bool:
    """Whether the body was ended by what an untrusted tool said that it called, in whichever wrapping."""
    error = outcome.exception
    for _ in range(_LINKS):
        if error is None:
            break
        if any(error is known for known in log.foreign):
            return True
        if issubclass(type(error), CallError):  # not `isinstance`, since a stranger's may raise when asked
            decisions = cast("CallError", error).result.decisions
            if decisions is not None and decisions.get("present", "").startswith("fenced"):
                return True
        error = error.__cause__ or error.__context__
    return False


class _Fence:
    """Marks text of one tool as coming from outside."""

    def __init__(self, world: World, tool: Tool) -> None:
        self._fence = world.fence
        self._origin = f"{tool.name} ({tool.origin})"

    def __call__(self, text: str) -> str:
        return self._fence(text, self._origin)


def _present_answer(log: CallLog, outcome: Outcome, handle: str, limit: int, mark: _Fence | None) -> None:
    """An answer with parts, or another call's result, which was presented there."""
    if outcome.inner is not None:
        log.text, log.artifacts = outcome.inner.text, outcome.inner.artifacts
        log.parts = _marked(outcome.inner.parts, mark)
        return
    answer = outcome.answer or Answer()
    parts = _told(answer, limit, handle)
    log.text = cut("\n".join(map(str, parts)), limit, handle)
    log.artifacts = answer.artifacts
    if any(not isinstance(part, Text) for part in answer.parts):
        texts = sum(not isinstance(part, Image | Audio) for part in parts)
        share = max(MIN_CHARS, limit // max(1, texts))
        log.parts = _marked(tuple(_fitted(part, share, handle) for part in parts), mark)


def _told(answer: Answer, limit: int, handle: str) -> list[Part]:
    """All that a model is told, in order."""
    text = answer.text
    if text is None and not (answer.value is None and answer.parts):
        text = value_text(answer.value, limit, handle)
    kept = [Text(f"[kept for the person: {str(artifact)[1:-1]}]") for artifact in answer.artifacts]
    return [*([Text(text)] if text else []), *answer.parts, *kept]


def _fitted(part: Part, limit: int, handle: str) -> Part:
    """A part that is no more than so much text."""
    if isinstance(part, Image | Audio):
        return part
    text = str(part)
    return part if len(text) <= limit else Text(str(cut(text, limit, handle)))


def _marked(parts: tuple[Part, ...], mark: _Fence | None) -> tuple[Part, ...]:
    """Parts of a tool from outside: pictures and sounds as they are, everything else as fenced text."""
    if mark is None:
        return parts
    return tuple(part if isinstance(part, Image | Audio) else Text(mark(str(part))) for part in parts)
