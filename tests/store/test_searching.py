"""What is stored is found by each of its words, whatever the script and whatever signs the query has."""

from __future__ import annotations

import re
from unicodedata import category

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tooldeck.core.words import fold, index
from tooldeck.store import SqliteStore
from tooldeck.store.memories import Memories
from tooldeck.store.searching import snippet, terms

NOTE = "O'Neil approved ticket B-2041 at 50% (see C:\\tmp)"
DENSE = {
    "meeting": "会議は来週の火曜日に変更されました",
    "dentist": "火曜 歯医者",
    "korean": "새로운 회의 일정",
}


@pytest.fixture
def notes():
    kept = Memories(SqliteStore())
    kept.put("default", "ticket", NOTE)
    for key, text in DENSE.items():
        kept.put("default", key, text)
    for number in range(20):
        kept.put("default", f"filler {number}", f"An English note about apples, number {number}")
    return kept


def found(notes, query):
    return [one.memory.key for one in notes.search(query, n=50)[1]]


@pytest.mark.parametrize(
    "query", ["O'Neil", "B-2041", "50%", "C:\\tmp", "b-2041 APPROVED", "-2041", "*ticket"]
)
def test_signs_in_a_query_mean_nothing(notes, query):
    assert found(notes, query) == ["ticket"]


@pytest.mark.parametrize(
    "query",
    ["what's next?", "AND", '"', "NEAR(", "title:x", "*", "(", "a OR", "''", "   ", "^x", "{y z}", "", "+-*/",
     "'; DROP TABLE memories;--", "\x00", "\ud800", "words : x", "x" * 5_000, "a " * 5_000],
)  # fmt: skip
def test_no_query_is_an_error(notes, query):
    assert "ticket" not in found(notes, query)
    assert found(notes, "B-2041") == ["ticket"]


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("火曜日", {"meeting"}),
        ("火曜", {"meeting", "dentist"}),
        ("会議", {"meeting"}),
        ("変更", {"meeting"}),
        ("会", {"meeting"}),
        ("者", {"dentist"}),
        ("회의", {"korean"}),
        ("회의를", set()),
        ("apples", {f"filler {number}" for number in range(20)}),
    ],
)
def test_words_inside_of_a_run_without_blanks_are_found_at_any_length(notes, query, keys):
    assert set(found(notes, query)) == keys


def test_letter_case_accents_and_forms_do_not_matter(notes):
    notes.put("default", "food", "Crème Brûlée in der Straße, ﬁne Ｗｉｄｅ ｶﾅ e\u0301té")
    for query in ("creme", "BRÛLÉE", "STRASSE", "strasse", "fine", "wide", "カナ", "été", "ete"):
        assert found(notes, query) == ["food"], query


def test_all_words_come_before_beginnings_and_those_before_some(notes):
    notes.put("default", "both", "alpha beta")
    notes.put("default", "one", "alpha gamma")
    assert notes.search("alpha beta")[0] == "all"
    assert found(notes, "alpha beta") == ["both"]
    assert (notes.search("alph bet")[0], found(notes, "alph bet")) == ("beginnings", ["both"])
    how, hits = notes.search("beta zzz alpha")
    assert how == "any"
    assert [hit.memory.key for hit in hits] == ["both", "one"]


LETTERS = st.text(
    st.one_of(
        st.characters(categories=["L", "N", "M", "So", "P", "Zs", "Cn"]),
        st.sampled_from("会議火曜日새로운회의กขคaÉß ﬁ'-_.\n\t"),
    ),
    max_size=40,
)


def words(text):
    """Letters and digits that stand together, with the marks on them."""
    parts = [char if char.isalnum() or char == "_" or category(char)[0] == "M" else " " for char in text]
    return "".join(parts).split()


@settings(deadline=None, max_examples=60)
@example(["1\U0001d185"])
@example(["\u0915\u093f"])
@example(["1\u3358", "a\u2122b"])
@given(st.lists(LETTERS, min_size=1, max_size=5))
def test_whatever_is_stored_is_found_by_each_of_its_words(texts):
    notes = Memories(SqliteStore())
    for number, text in enumerate(texts):
        notes.put("default", str(number), text)
    for number, text in enumerate(texts):
        for word in words(text):
            if not terms(word):
                continue
            how, hits = notes.search(word, n=50)
            assert str(number) in [hit.memory.key for hit in hits], (word, index(text), terms(word))
            assert how != "any"


@given(st.text())
def test_a_word_of_letters_and_digits_is_always_looked_for(text):
    for word in re.findall(r"[^\W_]+", text):
        assert terms(word) or not fold(word).strip()


@given(st.text(max_size=300), st.text(max_size=10))
def test_a_snippet_is_a_part_of_the_text_with_marks(text, query):
    shown = snippet(text, terms(query), 80)
    plain = shown.replace("**", "").strip("… ")
    assert plain.replace("*", "") in " ".join(text.split()).replace("*", "")


def test_a_snippet_shows_where_the_words_are():
    text = "x " * 500 + "the Crème brûlée is here" + " y" * 500
    assert "the **Crème** **brûlée** is" in snippet(text, terms("creme brulee"), 100)
    assert "の**火曜日**に" in snippet(DENSE["meeting"], terms("火曜日"))
