"""Fields with suggestions, and the forms of prompts as servers define them."""

from __future__ import annotations

import json
from concurrent.futures import Future
from pathlib import Path

import ipywidgets
import pytest

from tests.widgets.test_form import control, form, row
from tooldeck.mcp.prompts import PROMPTS
from tooldeck.mcp.resources import RESOURCES, TEMPLATES
from tooldeck.notebook.forms import Form

CORPUS = Path(__file__).parents[3] / "shared" / "data" / "mcp_tool_schemas"


class Asked:
    """Somebody who has suggestions, when the test says so."""

    def __init__(self) -> None:
        self.about: list[tuple[str, str]] = []
        self.open: list[Future[list[str]]] = []

    def __call__(self, name: str, text: str) -> Future[list[str]]:
        self.about.append((name, text))
        self.open.append(Future())
        return self.open[-1]

    def answer(self, *words: str) -> None:
        self.open.pop(0).set_result(list(words))


@pytest.fixture
def asked():
    return Asked()


@pytest.fixture
def city(asked):
    schema = {"type": "object", "properties": {"city": {"type": "string"}, "n": {"type": "integer"}}}
    return control(Form(schema, suggest=asked), "city")


def test_suggestions_are_there_before_anything_is_typed(asked, city):
    assert asked.about == [("city", "")]
    asked.answer("Oslo", "Olso")
    assert isinstance(city, ipywidgets.Combobox)
    assert city.options == ("Oslo", "Olso")


def test_while_one_answer_is_awaited_only_the_latest_text_is_kept(asked, city):
    city.value = "O"
    city.value = "Os"
    assert asked.about == [("city", "")]
    asked.answer()
    assert asked.about == [("city", ""), ("city", "Os")]
    asked.answer("Oslo")
    assert city.options == ("Oslo",)
    assert len(asked.about) == 2


def test_a_failure_to_suggest_leaves_a_field_that_works(asked, city):
    asked.open.pop(0).set_exception(ValueError("gone"))
    city.value = "Rome"
    asked.open.pop(0).cancel()
    assert city.value == "Rome"

    def broken(name, text):
        raise ValueError("no")

    made = Form({"type": "object", "properties": {"a": {"type": "string"}}}, suggest=broken)
    made.set_value({"a": "x"})
    assert made.value == {"a": "x"}


def test_what_hides_something_is_not_suggested(asked, city):
    asked.answer("Oslo", "Os\u202elo", "two\nlines", "", "Oslo", "Rome")
    assert city.options == ("Oslo", "Rome")


def test_an_empty_box_that_was_never_typed_in_is_left_out(asked):
    made = Form({"type": "object", "properties": {"city": {"type": "string"}}}, suggest=asked)
    assert made.value == {}
    control(made, "city").value = "x"
    control(made, "city").value = ""
    assert made.value == {"city": ""}
    assert "suggest" not in row(form({"city": {"type": "string"}}), "city").field.__class__.__name__.lower()


def _offers(kind: str, offer):
    for file in sorted(CORPUS.glob("*.json")):
        whole = json.loads(file.read_text())
        for entry in whole.get(kind) or [] if isinstance(whole, dict) else []:
            yield offer.read(entry)


def test_every_handed_prompt_and_template_has_a_form_that_takes_its_arguments():
    if not CORPUS.exists():
        pytest.skip("the collection of real servers is not beside the project")
    things = [*_offers("prompts", PROMPTS), *_offers("resourceTemplates", TEMPLATES)]
    assert len(things) >= 10
    for thing in things:
        made = Form(thing.schema, outside=True)
        values = {name: f"{name} of it" for name in thing.schema["properties"]}
        made.set_value(values)
        assert made.value == values, thing.name
        assert made.check() == []
        made.set_value({})
        assert len(made.check()) == len(thing.schema["required"]), thing.name
    assert len(list(_offers("resources", RESOURCES))) >= 15
