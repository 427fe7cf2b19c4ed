"""Answers to the calls of other clients, in the form that they came in."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace

import pytest

from tooldeck import Answer, Decision, DefinitionError, Image, LoopSettings, Run
from tooldeck.testing import fake_deck


@pytest.fixture(params=["answer", "aanswer"])
def answer(request):
    """``answer(deck, calls)`` one way or the other."""
    if request.param == "answer":
        return lambda deck, calls, **options: deck.answer(calls, **options)
    return lambda deck, calls, **options: asyncio.run(deck.aanswer(calls, **options))


def chat(*calls):
    return [
        {"id": key, "type": "function", "function": {"name": name, "arguments": given}}
        for key, name, given in calls
    ]


THREE = [("a", "add", '{"a": 1, "b": 2}'), ("b", "fail", "{}"), ("c", "nope", "")]


def test_chat_completions_are_answered_by_one_message_each(deck, answer):
    told = answer(deck, chat(*THREE))
    assert [one["tool_call_id"] for one in told] == ["a", "b", "c"]
    assert {one["role"] for one in told} == {"tool"}
    assert told[0]["content"] == "3"
    assert "broken" in told[1]["content"]
    assert "no tool 'nope'" in told[2]["content"]
    message = {"role": "assistant", "content": None, "tool_calls": chat(*THREE)}
    assert answer(deck, message)[0] == told[0]
    response = {"choices": [{"message": message, "finish_reason": "tool_calls"}]}
    assert answer(deck, response)[0] == told[0]
    as_objects = json.loads(json.dumps(response), object_hook=lambda made: SimpleNamespace(**made))
    assert answer(deck, as_objects)[0] == told[0]


def test_responses_are_answered_by_one_item_each(deck, answer):
    calls = [
        {"type": "reasoning", "id": "r", "summary": []},
        {
            "type": "function_call",
            "call_id": "a",
            "name": "add",
            "arguments": '{"a": 1}',
            "status": "completed",
        },
        {
            "type": "function_call",
            "call_id": "b",
            "name": "add",
            "arguments": '{"a": 2',
            "status": "incomplete",
        },
    ]
    told = answer(deck, {"output": calls, "status": "incomplete"})
    assert [(one["type"], one["call_id"]) for one in told] == [
        ("function_call_output", "a"), ("function_call_output", "b")
    ]  # fmt: skip
    assert told[0]["output"] == "1"
    assert "cut off" in told[1]["output"]


def test_messages_of_anthropic_are_answered_by_one_message(deck, answer):
    deck.add(lambda: Answer("seen", parts=[Image(b"\x89PNG", "image/png")]), name="plot", effects="none")
    content = [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "a", "name": "add", "input": {"a": 1}},
        {"type": "tool_use", "id": "b", "name": "fail", "input": {}},
        {"type": "tool_use", "id": "c", "name": "plot", "input": {}},
    ]
    (message,) = answer(deck, {"role": "assistant", "content": content, "stop_reason": "tool_use"})
    assert message["role"] == "user"
    assert [one["tool_use_id"] for one in message["content"]] == ["a", "b", "c"]
    assert [one.get("is_error", False) for one in message["content"]] == [False, True, False]
    assert message["content"][2]["content"][1]["source"]["media_type"] == "image/png"


def test_calls_of_gemini_are_answered_by_one_content(deck, answer):
    parts = [
        {"text": "I look."},
        {"functionCall": {"name": "add", "args": {"a": 1}}},
        {"functionCall": {"name": "add", "args": {"a": 1}}},
        {"functionCall": {"id": "x", "name": "fail", "args": {}}},
    ]
    (content,) = answer(deck, {"candidates": [{"content": {"role": "model", "parts": parts}}]})
    told = [part["functionResponse"] for part in content["parts"]]
    assert [one.get("id") for one in told] == [None, None, "x"]
    assert [list(one["response"]) for one in told] == [["output"], ["output"], ["error"]]


def test_plain_calls_are_answered_like_chat_completions(deck, answer):
    told = answer(deck, [{"id": "1", "name": "add", "arguments": {"a": 1}}])
    assert told == [{"role": "tool", "tool_call_id": "1", "content": "1"}]
    assert answer(deck, {"id": "1", "name": "add", "arguments": '{"a": 1}'}) == told


def test_a_message_without_calls_needs_no_answer(deck, answer):
    for nothing in (
        [],
        {"role": "assistant", "content": "hello", "tool_calls": None},
        {"choices": [{"message": {"role": "assistant", "content": "hello"}, "finish_reason": "stop"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "hello"}], "stop_reason": "end_turn"},
        {"candidates": [{"content": {"parts": [{"text": "hello"}]}}]},
        {"output": [{"type": "message", "content": []}], "status": "completed"},
    ):
        assert answer(deck, nothing) == []


def test_each_id_has_one_answer_also_where_calls_share_it(deck, answer):
    ran = []
    deck.add(lambda n: ran.append(n) or n, name="once", effects="write")
    same = [
        ("a", "once", '{"n": 1}'),
        ("a", "once", '{"n": 1}'),
        ("b", "once", '{"n": 2}'),
        ("b", "once", '{"n": 3}'),
    ]
    told = answer(deck, chat(*same))
    assert [one["tool_call_id"] for one in told] == ["a", "b"]
    assert ran == [1, 2]
    assert told[0]["content"] == "1"
    assert told[1]["content"] == "2\n[note: another call had the same id and was not run]"


def test_a_response_that_was_cut_off_has_its_last_call_refused(deck, answer):
    ran = []
    deck.add(lambda: ran.append(1), name="wipe", effects="write")
    choice = {
        "message": {"role": "assistant", "tool_calls": chat(("a", "wipe", ""))},
        "finish_reason": "length",
    }
    assert "cut off" in answer(deck, {"choices": [choice]})[0]["content"]
    content = [{"type": "tool_use", "id": "a", "name": "wipe", "input": {}}]
    message = {"role": "assistant", "content": content, "stop_reason": "max_tokens"}
    assert "cut off" in answer(deck, message)[0]["content"][0]["content"]
    parts = [{"functionCall": {"name": "wipe", "args": {}}}]
    candidate = {"content": {"parts": parts}, "finishReason": "MAX_TOKENS"}
    assert "cut off" in json.dumps(answer(deck, {"candidates": [candidate]}))
    assert ran == []


def test_a_refusal_with_a_word_of_the_person_is_an_answer(answer):
    deck, _host = fake_deck([Decision(False, note="not today")])
    deck.add(lambda: 1, name="write", effects="write")
    assert "not today" in answer(deck, chat(("a", "write", "{}")))[0]["content"]


def test_the_calls_of_a_run_are_counted_together(deck, answer):
    run = Run(loop_guard=LoopSettings(block=1, halt=1))
    told = [answer(deck, chat(("a", "add", '{"a": 1}')), run=run)[0]["content"] for _ in range(3)]
    assert told[0].startswith("1")
    assert "looping" in told[1]
    assert "cancelled" in told[2]


@pytest.mark.parametrize("wrong", [5, "add", [5], [{"x": 1}], None], ids=str)
def test_what_holds_no_calls_is_refused(deck, answer, wrong):
    with pytest.raises(DefinitionError, match="is no call"):
        answer(deck, wrong)


def test_calls_of_two_providers_are_not_answered_together(deck, answer):
    mixed = [*chat(("a", "add", "{}")), {"type": "tool_use", "id": "b", "name": "add", "input": {}}]
    with pytest.raises(DefinitionError, match="different providers"):
        answer(deck, mixed)


# -- the objects of the packages themselves, where they are installed


def test_objects_of_the_openai_package(deck, answer):
    types = pytest.importorskip("openai.types.chat")
    message = {"role": "assistant", "content": None, "tool_calls": chat(*THREE)}
    whole = {
        "id": "x", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls", "logprobs": None}],
    }  # fmt: skip
    made = types.ChatCompletion.model_validate(whole)
    told = answer(deck, made)
    assert [one["tool_call_id"] for one in told] == ["a", "b", "c"]
    assert (
        answer(deck, made.choices[0].message)[0]
        == answer(deck, made.choices[0].message.tool_calls)[0]
        == told[0]
    )
    responses = pytest.importorskip("openai.types.responses")
    item = {"type": "function_call", "call_id": "a", "name": "add", "arguments": '{"a": 1}'}
    call = responses.ResponseFunctionToolCall.model_validate(item)
    assert answer(deck, [call]) == [{"type": "function_call_output", "call_id": "a", "output": "1"}]


def test_objects_of_the_anthropic_package(deck, answer):
    types = pytest.importorskip("anthropic.types")
    content = [
        {"type": "text", "text": "x"},
        {"type": "tool_use", "id": "a", "name": "add", "input": {"a": 1}},
    ]
    made = types.Message.model_validate(
        {"id": "x", "type": "message", "role": "assistant", "model": "m", "content": content,
         "stop_reason": "tool_use", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
    )  # fmt: skip
    told = answer(deck, made)
    assert told[0]["content"] == [{"type": "tool_result", "tool_use_id": "a", "content": "1"}]
    assert answer(deck, made.content) == told


def test_objects_of_the_google_genai_package(deck, answer):
    types = pytest.importorskip("google.genai.types")
    call = types.FunctionCall(name="add", args={"a": 1})
    made = types.GenerateContentResponse(
        candidates=[
            types.Candidate(content=types.Content(role="model", parts=[types.Part(function_call=call)]))
        ]
    )
    told = answer(deck, made)
    assert told[0]["parts"][0]["functionResponse"]["response"] == {"output": "1"}
    assert types.Content.model_validate(told[0]).parts[0].function_response.name == "add"
    assert answer(deck, made.function_calls) == told
    cut = types.Candidate(content=made.candidates[0].content, finish_reason="MAX_TOKENS")
    assert "cut off" in json.dumps(answer(deck, types.GenerateContentResponse(candidates=[cut])))
