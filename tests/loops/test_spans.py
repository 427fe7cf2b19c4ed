"""OpenTelemetry spans: a run with its replies and calls within it, by the conventions; off by default."""

from __future__ import annotations

import pytest
from model_servers import serve, status
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes
from opentelemetry.trace import SpanKind

from tooldeck import Run
from tooldeck.loops import ModelReply, ToolRequest, Usage, anthropic, scripted, spans
from tooldeck.testing import fake_deck


@pytest.fixture
def exported():
    """A provider, and the function that gives what it was told, by name."""
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))

    def told(which=""):
        found = exporter.get_finished_spans()
        if which == "all":
            return [span for span in found if span.name.startswith("chat ")]
        return {span.name: span for span in found}

    yield provider, told
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
            "invoke_agent",
            "execute_tool outer",
            "execute_tool inner",
            "execute_tool broken",
        )
    )
    chat = told("all")[0]
    assert run.parent is None
    assert (run.kind, outer.kind, chat.kind) == (SpanKind.INTERNAL, SpanKind.INTERNAL, SpanKind.CLIENT)
    assert {one.parent.span_id for one in (outer, broken, chat)} == {run.context.span_id}
    assert inner.parent.span_id == outer.context.span_id
    assert run.start_time <= chat.start_time <= chat.end_time <= run.end_time
    assert chat.name == "chat scripted"
    assert dict(chat.attributes) | {"gen_ai.conversation.id": "", "gen_ai.usage.output_tokens": 5} == {
        "gen_ai.operation.name": "chat", "gen_ai.provider.name": "_OTHER", "gen_ai.conversation.id": "",
        "gen_ai.request.model": "scripted", "gen_ai.response.model": "m-1",
        "gen_ai.response.finish_reasons": ("tool_call",),
        "gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 5,
    }  # fmt: skip
    assert chat.attributes["gen_ai.conversation.id"] == run.attributes["gen_ai.conversation.id"]
    assert told("all")[1].attributes["gen_ai.response.finish_reasons"] == ("stop",)
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


def test_every_word_of_the_conventions_that_is_used_is_one(deck, exported):
    provider, told = exported
    deck.subscribe(spans(provider, content=True))
    first = ModelReply(requests=[ToolRequest("a", "outer")], usage=Usage(10, 5, cached=4))
    deck.run("go", model=scripted([first, "done"]))
    deck.run("go", model=scripted([ValueError("no")]))
    known = {value for name, value in vars(gen_ai_attributes).items() if name.startswith("GEN_AI_")}
    known |= {"error.type", "server.address", "server.port"}
    used = {key for span in told().values() for key in span.attributes}
    assert {key for key in used if not key.startswith("tooldeck.")} <= known
    operations = {one.value for one in gen_ai_attributes.GenAiOperationNameValues}
    assert {span.attributes["gen_ai.operation.name"] for span in told().values()} <= operations


def test_a_reply_that_never_came_is_a_span_with_its_error_and_the_server(deck, exported):
    provider, told = exported
    deck.subscribe(spans(provider))
    with serve([status(401, {"error": {"message": "no"}})], "anthropic") as server:
        model = anthropic("m-1", base_url=server.url)
        deck.run("the words of the prompt", model=model, run=Run("the words of the prompt"))
    chat, run = told()["chat m-1"], told()["invoke_agent"]
    assert chat.parent.span_id == run.context.span_id
    names = ("gen_ai.provider.name", "error.type", "server.address")
    assert [chat.attributes[name] for name in names] == ["anthropic", "401", "127.0.0.1"]
    assert chat.attributes["server.port"] == server.server_address[1]
    assert (run.attributes["error.type"], run.status.status_code.name) == ("401", "ERROR")
    assert "the words" not in chat.to_json() + run.to_json()


def test_a_run_within_a_call_is_a_span_within_its_span(deck, exported):
    provider, told = exported
    deck.add(lambda: deck.run("go", model=scripted(["done"])).text, name="asks", effects="none")
    deck.subscribe(spans(provider))
    deck.call("asks")
    assert told()["invoke_agent"].parent.span_id == told()["execute_tool asks"].context.span_id


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
