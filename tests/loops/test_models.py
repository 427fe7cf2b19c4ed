"""The kinds of functions that are models, and those that need no key."""

from __future__ import annotations

import json
import threading

import pytest

from tooldeck import DefinitionError, Image, Table, Text
from tooldeck.core.errors import ModelError
from tooldeck.core.events import ModelSpoke
from tooldeck.core.messages import Native
from tooldeck.loops import (
    Again,
    Message,
    ModelReply,
    ToolAnswer,
    ToolRequest,
    from_json,
    recorded,
    scripted,
    to_json,
)


def plain(messages, tools):
    return "two words"


def pieces(messages, tools):
    yield "two "
    yield "words"


async def coroutine(messages, tools):
    return ModelReply("two words")


async def stream(messages, tools):
    yield "two "
    yield "words"
    yield ModelReply("two words")


class Thing:
    async def __call__(self, messages, tools):
        return "two words"


class StreamingThing:
    name = "thing-1"

    async def __call__(self, messages, tools):
        yield "two words"


@pytest.mark.parametrize(
    "model",
    [
        plain,
        pieces,
        coroutine,
        stream,
        Thing(),
        StreamingThing(),
        lambda m, t: coroutine(m, t),
        stream.__call__,
    ],
    ids=["plain", "generator", "coroutine", "stream", "object", "streaming object", "awaitable", "bound"],
)
def test_any_kind_of_function_is_a_model(deck, go, model):
    assert go(deck, model=model).unwrap() == "two words"


def test_text_is_heard_as_it_is_written(deck, go):
    told = []
    go(deck, model=stream, on_text=told.append)
    go(deck, model=pieces, on_text=told.append)
    assert told == ["two ", "words"] * 2


def test_a_reply_that_begins_anew_forgets_what_was_told(deck, go):
    def broken(messages, tools):
        yield "lost"
        yield Again()
        yield "found"

    seen = []
    deck.subscribe(lambda event: seen.append(event) if isinstance(event, ModelSpoke) else None)
    assert go(deck, model=broken).text == "found"
    assert [(one.text, one.afresh) for one in seen] == [("lost", False), ("", True), ("found", False)]


def test_an_async_model_of_a_blocking_run_runs_beside_the_caller(deck):
    threads = []

    async def where(messages, tools):
        threads.append(threading.current_thread())
        return "x"

    deck.run("go", model=where)
    assert threads != []


def test_a_script_is_a_list_of_what_a_reply_may_be(deck, go):
    script = [
        ("add", {"a": 1}),
        [("add", '{"a": 2}'), ("add", {"a": 3})],
        lambda messages: str(len(messages)),
    ]
    result = go(deck, model=scripted(script))
    assert result.text == "5"
    assert [step.result.value for step in result.calls] == [1, 2, 3]
    assert go(deck, "again", model=scripted([*script, "more"]), messages=result.messages).text == "more"


def test_a_script_that_is_at_its_end_or_holds_nonsense_fails(deck, go):
    result = go(deck, model=scripted([("add", {"a": 1})]))
    assert "has 1 replies, and is asked for one more" in result.reason
    for nonsense in (1, None, [], [("add",)], {"text": "x"}, b"x"):
        with pytest.raises(
            DefinitionError, match=r"Reply 2 of the script is .*; give a ModelReply, text, or"
        ):
            scripted(["fine", nonsense])
        told = go(deck, model=scripted([lambda messages, given=nonsense: given])).reason
        assert "give a ModelReply, text, or pairs" in told
    for wrong in ("text", 5, None):
        with pytest.raises(DefinitionError, match="needs a list of replies or a function"):
            scripted(wrong)
    assert repr(scripted(["a"])) == "<scripted model: 1 replies>"
    assert repr(scripted(print)) == "<scripted model: a function>"


def test_a_recording_plays_the_same_conversation_again_and_no_other(deck, go, tmp_path):
    first = go(deck, "sum", model=scripted([("add", {"a": 1, "b": 2}), "3"]), system="Count.")
    kept = tmp_path / "talk.json"
    kept.write_text(json.dumps(to_json(first.messages)), "utf-8")
    for source in (first, first.messages, kept, str(kept)):
        again = go(deck, "sum", model=recorded(source))
        assert (again.text, again.calls[0].result.value) == ("3", 3)
    other = go(deck, "other", model=recorded(first))
    assert other.status == "failed"
    assert "Message 1 is another than in the recording" in other.reason
    assert isinstance(other.exception, ModelError)
    longer = go(deck, "more", model=recorded(first), messages=first.messages)
    assert "ends after 4 messages" in longer.reason
    unanswered = go(deck, "sum", model=recorded(first.messages[:2]))
    assert "no reply after message 1" in unanswered.reason


def test_a_recording_of_text_actions_plays_again_although_times_differ(deck, go):
    script = scripted(["Action: add(a=1)", "Final Answer: 1"])
    first = go(deck, "sum", model=script, actions="text")
    assert go(deck, "sum", model=recorded(first), actions="text").text == "1"


@pytest.mark.parametrize(
    ("text", "why"), [(None, "there is no such file"), ("{", "Expecting"), ("5", "int"), ("[5]", "no stored")]
)
def test_a_file_that_is_no_recording_is_told_in_one_sentence(tmp_path, text, why):
    path = tmp_path / "kept.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(DefinitionError, match=rf"kept\.json' cannot be read: .*{why}[^.]*\.$"):
        recorded(path)


def test_messages_are_kept_as_json_and_read_back_the_same():
    table = Table(("a", "b"), (("1", "2"), ("3", "4")), 9)
    messages = (
        Message("system", "be good"),
        Message("user", "look", (Image(b"\x00\xff", "image/png"), Text("t"))),
        Message(
            "assistant",
            requests=(ToolRequest("1", "f", {"_": {"x": [1, None]}}), ToolRequest("2", "g", "{")),
            native=Native("anthropic", [{"type": "thinking", "signature": "abc", "list": [[1], {"k": ()}]}]),
        ),
        Message("tool", answers=(ToolAnswer("1", "f", "x", False, (table,)), ToolAnswer("2", "g", ""))),
    )
    stored = json.loads(json.dumps(to_json(messages)))
    again = from_json(stored)
    assert again[:2] == messages[:2]
    assert again[3] == messages[3]
    assert again[2].requests == messages[2].requests
    assert json.dumps(again[2].native.content) == json.dumps(messages[2].native.content)


@pytest.mark.parametrize(
    "stored", [[{"_": "Tool"}], [{"role": "user"}], ["x"], [{"_": "Text", "text": "x"}]], ids=str
)
def test_what_is_no_stored_conversation_is_refused(stored):
    with pytest.raises(ValueError, match="no stored conversation"):
        from_json(stored)
