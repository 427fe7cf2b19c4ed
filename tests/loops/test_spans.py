"""OpenTelemetry spans: a run with its replies and calls within it, by the conventions; off by default."""

from __future__ import annotations

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tooldeck.loops import ModelReply, ToolRequest, Usage, scripted, spans
from tooldeck.testing import fake_deck


@pytest.fixture
def exported():
    """A provider, and the function that gives what it was told, by name."""
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield provider, lambda: {span.name: span for span in exporter.get_finished_spans()}
    provider.shutdown()


@pytest.fixture
def deck():
    deck, _host = fake_deck(policy="auto")
    deck.add(lambda password: f"got {password}", name="inner", effects="none")
    deck.add(lambda: deck.call("inner", password="hunter2x").value, name="outer", effects="none")
    deck.add(lambda: 1 / 0, name="broken", effects="none")
    return deck


def test_a_run_has_its_replies_and_calls_within_it(deck, exported):
    provider, told = exported
    deck.subscribe(spans(provider))
    asked = [ToolRequest("a", "outer"), ToolRequest("b", "broken")]
    first = ModelReply(requests=asked, usage=Usage(10, 5, cost=0.5), model="m-1")
    assert deck.run("go", model=scripted([first, "done"])).ok
    found = told()
    run, outer, inner, broken = (
        found[name]
        for name in (
            "invoke_agent tooldeck",
            "execute_tool outer",
            "execute_tool inner",
            "execute_tool broken",
        )
    )
    chat = found["chat m-1"]
    assert run.parent is None
    assert {one.parent.span_id for one in (outer, broken, chat)} == {run.context.span_id}
    assert inner.parent.span_id == outer.context.span_id
    assert run.start_time <= chat.start_time <= chat.end_time <= run.end_time
    assert chat.attributes["gen_ai.operation.name"] == "chat"
    assert (chat.attributes["gen_ai.usage.input_tokens"], chat.attributes["gen_ai.usage.output_tokens"]) == (
        10,
        5,
    )
    assert (outer.attributes["gen_ai.tool.name"], outer.attributes["gen_ai.tool.type"]) == (
        "outer",
        "function",
    )
    assert (broken.attributes["error.type"], broken.status.status_code.name) == ("ZeroDivisionError", "ERROR")
    assert run.attributes["tooldeck.status"] == "done"
    assert "hunter2x" not in str([span.to_json() for span in found.values()])


def test_arguments_and_results_are_in_spans_on_request_only_and_without_secrets(deck, exported):
    provider, told = exported
    deck.subscribe(spans(provider, content=True))
    deck.call("inner", password="hunter2x")
    span = told()["execute_tool inner"]
    assert "gen_ai.tool.call.arguments" in span.attributes
    assert "hunter2x" not in span.to_json()


def test_without_a_word_nothing_is_sent_and_what_is_on_can_be_turned_off(deck, exported):
    provider, told = exported
    deck.call("broken")
    undo = deck.subscribe(spans(provider))
    undo()
    deck.call("broken")
    assert told() == {}


def test_a_call_that_is_refused_is_a_span_too(deck, exported):
    provider, told = exported
    deck.subscribe(spans(provider))
    deck.call("no_such_tool")
    assert told()["execute_tool no_such_tool"].attributes["error.type"] == "unknown"
