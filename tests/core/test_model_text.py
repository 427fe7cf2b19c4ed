"""Values as a model reads them: whole where they fit, valid and honest where they do not."""

from __future__ import annotations

import datetime as dt
import enum
import json
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tooldeck.core.model_text import cut, error_text, value_text
from tooldeck.core.options import MIN_CHARS
from tooldeck.core.vocabulary import Status

LIMITS = st.integers(MIN_CHARS, 3_000)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=20), inner, max_size=30),
    max_leaves=60,
)


class Word(str, enum.Enum):  # noqa: UP042 - the older spelling is what users write
    A = "alpha"


class Number(enum.IntEnum):
    ONE = 1


@dataclass
class Row:
    i: int
    name: str


class Frame:
    """Stands for a table: its truth is no single value."""

    def __bool__(self):
        raise ValueError("the truth value of a table is ambiguous")

    def __eq__(self, other):
        raise ValueError("ambiguous")

    __hash__ = None

    def __str__(self):
        return "a  b\n1  2"


class Mute:
    def __str__(self):
        raise RuntimeError("no words")

    __repr__ = __str__


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("天气晴", "天气晴"),
        ("", ""),
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (2**80, str(2**80)),
        (1.5, "1.5"),
        (float("nan"), "NaN"),
        (Word.A, "alpha"),
        (Number.ONE, "1"),
        (dt.date(2026, 1, 2), "2026-01-02"),
        ([1, "é"], '[1,"é"]'),
        (Row(1, "a"), '{"i":1,"name":"a"}'),
        ({"when": dt.date(2026, 1, 2), "s": {1}}, '{"when":"2026-01-02","s":[1]}'),
        ({"error": True}, '{"error":true}'),
        ("ok\ud800", "ok\\ud800"),
        ([], "[]"),
    ],
    ids=repr,
)
def test_a_value_that_fits_is_given_whole(value, text):
    assert value_text(value, 1_000) == text


def test_a_table_is_given_as_its_text():
    assert value_text(Frame(), 1_000) == "a  b\n1  2"
    assert json.loads(value_text({"table": Frame()}, 1_000)) == {"table": "a  b\n1  2"}


def test_an_object_without_words_says_so():
    assert "Mute" in value_text(Mute(), 1_000)
    assert "Mute" in value_text([Mute()], 1_000)


def test_a_long_list_is_cut_to_valid_json_that_counts_what_is_missing():
    text = value_text([{"i": n, "name": f"row {n}"} for n in range(5_000)], 2_000)
    found = json.loads(text)
    assert len(text) <= 2_000
    assert found[0] == {"i": 0, "name": "row 0"}
    assert "of 5000 items left out" in found[-1]


def test_a_long_string_inside_is_cut_and_says_its_length():
    found = json.loads(value_text({"a": "x" * 1_000_000, "b": 1}, 2_000))
    assert found["b"] == 1
    assert "1000000 characters" in found["a"]


def test_nesting_beyond_what_json_can_show_still_gives_text():
    value = None
    for _ in range(200):
        value = {"k": value}
    assert json.loads(value_text(value, 500))["cut"].endswith("characters in all")
    loop = []
    loop.append(loop)
    assert value_text(loop, 500)


def test_a_number_too_long_to_read_back_is_cut_too():
    assert len(value_text(10**5000, 200)) <= 200


def test_wide_characters_are_never_split():
    text = value_text("日本語" * 1_000 + "👨‍👩‍👧‍👦" * 100, 1_000)
    assert len(text) <= 1_000
    assert "\ufffd" not in text
    text.encode()


def test_an_error_says_its_status_first():
    assert error_text(Status.FAILED, "no such city", 1_000) == "Error (failed): no such city"


@given(st.text(max_size=5_000), LIMITS)
def test_a_cut_text_keeps_the_limit_and_both_ends(text, limit):
    shown = cut(text, limit)
    assert len(shown) <= limit
    assert shown == text or (str(len(text)) in shown and shown[0] == text[0] and shown[-1] == text[-1])


@given(JSON_VALUES, LIMITS)
def test_a_structure_stays_valid_json_within_the_limit(value, limit):
    text = value_text(value, limit)
    assert len(text) <= limit
    text.encode()
    if isinstance(value, list | dict) and not text.startswith(("['", "{'")):
        json.loads(text)


@given(JSON_VALUES)
def test_what_fits_is_never_changed(value):
    text = value_text(value, 10_000_000)
    if isinstance(value, list | dict) and "\\ud" not in text and "NaN" not in text and "Infinity" not in text:
        assert json.loads(text) == value
