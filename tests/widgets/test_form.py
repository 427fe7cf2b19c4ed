"""The form: from a JSON Schema to fields, and from fields to arguments."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ipywidgets
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tooldeck.core.parameters import Problem
from tooldeck.notebook.forms import Form
from tooldeck.notebook.forms.object import ObjectField
from tooldeck.notebook.forms.row import Row

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
        ({"const": "only"}, ipywidgets.Dropdown, 0, "only"),
        ({"oneOf": [{"const": "#F00", "title": "Red"}, {"const": "#0F0"}]}, ipywidgets.Dropdown, 0, "#F00"),
        ({"type": "array", "items": {"enum": ["x", "y"]}}, ipywidgets.SelectMultiple, (1,), ["y"]),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, ipywidgets.Text, "x", "x"),
        ({"type": ["integer", "null"]}, ipywidgets.Text, "4", 4),
        ({"$ref": "#/$defs/N"}, ipywidgets.Text, "4", 4),
        ({"allOf": [{"$ref": "#/$defs/N"}], "description": "d"}, ipywidgets.Text, "4", 4),
        ({"type": "object", "additionalProperties": {"type": "string"}}, ipywidgets.Textarea, "{}", {}),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, ipywidgets.Textarea, "3", 3),
        ({}, ipywidgets.Textarea, '"x"', "x"),
        (True, ipywidgets.Textarea, "[1]", [1]),
        ({"$ref": "#/$defs/Loop"}, ipywidgets.Textarea, "1", 1),
        ({"$ref": "https://example.org/x.json"}, ipywidgets.Textarea, "1", 1),
    ],
)
def test_each_kind_of_schema_gets_its_kind_of_field(schema: Any, kind: type, typed: Any, value: Any) -> None:
    defs = {"N": {"type": "integer"}, "Loop": {"$ref": "#/$defs/Loop"}}
    made = form({"a": schema}, "a", **{"$defs": defs})
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


def test_items_of_a_list_are_added_and_removed() -> None:
    made = form({"a": {"type": "array", "items": {"type": "integer"}}}, "a")
    made.set_value({"a": [1, 2, 3]})
    field: Any = row(made, "a").field
    field._remove(field._items[1])
    field._add()
    assert made.value == {"a": [1, 3]}


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


KINDS: dict[str, st.SearchStrategy[Any]] = {
    "text": st.text(st.characters(exclude_categories=["Cs"])),
    "count": st.integers(),
    "share": st.integers(0, 100),
    "flag": st.booleans(),
    "kind": st.sampled_from(["a", "b", 3, True]),
    "maybe": st.none() | st.floats(allow_nan=False, allow_infinity=False),
    "tags": st.lists(st.text(st.characters(exclude_categories=["Cs"]))),
    "extra": st.recursive(st.none() | st.booleans() | st.text("ab"), st.lists, max_leaves=4),
    "inner": st.fixed_dictionaries({"x": st.integers()}, optional={"y": st.text("ab", min_size=1)}),
}
SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "count": {"type": "integer"},
        "share": {"type": "integer", "minimum": 0, "maximum": 100},
        "flag": {"type": "boolean"},
        "kind": {"enum": ["a", "b", 3, True]},
        "maybe": {"type": ["number", "null"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "extra": {},
        "inner": {
            "type": "object",
            "properties": {"x": {"type": "integer"}, "y": {"type": "string"}},
            "required": ["x"],
        },
    },
}


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.fixed_dictionaries({}, optional=KINDS))
def test_what_is_put_into_a_form_comes_out_of_it(arguments: dict[str, Any]) -> None:
    made = Form(SCHEMA)
    made.set_value(arguments)
    assert made.value == arguments
    assert made.faults() == []


def corpus() -> list[Any]:
    """Tools of real MCP servers, and made-up ones that are worse."""
    found: list[Any] = []
    for file in sorted(CORPUS.glob("*.json")) if CORPUS.is_dir() else []:
        data = json.loads(file.read_text("utf-8"))
        if isinstance(data, dict):
            found += [
                pytest.param(tool, id=f"{file.stem}-{tool.get('name')}")
                for tool in data["tools"]
                if isinstance(tool.get("inputSchema"), dict)
            ]
        else:
            found += [
                pytest.param({"inputSchema": one["requestedSchema"]}, id=f"{file.stem}-{place}")
                for place, one in enumerate(data)
                if "requestedSchema" in one
            ]
    return found or [pytest.param(None, marks=pytest.mark.skip(reason=f"no schemas in {CORPUS}"))]


@pytest.mark.parametrize("tool", corpus())
def test_tools_of_real_servers_get_a_form_that_keeps_their_arguments(tool: dict[str, Any]) -> None:
    schema = tool["inputSchema"]
    made = Form(schema)
    assert made.faults() == []
    for value in tool.get("_test", {}).get("valid", []):
        made.set_value(value)
        assert made.value == value
