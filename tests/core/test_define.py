"""What can become a tool, what cannot, and what the tool then is."""

from __future__ import annotations

import functools
import math

import pytest

from tooldeck import (
    BaseTool,
    BreakerSettings,
    Deck,
    DefinitionError,
    Effect,
    Origin,
    RetrySettings,
    Risk,
    Tool,
    Trust,
    tool,
)
from tooldeck.core.define import define

OBJECT = {"type": "object"}


def add(a: int, b: int = 2) -> int:
    """Add two numbers.

    Args:
        a: one of them
    """
    return a + b


class Counter:
    """Counts."""

    def __init__(self):
        self.total = 0

    def __call__(self, by: int = 1) -> int:
        """Count on."""
        self.total += by
        return self.total

    def step(self, by: int) -> int:
        """Count by some."""
        return self(by)

    @staticmethod
    def still(x: int) -> int:
        """Stay."""
        return x

    @classmethod
    def fresh(cls, x: int) -> int:
        """Begin."""
        return x


class WordCountTool(BaseTool):
    """Count the words of a text."""

    effects = "none"
    timeout = 5

    def run(self, text: str) -> int:
        return len(text.split())


def executed():
    space = {}
    exec('def dbl(x: int) -> int:\n    "Double it."\n    return x * 2', space)
    return space["dbl"]


@pytest.mark.parametrize(
    ("thing", "name", "description", "required", "arguments", "value"),
    [
        (add, "add", "Add two numbers.", ["a"], {"a": 1}, 3),
        (executed(), "dbl", "Double it.", ["x"], {"x": 4}, 8),
        (functools.partial(add, b=10), "add", "Add two numbers.", ["a"], {"a": 1}, 11),
        (functools.partial(functools.partial(add, 5), b=1), "add", "Add two numbers.", [], {}, 6),
        (Counter(), "Counter", "Count on.", [], {"by": 2}, 2),
        (Counter().step, "step", "Count by some.", ["by"], {"by": 3}, 3),
        (Counter.still, "still", "Stay.", ["x"], {"x": 1}, 1),
        (Counter.fresh, "fresh", "Begin.", ["x"], {"x": 1}, 1),
        (WordCountTool(), "word_count", "Count the words of a text.", ["text"], {"text": "a b"}, 2),
        (math.gcd, "gcd", None, [], {"integers": [12, 18]}, 6),
        (
            {"name": "rec", "description": "R", "parameters": OBJECT, "function": lambda **kw: kw},
            "rec", "R", [], {"z": 1}, {"z": 1},
        ),
    ],
    ids=[
        "function", "executed text", "partial", "partial of a partial", "callable object", "method",
        "static method", "class method", "BaseTool", "builtin", "record",
    ],
)  # fmt: skip
def test_anything_that_can_be_called_with_names_becomes_a_tool(
    thing, name, description, required, arguments, value
):
    made = Deck(policy="auto").add(thing)
    assert made.name == name
    assert description is None or made.description == description
    assert made.parameters.get("required", []) == required
    assert "self" not in made.parameters.get("properties", {})
    assert made(**arguments) == value


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (5, "5 cannot be a tool"),
        ("add", "'add' cannot be a tool"),
        (None, "None cannot be a tool"),
        (Counter, "cannot be a tool"),
        (WordCountTool, "is a class; give an object of it: WordCountTool()"),
        ([add], "cannot be a tool"),
        (lambda x: x, "A lambda has no name"),
        (functools.partial(lambda x: x), "A lambda has no name"),
        ({}, "needs a name"),
        ({"name": "x"}, "has no function"),
        ({"name": "x", "function": add}, "has no schema"),
        ({"name": "x", "function": add, "parameters": {"type": "string"}}, "'x'.*'object'"),
        ({"name": "x", "function": add, "parameters": 5}, "'x'.*JSON object"),
        ({"name": "x", "function": add, "parameters": OBJECT, "effect": "read"}, "did you mean 'effects'"),
        ({"name": "x y", "function": add, "parameters": {"type": "object"}}, "'x y' cannot be a tool's name"),
    ],
    ids=[
        "number", "text", "None", "class", "BaseTool class", "list", "lambda", "partial of a lambda",
        "empty record", "record without function", "record without schema", "record of a string",
        "record without an object",
        "record with a misspelt option", "record with a bad name",
    ],
)  # fmt: skip
def test_what_cannot_be_a_tool_is_refused_in_one_sentence_and_nothing_is_added(thing, words):
    deck = Deck()
    with pytest.raises(DefinitionError, match=words) as caught:
        deck.add(thing)
    assert "\n" not in str(caught.value)
    assert len(deck) == 0


def test_a_lambda_with_a_name_and_no_types_is_a_tool():
    made = Deck(policy="auto").add(lambda x: x, name="same")
    assert made.parameters["properties"] == {"x": {}}
    assert made(x=[1]) == [1]


@pytest.mark.parametrize("name", ["my tool", "搜索", "x" * 65, "", "a.b", "a/b", "é"])
def test_names_that_models_do_not_take_are_refused_with_a_proposal(name):
    with pytest.raises(DefinitionError, match="cannot be a tool's name"):
        Deck().add(add, name=name)


def test_an_annotation_that_cannot_be_resolved_names_tool_parameter_and_word():
    def f(a: int, b: Missing): ...  # noqa: F821 - the point

    with pytest.raises(
        DefinitionError, match=r"f: parameter 'b' is annotated 'Missing', but 'Missing' is not defined"
    ):
        Deck().add(f)


def test_an_annotation_that_is_no_type_is_told():
    def f(a: "1 +"): ...  # noqa: F722 - the point

    with pytest.raises(DefinitionError, match="parameter 'a' is annotated"):
        Deck().add(f)


def test_a_return_annotation_that_cannot_be_resolved_is_left_out():
    def f(a: int) -> Missing: ...  # noqa: F821 - the point

    assert Deck().add(f).output_schema is None


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"requires_aproval": True}, "Unknown option 'requires_aproval'"),
        ({"timeuot": 5}, "did you mean 'timeout'"),
        ({"effects": "raed"}, "Unknown effect 'raed'; did you mean 'read'"),
        ({"effects": 5}, "Effects must be text or a list"),
        ({"effects": ["none", "read"]}, "Unknown effect 'none'"),
        ({"risk": "hihg"}, "Unknown risk 'hihg'; did you mean 'high'"),
        ({"trust": "no"}, "Unknown trust 'no'"),
        ({"timeout": 0}, "timeout must be"),
        ({"timeout": -1}, "timeout must be"),
        ({"timeout": "5"}, "timeout must be"),
        ({"timeout": float("nan")}, "timeout must be"),
        ({"timeout": True}, "timeout must be"),
        ({"max_chars": 5}, "max_chars must be"),
        ({"max_chars": "many"}, "max_chars must be"),
        ({"retry": 0}, "retry attempts must be"),
        ({"retry": "twice"}, "retry must be"),
        ({"retry": True}, "retry must be"),
        ({"breaker": -1}, "breaker threshold must be"),
        ({"breaker": "off"}, "breaker must be"),
        ({"idempotent": "yes"}, "idempotent must be True or False"),
        ({"ask": "always"}, "ask must be"),
        ({"name": 5}, "name must be text"),
        ({"description": 5}, "description must be text"),
        ({"origin": "here"}, "origin must be an Origin"),
    ],
    ids=repr,
)
def test_an_option_that_cannot_be_meant_is_refused_and_nothing_is_added(option, words):
    deck = Deck()
    with pytest.raises(DefinitionError, match=words):
        deck.add(add, **option)
    with pytest.raises(DefinitionError, match=words):
        deck.tool(**option)(add)
    if "origin" not in option:
        with pytest.raises(DefinitionError, match=words):
            tool(**option)(add)
    assert len(deck) == 0


def test_options_are_refused_where_they_are_written_before_the_function_is_seen():
    with pytest.raises(DefinitionError, match="timeuot"):
        Deck().tool(timeuot=5)


def test_every_option_shows_in_the_tool():
    made = define(add, None)
    assert (made.effects, made.risk, made.trust, made.idempotent, made.ask) == (
        None,
        Risk.HIGH,
        Trust.TRUSTED,
        False,
        None,
    )
    made = Deck().add(
        add, name="plus", description="Sum.", effects="read, network", risk="low", trust="trusted",
        idempotent=True, ask=True, timeout=3, max_chars=500, retry=5, breaker=BreakerSettings(2, 9),
        origin=Origin("builtin", "x"),
    )  # fmt: skip
    assert (made.name, made.description, made.risk, made.trust) == ("plus", "Sum.", Risk.LOW, Trust.TRUSTED)
    assert made.effects == {Effect.READ, Effect.NETWORK}
    assert (made.idempotent, made.ask, made.timeout, made.max_chars) == (True, True, 3, 500)
    assert made.retry == RetrySettings(attempts=5)
    assert made.breaker == BreakerSettings(2, 9)
    assert str(made.origin) == "builtin x"


def test_effects_may_come_from_a_generator():
    assert Deck().add(add, effects=(word for word in ("read", "write"))).effects == {
        Effect.READ,
        Effect.WRITE,
    }


def test_risk_follows_from_the_effects():
    risks = {
        effects: Deck().add(add, effects=effects).risk
        for effects in ("none", "read", "write", "network", "execute")
    }
    assert risks == {"none": "low", "read": "low", "write": "medium", "network": "medium", "execute": "high"}


def test_what_comes_over_the_network_is_untrusted_unless_declared():
    assert Deck().add(add, effects="network").trust is Trust.UNTRUSTED
    assert Deck().add(add, effects="network", trust="trusted").trust is Trust.TRUSTED
    assert Deck().add(add, effects="read").trust is Trust.TRUSTED


def test_a_class_declares_by_attributes_and_registration_wins():
    made = Deck().add(WordCountTool())
    assert (made.effects, made.timeout) == (frozenset(), 5)
    assert Deck().add(WordCountTool(), timeout=9, name="wc").timeout == 9


def test_a_class_without_run_says_so():
    class Empty(BaseTool): ...

    result = Deck(policy="auto").call(Empty(), {})
    assert "Empty has no run() method" in result.error


def test_a_misspelt_option_in_a_class_is_just_an_attribute_but_a_wrong_value_is_refused():
    class Bad(BaseTool):
        timeout = "soon"

        def run(self): ...

    with pytest.raises(DefinitionError, match="timeout must be"):
        Deck().add(Bad())


def test_a_record_may_declare_options_in_any_providers_form():
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    openai = {
        "type": "function",
        "function": {"name": "f", "description": "D", "parameters": schema},
        "callable": lambda x: x,
    }
    anthropic = {
        "name": "f",
        "description": "D",
        "input_schema": schema,
        "handler": lambda x: x,
        "effects": "read",
    }
    for record in (openai, anthropic):
        made = Deck(policy="auto").add(record, timeout=4)
        assert made.parameters == schema
        assert (made.name, made.description, made.timeout) == ("f", "D", 4)
        assert made(x=3) == 3
    assert made.read_only


def test_a_tool_without_a_deck_is_the_plain_function():
    made = tool(effects="read")(add)
    assert isinstance(made, Tool)
    assert made(1, b=5) == 6


def test_a_finished_tool_takes_no_further_options():
    made = tool(add)
    with pytest.raises(DefinitionError, match="finished tool"):
        Deck().add(made, name="other")
    assert Deck().add(made).name == "add"


def test_one_tool_may_live_in_two_decks():
    made = tool(effects="none")(add)
    first, second = Deck(), Deck()
    assert first.add(made)(1) == 3
    assert second.add(made)(1) == 3
    assert (len(first.history()), len(second.history())) == (1, 1)


def test_a_deck_without_tools_is_still_true():
    assert Deck()
    assert len(Deck()) == 0


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"policy": "deafult"}, "Unknown policy 'deafult'; did you mean 'default'"),
        ({"policy": 5}, "policy must be"),
        ({"approver": "me"}, "approver must be a function"),
        ({"history": -1}, "history must be"),
        ({"trace": "yes"}, "trace must be True or False"),
        ({"answerer": "me"}, "answerer must be a function"),
        ({"workspace": 3}, "workspace must be the path of a folder"),
        ({"approval_timeout": 0}, "approval_timeout must be"),
        ({"approval_timeout": "soon"}, "approval_timeout must be"),
    ],
    ids=repr,
)
def test_a_setting_of_the_deck_that_cannot_be_meant_is_refused(settings, words):
    with pytest.raises(DefinitionError, match=words):
        Deck(**settings)


@pytest.mark.parametrize("dialect", ["opanai", 5, None])
def test_an_unknown_dialect_is_refused_with_the_known_ones(dialect):
    with pytest.raises(DefinitionError, match="Unknown dialect"):
        Deck().export(dialect)


def test_an_export_can_be_changed_without_changing_the_tool():
    deck = Deck()
    made = deck.add(add)
    deck.export("openai")[0]["function"]["parameters"]["properties"].clear()
    assert list(made.parameters["properties"]) == ["a", "b"]
