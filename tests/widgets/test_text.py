"""What a person is shown: complete, visible, inert."""

from __future__ import annotations

import html
import json
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tooldeck.guards.text import escape_html, json_text, pieces, visible

ANY_TEXT = st.text(st.characters())  # surrogates, controls and unassigned characters included
# JSON joins two lone surrogates that meet, whoever writes it.
JSON_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | JSON_TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(JSON_TEXT, inner),
    max_leaves=10,
)


@given(ANY_TEXT)
def test_nothing_invisible_is_left(text: str) -> None:
    assert all(char.isprintable() or char in "\n\t" for char in visible(text))


@given(ANY_TEXT)
def test_what_is_shown_tells_exactly_what_was_there(text: str) -> None:
    back = "".join(
        piece.text.encode("ascii").decode("unicode_escape") if piece.escaped else piece.text
        for piece in pieces(text)
    )
    assert back == text


@given(ANY_TEXT)
def test_making_visible_twice_changes_nothing_more(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126) | st.sampled_from("äé漢字д🎉\n\t")))
def test_readable_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text
    assert not any(piece.escaped for piece in pieces(text))


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("cat a.txt \u202e txt.a mr", r"cat a.txt \u202e txt.a mr"),
        ("l\u200bs", r"l\u200bs"),
        ("a\rb\x1b[2K", r"a\rb\x1b[2K"),
        ("rm\u00a0-rf", r"rm\xa0-rf"),
        ("tag \U000e0041", r"tag \U000e0041"),
        ("x\u3164\ufe0f", r"x\u3164\ufe0f"),
        ("lone \ud800", r"lone \ud800"),
        ("two\u2028lines", r"two\u2028lines"),
    ],
)
def test_characters_that_hide_are_written_as_escapes(given: str, shown: str) -> None:
    assert visible(given) == shown


def test_a_typed_escape_is_told_apart_from_a_real_one() -> None:
    assert visible("\\u202e") == visible("\u202e")
    assert pieces("\\u202e") != pieces("\u202e")


@given(ANY_TEXT)
def test_html_never_grows_an_element_or_leaves_its_attribute(text: str) -> None:
    seen: list[tuple[str, list[tuple[str, str | None]]]] = []
    data: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            seen.append((tag, attrs))

        def handle_data(self, text: str) -> None:
            data.append(text)

    reader = Reader()
    reader.feed(f'<p title="{escape_html(text)}">{escape_html(text)}</p>')
    reader.close()
    assert seen == [("p", [("title", visible(text))])]
    assert "".join(data) == visible(text)


def test_html_of_a_script_is_text() -> None:
    assert "<" not in escape_html("<script>window.pwned=1</script>")
    assert html.unescape(escape_html("</td><img src=x onerror='x'>")) == "</td><img src=x onerror='x'>"


@given(JSON, st.sampled_from([None, 2]))
def test_visible_json_means_the_same_and_hides_nothing(value: object, indent: int | None) -> None:
    text = json_text(value, indent=indent)
    assert json.loads(text) == value
    assert all(char.isprintable() or char == "\n" for char in text)
