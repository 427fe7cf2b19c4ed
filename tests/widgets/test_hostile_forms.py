"""Forms for schemas of strangers: none of them breaks or freezes the page."""

from __future__ import annotations

import ipywidgets.widgets.widget as widgets
import pytest

from tooldeck.core.questions import Question
from tooldeck.notebook.forms import Form
from tooldeck.notebook.widgets.question import QuestionCard


def instances():
    """Every widget that lives."""
    return widgets._instances


ODD = [
    {},
    {"properties": [1]},
    {"properties": {"a": 5}},
    {"properties": {"a": {"type": ["string", 5]}}, "required": [{}]},
    {"properties": {"a": {"$ref": "#"}}},
    {"properties": {"a": {"type": "integer", "minimum": "x", "maximum": []}}},
    {"properties": {"a": {"oneOf": 5, "anyOf": [5]}}},
    {"properties": {"a": {"type": "boolean", "default": "x"}}},
]


@pytest.mark.parametrize("schema", ODD, ids=str)
def test_a_question_with_an_odd_schema_has_a_card(schema):
    assert QuestionCard(Question("s", "t", "Name?", schema=schema))._repr_mimebundle_()


def test_a_form_with_more_rows_than_a_page_can_hold_offers_the_others_by_a_search():
    form = Form({"type": "object", "properties": {f"n{i}": {"type": "string"} for i in range(3000)}})
    assert 10 < len(form._fields.rows) <= 100
    form.set_value({"n7": "x", "n2999": "y"})
    assert form.value == {"n7": "x", "n2999": "y"}
    assert form.check() == []
    more = form._fields._hidden
    more._search.value = "n2500"
    more._found()
    assert form._fields.rows[-2].name == "n2500"
    assert "n2500" not in more._search.options


def test_nested_objects_count_among_the_rows():
    inner = {"type": "object", "properties": {f"n{i}": {"type": "string"} for i in range(60)}}
    before = len(instances())
    Form({"type": "object", "properties": {f"o{i}": inner for i in range(50)}})
    assert len(instances()) - before < 1500


def test_a_long_list_waits_as_json_or_closed_and_comes_out_as_it_went_in():
    item = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}
    form = Form({"type": "object", "properties": {"rows": {"type": "array", "items": item}}})
    before = len(instances())
    for count in (100, 5_000):
        rows = [{"a": str(n), "b": n} for n in range(count)]
        form.set_value({"rows": rows})
        assert form.value == {"rows": rows}
        assert form.check() == []
    assert len(instances()) - before < 3_000


@pytest.mark.parametrize(
    "back", [{"$ref": "#"}, {"anyOf": [{"$ref": "#"}, {"type": "null"}]}], ids=["ref", "anyOf"]
)
def test_a_schema_that_contains_itself_is_opened_step_by_step(back):
    form = Form({"type": "object", "properties": {"v": {"type": "integer"}, "next": back}})
    value = {"v": 1, "next": {"v": 2, "next": {"v": 3}}}
    form.set_value(value)
    assert form.value == value
    assert form.check() == []
    bad = {"v": 1, "next": {"v": 2, "next": {"v": "x"}}}
    form.set_value(bad)
    assert form.value == bad
    assert form.check()


def test_alternatives_that_never_end_get_a_form():
    schema = {
        "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "array", "items": {"$ref": "#/$defs/A"}}]}}
    }
    form = Form({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, **schema})
    form.set_value({"a": [[], [[]]]})
    assert form.value == {"a": [[], [[]]]}
