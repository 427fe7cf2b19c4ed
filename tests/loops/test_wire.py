"""The forms of providers over real HTTP: what is asked, what is read, and what happens when it goes wrong."""

from __future__ import annotations

import base64
import contextlib
import json
import pickle
import threading
import time

import pytest
from loop_drivers import awaited, blocking
from model_servers import STREAMS, serve, sse, status

from tooldeck import Answer, DefinitionError, Image, RetrySettings, Run, SetupError
from tooldeck.core.events import ModelSpoke
from tooldeck.loops import RunLimits, anthropic, from_json, gemini, openai_chat, openai_responses, to_json
from tooldeck.loops.wire.openai_chat import ChatForm
from tooldeck.loops.wire.sse import event_data

MAKERS = {
    "openai_chat": openai_chat,
    "openai_responses": openai_responses,
    "anthropic": anthropic,
    "gemini": gemini,
}
NOW = RetrySettings(base=0.0)


def chat(text=None, calls=(), finish=None):
    message = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {"id": key, "type": "function", "function": {"name": name, "arguments": given}}
            for key, name, given in calls
        ]
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    choice = {"index": 0, "message": message, "finish_reason": finish or ("tool_calls" if calls else "stop")}
    head = {"id": "c1", "object": "chat.completion", "created": 1, "model": "m-1"}
    return {**head, "choices": [choice], "usage": usage}


def responses(text=None, calls=(), finish=None):
    output = [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "secret-thought"},
        *(
            {"type": "function_call", "id": f"fc_{key}", "call_id": key, "name": name, "arguments": given,
             "status": "completed"} for key, name, given in calls
        ),
    ]  # fmt: skip
    if text is not None:
        content = [{"type": "output_text", "text": text, "annotations": []}]
        output.append(
            {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": content}
        )
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    usage = {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110, **details}
    return {
        "id": "r1", "object": "response", "created_at": 1, "model": "m-1", "output": output, "usage": usage,
        "status": "incomplete" if finish == "length" else "completed", "error": None, "instructions": None,
        "incomplete_details": {"reason": "max_output_tokens"} if finish == "length" else None,
        "metadata": {}, "parallel_tool_calls": True, "temperature": 1.0, "tool_choice": "auto", "tools": [],
        "top_p": 1.0,
    }  # fmt: skip


def object_or_text(given):
    """What a stream of that text gives."""
    with contextlib.suppress(ValueError):
        read = json.loads(given)
        return read if isinstance(read, dict) else given
    return given


def messages(text=None, calls=(), finish=None):
    content = [{"type": "thinking", "thinking": "let me see", "signature": "sig"}]
    if text is not None:
        content.append({"type": "text", "text": text})
    for key, name, given in calls:
        content.append({"type": "tool_use", "id": key, "name": name, "input": object_or_text(given)})
    stop = {"length": "max_tokens"}.get(finish, "tool_use" if calls else "end_turn")
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m-1", "content": content,
        "stop_reason": stop, "stop_sequence": None, "usage": {"input_tokens": 100, "output_tokens": 10},
    }  # fmt: skip


def contents(text=None, calls=(), finish=None):
    parts = [] if text is None else [{"text": text}]
    for place, (_, name, given) in enumerate(calls):
        part = {"functionCall": {"name": name, "args": json.loads(given)}}
        parts.append(part if place else {**part, "thoughtSignature": "c2ln"})
    reason = {"length": "MAX_TOKENS"}.get(finish, "STOP")
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": reason, "index": 0}
    usage = {
        "promptTokenCount": 100,
        "candidatesTokenCount": 8,
        "thoughtsTokenCount": 2,
        "totalTokenCount": 110,
    }
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m-1", "responseId": "x"}


WHOLE = {"openai_chat": chat, "openai_responses": responses, "anthropic": messages, "gemini": contents}
CALLS = [("a", "add", '{"a": 1, "b": 2}'), ("b", "plot", "{}")]
PICTURE = b"\x89PNG-picture"


@pytest.fixture
def go():
    """``go(deck, prompt, model=…)``: a blocking run, which does the same over HTTP as an awaited one."""
    return blocking


@pytest.fixture(params=[blocking, awaited], ids=lambda way: way.__name__)
def either(request):
    """The same both ways."""
    return request.param


@pytest.fixture(params=list(MAKERS))
def provider(request):
    return request.param


@pytest.fixture(params=[True, False], ids=["stream", "whole"])
def stream(request):
    return request.param


def model_of(provider, server, **options):
    return MAKERS[provider]("m-1", base_url=server.url, **{"retry": NOW, **options})


@pytest.fixture
def tools(deck):
    deck.add(lambda: Answer("drawn", parts=[Image(PICTURE, "image/png")]), name="plot", effects="none")
    return deck


FIGURES = {
    "openai_chat": lambda odd: {"prompt_tokens": odd, "completion_tokens": 10},
    "openai_responses": lambda odd: {"input_tokens": 100, "output_tokens": odd},
    "anthropic": lambda odd: {"input_tokens": 100, "output_tokens": 1, "cache_read_input_tokens": odd},
    "gemini": lambda odd: {"promptTokenCount": odd, "candidatesTokenCount": 10},
}


@pytest.mark.parametrize("odd", [-1_000_000, "many", 1.5, True, {}, 10**40, float("nan")], ids=str)
def test_figures_that_are_no_counts_are_estimated_instead(provider, odd, tools, either):
    whole = {**WHOLE[provider]("done"), "usage": FIGURES[provider](odd)}
    if provider == "gemini":
        whole["usageMetadata"] = whole.pop("usage")
    with serve([whole], provider) as server:
        result = either(tools, "add", model=model_of(provider, server, stream=False))
    assert (result.status, result.usage.estimated, result.usage.total > 0) == ("done", True, True)


@pytest.mark.parametrize("cost", [-5.0, float("nan"), float("inf"), True, "0.1"])
def test_a_cost_that_is_none_is_not_told(cost, tools, either):
    whole = chat("done")
    whole["usage"]["cost"] = cost
    with serve([whole], "openai_chat") as server:
        result = either(tools, "add", model=model_of("openai_chat", server, stream=False))
    assert (result.status, result.usage.cost, result.usage.total) == ("done", None, 110)


def test_a_run_over_http(provider, stream, tools, either):
    whole = WHOLE[provider]
    with serve([whole("I add.", CALLS), whole("It is 3 \u2028 – 天气晴.")], provider) as server:
        told = []
        model = model_of(provider, server, stream=stream, api_key="k-123456789", prices=(1.0, 10.0))
        result = either(tools, "add", model=model, system="Be brief.", on_text=told.append)
    assert (result.status, result.text, result.reason) == ("done", "It is 3 \u2028 – 天气晴.", "")
    assert [step.result.value for step in result.calls] == [3, "drawn"]
    assert (result.usage.input, result.usage.output, result.usage.estimated) == (200, 20, False)
    assert result.usage.cost == pytest.approx(0.0004)
    assert "".join(told) == ("I add.It is 3 \u2028 – 天气晴." if stream else "")
    first, second = [json.dumps(body, ensure_ascii=False) for _, _, body in server.requests]
    assert "Be brief." in first
    assert '"search_web"' in first
    assert base64.b64encode(PICTURE).decode() in second
    assert "drawn" in second
    headers = server.requests[0][1]
    assert (
        "k-123456789"
        in f"{headers.get('authorization')} {headers.get('x-api-key')} {headers.get('x-goog-api-key')}"
    )
    again = from_json(json.loads(json.dumps(to_json(result.messages))))
    assert again == result.messages


def sent(provider, server):
    """The conversation of the last request."""
    body = server.requests[-1][2]
    return body[{"openai_responses": "input", "gemini": "contents"}.get(provider, "messages")]


def test_each_call_is_answered_in_the_form_of_its_provider(provider, stream, tools, go):
    whole = WHOLE[provider]
    with serve([whole(None, [*CALLS, ("c", "nope", "{}")]), whole("ok")], provider) as server:
        go(tools, "add", model=model_of(provider, server, stream=stream))
        said = sent(provider, server)
    if provider == "openai_chat":
        assert [one["role"] for one in said] == ["user", "assistant", "tool", "tool", "tool", "user"]
        assert [one["tool_call_id"] for one in said[2:5]] == [one["id"] for one in said[1]["tool_calls"]]
        assert said[5]["content"][1]["image_url"]["url"].startswith("data:image/png;base64,")
    elif provider == "openai_responses":
        assert [one.get("type") for one in said] == [
            None, "reasoning", *["function_call"] * 3, *["function_call_output"] * 3
        ]  # fmt: skip
        assert said[1]["encrypted_content"] == "secret-thought"
        assert [one["call_id"] for one in said[5:]] == ["a", "b", "c"]
        assert said[6]["output"][1]["type"] == "input_image"
    elif provider == "anthropic":
        assert [one["role"] for one in said] == ["user", "assistant", "user"]
        assert said[1]["content"][0] == {"type": "thinking", "thinking": "let me see", "signature": "sig"}
        assert [one["tool_use_id"] for one in said[2]["content"]] == ["a", "b", "c"]
        assert [one.get("is_error") for one in said[2]["content"]] == [None, None, True]
        assert said[2]["content"][1]["content"][1]["source"]["media_type"] == "image/png"
    else:
        assert [one["role"] for one in said] == ["user", "model", "user"]
        assert said[1]["parts"][0]["thoughtSignature"] == "c2ln"
        told = [one["functionResponse"] for one in said[2]["parts"][:3]]
        assert [one["name"] for one in told] == ["add", "plot", "nope"]
        assert not any("id" in one for one in told)
        assert ["output" in one["response"] for one in told] == [True, True, False]
        assert said[2]["parts"][3]["inlineData"]["mimeType"] == "image/png"


def test_a_conversation_goes_on_with_another_provider(provider, tools, go):
    for other in MAKERS:
        with serve([WHOLE[provider]("one", CALLS), WHOLE[provider]("two")], provider) as server:
            first = go(tools, "add", model=model_of(provider, server))
        with serve([WHOLE[other]("three")], other) as server:
            second = go(tools, "more", model=model_of(other, server), messages=first.messages)
            assert "secret-thought" not in json.dumps(sent(other, server)) or other == provider
        assert second.text == "three"


@pytest.mark.parametrize("given", ['{"a": 1, "b', '{"a": 1}'], ids=["cut", "complete"])
def test_calls_at_the_output_limit_are_refused_and_the_run_goes_on(provider, stream, deck, go, given):
    if provider == "gemini" and given != '{"a": 1}':
        pytest.skip("its arguments are no text")
    whole = WHOLE[provider]
    with serve([whole(None, [("a", "add", given)], "length"), whole("ok")], provider) as server:
        result = go(deck, model=model_of(provider, server, stream=stream))
        assert "cut off" in json.dumps(sent(provider, server))
    assert (result.text, result.calls[0].result) == ("ok", None)


@pytest.mark.parametrize("given", ["{", '"x"', "[1]", '{"a": 1}}', '{"b": 2}'], ids=range(5))
def test_malformed_arguments_are_answered_and_never_run(provider, deck, go, given):
    if provider == "gemini" and given != '{"b": 2}':
        pytest.skip("its arguments are no text")
    whole = WHOLE[provider]
    with serve([whole(None, [("a", "add", given)]), whole("ok")], provider) as server:
        result = go(deck, model=model_of(provider, server))
    assert (result.text, result.calls[0].result.status) == ("ok", "invalid")


def test_a_stream_that_breaks_is_asked_for_again_and_its_text_begins_anew(provider, deck, go):
    whole = WHOLE[provider]
    events = list(STREAMS[provider](whole("a long answer that breaks " * 9)))
    half = events[: len(events) // 2]
    for broken in (sse(*half, broken=True), sse(*half), sse(*half, "{broken")):
        spoken = []
        undo = deck.subscribe(
            lambda event, into=spoken: into.append(event) if isinstance(event, ModelSpoke) else None
        )
        with serve([broken, whole("whole")], provider) as server:
            result = go(deck, model=model_of(provider, server))
        undo()
        assert (result.text, result.rounds, len(server.requests)) == ("whole", 1, 2)
        begun = [one.afresh for one in spoken].index(True)
        assert "".join(one.text for one in spoken[begun + 1 :]) == "whole"


def test_a_stream_that_always_breaks_ends_the_run(provider, deck, go):
    half = list(STREAMS[provider](WHOLE[provider]("never again")))[:2]
    with serve([sse(*half)] * 3, provider) as server:
        result = go(deck, model=model_of(provider, server))
    assert result.status == "failed"
    assert "the stream ended before the reply did; try again, or ask for whole replies" in result.reason
    assert len(server.requests) == 3
    with serve([sse(*half, broken=True)] * 3, provider) as server:
        result = go(deck, model=model_of(provider, server))
    assert "the connection broke off (RemoteProtocolError" in result.reason
    assert "stream=False" in result.reason


@pytest.mark.parametrize(
    ("provider", "event"),
    [
        ("openai_chat", {"choices": [{"delta": {"tool_calls": [None]}}]}),
        ("openai_responses", {"type": "response.completed", "response": []}),
        ("anthropic", {"type": "content_block_delta", "index": 7, "delta": {"type": "text_delta"}}),
        ("gemini", {"candidates": [{"content": "x"}]}),
    ],
    ids=list(MAKERS),
)
def test_an_event_of_another_form_is_told_and_not_asked_for_again(provider, event, deck, go):
    with serve([sse(event)], provider) as server:
        result = go(deck, model=model_of(provider, server))
    assert (result.status, len(server.requests)) == ("failed", 1)
    assert "cannot be read (" in result.reason
    assert "Is base_url right" in result.reason


def test_a_page_of_a_proxy_is_told_as_words(deck, go):
    page = b"<html><style>p {color: red}</style><body><h1>Bad Gateway</h1></body></html>"
    with serve([status(502, page, content_type="text/html")] * 3, "openai_chat") as server:
        result = go(deck, model=model_of("openai_chat", server))
    assert "it answered 502: Bad Gateway. The fault is on its side: try again later" in result.reason


def test_a_wrong_key_is_told_without_it_and_not_tried_again(provider, deck, go, monkeypatch):
    key = "sk-live-0123456789abcdef"
    refusal = {"error": {"message": f"Incorrect API key provided: {key}", "code": "invalid_api_key"}}
    with serve([status(401, refusal)], provider) as server:
        model = model_of(provider, server, api_key=key)
        result = go(deck, model=model)
    assert result.status == "failed"
    assert "it answered 401: Incorrect API key provided: •••. Check the key that was given" in result.reason
    assert result.exception.status == 401
    assert len(server.requests) == 1
    shown = f"{model!r} {result!r} {result.exception!r} {vars(model)!r} {to_json(result.messages)}"
    assert key not in shown
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(model)


def test_a_key_comes_from_the_environment_and_goes_to_its_provider_only(provider, monkeypatch):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert "base_url" in MAKERS[provider].__doc__
    with pytest.raises(SetupError, match="There is no key: set "):
        MAKERS[provider]("m")
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.setenv(name, "k-of-the-environment")
    assert MAKERS[provider]("m")._key.value == "k-of-the-environment"
    assert MAKERS[provider]("m", base_url="http://localhost:1")._key is None
    with pytest.raises(DefinitionError, match="api_key is no key"):
        MAKERS[provider]("m", api_key="two\nlines")


def test_a_wrong_address_is_told_with_the_remedy(provider, deck, go):
    with serve([status(404, b"<h1>no such page</h1>", content_type="text/html")], provider) as server:
        result = go(deck, model=model_of(provider, server))
    assert "answered 404" in result.reason
    assert "Is base_url right" in result.reason
    with serve([status(200, b"<h1>welcome</h1>", content_type="text/html")], provider) as server:
        result = go(deck, model=model_of(provider, server))
    assert "text/html, which is no reply. Is base_url right" in result.reason
    gone = server.url
    result = go(deck, model=MAKERS[provider]("m", base_url=gone, retry=NOW))
    assert "cannot be reached" in result.reason
    assert "is the server running" in result.reason


def test_a_reply_of_ten_megabytes_is_broken_off(provider, stream, deck, go):
    with serve([WHOLE[provider]("x" * 200), WHOLE[provider]("x" * 200)], provider) as server:
        result = go(deck, model=model_of(provider, server, stream=stream, max_bytes=400))
    assert "longer than 400 bytes" in result.reason
    big = b'{"x": "' + b"x" * 10_000_000 + b'"}'
    with serve([status(200, big)], provider) as server:
        result = go(deck, model=model_of(provider, server))
    assert (result.status, len(server.requests)) == ("failed", 1)
    assert "longer than 8000000 bytes" in result.reason


@pytest.mark.parametrize("code", [429, 500, 503, 529])
def test_a_busy_server_is_asked_again(code, deck, go):
    busy = status(code, {"error": {"message": "busy"}}, Retry_After="0")
    with serve([busy, busy, chat("ok")], "openai_chat") as server:
        result = go(deck, model=model_of("openai_chat", server))
    assert (result.text, len(server.requests)) == ("ok", 3)


def test_a_server_that_wants_too_long_a_wait_is_not_waited_for(deck, go):
    with serve(
        [status(429, {"error": {"message": "slow down"}}, Retry_After="3600")], "openai_chat"
    ) as server:
        result = go(deck, model=model_of("openai_chat", server))
    assert "answered 429: slow down" in result.reason
    assert len(server.requests) == 1


def test_a_spent_quota_is_not_asked_again(deck, go):
    spent = status(429, {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}})
    with serve([spent], "openai_chat") as server:
        result = go(deck, model=model_of("openai_chat", server))
    assert (result.status, len(server.requests)) == ("failed", 1)


@pytest.mark.parametrize(
    ("provider", "event"),
    [
        ("openai_chat", {"error": {"message": "overloaded", "type": "server_error"}}),
        (
            "openai_responses",
            {"type": "error", "code": "server_error", "message": "overloaded", "param": None},
        ),
        ("anthropic", {"type": "error", "error": {"type": "overloaded_error", "message": "overloaded"}}),
        ("gemini", {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}),
    ],
    ids=list(MAKERS),
)
def test_an_error_within_a_stream_is_one(provider, event, deck, go):
    with serve([sse(event), WHOLE[provider]("ok")], provider) as server:
        assert go(deck, model=model_of(provider, server)).text == "ok"
    with serve([sse(event)] * 3, provider) as server:
        assert "overloaded" in go(deck, model=model_of(provider, server)).reason


@pytest.mark.parametrize(
    "whole", [{}, {"choices": []}, {"output": 5}, {"content": "x"}, {"candidates": [5]}], ids=str
)
def test_a_reply_that_is_none_is_told(provider, whole, deck, go):
    with serve([status(200, whole)], provider) as server:
        result = go(deck, model=model_of(provider, server))
    assert result.status == "failed"
    assert "reply" in result.reason


def test_a_stop_ends_the_request(provider, deck, either):
    run, gone = Run(), threading.Event()
    events = list(STREAMS[provider](WHOLE[provider]("one two three four")))

    def hang(handler):
        handler.wfile.flush()
        run.stop("enough")
        handler.connection.settimeout(10)
        with contextlib.suppress(ConnectionResetError):  # it had not read all that was sent
            assert handler.connection.recv(1) == b""
        gone.set()

    with serve([sse(*events[:3], hang)], provider) as server:
        result = either(deck, model=model_of(provider, server), run=run)
        assert gone.wait(10)
    assert (result.status, result.reason) == ("stopped", "enough")


def test_a_silent_server_is_given_up(deck, go):
    over = threading.Event()
    with serve([lambda handler: over.wait(10)], "openai_chat") as server:
        result = go(deck, model=model_of("openai_chat", server, timeout=0.1, retry=RetrySettings(attempts=1)))
        over.set()
    assert result.status == "failed"
    assert "it said nothing for 0.1 s (ReadTimeout" in result.reason


def test_the_time_of_a_run_breaks_a_request_off():
    from tooldeck import Deck

    over = threading.Event()
    with serve([lambda handler: over.wait(10)], "openai_chat") as server:
        result = Deck().run("go", model=model_of("openai_chat", server), limits=RunLimits(seconds=0.2))
        over.set()
    assert result.status == "limit"


def test_servers_that_number_every_call_zero_are_understood(deck, go):
    def piece(**call):
        return {"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}]}

    events = [
        piece(index=0, id="a", function={"name": "add", "arguments": '{"a": 1}'}),
        piece(index=0, id="b", function={"name": "add", "arguments": '{"a": 2}'}),
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
    ]
    with serve([sse(*events), chat("ok")], "openai_chat") as server:
        result = go(deck, model=model_of("openai_chat", server))
    assert [step.result.value for step in result.calls] == [1, 2]


def test_what_a_gateway_adds_to_calls_goes_back_to_it(deck, go):
    odd = chat(None, [("a", "add", '{"a": 1}')])
    odd["choices"][0]["message"]["tool_calls"][0]["extra_content"] = {"google": {"thought_signature": "abc"}}
    with serve([odd, chat("ok")], "openai_chat") as server:
        go(deck, model=model_of("openai_chat", server))
        assert sent("openai_chat", server)[1]["tool_calls"][0]["extra_content"] == {
            "google": {"thought_signature": "abc"}
        }


def test_options_go_into_the_request(provider, deck, go):
    with serve([WHOLE[provider]("ok")], provider) as server:
        go(deck, model=model_of(provider, server, temperature=0, headers={"X-Team": "blue"}))
    _path, headers, body = server.requests[0]
    assert (body["temperature"], headers["x-team"]) == (0, "blue")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"name": ""}, "needs the name"),
        ({"base_url": "localhost:8000"}, "base_url must begin with http"),
        ({"timeout": 0}, "timeout must be seconds"),
        ({"retry": 3}, "retry must be RetrySettings"),
        ({"prices": 3}, "prices must be"),
        ({"prices": (1, -1)}, "prices must be those"),
    ],
    ids=str,
)
def test_arguments_that_cannot_be_meant_are_refused(wrong, words):
    given = {"name": "m", "base_url": "http://localhost", **wrong}
    with pytest.raises(DefinitionError, match=words):
        openai_chat(given.pop("name"), **given)


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
async def test_events_are_read_however_they_are_cut(size):
    stream = (
        "\ufeffdata: one\n\n: a comment\nevent: x\ndata:two\ndata: lines\r\n\r\n"
        "data: a\u2028b\x85c\n\nid: 1\n\ndata: 天\r\rdata: last"
    ).encode()

    async def chunks():
        for at in range(0, len(stream), size):
            yield stream[at : at + size]

    found = [data async for data in event_data(chunks())]
    assert found == ["one", "two\nlines", "a\u2028b\x85c", "天", "last"]


async def test_an_event_of_megabytes_in_small_pieces_takes_time_that_grows_with_its_length():
    async def chunks():
        yield b"data: "
        for _ in range(8_000):
            yield b"x" * 1_000

    start = time.process_time()
    assert [len(data) async for data in event_data(chunks())] == [8_000_000]
    assert time.process_time() - start < 10  # put together anew with each piece it takes minutes


def test_arguments_of_a_megabyte_in_small_pieces_take_time_that_grows_with_their_length():
    call = {"index": 0, "id": "a", "function": {"name": "f", "arguments": "x" * 5}}
    piece = {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}
    assembly, start = ChatForm().assembly(), time.process_time()
    for _ in range(200_000):
        assembly.take(piece)
    assembly.take({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    assert len(ChatForm().read(assembly.whole).requests[0].arguments) == 1_000_000
    assert time.process_time() - start < 5
