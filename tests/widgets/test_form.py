"""The form: from a JSON Schema to fields, and from fields to arguments."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

import ipywidgets
import pytest

from tooldeck.core.parameters import Problem
from tooldeck.notebook.forms import Form
from tooldeck.notebook.forms.object import ObjectField
from tooldeck.notebook.forms.row import Row

LATE = datetime(2026, 12, 31, 22, 59, tzinfo=UTC)
CORPUS = Path(__file__).parents[3] / "shared" / "data" / "mcp_tool_schemas"


def form(properties: dict[str, Any], *required: str, **more: Any) -> Form:
    return Form({"type": "object", "properties": properties, "required": list(required), **more})


def row(made: Form, name: str) -> Row:
    return next(row for row in made._fields.rows if row.name == name)


def controls(widget: Any) -> Iterator[Any]:
    """Every control within a widget, in order."""
    if isinstance(widget, ipywidgets.Box):
        for child in widget.children:
            yield from controls(child)
    else:
        yield widget


def control(made: Form, name: str) -> Any:
    return next(controls(row(made, name).field.widget))


def shown_at(made: Row) -> list[str]:
    """The words below and beside the field of a row."""
    return [getattr(part, "value", "") for part in made.widget.children]


@pytest.mark.parametrize(
    ("schema", "kind", "typed", "value"),
    [
        ({"type": "string"}, ipywidgets.Text, "x", "x"),
        ({"type": "string", "maxLength": 4000}, ipywidgets.Textarea, "a\nb", "a\nb"),
        ({"type": "string", "format": "password"}, ipywidgets.Password, "x", "x"),
        ({"type": "integer"}, ipywidgets.Text, "9007199254740993", 9007199254740993),
        ({"type": "number"}, ipywidgets.Text, "2.5", 2.5),
        ({"type": "integer", "minimum": 1, "maximum": 9}, ipywidgets.IntSlider, 3, 3),
        ({"type": "integer", "exclusiveMinimum": 0, "maximum": 9}, ipywidgets.IntSlider, 3, 3),
        ({"type": "number", "minimum": 0, "maximum": 1}, ipywidgets.FloatSlider, 0.5, 0.5),
        ({"type": "integer", "minimum": 0, "maximum": 10**6}, ipywidgets.Text, "70000", 70000),
        ({"type": "boolean"}, ipywidgets.Checkbox, True, True),
        ({"enum": ["a", 1, True, None]}, ipywidgets.Dropdown, 2, True),
        ({"oneOf": [{"const": "#F00", "title": "Red"}, {"const": "#0F0"}]}, ipywidgets.Dropdown, 0, "#F00"),
        ({"type": "array", "items": {"enum": ["x", "y"]}}, ipywidgets.SelectMultiple, (1,), ["y"]),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, ipywidgets.Text, "x", "x"),
        ({"type": ["integer", "null"]}, ipywidgets.Text, "4", 4),
        ({"$ref": "#/$defs/N"}, ipywidgets.Text, "4", 4),
        ({"allOf": [{"$ref": "#/$defs/N"}], "description": "d"}, ipywidgets.Text, "4", 4),
        ({"type": "object"}, ipywidgets.Textarea, "{}", {}),
        ({"type": "integer", "minimum": 0, "maximum": 9, "multipleOf": 3}, ipywidgets.IntSlider, 6, 6),
        ({"type": "number", "minimum": 0, "maximum": 1, "multipleOf": 0.3}, ipywidgets.Text, "0.3", 0.3),
        ({"enum": [f"zone {n}" for n in range(50)]}, ipywidgets.Combobox, "zone 7", "zone 7"),
        ({"enum": [*range(50)]}, ipywidgets.Combobox, "7", 7),
        ({"type": "string", "format": "date"}, ipywidgets.DatePicker, date(2026, 2, 3), "2026-02-03"),
        ({"type": "string", "format": "time"}, ipywidgets.TimePicker, time(9, 5), "09:05:00Z"),
        ({"type": "string", "format": "date-time"}, ipywidgets.DatetimePicker, LATE, "2026-12-31T22:59:00Z"),
        ({"type": "string", "format": "uri"}, ipywidgets.Text, "https://a.example", "https://a.example"),
        ({"type": "string", "format": "json"}, ipywidgets.Textarea, "{}", "{}"),
        ({"$ref": "#number"}, ipywidgets.Text, "4", 4),
        ({"$ref": "#/properties/b"}, ipywidgets.Dropdown, 1, "v"),
        ({"items": {"type": "string"}, "maxItems": 0, "type": ["array", "null"]}, ipywidgets.Label, "", []),
        ({}, ipywidgets.Textarea, '"x"', "x"),
        (True, ipywidgets.Textarea, "[1]", [1]),
        ({"$ref": "#/$defs/Loop"}, ipywidgets.Textarea, "1", 1),
        ({"$ref": "https://example.org/x.json"}, ipywidgets.Textarea, "1", 1),
    ],
)
def test_each_kind_of_schema_gets_its_kind_of_field(schema: Any, kind: type, typed: Any, value: Any) -> None:
    defs = {"N": {"type": "integer", "$anchor": "number"}, "Loop": {"$ref": "#/$defs/Loop"}}
    made = Form(
        {
            "type": "object",
            "properties": {"a": schema, "b": {"enum": ["u", "v"]}},
            "required": ["a"],
            "$defs": defs,
        }
    )
    field = control(made, "a")
    assert type(field) is kind
    field.value = typed
    assert made.value == {"a": value}
    assert type(made.value["a"]) is type(value)
    assert made.faults() == []


def test_untouched_optional_fields_are_left_out_even_when_they_show_a_default() -> None:
    made = form({"a": {"type": "integer", "default": 5}, "b": {"type": "boolean"}, "c": {"type": "string"}})
    assert control(made, "a").value == "5"
    assert made.value == {}
    control(made, "b").value = True
    assert made.value == {"b": True}


def test_a_touched_field_can_be_left_out_again() -> None:
    made = form({"a": {"type": "integer", "default": 5}})
    control(made, "a").value = "6"
    assert made.value == {"a": 6}
    row(made, "a")._clear.click()
    assert control(made, "a").value == "5"
    assert made.value == {}


def test_a_required_default_is_sent_and_an_empty_required_text_is_not() -> None:
    made = form({"ns": {"type": "string", "default": "main"}, "q": {"type": "string"}}, "ns", "q")
    assert made.value == {"ns": "main"}


def test_a_text_that_was_emptied_by_hand_is_an_empty_text() -> None:
    made = form({"q": {"type": "string"}}, "q")
    control(made, "q").value = "x"
    control(made, "q").value = ""
    assert made.value == {"q": ""}


def test_required_fields_are_marked_and_every_control_is_labelled() -> None:
    made = form(
        {"city": {"type": "string", "title": "City"}, "n": {"type": "integer", "title": "How many"}}, "city"
    )
    assert control(made, "city").description == "city *"
    assert control(made, "n").description == "How many"
    assert control(made, "n").description_allow_html is False


def test_help_comes_from_the_description_and_hides_nothing() -> None:
    made = form({"a": {"type": "string", "description": "where\u202e to", "default": "x"}})
    assert shown_at(row(made, "a"))[1:] == ['where\\u202e to (default "x")']


def test_problems_stand_beside_their_fields_and_the_others_below() -> None:
    inner = {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}
    made = form({"a": inner, "c": {"type": "array", "items": {"type": "string"}}, "cc": {"type": "string"}})
    group = row(made, "a").field
    assert isinstance(group, ObjectField)
    problems = [Problem("a.b", "required"), Problem("c[1]", "text", "3"), Problem("x", "unknown"), "odd"]
    made.problems(problems)
    assert shown_at(group.rows[0])[-1] == "required"
    assert shown_at(row(made, "c"))[-1] == "[1]: text (got 3)"
    assert len(row(made, "cc").widget.children) == 1
    assert repr(made._summary) == "4 problems to mend; x: unknown; odd"
    made.problems([])
    assert len(group.rows[0].widget.children) == 1
    assert repr(made._summary) == ""


def test_text_that_is_no_number_is_a_fault_and_is_not_lost() -> None:
    made = form({"n": {"type": "integer"}}, "n")
    control(made, "n").value = "many"
    assert [str(fault) for fault in made.faults()] == ["n: 'many' is no whole number"]
    assert made.value == {"n": "many"}


def test_half_written_json_is_a_fault() -> None:
    made = form({"x": {}}, "x")
    control(made, "x").value = '{"a": '
    assert "not JSON yet" in str(made.faults()[0])


def test_null_is_a_value_of_its_own() -> None:
    made = form({"a": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}})
    assert made.value == {}
    made.set_value({"a": None})
    assert made.value == {"a": None}
    control(made, "a").value = "3"
    assert made.value == {"a": 3}


def test_names_that_the_schema_does_not_list_are_shown_and_sent() -> None:
    made = form({"a": {"type": "string"}})
    made.set_value({"a": "x", "zz": [1]})
    assert made.value == {"a": "x", "zz": [1]}
    made.set_value({"a": "x"})
    assert made.value == {"a": "x"}


def test_changes_are_told() -> None:
    made = form({"a": {"type": "string"}, "o": {"type": "object", "properties": {"b": {"type": "integer"}}}})
    seen: list[Any] = []
    made.observe(lambda: seen.append(made.value))
    control(made, "a").value = "x"
    control(made, "o")
    group: Any = row(made, "o").field
    group.rows[0].field.widget.value = "3"
    assert seen[-1] == {"a": "x", "o": {"b": 3}}


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object"},
        {"type": "object", "properties": None},
        {"type": "object", "properties": {"": {}, "a.b": {"type": "string"}, "$x$": False}},
        {"type": "object", "properties": {"a": {"type": "string", "default": 3}}, "required": "a"},
        {"type": "object", "properties": {"a": {"enum": []}, "b": {"anyOf": []}, "c": {"type": []}}},
        {"type": "object", "properties": {"a": {"type": "integer", "minimum": "x", "maximum": 9}}},
        {"type": "object", "properties": {"a": {"type": "integer", "minimum": 9, "maximum": 1}}},
        {"type": "object", "properties": {}, "required": ["ghost"]},
        {"$ref": "#/$defs/A", "$defs": {"A": {"type": "object", "properties": {"b": {"$ref": "#/$defs/A"}}}}},
        {"type": "object", "properties": {"a": {"type": "boolean", "default": "no"}, "n": {"enum": [None]}}},
    ],
)
def test_odd_schemas_make_a_form_all_the_same(schema: dict[str, Any]) -> None:
    made = Form(schema)
    assert isinstance(made.value, dict)
    assert isinstance(made.faults(), list)
    made.set_value(made.value)
