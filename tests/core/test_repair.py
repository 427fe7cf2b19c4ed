"""Repairs of arguments that a schema makes certain: each noted, none that loses or invents."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from tooldeck.core.define import define
from tooldeck.core.options import Options


class Mood(Enum):
    GOOD = "sunny"
    BAD = "rain_y"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Person(BaseModel):
    first_name: str
    age: int = 0


@dataclass
class Node:
    label: str
    children: list[Node]


def checked(annotation: Any, value: Any):
    def f(x): ...

    f.__annotations__ = {"x": annotation}
    return define(f, Options(name="f")).params.check({"x": value})


@pytest.mark.parametrize(
    ("annotation", "value", "meant"),
    [
        (list[str], '["a", "b"]', ["a", "b"]),
        (list[str], "['a', 'b']", ["a", "b"]),
        (list[str], "New York", ["New York"]),
        (list[int], 5, [5]),
        (set[str], '["a"]', {"a"}),
        (list[str] | None, '["a"]', ["a"]),
        (list[Person], {"first_name": "Al"}, [Person(first_name="Al")]),
        (list[Person], ['{"first_name": "Al"}'], [Person(first_name="Al")]),
        (Person, '{"first_name": "Al", "age": 3}', Person(first_name="Al", age=3)),
        (Person, {"firstName": "Al"}, Person(first_name="Al")),
        (Node, {"label": "a", "children": '[{"label": "b", "children": []}]'}, Node("a", [Node("b", [])])),
        (dict[str, int], '{"a": "1"}', {"a": 1}),
        (Literal["celsius", "fahrenheit"], "Celsius", "celsius"),
        (Literal["not-found", "found"], "NOT_FOUND", "not-found"),
        (Literal[1, 2, 3], "2", 2),
        (Literal["only"], "Only", "only"),
        (Mood, "GOOD", Mood.GOOD),
        (Mood, "good", Mood.GOOD),
        (Mood, "Rain-Y", Mood.BAD),
        (Level, "high", Level.HIGH),
        (Level, "2", Level.HIGH),
        (list[Mood], ["bad"], [Mood.BAD]),
        (str, 5, "5"),
        (str, 12345678901234567890123, "12345678901234567890123"),
        (float, "1,234.5", 1234.5),
        (int, "1,234,567", 1_234_567),
        (bool, "Off", False),
        (int | None, "null", None),
    ],
)
def test_the_one_possible_reading_is_taken_and_noted(annotation, value, meant):
    result = checked(annotation, value)
    assert result.problems == ()
    assert result.values == {"x": meant}
    assert type(result.values["x"]) is type(meant)
    assert result.notes


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (list[str], "a, b"),
        (list[str], "a\nb"),
        (list[str], ""),
        (list[str], '["a"'),
        (list[int], "1.5"),
        (list[int], None),
        (list[int], True),
        (tuple[int, int], 5),
        (int, "1,234"),
        (float, "1,234"),
        (float, "1.234,5"),
        (int, "3.7"),
        (int, True),
        (str, 1.1),
        (str, True),
        (str, ["a"]),
        (Annotated[str, Field(pattern="[a-z]+")], 5),
        (Literal["a", "A"], "á"),
        (Literal["up", "UP_"], "Up"),
        (Literal[True], "true "),
        (Mood, "happy"),
        (Person, "Al"),
        (Person, '{"first_name": "Al"'),
        (Person, {"FirstName": "Al", "firstName": "Bo"}),
    ],
)
def test_two_readings_or_none_are_refused(annotation, value):
    result = checked(annotation, value)
    assert result.problems
    assert result.values == {}


@pytest.mark.parametrize(
    ("annotation", "value"),
    [(str, '["a"]'), (str, '{"a": 1}'), (int | str, "5"), (Any, "true"), (dict[str, Any], {"a": "5"})],
)
def test_what_fits_stays_as_it_is(annotation, value):
    result = checked(annotation, value)
    assert (result.values, result.notes, result.problems) == ({"x": value}, (), ())


def camel(max_results: int = 10, query: str = "") -> str:
    return f"{query} {max_results}"


def two(user_id: int = 0, userId: int = 0) -> str:
    return f"{user_id} {userId}"


def test_a_key_is_matched_across_case_and_separators_when_one_name_is_free():
    params = define(camel).params
    assert params.check({"maxResults": 5}).values == {"max_results": 5}
    assert params.check({"MAX-RESULTS": 5, "Query": "x"}).values == {"max_results": 5, "query": "x"}
    assert params.check({"maxResults": 5, "max_results": 6}).problems
    assert params.check({"maxResults": 5, "MaxResults": 5}).problems
    assert params.check({"max_result": 5}).problems
    assert define(two).params.check({"UserID": 5}).problems


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.sampled_from(
        [str, int, float, bool, list[int], list[str], Person, Mood, Literal["a", 1], dict[str, int]]
    ),
    JSON_VALUES,
)
def test_any_value_is_taken_or_refused_and_every_change_is_noted(annotation, value):
    result = checked(annotation, value)
    if result.problems:
        assert result.values == {}
    elif result.arguments != {"x": value}:
        assert result.notes
