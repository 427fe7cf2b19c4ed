"""Values that raise, never end or are used up when somebody looks at them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel

from tooldeck.core.canonical import exact_text
from tooldeck.core.model_text import value_text
from tooldeck.core.strangers import error_words, file_fault, stilled, to_repr, to_text


class Silent:
    def __repr__(self):
        raise RuntimeError("no")


@dataclass
class Box:
    inside: Any


class Model(BaseModel):
    inside: Any


def test_what_has_no_text_is_named_by_its_type():
    assert to_text(Silent()) == "<Silent whose text cannot be made: RuntimeError>"
    assert to_repr(Silent()) == "<Silent whose repr cannot be made: RuntimeError>"
    assert to_repr(10**5000) == "<int whose repr cannot be made: ValueError>"


def test_an_exception_without_words_is_told_by_its_type():
    assert error_words(KeyError()) == "KeyError"
    assert error_words(ValueError("odd")) == "ValueError: odd"


@pytest.mark.parametrize(
    "value", [1, "text", [1, [2, {"a": (3,)}]], {"a": {"b": {1, 2}}}, Box([1]), Model(inside={"a": 1}), b"x"]
)
def test_a_value_that_can_be_looked_at_stays_the_same_object(value):
    assert stilled(value) is value


HOLDERS = {
    "alone": lambda it: it,
    "in a list": lambda it: [1, it],
    "in a dict": lambda it: {"a": (it,)},
    "in a dataclass": Box,
    "in a model": lambda it: Model(inside=it),
}
STREAMS = {
    "iterator": lambda: iter([1, 2]),
    "map": lambda: map(abs, [1, 2]),
    "generator": lambda: (n for n in (1, 2)),
}


@pytest.mark.parametrize("hold", HOLDERS.values(), ids=HOLDERS)
@pytest.mark.parametrize("make", STREAMS.values(), ids=STREAMS)
def test_looking_at_a_value_uses_no_iterator_up(hold, make):
    stream = make()
    value_text(hold(stream), 1_000)
    exact_text(hold(stream))
    assert list(stream) == [1, 2]


def test_an_iterator_without_end_has_a_text():
    assert value_text({"n": itertools.count()}, 1_000) == '{"n":"count(0)"}'


def test_a_value_that_holds_itself_has_a_text():
    holder: list[Any] = [iter(())]
    holder.append(holder)
    assert value_text(holder, 1_000)


def test_only_equal_json_is_exactly_equal():
    assert exact_text({"a": 1, "b": "x"}) == exact_text({"b": "x", "a": 1})
    for one, other in [(1, True), (1, 1.0), (b"a", "YQ=="), (Box(1), Box(1)), ({1}, [1]), ("1", 1)]:
        assert exact_text({"x": one}) != exact_text({"x": other})


def test_why_a_file_cannot_be_read_is_told_without_numbers(tmp_path):
    told = []
    (tmp_path / "bytes").write_bytes(b"\xff")
    for name in ("nothing", ".", "bytes", "x" * 300):
        try:
            (tmp_path / name).read_text("utf-8")
        except (OSError, ValueError) as error:
            told.append(file_fault(error))
    assert told == ["there is no such file", "it is a folder", "it is no text in UTF-8", "file name too long"]
    assert file_fault(ValueError("line 3: no.\n")) == "line 3: no"
    assert file_fault(OSError()) == "OSError"
