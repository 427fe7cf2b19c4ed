"""A tool of several actions: the call is guarded by what its action declares, not by what the tool can do."""

from __future__ import annotations

import json
import sys

import jsonschema
import pytest

from tooldeck import ActionTool, Decision, Deck, DefinitionError, Injected, Rewrite, Run, ToolContext, calling
from tooldeck.core.vocabulary import Source
from tooldeck.testing import fake_deck


def shop():
    """A tool with a harmless, a changing and a failing action; what was done stands in `done`."""
    done = []
    made = ActionTool("shop", "The shop around the corner.")

    @made.action(effects="read", examples=[{"item": "tea"}])
    def price(item: str, currency: str = "EUR") -> float:
        """What something costs.

        Args:
            item: The name of it.
        """
        done.append(("price", item))
        return 3.5

    @made.action(effects="write,network", risk="high", examples=[{"item": "tea", "count": 2}])
    def buy(item: str, count: int, context: Injected[ToolContext]) -> str:
        """Buy something."""
        done.append(("buy", item, count, context.call.tool.action))
        return f"bought {count}"

    @made.action(name="fail", effects="none", retry=3, trust="untrusted", max_chars=100)
    def broken(wait: bool | None = None) -> str:
        """Always fail."""
        done.append("fail")
        raise ConnectionError("no line")

    return made, done


@pytest.fixture
def deck_and_done():
    made, done = shop()
    deck, host = fake_deck()
    deck.add(made)
    return deck, done, host


def test_where_nobody_can_be_asked_the_way_out_allows_that_action_only(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    made, done = shop()
    deck = Deck()
    deck.add(made)
    refused = run(deck, "shop", action="buy", item="tea", count=2)
    assert "%policy allow shop action=buy" in refused.error
    assert "deck.policy.allow('shop', arguments={'action': 'buy'})" in refused.error
    deck.policy.allow("shop", arguments={"action": "buy"})
    assert run(deck, "shop", action="buy", item="tea", count=2).ok
    assert done == [("buy", "tea", 2, "buy")]


def test_each_action_is_asked_about_by_its_own_effects(run, deck_and_done):
    deck, done, host = deck_and_done
    assert run(deck, "shop", action="price", item="tea").value == 3.5
    refused = run(deck, "shop", action="buy", item="tea", count=2)
    assert refused.status == "denied"
    assert "shop buy" in refused.error
    assert done == [("price", "tea")]
    [request] = host.requests
    assert request.tool.effects == {"write", "network"}
    assert request.tool.risk == "high"
    assert request.tool.action == "buy"


def test_the_call_knows_its_action_and_its_arguments_name_it(run, deck_and_done):
    deck, done, _ = deck_and_done
    deck.policy.allow("shop")
    result = run(deck, "shop", '{"action": "buy", "item": "tea", "count": "2"}')
    assert result.value == "bought 2"
    assert result.call.tool.label == "shop buy"
    assert result.call.arguments == {"action": "buy", "item": "tea", "count": 2}
    assert done == [("buy", "tea", 2, "buy")]
    assert any("count" in str(note) for note in result.notes)


def test_an_action_that_is_not_there_is_answered_with_the_nearest_and_what_it_needs(run, deck_and_done):
    deck, _, _ = deck_and_done
    result = run(deck, "shop", action="prize", item="tea")
    assert result.status == "invalid"
    assert "did you mean 'price'? It needs item, for example" in result.error
    assert '{"action": "price", "item": "tea"}' in result.error
    for odd in ("constructor", "__class__", 5, None, ["price"]):
        assert run(deck, "shop", action=odd).status == "invalid"
    missing = run(deck, "shop", item="tea")
    assert "action: is required, one of: price (item); buy (item, count); fail ()" in missing.error


def test_parameters_of_other_actions_are_refused_and_their_nulls_left_out_with_a_note(run, deck_and_done):
    deck, done, _ = deck_and_done
    refused = run(deck, "shop", action="price", item="tea", count=2)
    assert refused.status == "invalid"
    assert done == []
    result = run(deck, "shop", action="Price", item="tea", count=None, wait=None)
    assert result.ok
    assert [str(note) for note in result.notes] == [
        "action: read 'Price' as 'price'",
        "left out count, wait, null and no part of price",
    ]
    assert run(deck, "shop", action="price", item="tea", zzz=None).status == "invalid"


def test_rules_may_speak_of_one_action_by_its_argument(run, deck_and_done):
    deck, _done, host = deck_and_done
    deck.policy.allow("shop", arguments={"action": "buy"})
    deck.policy.deny("shop", arguments={"action": "price"})
    assert run(deck, "shop", action="buy", item="tea", count=1).ok
    assert run(deck, "shop", action="price", item="tea").status == "denied"
    assert host.requests == []
    assert str(deck.policy.static(deck["shop"].actions["buy"]).word) == "allow"
    assert deck.policy.static(deck["shop"]) is None
    assert "allow shop action=buy" in str(
        deck.policy.explain(deck["shop"], {"action": "buy", "item": "x", "count": 1})
    )
    assert "hangs on the arguments" in str(deck.policy.explain(deck["shop"]))


def test_a_grant_for_the_session_covers_the_action_alone(run, deck_and_done):
    deck, _, host = deck_and_done
    deck.policy.ask("shop")
    host.answers += [Decision(True, scope="session"), False]
    assert run(deck, "shop", action="buy", item="tea", count=1).ok
    assert run(deck, "shop", action="buy", item="milk", count=1).ok
    assert run(deck, "shop", action="price", item="tea").status == "denied"
    assert [str(grant) for grant in deck.policy.grants] == ["shop buy for this session"]
    assert deck.policy.revoke("shop") == 1


def test_an_approval_cannot_turn_one_action_into_another(run, deck_and_done):
    deck, done, host = deck_and_done
    deck.policy.ask("shop")
    host.answers += [Decision(True, arguments={"action": "buy", "item": "tea", "count": 9})]
    result = run(deck, "shop", action="price", item="tea")
    assert result.status == "invalid"
    assert "'price' in this call and stays so" in result.error
    assert done == []


def test_a_hook_that_rewrites_the_action_is_gated_as_the_action_it_leads_to(run, deck_and_done):
    deck, done, _ = deck_and_done
    deck.before_tool(lambda call: Rewrite({"action": "buy", "item": "tea", "count": 9}))
    assert run(deck, "shop", action="price", item="tea").status == "denied"
    assert done == []


def test_a_tool_replaced_while_somebody_thinks_is_not_run(run, deck_and_done):
    deck, done, _host = deck_and_done

    def approver(request):
        deck.add(shop()[0])
        return Decision(True)

    deck.approvers.append(approver)
    result = run(deck, "shop", action="buy", item="tea", count=2)
    assert result.status == "denied"
    assert "replaced by another tool" in result.error
    assert done == []


def test_retries_fence_and_size_are_those_of_the_action(run, deck_and_done):
    deck, done, _ = deck_and_done
    result = run(deck, "shop", action="fail")
    assert result.status == "failed"
    assert done == ["fail"] * 3
    assert result.decisions["present"] == "fenced"
    assert run(deck, "shop", action="price", item="tea").decisions is None


def test_each_action_has_a_breaker_of_its_own(run, deck_and_done):
    deck, _, _ = deck_and_done
    for _ in range(5):
        run(deck, "shop", action="fail")
    assert run(deck, "shop", action="fail").status == "tripped"
    assert run(deck, "shop", action="price", item="tea").ok
    assert deck.breaker("shop", "fail").state.failures == 5
    assert set(deck.breaker_targets("shop")) == {"fail", "price"}
    made, _ = shop()
    deck.add(made)
    assert run(deck, "shop", action="fail").status == "failed"


def test_the_loop_guard_counts_each_action_with_its_arguments(run, deck_and_done):
    deck, _, _ = deck_and_done
    with calling(run=Run()):
        for _ in range(5):
            assert run(deck, "shop", action="price", item="tea").ok
        assert run(deck, "shop", action="price", item="tea").status == "looping"
        assert run(deck, "shop", action="price", item="milk").ok


def test_switching_an_effect_off_leaves_the_other_actions(run, deck_and_done):
    deck, _, _ = deck_and_done
    deck.disable(effects="write")
    assert run(deck, "shop", action="price", item="tea").ok
    closed = run(deck, "shop", action="buy", item="tea", count=1)
    assert closed.status == "denied"
    assert "shop buy cannot be used: write is switched off" in closed.error
    deck.disable("shop")
    assert run(deck, "shop", action="price", item="tea").status == "denied"


def test_an_unavailable_action_leaves_the_others(run):
    made, _ = shop()
    made.action(effects="read", available=lambda: "no till here", name="till")(lambda: "open")
    deck = Deck(policy="auto")
    deck.add(made)
    assert "no till here" in run(deck, "shop", action="till").error
    assert run(deck, "shop", action="price", item="tea").ok
    [shown] = deck.export("mcp")
    assert "till" not in shown["inputSchema"]["properties"]["action"]["enum"]


def test_models_are_not_shown_actions_that_never_run():
    made, _ = shop()
    deck = Deck(policy="read_only")
    deck.add(made)
    [shown] = deck.export("openai")
    described = shown["function"]["parameters"]["properties"]
    assert described["action"]["enum"] == ["price", "fail"]
    assert "count" not in described
    deck.policy.deny("shop")
    assert deck.export("openai") == []


@pytest.mark.parametrize("style", ["flat", "union"])
def test_both_schemas_take_every_example_and_an_unknown_style_is_refused(style):
    made, _ = shop()
    deck = Deck(policy="auto", action_schemas=style)
    deck.add(made)
    [shown] = deck.export("mcp")
    schema = shown["inputSchema"]
    assert schema["type"] == "object"
    assert schema["required"] == ["action"]
    for action in deck["shop"].actions.values():
        for example in action.examples:
            jsonschema.validate(example, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"action": "steal"}, schema)
    assert ("oneOf" in schema) == (style == "union")
    with pytest.raises(DefinitionError, match="action_schemas must be one of 'flat', 'union'"):
        Deck(action_schemas="tall")


def test_the_flat_schema_says_what_each_action_needs():
    made, _ = shop()
    described = made.tool().parameters["properties"]
    assert described["action"]["description"].splitlines() == [
        "price(item): What something costs.",
        "buy(item, count): Buy something.",
        "fail(): Always fail.",
    ]
    assert described["item"]["description"] == "price: The name of it.; buy"
    assert described["currency"]["default"] == "EUR"


def test_the_whole_tool_claims_what_any_of_its_actions_can_do():
    whole = shop()[0].tool()
    assert whole.effects == {"read", "write", "network"}
    assert whole.risk == "high"
    assert whole.from_outside
    assert not whole.repeatable
    made = ActionTool("one", "One.")
    made.action(lambda: 1, name="undeclared")
    assert made.tool().effects is None


def test_reading_actions_run_beside_each_other_and_others_alone(run):
    made, _ = shop()
    deck, _host = fake_deck(policy="auto")
    deck.add(made)
    calls = [("shop", {"action": "price", "item": str(number)}) for number in range(3)]
    calls.append(("shop", {"action": "buy", "item": "x", "count": 1}))
    calls.append(("shop", {"action": "prize"}))
    assert [one.status for one in run.many(deck, calls)] == ["ok", "ok", "ok", "ok", "invalid"]


def test_a_call_from_a_remote_client_is_gated_by_the_action_too(run, deck_and_done):
    deck, _done, host = deck_and_done
    with calling(Source.MCP, label="somebody"):
        assert run(deck, "shop", {"action": "price", "item": "tea"}).ok
        assert run(deck, "shop", {"action": "buy", "item": "tea", "count": 1}).status == "denied"
    assert [request.call.caller.source for request in host.requests] == [Source.MCP]


def test_a_preview_may_take_what_is_injected(run):
    made = ActionTool("note", "Notes.")

    @made.action(effects="write", preview=lambda text, context: f"{context.call.id} will say {text}")
    def write(text: str, context: Injected[ToolContext]) -> str:
        """Write a note."""
        return text

    deck, host = fake_deck([True])
    deck.add(made)
    result = run(deck, "note", action="write", text="hello")
    assert result.value == "hello"
    assert host.requests[0].preview == f"{result.call.id} will say hello"


def test_calling_the_tool_from_python_runs_the_pipeline(deck_and_done):
    deck, _, _ = deck_and_done
    assert deck["shop"]("price", item="tea") == 3.5
    with pytest.raises(PermissionError):
        deck["shop"](action="buy", item="tea", count=1)
    assert "price(item): What something costs." in deck["shop"].getdoc()


def test_what_cannot_be_an_action_is_refused_where_it_is_defined():
    made, _ = shop()
    with pytest.raises(DefinitionError, match="cannot have a parameter 'action'"):
        made.action(lambda action: 1, name="x")
    with pytest.raises(DefinitionError, match="an action 'price' already"):
        made.action(lambda: 1, name="price")
    with pytest.raises(DefinitionError, match="an example of shop x"):
        made.action(lambda n: 1, name="x", examples=[{"m": 1}])
    with pytest.raises(DefinitionError, match="has no actions"):
        Deck().add(ActionTool("empty", "Nothing."))
    with pytest.raises(DefinitionError, match="set options where they are defined"):
        Deck().add(made, effects="none")


def test_an_ordinary_call_passes_no_stage_for_actions(deck_and_done):
    deck, _, _ = deck_and_done
    deck.trace = True
    deck.add(lambda: 1, name="plain", effects="none")
    assert "narrow" not in {span.name for span in deck.call("plain").trace}
    names = [span.name for span in deck.call("shop", action="price", item="tea").trace]
    assert "narrow" in names


def test_the_log_has_the_action_and_masks_by_its_schema(run):
    made, _ = shop()
    deck = Deck(policy="auto", store=":memory:")
    deck.add(made)
    run(deck, "shop", action="price", item="tea")
    [logged] = deck.log(1)
    assert logged.arguments == {"action": "price", "item": "tea"}
    assert json.loads(json.dumps(deck["shop"].choices))["oneOf"][0]["title"] == "price"
