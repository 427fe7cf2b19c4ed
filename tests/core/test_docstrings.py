"""Docstrings taken apart: what describes the tool, and what describes each parameter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tooldeck.core.docstrings import parse_docstring

WORDS = st.text(alphabet="abcdefghij ", min_size=1, max_size=30).map(str.strip).filter(bool)
NAMES = st.from_regex(r"[a-z]{3,8}", fullmatch=True)


def test_a_google_section_needs_no_blank_line_before_it():
    found = parse_docstring("Send a note.\nArgs:\n    to: who gets it\n    body: the text")
    assert found == ("Send a note.", {"to": "who gets it", "body": "the text"})


def test_a_docstring_may_start_with_its_arguments():
    assert parse_docstring("Args:\n    to: who gets it") == ("", {"to": "who gets it"})


def test_a_sentence_that_begins_like_a_section_stays_prose():
    text = "Check it.\n\nArgs: are checked later.\nReturns: whatever comes."
    assert parse_docstring(text) == (text, {})


def test_a_title_with_nothing_under_it_stays_prose():
    assert parse_docstring("Do it.\n\nArgs:\n") == ("Do it.\n\nArgs:", {})


@pytest.mark.parametrize("kind", ["tuple(int, str)", "Callable[[int], str], optional", "dict (of str)"])
def test_google_types_may_have_brackets_inside(kind):
    assert parse_docstring(f"Do.\n\nArgs:\n    x ({kind}): the x").params == {"x": "the x"}


def test_google_texts_may_go_on_over_lines_and_hold_colons():
    text = "Do.\n\nArgs:\n    x: first: second\n        third\n\n        fourth\n    y:\n        only here"
    assert parse_docstring(text).params == {"x": "first: second third fourth", "y": "only here"}


def test_starred_names_lose_their_stars():
    assert parse_docstring("Do.\n\nArgs:\n    *xs: some\n    **more: others").params == {
        "xs": "some",
        "more": "others",
    }


def test_numpy_parameters_may_share_a_text():
    text = "Do.\n\nParameters\n----------\na, b : int\n    Both.\nc\n    Alone.\n\nReturns\n-------\nint"
    assert parse_docstring(text) == ("Do.", {"a": "Both.", "b": "Both.", "c": "Alone."})


def test_sphinx_fields_are_read_with_or_without_types():
    text = (
        "Do.\n\n:param a: first\n  goes on\n:param int b: second\n:type a: int\n:returns: no\n:raises X: no"
    )
    assert parse_docstring(text) == ("Do.", {"a": "first goes on", "b": "second"})


def test_text_after_a_google_section_belongs_to_the_description():
    assert parse_docstring("One.\n\nArgs:\n    x: y\n\nTwo.").description == "One.\n\nTwo."


def test_a_thousand_sphinx_fields_are_read():
    text = "Do.\n" + "\n".join(f":param p{n}: text {n}" for n in range(3000))
    assert len(parse_docstring(text).params) == 3000


@pytest.mark.parametrize("nothing", [None, "", "  \n "])
def test_no_docstring_is_an_empty_description(nothing):
    assert parse_docstring(nothing) == ("", {})


@given(st.text(max_size=400))
def test_no_text_makes_it_fail(text):
    found = parse_docstring(text)
    assert found.description == found.description.strip()


@given(st.lists(st.text(alphabet="ab:-*() \n\tArgs", max_size=60), max_size=8).map("\n".join))
def test_no_text_near_the_grammar_makes_it_fail(text):
    parse_docstring(text)


@given(WORDS, st.dictionaries(NAMES, WORDS, min_size=1, max_size=5))
def test_the_three_styles_say_the_same(summary, params):
    google = f"{summary}\n\nArgs:\n" + "\n".join(f"    {name}: {text}" for name, text in params.items())
    numpy = f"{summary}\n\nParameters\n----------\n" + "\n".join(
        f"{n} : int\n    {t}" for n, t in params.items()
    )
    sphinx = f"{summary}\n\n" + "\n".join(f":param {name}: {text}" for name, text in params.items())
    found = [parse_docstring(text) for text in (google, numpy, sphinx)]
    assert found[0] == found[1] == found[2] == (summary, params)
