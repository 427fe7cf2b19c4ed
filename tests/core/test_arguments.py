"""Reading the arguments of a call from what a caller gave."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tooldeck.core.arguments import MAX_CHARS, merged, read_arguments

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
OBJECTS = st.dictionaries(st.text(), JSON_VALUES, max_size=5)


@pytest.mark.parametrize("nothing", [None, "", "   ", "\n", "null", "{}", {}])
def test_nothing_in_any_form_means_no_arguments(nothing):
    assert read_arguments(nothing) == ({}, (), ())


@pytest.mark.parametrize(
    ("raw", "kind"),
    [("[]", "a list"), ('"x"', "text"), ("42", "a number"), ("true", "true or false"), ("1.5", "a number")],
)
def test_json_that_is_no_object_is_refused_by_its_kind(raw, kind):
    (problem,) = read_arguments(raw).problems
    assert str(problem) == f"must be a JSON object, not {kind} (got {raw})"


@pytest.mark.parametrize(
    ("schema", "example"),
    [
        ({"properties": {"city": {"type": "string"}}}, '{"city": "…"}'),
        ({"properties": {}}, "{}"),
        (
            {
                "properties": {
                    "more": {},
                    "city": {"type": "string", "examples": ["Ulm", "Bonn"]},
                    "days": {"type": "integer", "minimum": 3},
                    "unit": {"$ref": "#/$defs/Unit"},
                    "share": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                    "any": True,
                },
                "required": ["city", "days", "unit", "share", "any"],
                "$defs": {"Unit": {"enum": ["C", "F"]}},
            },
            '{"city": "Ulm", "days": 3, "unit": "C", "share": 1.5, "any": "…"}',
        ),
    ],
    ids=["one parameter", "none", "several"],
)
@pytest.mark.parametrize("raw", ["Ulm", '"Ulm"', "Ulm, please"])
def test_text_that_is_no_object_is_told_what_is_wanted_by_an_example_of_the_tool_s_parameters(
    raw, schema, example
):
    (problem,) = read_arguments(raw, schema).problems
    assert str(problem) == f"must be a JSON object such as {example}, not text (got {raw})"


@pytest.mark.parametrize("raw", [[1], 5, b"{}", object()])
def test_python_values_that_are_no_object_are_refused(raw):
    (problem,) = read_arguments(raw).problems
    assert problem.wanted == "must be a JSON object or a mapping"
    assert type(raw).__name__ in problem.got


@pytest.mark.parametrize(
    "raw",
    [
        '{"commands": ["make clean", "make dep',
        '{"path": "a.py", "content": "line1\\nline2',
        '{"path": "a.py"',
        '{"path": ',
        '{"path"',
        '{"a": [1, 2',
        "{",
    ],
)
def test_text_that_was_cut_off_is_refused_and_says_so(raw):
    found = read_arguments(raw)
    assert found.arguments == {}
    assert "cut off" in found.problems[0].wanted


def test_a_syntax_error_names_the_place():
    (problem,) = read_arguments('{"a": 1,\n "b": x}').problems
    assert "line 2, column 7" in problem.wanted
    assert "cut off" not in problem.wanted


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_does_not_have_are_refused(word):
    assert word in read_arguments(f'{{"x": {word}}}').problems[0].wanted


def test_a_number_too_large_for_a_float_is_refused():
    assert "1e400" in read_arguments('{"x": 1e400}').problems[0].wanted


def test_an_integer_of_any_size_stays_exact():
    assert read_arguments('{"x": 12345678901234567890}').arguments == {"x": 12345678901234567890}


def test_a_key_given_twice_with_different_values_is_refused():
    assert "'a' twice" in read_arguments('{"a": 1, "a": 2}').problems[0].wanted
    assert "'a' twice" in read_arguments('{"a": 1, "a": true}').problems[0].wanted
    assert "'a' twice" in read_arguments('{"x": {"a": 1, "a": 2}}').problems[0].wanted


def test_a_key_given_twice_with_the_same_value_is_taken_once():
    assert read_arguments('{"a": {"b": 1}, "a": {"b": 1}}').arguments == {"a": {"b": 1}}


def test_a_code_fence_is_taken_off_and_noted():
    found = read_arguments('```json\n{"a": 1}\n```')
    assert found.arguments == {"a": 1}
    assert [str(note) for note in found.notes] == ["took the arguments out of a code fence"]


def test_json_inside_a_json_string_is_taken_out_and_noted():
    found = read_arguments(json.dumps(json.dumps({"a": 1})))
    assert found.arguments == {"a": 1}
    assert len(found.notes) == 1


def test_the_word_null_is_null_only_where_null_is_the_default():
    schema = {"properties": {"tag": {"default": None}, "name": {"type": "string"}, "odd": True}}
    found = read_arguments('{"tag": "None", "name": "null", "odd": "null"}', schema)
    assert found.arguments == {"tag": None, "name": "null", "odd": "null"}
    assert [str(note) for note in found.notes] == ['tag: read "None" as null']


def test_the_word_null_in_a_mapping_stays_a_word():
    schema = {"properties": {"tag": {"default": None}}}
    assert read_arguments({"tag": "None"}, schema).arguments == {"tag": "None"}


def test_keys_that_are_no_text_are_refused():
    assert "5" in read_arguments({5: 1}).problems[0].wanted


def test_nesting_without_end_is_refused():
    assert (
        read_arguments('{"a": ' + "[" * 200_000 + "]" * 200_000 + "}").problems[0].wanted
        == "is nested too deeply"
    )


def test_a_text_beyond_all_measure_is_refused_unread():
    assert str(MAX_CHARS) in read_arguments("x" * (MAX_CHARS + 1)).problems[0].wanted


def test_the_callers_mapping_is_copied():
    given_ = {"a": 1}
    assert read_arguments(given_).arguments is not given_


def test_keywords_are_added_to_an_object_in_either_form():
    assert merged({"a": 1}, {"b": 2}) == merged('{"a": 1}', {"b": 2}) == {"a": 1, "b": 2}
    assert merged(None, {"b": 2}) == {"b": 2}


def test_an_argument_given_twice_is_a_type_error():
    with pytest.raises(TypeError, match="'a' is given twice"):
        merged({"a": 1}, {"a": 1})


def test_keywords_beside_something_that_is_no_object_leave_it_to_be_refused():
    assert merged("[1]", {"b": 2}) == "[1]"


@given(OBJECTS)
def test_every_json_object_comes_back_unchanged_in_both_forms(value):
    assert read_arguments(json.dumps(value)) == (value, (), ())
    assert read_arguments(value).arguments == value


@given(st.text(max_size=200))
def test_no_text_makes_reading_fail(text):
    found = read_arguments(text)
    assert not (found.arguments and found.problems)


@given(OBJECTS.filter(bool), st.data())
def test_no_beginning_of_an_object_is_taken_for_the_whole(value, data):
    text = json.dumps(value)
    end = data.draw(st.integers(1, len(text) - 1))
    assert read_arguments(text[:end]).problems


@given(
    st.none()
    | st.integers()
    | st.lists(st.integers())
    | st.binary()
    | st.dictionaries(st.integers(), st.text())
)
def test_no_python_value_makes_reading_fail(value):
    read_arguments(value)
