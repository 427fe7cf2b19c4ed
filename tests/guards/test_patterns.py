"""Patterns and references of strangers: what would take years is told in moments, or passed over."""

from __future__ import annotations

import pytest

from tooldeck.guards.patterns import UnsafePattern, matches, matches_whole
from tooldeck.registry.json_schema import JsonSchemaParameters

LONG = "a" * 40 + "!"
YEARS = "^(a+)+$"


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (YEARS, LONG, False),
        ("b", "abc", True),
        ("^\\d{3}$", "12", False),
        ("^\\p{Lu}", "Ä", True),
        ("^(?!foo)[A-Z]{2}\\d+$", "AB1", True),
        ("^(?!foo)[A-Z]{2}\\d+$", "ab", False),
        ("^(?=.*[A-Z])(?=.*\\d).{2,}$", "A1", True),
    ],
)
def test_a_pattern_is_found_as_anywhere_else(pattern, text, found):
    assert matches(pattern, text) is found


@pytest.mark.parametrize("pattern", ["^(?=a)(a+)+$", "(?=a)a*a*a*a*$", "[", "(a)\\1(a|a)*$", "(" * 2_000])
def test_a_pattern_that_may_take_years_or_is_none_is_not_tried(pattern):
    with pytest.raises(UnsafePattern):
        matches(pattern, LONG)


@pytest.mark.parametrize(
    ("pattern", "text", "whole"),
    [("a|ab", "ab", True), ("^b", "abc", False), ("(?=a)ab", "abc", False), ("(?=a)ab", "ab", True)],
)
def test_a_pattern_can_be_held_against_the_whole_text(pattern, text, whole):
    assert matches_whole(pattern, text) is whole


def test_a_long_text_is_not_put_to_a_pattern_that_needs_python():
    with pytest.raises(UnsafePattern):
        matches("(?=a)a*a*$", "a" * 10_000)


@pytest.mark.parametrize(
    "part",
    [
        {"patternProperties": {YEARS: {"type": "string"}}},
        {"patternProperties": {YEARS: {}}, "additionalProperties": False},
        {"patternProperties": {YEARS: {}}, "additionalProperties": {"type": "string"}},
        {"patternProperties": {YEARS: {}}, "unevaluatedProperties": False},
    ],
    ids=str,
)
def test_names_are_matched_in_bounded_time(part):
    JsonSchemaParameters({"type": "object", **part}).check({LONG: 1})


def test_names_beside_patterns_are_refused_and_checked():
    closed = JsonSchemaParameters(
        {"type": "object", "patternProperties": {"^n_": {"type": "integer"}}, "additionalProperties": False}
    )
    assert not closed.check({"n_a": 1}).problems
    assert [problem.path for problem in closed.check({"n_a": "x", "m": 1}).problems] == ["n_a", "m"]
    open_to_text = JsonSchemaParameters({"type": "object", "additionalProperties": {"type": "string"}})
    assert [problem.path for problem in open_to_text.check({"a": "x", "b": 1}).problems] == ["b"]


def test_references_that_double_at_every_step_end_with_a_note():
    parts = {f"a{i}": {"allOf": [{"$ref": f"#/$defs/a{i + 1}"}] * 2} for i in range(30)}
    schema = {"type": "object", "$defs": {**parts, "a30": {}}, "$ref": "#/$defs/a0"}
    checked = JsonSchemaParameters(schema).check({})
    assert not checked.problems
    assert checked.notes
