"""Where a text may be cut: never inside of what a reader sees as one character."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tooldeck.core.graphemes import cut_after, cut_before
from tooldeck.core.model_text import cut, value_text

FAMILY = "👨‍👩‍👧‍👦"
WHOLE = {
    "family": FAMILY,
    "skin": "👍🏽",
    "flag": "🇯🇵",
    "England": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "accent": "e\u0301",
    "heart": "❤\ufe0f",
    "Hangul": "\u1112\u1161\u11ab",
    "half-width voice mark": "\uff76\uff9e",
    "conjunct": "\u0915\u094d\u0937\u093f",
    "line end": "\r\n",
}


@pytest.mark.parametrize("sign", WHOLE.values(), ids=list(WHOLE))
def test_what_a_reader_sees_as_one_is_never_split(sign):
    text = "a" + sign * 5 + "z"
    allowed = {0, *range(1, 2 + 5 * len(sign), len(sign)), len(text)}
    for at in range(len(text) + 1):
        assert {cut_before(text, at), cut_after(text, at)} <= allowed
        assert cut_before(text, at) <= at <= cut_after(text, at)


def test_flags_in_a_row_are_cut_between_pairs():
    text = "🇯🇵🇫🇷🇩🇪"
    assert [cut_before(text, at) for at in range(7)] == [0, 0, 2, 2, 4, 4, 6]


def test_ordinary_text_is_cut_where_it_was_asked_for():
    for text in ("plain words", "日本語テキスト", "한국어 문장", "Ελληνικά"):
        assert [cut_before(text, at) for at in range(len(text))] == list(range(len(text)))


def test_a_pile_of_marks_without_end_is_cut_all_the_same():
    text = "a" + "\u0301" * 10_000
    assert cut_before(text, 5_000) == 5_000
    assert len(cut(text, 1_000)) <= 1_000


@given(st.text(), st.integers(0, 50))
def test_any_place_in_any_text_has_a_place_to_cut_near_it(text, at):
    at = min(at, len(text))
    assert 0 <= cut_before(text, at) <= at <= cut_after(text, at) <= len(text)


@pytest.mark.parametrize("limit", range(100, 140))
def test_neither_end_of_a_cut_text_nor_a_string_in_json_splits_a_family(limit):
    for text in (cut(FAMILY * 100, limit), value_text([FAMILY * 1_000], limit * 3)):
        assert "\ufffd" not in text
        rest = text.replace(FAMILY, "")
        assert "\u200d" not in rest
        assert "👨" not in rest
