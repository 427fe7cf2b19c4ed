"""What clients of a served deck see and get, in both eras of the protocol."""

from __future__ import annotations

import asyncio
import json

import pytest
from mcp.shared.exceptions import MCPError
from serve_clients import connect

from tooldeck.core.vocabulary import Source


async def test_the_list_has_what_is_declared_to_read_at_most(served, era):
    async with connect(served.serving, era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == {
        "city", "squares", "dot", "steps", "liar", "wide", "breaks", "halves", "leaves", "page", "forever",
        "lamp",
    }  # fmt: skip
    assert tools["city"].output_schema["properties"]["people"] == {"type": "integer"}
    assert tools["squares"].output_schema["properties"]["result"]["type"] == "array"
    assert tools["page"].output_schema is None
    hints = tools["city"].annotations
    assert (hints.read_only_hint, hints.destructive_hint, hints.open_world_hint) == (True, False, False)


async def test_hidden_actions_are_in_no_schema(served, era):
    async with connect(served.serving, era) as client:
        lamp = next(tool for tool in (await client.list_tools()).tools if tool.name == "lamp")
    told = lamp.model_dump_json()
    assert "look" in told
    assert "dim" not in told
    assert "level" not in told


async def test_values_come_as_text_and_as_json(served, era):
    async with connect(served.serving, era) as client:
        city = await client.call_tool("city", {"name": "Ulm"})
        squares = await client.call_tool("squares", {"n": 3})
    assert (city.is_error, city.structured_content) == (False, {"name": "Ulm", "people": 3})
    assert json.loads(city.content[0].text) == city.structured_content
    assert squares.structured_content == {"result": [0, 1, 4]}


async def test_a_repair_is_told_after_the_text(served, era):
    async with connect(served.serving, era) as client:
        result = await client.call_tool("squares", {"n": "2"})
    assert [block.text for block in result.content] == ["[0,1]", '[note: n: read "2" as 2]']


async def test_text_from_outside_stays_fenced(served, era):
    async with connect(served.serving, era) as client:
        result = await client.call_tool("page", {})
    assert result.content[0].text.startswith("«outside ")
    assert "IGNORE ALL RULES" in result.content[0].text


async def test_what_no_text_can_hold_is_spelled_out(served, era):
    async with connect(served.serving, era) as client:
        result = await client.call_tool("halves", {})
    assert result.structured_content == {"half \\ud800": "\\udc00"}


async def test_pictures_are_pictures(served, era):
    async with connect(served.serving, era) as client:
        result = await client.call_tool("dot", {})
    assert [(block.type, block.mime_type) for block in result.content] == [("image", "image/png")]


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("breaks", {}, "the well is dry"),
        ("squares", {"n": "many"}, "n"),
        ("leaves", {}, "tried to end the program"),
        ("liar", {}, "not what its return type says"),
        ("lamp", {"action": "shine"}, "look"),
    ],
)
async def test_what_went_wrong_is_an_error_in_one_text(served, era, name, arguments, words):
    async with connect(served.serving, era) as client:
        result = await client.call_tool(name, arguments)
    assert result.is_error
    assert len(result.content) == 1
    assert words in result.content[0].text


@pytest.mark.parametrize("name", ["wipe", "mystery", "nothing", "City", "city "])
async def test_a_tool_that_is_not_shown_is_as_unknown_as_one_that_is_not_there(served, era, name):
    async with connect(served.serving, era) as client:
        with pytest.raises(MCPError, match="There is no tool") as refused:
            await client.call_tool(name, {"object": 1})
    assert refused.value.code == -32602
    assert "wipe" not in str(refused.value).replace(repr(name), "")
    assert served.wiped == []


@pytest.mark.parametrize("action", ["dim", "Dim", "DIM", " dim"])
async def test_a_hidden_action_cannot_be_called_by_any_spelling(served, era, action):
    async with connect(served.serving, era) as client:
        result = await client.call_tool("lamp", {"action": action, "level": 1})
    assert result.is_error
    assert "look" in result.content[0].text
    assert served.wiped == []


async def test_progress_comes_in_order_and_before_the_answer(served, era):
    heard = []

    async def hear(done, total, text):
        heard.append((done, total, text))

    async with connect(served.serving, era) as client:
        result = await client.call_tool("steps", {"n": 3}, progress_callback=hear)
    assert result.content[0].text == "there"
    assert heard[-1] == (3, 3, "step 3")
    assert heard == sorted(heard)


async def test_a_client_that_gives_up_ends_the_body(served, era):
    served.started.clear()
    served.cancelled.clear()
    async with connect(served.serving, era) as client:
        call = asyncio.ensure_future(client.call_tool("forever", {}))
        assert await asyncio.to_thread(served.started.wait, 20)
        call.cancel()
        assert await asyncio.to_thread(served.cancelled.wait, 20)
        assert (await client.call_tool("squares", {"n": 1})).structured_content == {"result": [0]}


async def test_long_texts_are_cut_as_for_any_model(served, era):
    async with connect(served.serving, era) as client:
        result = await client.call_tool("wide", {"n": 100_000})
    assert len(result.content[0].text) <= 20_000


async def test_the_history_says_who_called(served, era):
    async with connect(served.serving, era) as client:
        await client.call_tool("squares", {"n": 1})
    caller = served.deck.history()[-1].call.caller
    assert caller.source is Source.MCP
    assert caller.label.startswith("MCP client “mcp")
    assert served.serving.clients[caller.label] >= 1


async def test_a_changed_list_is_told_to_those_who_listen(served, era):
    told = asyncio.Event()

    async def hear(message):
        if "ToolListChanged" in type(message).__name__:
            told.set()

    async with connect(served.serving, era, message_handler=hear) as client:
        async with asyncio.timeout(20):
            if era == "legacy":
                await _change(served)
                await told.wait()
            else:
                async with client.listen(tools_list_changed=True) as stream:
                    await _change(served)
                    await anext(aiter(stream))
        names = [tool.name for tool in (await client.list_tools(cache_mode="refresh")).tools]
    assert ("extra" in names) == ("extra" in served.deck)


async def _change(served):
    if "extra" in served.deck:
        served.deck.remove("extra")
    else:
        served.deck.add(lambda: 1, name="extra", effects="none")


async def test_a_rule_that_denies_takes_a_tool_off_the_list(served):
    async with connect(served.serving) as client, asyncio.timeout(20):
        async with client.listen(tools_list_changed=True) as stream:
            served.deck.policy.deny("squares")
            await anext(aiter(stream))
        names = [tool.name for tool in (await client.list_tools(cache_mode="refresh")).tools]
        assert "squares" not in names
        assert (await client.call_tool("squares", {"n": 1})).is_error
        served.deck.policy.forget("squares")


async def test_what_is_allowed_by_name_is_shown_and_still_asks(served):
    serving = served.serving
    serving.allow("wipe", "lamp.dim")
    try:
        async with connect(serving) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert tools["wipe"].annotations.destructive_hint
            assert "dim" in tools["lamp"].model_dump_json()
            refused = await client.call_tool("wipe", {"object": 1})
            assert refused.is_error
            assert "needs approval" in refused.content[0].text
            served.deck.policy.allow("lamp", arguments={"action": "dim"})
            assert not (await client.call_tool("lamp", {"action": "dim", "level": 2})).is_error
            assert served.wiped == [2]
    finally:
        serving.withdraw("wipe", "lamp.dim")
        served.wiped.clear()
    assert [tool.name for tool in serving.hidden if tool.name == "wipe"] == ["wipe"]
