"""Arguments against a function's parameters: exact values first, then visible repairs, then problems."""

from __future__ import annotations

import datetime as dt
import enum
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, Field

from tooldeck.core.check import shortened
from tooldeck.core.define import define


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Plain(BaseModel):
    name: str
    date: int = 0


class Wider(Plain):
    secret: str = ""


class Order(BaseModel):
    lines: list[Plain]


@dataclass
class Point:
    x: int
    y: int


def check(function, **arguments):
    return define(function).params.check(arguments)


def taking(annotation, default=...):
    """A function with one parameter ``x`` of this annotation."""

    def f(x): ...

    f.__annotations__["x"] = annotation
    if default is not ...:
        f.__defaults__ = (default,)
    return f


def problems(annotation, value):
    return [str(problem) for problem in check(taking(annotation), x=value).problems]


@pytest.mark.parametrize(
    ("annotation", "value", "used"),
    [
        (int, "5", 5),
        (int, "9007199254740993", 9007199254740993),
        (int, "12345678901234567890", 12345678901234567890),
        (int, 5.0, 5),
        (float, "2.5", 2.5),
        (bool, "false", False),
        (bool, "no", False),
        (bool, "off", False),
        (bool, "0", False),
        (bool, 0, False),
        (bool, "true", True),
        (bool, "yes", True),
        (bool, 1, True),
        (list[int], ["1", "2"], [1, 2]),
        (dict[str, int], {"a": "1"}, {"a": 1}),
        (int | None, "5", 5),
    ],
    ids=repr,
)
def test_a_lossless_repair_is_made_and_noted(annotation, value, used):
    checked = check(taking(annotation), x=value)
    assert checked.values == {"x": used}
    assert type(checked.values["x"]) is type(used)
    assert checked.notes
    assert all("read" in str(note) for note in checked.notes)


@pytest.mark.parametrize(
    ("annotation", "value", "used"),
    [
        (float, 3, 3.0),
        (str, "5", "5"),
        (Any, "5", "5"),
        (dt.date, "2026-01-02", dt.date(2026, 1, 2)),
        (Color, "blue", Color.BLUE),
        (Point, {"x": 1, "y": 2}, Point(1, 2)),
        (Literal["a", "b"], "a", "a"),
        (Decimal, "1.10", Decimal("1.10")),
        (int | str, "5", "5"),
    ],
    ids=repr,
)
def test_what_json_writes_that_way_needs_no_note(annotation, value, used):
    checked = check(taking(annotation), x=value)
    assert checked.values == {"x": used}
    assert checked.notes == ()


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (int, "3.7"),
        (float, "NaN"),
        (float | None, "-Infinity"),
        (list[float], ["1e999"]),
        (int, 3.9),
        (int, "-0.5"),
        (int, "inf"),
        (int, None),
        (int, True),
        (float, True),
        (int, ""),
        (bool, "enabled"),
        (bool, "maybe"),
        (bool, ""),
        (bool, 2),
        (bool, None),
        (str, None),
        (str, {"a": 1}),
        (list[str], "a.md, b.md"),
        (dict, "text"),
        (Literal["a", "b"], "zzz"),
        (Color, "green"),
        (list[int], [True]),
        (int | None, True),
    ],
    ids=repr,
)
def test_what_would_lose_or_invent_something_is_refused(annotation, value):
    (problem,) = check(taking(annotation), x=value).problems
    assert problem.path.startswith("x")
    assert check(taking(annotation), x=value).values == {}


def test_a_true_among_python_objects_is_no_number_either():
    def f(n: int, other: Any): ...

    assert next(str(p) for p in check(f, n=True, other=object()).problems).startswith("n:")


def test_python_objects_pass_by_identity_beside_a_repair():
    def f(n: int, model: Plain, thing: Any): ...

    thing, model = object(), Wider(name="a", secret="s")
    checked = check(f, n="5", model=model, thing=thing)
    assert checked.values["n"] == 5
    assert checked.values["model"] is model
    assert checked.values["thing"] is thing


def test_every_problem_is_told_at_once():
    def read(path: str, limit: int = 100): ...

    text = " | ".join(str(p) for p in check(read, file_path="a", limit="x", explanation="y").problems)
    assert "path: is required" in text
    assert "file_path: is not a parameter; did you mean 'path'?" in text
    assert "explanation: is not a parameter; accepted: path, limit" in text
    assert "limit: input should be a valid integer" in text


def test_a_misfit_deep_inside_is_told_by_its_place():
    assert problems(Order, {"lines": [{"name": "a"}, {}]}) == ["x.lines[1].name: is required"]


def test_the_branches_of_a_union_leave_no_trace_in_the_place():
    found = problems(Plain | list[int] | None, {"date": "q", "name": "a"})
    assert [problem.split(":")[0] for problem in found] == ["x.date", "x"]
    assert problems(Plain | None, {"name": "a", "date": "q"})[0].startswith(
        "x.date: input should be a valid integer"
    )


@pytest.mark.parametrize("key", ["int", "date", "list[int]", "none", "Plain"])
def test_a_key_that_reads_like_a_type_is_still_a_key(key):
    found = problems(dict[str, Plain], {"int": {"name": 5, "date": "q"}, key: {"name": "a", "date": "q"}})
    assert "x.int.date" in found[0] or "x.int.name" in found[0]


def test_a_wrong_key_inside_a_model_is_named():
    class Strict(BaseModel, extra="forbid"):
        a: int

    assert problems(Strict, {"a": 1, "b": 2})[0].startswith("x.b:")


def test_a_validator_that_raises_anything_is_a_problem_not_a_crash():
    def explode(value: int) -> int:
        raise KeyError("boom")

    (found,) = problems(Annotated[int, AfterValidator(explode)], 5)
    assert "KeyError" in found
    assert "boom" in found


def test_endless_values_are_refused():
    loop: list[Any] = []
    loop.append(loop)
    assert check(taking(list[Any]), x=loop).problems or check(taking(list[Any]), x=loop).values
    deep: Any = None
    for _ in range(100_000):
        deep = [deep]
    assert problems(list[int], deep)
    while deep:  # taken apart from outside, since destroying it at once would recurse as well
        deep = deep[0]


def test_kwargs_of_a_type_are_checked_like_any_others():
    def f(a: int, **more: int): ...

    assert check(f, a=1, b="2").values == {"a": 1, "b": 2}
    assert check(f, a=1, b="2").notes
    assert [p.path for p in check(f, a=1, b="x").problems] == ["b"]
    assert [p.path for p in check(f, a=1, b=True).problems] == ["b"]


def test_a_default_made_by_a_field_is_new_for_every_call():
    def f(xs: list[int] = Field(default_factory=list)): ...  # noqa: B008

    assert check(f).values["xs"] == []
    assert check(f).values["xs"] is not check(f).values["xs"]


def test_a_default_in_a_field_is_used():
    def f(n: int = Field(5, ge=1, description="how many")): ...

    made = define(f)
    assert made.params.check({}).values == {"n": 5}
    assert made.parameters["properties"]["n"] == {
        "type": "integer",
        "minimum": 1,
        "default": 5,
        "description": "how many",
    }
    assert made.params.check({"n": 0}).problems


def test_a_required_parameter_that_may_be_null_is_required():
    def f(x: int | None): ...

    assert define(f).parameters["required"] == ["x"]
    assert check(f, x=None).values == {"x": None}
    assert check(f).problems


@given(st.integers())
def test_every_integer_survives_as_text(number):
    assert check(taking(int), x=str(number)).values == {"x": number} or abs(number) >= 10**4000


@given(
    st.one_of(st.text(), st.booleans(), st.none(), st.floats(), st.binary(), st.lists(st.text()), st.dates())
)
def test_no_value_makes_checking_fail(value):
    for annotation in (int, bool, list[str], Plain, Color, dict[str, int], int | None, dt.date):
        checked = check(taking(annotation), x=value)
        assert bool(checked.values) != bool(checked.problems)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=10))
def test_values_of_type_any_come_through_untouched(value):
    assert check(taking(Any), x=value).values == {"x": value}


class _Unspeakable:
    def __repr__(self):
        raise ValueError


@given(st.text() | st.lists(st.integers()) | st.binary(), st.integers(2, 80))
def test_a_shortened_value_keeps_the_limit(value, limit):
    assert len(shortened(value, limit)) <= limit


def test_a_value_without_text_can_be_shown():
    assert shortened(_Unspeakable()).startswith("<_Unspeakable ")
