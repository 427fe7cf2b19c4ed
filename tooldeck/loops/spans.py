"""OpenTelemetry spans of runs, replies and calls, by the conventions for generative AI.

The conventions are still being developed, so that their words are written here and no package of them is
imported: ``invoke_agent`` for a run, ``chat`` for a reply, ``execute_tool`` for a call.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tooldeck.core.call import ToolCall
from tooldeck.core.errors import SetupError
from tooldeck.core.events import CallEnded, CallStarted, Event, ModelReplied, RunEnded, RunStarted
from tooldeck.core.messages import Usage
from tooldeck.core.result import ToolResult
from tooldeck.core.run_result import RunResult
from tooldeck.store.conversations import conversation_of
from tooldeck.store.masking import mask, scrub

if TYPE_CHECKING:
    from opentelemetry.trace import Span, TracerProvider

__all__ = ["spans"]

_PROVIDERS = {
    "openai-chat": "openai",
    "openai-responses": "openai",
    "anthropic": "anthropic",
    "gemini": "gcp.gemini",
}


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
            told = {"gen_ai.conversation.id": conversation_of(event.run), "tooldeck.run.id": event.run.id}
            self._begin(
                event.run.id, f"invoke_agent {event.run.name or 'tooldeck'}", "invoke_agent", None, told
            )
        elif isinstance(event, ModelReplied):
            self._replied(event)
        elif isinstance(event, RunEnded):
            self._run_ended(event.result)

    def _begin(self, key: str, name: str, operation: str, parent: str | None, told: dict[str, Any]) -> None:
        attributes = {"gen_ai.operation.name": operation, **told}
        made = self._tracer.start_span(name, context=self._within(parent), attributes=attributes)
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
        self._begin(call.id, f"execute_tool {call.name}", "execute_tool", parent, told)

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
            self._failed(made, type(fault).__name__ if fault is not None else str(result.status))
        made.end()

    def _replied(self, event: ModelReplied) -> None:
        reply, end = event.reply, time.time_ns()
        told: dict[str, Any] = {"gen_ai.operation.name": "chat", **_used(reply.usage)}
        told["gen_ai.response.finish_reasons"] = [str(reply.end)]
        if reply.model:
            told["gen_ai.response.model"] = reply.model
        if reply.native is not None:
            told["gen_ai.provider.name"] = _PROVIDERS.get(reply.native.dialect, reply.native.dialect)
        made = self._tracer.start_span(
            f"chat {reply.model}".strip(),
            context=self._within(event.run.id),
            kind=self._trace.SpanKind.CLIENT,
            attributes=told,
            start_time=end - int(event.seconds * 1e9),
        )
        made.end(end)

    def _run_ended(self, result: RunResult) -> None:
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
            self._failed(made, str(result.status))
        made.end()

    def _taken(self, key: str) -> Span | None:
        with self._lock:
            return self._open.pop(key, None)

    def _failed(self, made: Span, kind: str) -> None:
        made.set_attribute("error.type", kind)
        made.set_status(self._trace.StatusCode.ERROR)


def _used(usage: Usage | None) -> dict[str, Any]:
    if usage is None:
        return {}
    return {"gen_ai.usage.input_tokens": usage.input, "gen_ai.usage.output_tokens": usage.output}
