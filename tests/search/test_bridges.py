"""A model with many tools is shown few, and reaches the others through search, description and call."""

from __future__ import annotations

import asyncio
import json

import pytest

from tooldeck import Decision, Deck, DefinitionError, Run, ToolSearch, calling
from tooldeck.core.events import CallStarted
from tooldeck.core.tool import Origin
from tooldeck.loops import ModelReply, ToolRequest, records, scripted
from tooldeck.testing import fake_deck

SHOWN = ["tool_search", "tool_describe", "tool_call"]


def fill(deck, count=60):
    for place in range(count):
        deck.add(lambda city="": f"sunny in {city}", name=f"weather_{place}", effects="read",
                 description=f"Tell the weather of region {place}, at any time, for any town.")  # fmt: skip
    return deck


def shown_by(deck, model_context=None, **options):
    """The names of the tools that a model is shown."""
    seen = []

    def model(messages, tools):
        seen.append([tool.name for tool in tools])
        return "done"

    if model_context is not None:
        model.context = model_context
    deck.run("go", model=model, **options).unwrap()
    return seen[0]


def test_a_few_tools_are_all_shown():
    assert len(shown_by(fill(Deck(), 5))) == 5


def test_tools_beyond_their_share_of_the_context_are_found_by_a_search():
    deck = fill(Deck())
    assert len(shown_by(deck, 200_000)) == 60
    assert shown_by(deck, 4_000) == SHOWN
    deck.tool_search = ToolSearch(share=0.9, context=4_000)
    assert len(shown_by(deck)) == 60
    deck.tool_search = ToolSearch(context=4_000)
    assert shown_by(deck, 1_000_000) == SHOWN


def test_on_and_off_hold_whatever_the_size():
    assert shown_by(fill(Deck(tool_search="on"), 1)) == SHOWN
    assert len(shown_by(fill(Deck(tool_search="off")), 100)) == 60
    assert shown_by(Deck(tool_search="on")) == []


def test_core_tools_are_never_left_out_and_a_name_makes_none():
    deck = fill(Deck(tool_search=ToolSearch("on", core=["weather_1?"])), 12)
    deck.add_builtins("system")
    deck.add(lambda: 1, name="read_file", origin=Origin("mcp", "odd"), effects="read")
    assert sorted(shown_by(deck)) == sorted(["weather_10", "weather_11", "system", *SHOWN])


@pytest.mark.parametrize("wrong", ["sometimes", 7, None])
def test_settings_that_cannot_be_meant_are_refused(wrong):
    with pytest.raises(DefinitionError, match="'auto', 'on' or 'off'"):
        Deck(tool_search=wrong)
    for options in ({"share": 1}, {"share": True}, {"context": 0}, {"context": 1.5}, {"core": [7]}):
        with pytest.raises(DefinitionError):
            ToolSearch(**options)


def test_a_model_finds_describes_and_calls_a_tool():
    deck, _host = fake_deck(policy="auto", tool_search="on")
    fill(deck)
    told = []

    def remember(messages):
        told.append(messages[-1].answers[0].text)
        return ("tool_describe", {"name": "weather_7"})

    def call(messages):
        told.append(messages[-1].answers[0].text)
        return ("tool_call", {"name": "weather_7", "arguments": {"city": "Oslo"}})

    model = scripted([("tool_search", {"query": "weather of region 7"}), remember, call, "done"])
    result = deck.run("go", model=model)
    assert result.ok
    assert '"weather_7"' in told[0]
    assert told[0].startswith("«outside")
    assert '"city"' in told[1]
    assert result.calls[2].result.value == "sunny in Oslo"
    assert [step.result.call.name for step in result.calls] == ["tool_search", "tool_describe", "weather_7"]
    assert result.calls[2].answer.name == "tool_call", "the provider is answered under the name it used"
    assert records(result)[2]["tool"] == "weather_7"


def test_everybody_sees_the_tool_that_is_meant():
    deck, host = fake_deck([Decision(False, note="no")], tool_search="on")
    seen = []
    deck.add(lambda a: a, name="write", effects="write")
    deck.subscribe(lambda event: seen.append(event.call.name) if isinstance(event, CallStarted) else None)
    deck.before_tool(lambda call: seen.append((call.name, dict(call.raw))))
    result = deck.run("go", model=scripted([("tool_call", {"name": "write", "arguments": {"a": 1}}), "done"]))
    assert seen == ["write", ("write", {"a": 1})]
    assert host.requests[0].call.name == "write"
    assert result.calls[0].result.status == "denied"


@pytest.mark.parametrize("arguments", [{"a": 1}, '{"a": 1}'])
def test_every_way_of_calling_reads_what_is_meant(arguments):
    deck = Deck(policy="auto")
    deck.add(lambda a: a + 1, name="next_one", effects="none")
    given = {"name": "next_one", "arguments": arguments}
    ends = [
        deck.call("tool_call", given),
        deck.call("tool_call", json.dumps(given)),
        deck.call("tool_call", **given),
        asyncio.run(deck.acall("tool_call", given)),
        deck.call_many([("tool_call", given)])[0],
        deck.run("go", model=scripted([("tool_call", given), "."])).calls[0].result,
        deck.run("go", model=scripted([f"Action: tool_call(name='next_one', arguments={arguments!r})",
                                       "Final Answer: ."]), actions="text").calls[0].result,
    ]  # fmt: skip
    assert [(end.call.name, end.value) for end in ends] == [("next_one", 2)] * len(ends)
    function = {"name": "tool_call", "arguments": json.dumps(given)}
    told = deck.answer([{"id": "x", "type": "function", "function": function}])
    assert told == [{"role": "tool", "tool_call_id": "x", "content": "2"}]


def test_a_call_that_does_not_say_what_is_meant_is_refused_with_all_problems():
    deck = Deck(policy="auto")
    deck.add(lambda a: a, name="same", effects="none")
    ends = [
        deck.call("tool_call", {"name": "same", "a": 1}),
        deck.call("tool_call", {"arguments": {"a": 1}}),
        deck.call("tool_call", {"name": 7, "arguments": 8}),
        deck.call("tool_call", '{"name": "same", "argu'),
    ]
    assert [end.status for end in ends] == ["invalid"] * 4
    assert deck.call("tool_call", {"name": "smae", "arguments": {}}).error.endswith("did you mean 'same'?")
    wrapped = {"name": "same", "arguments": {"a": 1}}
    for _ in range(3):
        wrapped = {"name": "tool_call", "arguments": wrapped}
    assert deck.call("tool_call", wrapped).value == 1
    for _ in range(3):
        wrapped = {"name": "tool_call", "arguments": wrapped}
    assert deck.call("tool_call", wrapped).status == "failed"


def test_the_loop_guard_sees_through_the_call():
    deck = Deck(policy="auto", tool_search="on")
    deck.add(lambda: "same", name="same", effects="none")
    result = deck.run("go", model=lambda messages, tools: ModelReply(
        requests=[ToolRequest("", "tool_call", {"name": "same"})]))  # fmt: skip
    assert result.status == "looping"
    assert len(result.calls) < 20


def test_calls_of_one_reply_are_planned_by_the_tools_that_are_meant():
    deck = Deck(policy="auto", tool_search="on")
    order = []
    deck.add(lambda n: order.append(n), name="write", effects="write")
    asked = [("tool_call", {"name": "write", "arguments": {"n": place}}) for place in range(4)]
    assert deck.run("go", model=scripted([asked, "done"])).ok
    assert order == [0, 1, 2, 3]


def test_no_other_tool_has_the_name_of_a_bridge():
    with pytest.raises(DefinitionError, match="another name"):
        Deck().add(lambda: 1, name="tool_search", effects="none")


def test_where_the_search_may_not_run_all_tools_are_shown():
    deck = fill(Deck(tool_search="on"), 3)
    deck.policy.deny("tool_search")
    assert shown_by(deck) == ["weather_0", "weather_1", "weather_2"]


def test_a_search_that_found_nothing_says_how_many_tools_there_are():
    deck = fill(Deck(policy="auto"), 3)
    assert deck.call("tool_search", query="qqqq").value == {"tools": [], "of": 3}
    assert deck.call("tool_search", query="weather", limit="2").value["of"] == 3
    assert deck.call("tool_search", query="weather", limit=0).status == "invalid"
    assert deck.call("tool_describe", name="wether_1").status == "failed"


def test_people_with_their_own_client_get_the_same_tools():
    deck = fill(Deck(policy="auto"))
    assert len(deck.export("openai")) == 60
    assert [one["name"] for one in deck.export("anthropic", context=4_000)] == SHOWN
    assert "«outside" in deck.system_prompt(context=4_000)
    assert deck.system_prompt() == ""
    assert [one["name"] for one in deck.export("gemini", names=["weather_3", "gone"])] == ["weather_3"]


def test_a_run_counts_the_tools_that_it_shows():
    deck = fill(Deck(policy="auto"))
    whole = deck.run("go", model=scripted(["done"])).usage
    deck.tool_search = "on"
    assert deck.run("go", model=scripted(["done"])).usage.input * 3 < whole.input


def test_calls_in_a_run_reach_tools_that_are_not_shown_by_their_own_names():
    deck = fill(Deck(policy="auto", tool_search="on"))
    with calling("model", run=Run()):
        assert deck.call("weather_5", city="Rome").ok
    assert deck.run("go", model=scripted([("weather_5", {"city": "Rome"}), "done"])).calls[0].result.ok
