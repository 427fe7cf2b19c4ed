"""One text per value: the same for equal values, and another for every other that JSON can carry."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from tooldeck.core.canonical import canonical_text, unlike_any

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


class Mute:
    def __repr__(self):
        raise RuntimeError("no words")


def same(one, other):
    """Equal as JSON: true is no 1, and 1.0 is no 1."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def test_the_order_of_keys_does_not_matter():
    assert canonical_text({"a": 1, "b": {"c": 2, "d": 3}}) == canonical_text({"b": {"d": 3, "c": 2}, "a": 1})


def test_a_trailing_space_matters():
    assert canonical_text({"c": "ls"}) != canonical_text({"c": "ls "})


def test_true_one_and_one_point_nought_differ():
    assert len({canonical_text({"x": x}) for x in (True, 1, 1.0, "1")}) == 4


def test_nan_is_no_text():
    assert canonical_text({"x": float("nan")}) != canonical_text({"x": "NaN"})


def test_an_object_without_words_does_no_harm():
    assert canonical_text(Mute())
    assert canonical_text({"a": Mute()}) != canonical_text({"a": Mute()})


def test_strangers_can_be_told_apart_although_they_look_alike():
    thing = {"x": object()}
    assert canonical_text(thing) == canonical_text(thing)
    assert canonical_text(thing, unlike_any) != canonical_text(thing, unlike_any)


@given(JSON_VALUES, JSON_VALUES)
def test_texts_are_equal_exactly_when_values_are(one, other):
    assert (canonical_text(one) == canonical_text(other)) == same(one, other)
    assert canonical_text(one) == canonical_text(json.loads(json.dumps(one)))


@given(
    st.sets(st.integers()) | st.binary() | st.dictionaries(st.integers(), st.text()) | st.tuples(st.dates())
)
def test_no_value_makes_it_fail(value):
    assert canonical_text(value) == canonical_text(value)
