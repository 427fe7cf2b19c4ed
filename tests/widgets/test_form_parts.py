"""Fields of many parts: lists, maps, tuples, alternatives, files, and what lies closed."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from typing import Any

import ipywidgets
import pytest

from tooldeck.core.parameters import Problem
from tooldeck.notebook.forms import Form
from tooldeck.notebook.forms.number import SliderField

ITEM = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "price": {"type": "number"}},
    "required": ["name"],
}


def form(schema: Any, value: Any = None, *, required: bool = True) -> Form:
    names = ["a"] if required else []
    made = Form({"type": "object", "properties": {"a": schema}, "required": names})
    if value is not None:
        made.set_value({"a": value})
    return made


def field(made: Form) -> Any:
    rows: Any = made._fields
    return rows.rows[0].field


def controls(widget: Any) -> list[Any]:
    """Every control within a widget, in order."""
    if isinstance(widget, ipywidgets.Box):
        return list(itertools.chain.from_iterable(controls(child) for child in widget.children))
    return [widget]


def words(widget: Any) -> list[str]:
    """What labels within a widget say."""
    return [one.value for one in controls(widget) if isinstance(one, ipywidgets.Label) and one.value]


def press(made: Form, tooltip: str, place: int = 0) -> None:
    """Press a button by its name for screen readers."""
    found = [one for one in controls(made.widget) if isinstance(one, ipywidgets.Button)]
    [one for one in found if one.tooltip == tooltip][place].click()


def test_objects_are_added_moved_and_removed_in_a_list() -> None:
    made = form({"type": "array", "items": ITEM}, [{"name": "x"}, {"name": "y", "price": 2}])
    press(made, "Move this item down")
    assert [one["name"] for one in made.value["a"]] == ["y", "x"]
    press(made, "Move this item down", 1)
    press(made, "Move this item up", 1)
    assert [one["name"] for one in made.value["a"]] == ["x", "y"]
    press(made, "Add to a *")
    assert made.value["a"][2] == {}
    assert words(made.widget).count("3.") == 1
    press(made, "Remove this item", 0)
    assert made.value == {"a": [{"name": "y", "price": 2}, {}]}
    assert "3." not in words(made.widget)


def test_a_problem_in_a_list_stands_at_its_item_while_an_empty_one_is_before_it() -> None:
    made = form({"type": "array", "items": {"type": "integer"}}, [1])
    press(made, "Add to a *")
    press(made, "Add to a *")
    texts = [one for one in controls(made.widget) if isinstance(one, ipywidgets.Text)]
    texts[2].value = "many"
    assert made.value == {"a": [1, "many"]}
    assert [str(fault) for fault in made.check()] == ["a[1]: 'many' is no whole number"]
    assert "no whole number" in words(field(made)._items[2].widget)[-1]
    texts[2].value = "3"
    assert not any("no whole number" in one for one in words(made.widget))


def test_keys_are_added_named_and_removed() -> None:
    names = {"pattern": "^[a-z]+$"}
    made = form({"type": "object", "additionalProperties": {"type": "integer"}, "propertyNames": names})
    press(made, "Add a key to a *")
    key, value = (one for one in controls(field(made)._rows) if isinstance(one, ipywidgets.Text))
    assert made.value == {"a": {}}
    value.value = "4"
    assert [str(fault) for fault in made.check()] == ["a: needs a key"]
    key.value = "Seats"
    assert [str(fault) for fault in made.check()] == ["a.Seats: the key must match ^[a-z]+$"]
    key.value = "seats"
    assert made.check() == []
    assert made.value == {"a": {"seats": 4}}
    press(made, "Add a key to a *")
    field(made)._entries[1]._key.value = "seats"
    said = [str(fault) for fault in made.check()]
    assert said == ["a.seats: the key is there twice", "a.seats: has no value yet"]
    press(made, "Remove this key", 1)
    assert made.value == {"a": {"seats": 4}}


def test_names_beside_the_listed_ones_are_keys_of_their_kind() -> None:
    made = Form(
        {
            "type": "object",
            "properties": {"x": {"type": "string"}},
            "patternProperties": {"^n-": {"type": "integer"}},
            "additionalProperties": False,
        }
    )
    made.set_value({"x": "1", "n-a": 2})
    assert made.value == {"x": "1", "n-a": 2}
    press(made, "Add a key to more")
    made._fields._more._entries[1]._key.value = "x"
    assert "x: has a field of its own" in [str(fault) for fault in made.check()]
    made.set_value({"zz": 3})
    assert made.value == {"zz": 3}
    assert [str(fault) for fault in made.check()] == ["zz: the key must match ^n-"]


@pytest.mark.parametrize(
    ("value", "branch"),
    [("x", 0), (3, 1), (["a"], 2), ({"kind": "mail", "to": "b"}, 3), ({"kind": "call", "to": "c"}, 4)],
)
def test_the_branch_that_a_value_is_meant_for_is_chosen(value: Any, branch: int) -> None:
    kinds = [
        {"type": "object", "properties": {"kind": {"const": kind}, "to": {"type": "string"}}}
        for kind in ("mail", "call")
    ]
    listed = {"type": "array", "items": {"type": "string"}}
    made = form({"anyOf": [{"type": "string"}, {"type": "integer"}, listed, *kinds]}, value)
    assert field(made)._chooser.value == branch
    assert made.value == {"a": value}


def test_changing_the_branch_changes_what_is_sent_and_forgets_nothing() -> None:
    made = form({"oneOf": [{"type": "string"}, {"type": "integer"}]}, "x")
    chooser = field(made)._chooser
    assert [name for name, _ in chooser.options] == ["text", "whole number"]
    chooser.value = 1
    assert made.value == {}
    field(made).field.widget.value = "7"
    assert made.value == {"a": 7}
    chooser.value = 0
    assert made.value == {"a": "x"}


def test_branches_are_called_by_title_or_mark_or_what_they_need() -> None:
    named = {"title": "By name", "type": "object", "properties": {"x": {}}}
    marked = {"type": "object", "properties": {"kind": {"const": "mail"}}, "required": ["kind"]}
    needs = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
    made = form({"oneOf": [named, marked, needs]})
    assert [name for name, _ in field(made)._chooser.options] == ["By name", "mail", "with id"]


def test_the_constant_that_is_the_name_of_a_branch_has_no_row_of_its_own() -> None:
    def branch(kind: str, **more: Any) -> Any:
        kinds = {"kind": {"const": kind}, "to": {"type": "string"}}
        return {"type": "object", "properties": kinds, "required": ["kind"], **more}

    made = form({"oneOf": [branch("mail"), branch("call")]}, {"kind": "call", "to": "c"})
    texts = [one for one in controls(made.widget) if isinstance(one, ipywidgets.Text)]
    assert len(texts) == 1
    assert made.value == {"a": {"kind": "call", "to": "c"}}
    titled = form({"oneOf": [branch("mail", title="A letter"), branch("call")]}, {"kind": "mail"})
    assert "mail" in [one.value for one in controls(titled.widget) if isinstance(one, ipywidgets.Text)]


def test_alternatives_at_the_root_are_chosen_too() -> None:
    made = Form(
        {
            "type": "object",
            "properties": {"note": {"type": "string"}},
            "oneOf": [
                {"properties": {name: {"type": kind}}, "required": [name]}
                for name, kind in (("id", "integer"), ("name", "string"))
            ],
        }
    )
    made.set_value({"name": "x", "note": "n"})
    assert made.value == {"name": "x", "note": "n"}
    assert made.check() == []


def test_places_of_a_tuple_have_their_own_kinds_and_none_is_passed_over() -> None:
    parts = [{"type": "string", "title": "Unit"}, {"type": "integer"}]
    made = form({"type": "array", "prefixItems": parts, "items": {"type": "boolean"}}, ["m", 3, True])
    assert made.value == {"a": ["m", 3, True]}
    made.set_value({"a": ["m", "x"]})
    assert made.value == {"a": ["m", "x"]}
    assert made.check()
    made = form({"type": "array", "prefixItems": parts, "minItems": 2})
    _, second = (one for one in controls(made.widget) if isinstance(one, ipywidgets.Text))
    second.value = "4"
    assert [str(fault) for fault in made.check()] == ["a[0]: is needed, since an item after it is given"]


def test_a_constant_is_sent_as_it_is_and_can_be_left_out_only_where_it_may() -> None:
    assert form({"const": "only"}).value == {"a": "only"}
    optional = form({"const": "only"}, required=False)
    assert optional.value == {}
    optional.set_value({"a": "only"})
    assert optional.value == {"a": "only"}


def test_what_is_on_screen_can_be_sent_though_nobody_changed_it() -> None:
    made = form({"type": "boolean"}, required=False)
    press(made, "Send a as it is now")
    assert made.value == {"a": False}
    press(made, "Leave a out")
    assert made.value == {}
    made = form({"type": "array", "items": {"type": "string"}, "default": ["x", "y"]}, required=False)
    assert made.value == {}
    press(made, "Send a as it is now")
    assert made.value == {"a": ["x", "y"]}


def test_a_value_of_another_kind_is_edited_as_json_in_the_place_of_its_field_alone() -> None:
    made = form({"type": "array", "items": {"type": "integer"}}, [1, ["2"], 3])
    assert made.value == {"a": [1, ["2"], 3]}
    boxes = [one for one in controls(made.widget) if isinstance(one, ipywidgets.Textarea)]
    assert [one.value for one in boxes] == ['[\n  "2"\n]']
    assert [problem.path for problem in made.check()] == ["a[1]"]
    press(made, "Throw this JSON away and show the fields again")
    assert made.value == {"a": [1, 3]}


@pytest.mark.parametrize(
    ("schema", "default"),
    [
        ({"type": "integer"}, "5"),
        ({"type": "string"}, None),
        ({"enum": ["a"]}, "b"),
        ({"type": "boolean"}, "no"),
    ],
)
def test_a_default_that_breaks_its_own_schema_is_not_sent(schema: dict[str, Any], default: Any) -> None:
    for required in (True, False):
        made = form({**schema, "default": default}, required=required)
        assert made.value.get("a", "nothing") != default


def test_a_file_is_sent_as_base64_and_as_text_only_where_that_is_wanted() -> None:
    def chosen(schema: dict[str, Any], content: bytes) -> tuple[Any, str]:
        made = form({"type": "string", **schema})
        upload = field(made)
        when = datetime(2026, 1, 1, tzinfo=UTC)
        one = {"name": "f", "type": "", "size": len(content), "last_modified": when, "content": content}
        upload._file.value = ({**one, "content": memoryview(content)},)
        assert made.check() == []
        return made.value["a"], upload._told.value

    assert chosen({"format": "byte"}, b"\x00\x01") == ("AAE=", "f, 2 bytes, sent as base64")
    assert chosen({"contentEncoding": "base64"}, b"hi")[0] == "aGk="
    assert chosen({"format": "base64url"}, b"\xff\xff")[0] == "__8="
    assert chosen({"format": "binary"}, b"hi") == ("hi", "f, 2 bytes, sent as text")
    assert chosen({"format": "binary"}, b"\xff")[0] == "/w=="
    made = form({"type": "string", "format": "byte"}, "no base64!")
    assert "is no base64" in str(made.check()[0])


@pytest.mark.parametrize(
    ("schema", "text", "said"),
    [
        ({"format": "email"}, "nobody", "must be an e-mail address"),
        ({"format": "uri"}, "nowhere", "must be an address"),
        ({"format": "uuid"}, "1234", "must be a UUID"),
        ({"format": "ipv4"}, "1.2.3", "must be an IPv4 address"),
        ({"format": "duration"}, "1 day", "must be a duration"),
        ({"format": "json"}, "{", "must be JSON"),
        ({"pattern": "^[A-Z]+$"}, "ab", "must match ^[A-Z]+$"),
    ],
)
def test_a_text_of_another_format_is_told_beside_its_field(
    schema: dict[str, Any], text: str, said: str
) -> None:
    made = form({"type": "string", **schema})
    next(one for one in controls(field(made).widget)).value = text
    assert said in str(made.check()[0])
    assert any(said in one for one in words(made.widget))


@pytest.mark.parametrize("text", ["2026-01-31T10:00:00+02:00", "2026-01-31 10:00:00", "20260131T100000Z"])
def test_a_moment_keeps_the_spelling_it_was_given_with(text: str) -> None:
    made = form({"type": "string", "format": "date-time"}, text)
    assert made.value == {"a": text}


def test_a_problem_opens_what_lies_closed() -> None:
    tree: dict[str, Any] = {
        "type": "object",
        "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/T"}},
    }
    made = Form({"type": "object", "properties": {"a": {"$ref": "#/$defs/T"}}, "$defs": {"T": tree}})
    made.set_value({"a": {"v": 1, "next": {"next": {"v": "x"}}}})
    assert not any("whole number" in one for one in words(made.widget))
    made.check()
    assert any("must be an integer" in one for one in words(made.widget))
    made.problems([Problem("a.next", "is odd")])
    assert "is odd" in words(made.widget)


def test_after_a_refusal_the_words_follow_what_is_typed_until_all_is_well() -> None:
    made = form({"type": "string", "minLength": 2})
    assert [str(problem) for problem in made.check()] == ["a: is required (a string)"]
    text = controls(field(made).widget)[0]
    text.value = "x"
    assert any("at least 2 characters" in one for one in words(made.widget))
    text.value = "xy"
    assert not any("at least" in one for one in words(made.widget))
    text.value = "x"
    assert not any("at least" in one for one in words(made.widget))


def test_a_schema_that_is_none_gets_a_form_that_says_so_and_sends_nothing() -> None:
    made = Form({"type": "object", "properties": {"a": {"type": "str"}}})
    assert "'str' is not valid" in str(made.check()[0])


@pytest.mark.parametrize(
    ("low", "high", "step", "value", "whole"),
    [
        (0, 1000, 10, 3.14, False),
        (0, 2, 0.02, 0.73, False),
        (0.05, 1, 0.0095, 0.5, False),
        (0, 100, 5, 7, True),
        (0, 1, 0.01, 1e-7, False),
    ],
)
def test_a_slider_has_a_step_for_every_number_that_it_shows(
    low: float, high: float, step: float, value: float, whole: bool
) -> None:
    slider = SliderField("n", low, high, step, whole=whole)
    slider.set(value)
    steps = (value - low) / slider.widget.step
    assert abs(steps - round(steps)) < 1e-6
    assert float(format(slider.widget.value, slider.widget.readout_format)) == value
