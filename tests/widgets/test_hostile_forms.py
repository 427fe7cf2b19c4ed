"""Forms for schemas of strangers: none of them breaks or freezes the page."""

from __future__ import annotations

import pytest

from tooldeck.mcp.handlers import Question
from tooldeck.notebook.forms import Form
from tooldeck.notebook.widgets.question import QuestionCard

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


def test_a_form_with_more_rows_than_a_page_can_hold_is_one_box_of_json():
    form = Form({"type": "object", "properties": {f"n{i}": {"type": "string"} for i in range(3000)}})
    assert form._fields.rows == []
    form.set_value({"n7": "x"})
    assert form.value == {"n7": "x"}
    assert form.faults() == []


def test_nested_objects_count_among_the_rows():
    inner = {"type": "object", "properties": {f"n{i}": {"type": "string"} for i in range(60)}}
    form = Form({"type": "object", "properties": {f"o{i}": inner for i in range(50)}})
    assert len(form._fields.leaves()) <= 200
