"""Reading what is nearly JSON: only where one reading is possible, and never what was cut off."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tooldeck.core.loose_json import MAX_DEPTH, CutOff, NoJson, read_json, read_plain

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
OBJECTS = st.dictionaries(st.text(), VALUES, min_size=1, max_size=4)
SIMPLE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("abc '\"é{}[],:#/", max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab", max_size=3), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "value", "liberty"),
    [
        ('{"a": [1, 2,]}', {"a": [1, 2]}, "left out a trailing comma"),
        ('{"a": 1, /* one */ "b": 2 // two\n}', {"a": 1, "b": 2}, "left out comments"),
        ('{"a": 1 # one\n}', {"a": 1}, "left out comments"),
        ("""{'a': "what's new", 'b': 'x'}""", {"a": "what's new", "b": "x"}, "read other quotes as JSON's"),
        ("{“a”: “it's”}", {"a": "it's"}, "read other quotes as JSON's"),
        ("{'a': 'it\\'s'}", {"a": "it's"}, "read other quotes as JSON's"),
        ('{"a": True, "b": None}', {"a": True, "b": None}, "read Python's words for true, false and null"),
        ("{a: 1, max-size: 2}", {"a": 1, "max-size": 2}, "read keys without quotes"),
        ('{"a": "one\ntwo\t"}', {"a": "one\ntwo\t"}, "kept line breaks and tabs inside of texts"),
        (
            r'{"a": "C:\Users\me"}',
            {"a": r"C:\Users\me"},
            "read backslashes that start no escape as themselves",
        ),
        ('{"a": .5, "b": +1}', {"a": 0.5, "b": 1}, "read a number that JSON would write otherwise"),
        ('\ufeff{"a": 1}', {"a": 1}, "left out a byte order mark"),
    ],
)
def test_what_has_one_reading_is_read_and_named(text, value, liberty):
    assert read_json(text) == (value, (liberty,))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (r'{"a": "C:\Users\new"}', "two readings"),
        ('{"a": 1, "a": 2}', "twice with different values"),
        ("{'a': 1, 'a': True}", "twice with different values"),
        ('{"a": NaN}', "no JSON number"),
        ("{'a': Infinity}", "no JSON number"),
        ("{'a': 1e999}", "too large"),
        ('{"a": 007}', "leading zeros"),
        ('{"a": 1 "b": 2}', "lacks a comma"),
        ('{"a": "x" y"}', "lacks a comma"),
        ("{'a': 'it's'}", "lacks a comma"),
        ('{"a": 1} and more', "more text after its end"),
        ('{"a": [1,,2]}', "not valid JSON"),
        ('{"a": yes}', "not valid JSON"),
        ('{"a": 1.2.3}', "no JSON number"),
        ('{"a" 1}', "no colon"),
        ("{1: 2}", "no key"),
        ("I could not find the arguments.", "not valid JSON"),
        ("[" * (MAX_DEPTH + 1) + "'x'" + "]" * (MAX_DEPTH + 1), "too deeply"),
    ],
)
def test_what_has_none_or_two_is_refused(text, reason):
    with pytest.raises(NoJson, match=reason) as refused:
        read_json(text)
    assert not isinstance(refused.value, CutOff)


@given(VALUES)
def test_json_is_read_as_json_without_a_word(value):
    assert read_json(json.dumps(value)) == (value, ())
    assert read_json(json.dumps(value, ensure_ascii=False)) == (value, ())


@given(SIMPLE)
def test_what_python_writes_is_read_back(value):
    assert read_json(repr(value))[0] == value


@given(OBJECTS, st.data())
def test_the_head_of_an_object_is_never_taken_for_the_whole(value, data):
    text = json.dumps(value)
    head = text[: data.draw(st.integers(1, len(text) - 1))]
    with pytest.raises(CutOff):
        read_json(head)


@given(st.text("{}[]\"'\\:,01.-+eE \n/*#ntuabTFN_$ “”", max_size=60))
@example('{"a": "\\')
@example("/*")
@example('{"\\u12')
def test_any_text_is_read_or_refused_and_nothing_else(text):
    try:
        value, liberties = read_json(text)
    except NoJson:
        return
    if not liberties:
        assert json.loads(text.lstrip("\ufeff")) == value


def test_long_texts_take_time_in_proportion():
    text = "{'a': [" + "'x', /* y */ " * 20_000 + "]}"
    value, _ = read_json(text)
    assert len(value["a"]) == 20_000


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}', '{"a": 1, "b": "x", "c": [1, "y", null], "d": 2.5}', "{}", '{"a": true} ',
        '{"a": 12345678901234567890123456789}',
    ],
)  # fmt: skip
def test_the_quick_way_reads_what_the_long_way_reads(text):
    assert read_plain(text) == read_json(text)[0]


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}', '{"a": 1, "a": 1}', '{"a": {"b": 1}}', '{"a": [{"b": 1}]}', '{"a": "x:y"}',
        '{"a": 1e999}', '{"a": [1e999]}', '{"a": [[1e999]]}', '{"a": NaN}', '{"a": 1} x', "{'a': 1}", "[1]",
        '{"a": "\\ud800"}', '{"a": "' + "x" * 5000 + '"}', '{"a": ' + "9" * 5000 + "}", "", '{"a": 1',
    ],
    ids=lambda text: text[:20],
)  # fmt: skip
def test_the_quick_way_leaves_everything_else_to_the_long_way(text):
    assert read_plain(text) is None
