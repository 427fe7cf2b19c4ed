"""Arguments that no parameter has, and names that no tool can have."""

from __future__ import annotations

import pytest

from tooldeck import BaseTool, Deck, DefinitionError
from tooldeck.testing import fake_deck


def same(city: str, limit: int = 5) -> str:
    """The same."""
    return f"{city} {limit}"


@pytest.fixture(params=["function", "schema"])
def add(request):
    """Add the tool as a function, or as a record with a schema."""
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["city"],
        "additionalProperties": False,
    }

    def added(deck, **options):
        if request.param == "function":
            return deck.add(same, effects="none", **options)
        return deck.add({"name": "same", "parameters": schema, "function": same}, effects="none", **options)

    return added


def deck_with(add, tool=None, deck=None):
    made, _ = fake_deck(policy="auto", **({} if deck is None else {"ignore_unknown": deck}))
    add(made, **({} if tool is None else {"ignore_unknown": tool}))
    return made


@pytest.mark.parametrize(
    ("deck", "tool", "ignored"),
    [(None, None, False), (True, None, True), (None, True, True), (True, False, False), (False, True, True)],
)
def test_unknown_arguments_are_refused_unless_the_deck_or_the_tool_ignores_them(
    run, add, deck, tool, ignored
):
    result = run(deck_with(add, tool, deck), "same", city="Ulm", colour="red")
    assert result.status == ("ok" if ignored else "invalid")
    if ignored:
        assert [str(note) for note in result.notes] == ["left out 'colour', no parameter of same"]
        assert result.call.arguments == {"city": "Ulm"}


def test_what_is_ignored_hides_no_other_problem(run, add):
    result = run(deck_with(add, tool=True), "same", {"colour": 1, "limit": "many"})
    assert result.status == "invalid"
    assert {problem.path for problem in result.problems} == {"city", "limit", "colour"}


def test_a_name_in_another_spelling_is_still_read_and_not_left_out(run):
    deck, _ = fake_deck(policy="auto")
    deck.add(same, effects="none", ignore_unknown=True)
    result = run(deck, "same", {"City": "Ulm", "x": 1})
    assert result.value == "Ulm 5"
    assert "left out 'x'" in str(result.notes[0])


@pytest.mark.parametrize("wrong", ["yes", 1, 0])
def test_the_setting_is_yes_or_no(wrong):
    with pytest.raises(DefinitionError, match="ignore_unknown"):
        Deck(ignore_unknown=wrong)
    with pytest.raises(DefinitionError, match="ignore_unknown"):
        Deck().add(same, ignore_unknown=wrong)


@pytest.mark.parametrize(
    "name",
    [
        "None",
        "none",
        "True",
        "False",
        "finish",
        "Finish",
        "final_answer",
        "null",
        "import",
        "class",
        "__init__",
        "-",
    ],
)
def test_a_name_that_no_call_in_a_text_could_have_is_refused_where_the_tool_is_made(name):
    deck = Deck()
    with pytest.raises(DefinitionError, match="cannot be a tool's name") as refused:
        deck.add(same, name=name)
    assert "example name='run_" in str(refused.value)
    with pytest.raises(DefinitionError):
        deck.add({"name": name, "parameters": {"type": "object"}, "function": same})


def test_such_a_class_is_refused_as_well():
    class Finish(BaseTool):
        name = "finish"

        def run(self) -> int:
            return 1

    with pytest.raises(DefinitionError, match="'finish' cannot be"):
        Deck().add(Finish())
