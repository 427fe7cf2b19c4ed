"""OpenTelemetry spans of runs, replies and calls, by the conventions for generative AI.

The conventions are still being developed, so that their words are written here and no package of them is
imported: ``invoke_agent`` for a run, ``chat`` for a reply, ``execute_tool`` for a call. They are those of
https://github.com/open-telemetry/semantic-conventions-genai as of late 2026.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tooldeck.core.call import ToolCall, current_call
from tooldeck.core.errors import SetupError
from tooldeck.core.events import (
    CallEnded,
    CallStarted,
    Event,
    ModelAsked,
    ModelReplied,
    RunEnded,
    RunStarted,
)
from tooldeck.core.messages import ReplyEnd, Usage
from tooldeck.core.result import ToolResult
from tooldeck.core.run import Run
from tooldeck.core.run_result import RunResult
from tooldeck.store.conversations import conversation_of
from tooldeck.store.masking import mask, scrub

if TYPE_CHECKING:
    from opentelemetry.trace import Span, TracerProvider

__all__ = ["spans"]

_REASONS = {ReplyEnd.DONE: "stop", ReplyEnd.LENGTH: "length", ReplyEnd.REFUSED: "content_filter"}
_PORTS = {"http": 80, "https": 443}


def spans(provider: TracerProvider | None = None, *, content: bool = False) -> Callable[[Event], None]:
    """An observer that makes spans: ``deck.subscribe(spans())`` turns them on, what it returns, off.

    `provider` is where spans go, by default the one that the program has set; without any nothing is sent.
    With `content`, spans have arguments and results of calls, secrets blacked out.

    Raises `SetupError` where opentelemetry-api is not installed.
    """
    try:
        from opentelemetry import trace
    except ImportError:
        raise SetupError("Spans need opentelemetry-api: pip install 'tooldeck[otel]'.") from None
    return _Spans(trace, trace.get_tracer("tooldeck", tracer_provider=provider), content=content).observe


class _Spans:
    """The spans under way, by call and by run."""

    def __init__(self, trace: Any, tracer: Any, *, content: bool) -> None:
        self._trace = trace
        self._tracer = tracer
        self._content = content
        self._open: dict[str, Span] = {}
        self._lock = threading.Lock()

    def observe(self, event: Event) -> None:
        """Take in one event of a deck, from any thread."""
        if isinstance(event, CallStarted):
            self._call_started(event.call)
        elif isinstance(event, CallEnded):
            self._call_ended(event.result)
        elif isinstance(event, RunStarted):
            self._run_started(event)
        elif isinstance(event, ModelAsked):
            self._asked(event)
        elif isinstance(event, ModelReplied):
            self._replied(event)
        elif isinstance(event, RunEnded):
            self._run_ended(event.result)

    def _begin(
        self, key: str, name: str, parent: str | None, told: dict[str, Any], *, kind: str = "INTERNAL"
    ) -> None:
        made = self._tracer.start_span(
            name,
            context=self._within(parent),
            kind=getattr(self._trace.SpanKind, kind),
            attributes={"gen_ai.operation.name": name.partition(" ")[0], **told},
        )
        with self._lock:
            self._open[key] = made

    def _within(self, parent: str | None) -> Any:
        """The context of the span around; None takes that of this thread."""
        with self._lock:
            around = None if parent is None else self._open.get(parent)
        return None if around is None else self._trace.set_span_in_context(around)

    def _call_started(self, call: ToolCall) -> None:
        parent = call.parent or (None if call.caller.run is None else call.caller.run.id)
        told = {"gen_ai.tool.name": call.name, "gen_ai.tool.call.id": call.id, "gen_ai.tool.type": "function"}
        self._begin(call.id, f"execute_tool {call.name}", parent, told)

    def _call_ended(self, result: ToolResult) -> None:
        made = self._taken(result.call.id)
        if made is None:
            return
        tool = result.call.tool
        told: dict[str, Any] = {"tooldeck.status": str(result.status), "tooldeck.attempts": result.attempts}
        if tool is not None:
            told["gen_ai.tool.description"] = tool.description[:1_000]
        if self._content:
            masked = mask(dict(result.call.arguments), None if tool is None else tool.parameters)
            told["gen_ai.tool.call.arguments"] = json.dumps(masked.arguments, default=str)
            told["gen_ai.tool.call.result"] = scrub(result.text, masked.secrets)
        made.set_attributes({**told, **{f"tooldeck.{k}": v for k, v in (result.decisions or {}).items()}})
        if not result.ok:
            fault = result.exception
            self._failed(made, str(result.status) if fault is None else _kind_of(fault))
        made.end()

    def _run_started(self, event: RunStarted) -> None:
        # No name: what a run is called may be the words of its prompt.
        told = {"gen_ai.conversation.id": conversation_of(event.run), "tooldeck.run.id": event.run.id}
        outer = current_call()
        self._begin(event.run.id, "invoke_agent", None if outer is None else outer.id, told)

    def _asked(self, event: ModelAsked) -> None:
        told: dict[str, Any] = {
            "gen_ai.provider.name": event.provider or "_OTHER",
            "gen_ai.request.model": event.model,
            "gen_ai.conversation.id": conversation_of(event.run),
        }
        told |= _server_of(event.server)
        self._begin(_reply_of(event.run), f"chat {event.model}", event.run.id, told, kind="CLIENT")

    def _replied(self, event: ModelReplied) -> None:
        made, reply = self._taken(_reply_of(event.run)), event.reply
        if made is None:
            return
        called = reply.end is ReplyEnd.DONE and reply.requests
        made.set_attribute("gen_ai.response.finish_reasons", ["tool_call" if called else _REASONS[reply.end]])
        made.set_attributes(_used(reply.usage))
        if reply.model:
            made.set_attribute("gen_ai.response.model", reply.model)
        made.end()

    def _run_ended(self, result: RunResult) -> None:
        fault = str(result.status) if result.exception is None else _kind_of(result.exception)
        unanswered = self._taken(_reply_of(result.run))
        if unanswered is not None:
            self._failed(unanswered, fault)
            unanswered.end()
        made = self._taken(result.run.id)
        if made is None:
            return
        told = {
            **_used(result.usage),
            "tooldeck.status": str(result.status),
            "tooldeck.rounds": result.rounds,
        }
        if result.usage.cost is not None:
            told["tooldeck.cost"] = result.usage.cost
        made.set_attributes(told)
        if not result.ok:
            self._failed(made, fault)
        made.end()

    def _taken(self, key: str) -> Span | None:
        with self._lock:
            return self._open.pop(key, None)

    def _failed(self, made: Span, kind: str) -> None:
        made.set_attribute("error.type", kind)
        made.set_status(self._trace.StatusCode.ERROR)


def _reply_of(run: Run) -> str:
    """Under which the span of a run's reply is open; it has one at a time."""
    return f"reply of {run.id}"


def _server_of(address: str) -> dict[str, Any]:
    """Host and port of an address; nothing where it has none."""
    try:
        parts = urlsplit(address)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return {}
    return {"server.address": parts.hostname, "server.port": port} if parts.hostname and port else {}


def _kind_of(fault: BaseException) -> str:
    """The status that a server answered, else the kind of exception."""
    status = getattr(fault, "status", None)
    return str(status) if isinstance(status, int) else type(fault).__name__


def _used(usage: Usage | None) -> dict[str, Any]:
    if usage is None:
        return {}
    told = {"gen_ai.usage.input_tokens": usage.input, "gen_ai.usage.output_tokens": usage.output}
    return {**told, "gen_ai.usage.cache_read.input_tokens": usage.cached} if usage.cached else told
