"""An answer is held against its description: every fault has a place, a rule and the smallest change."""

from __future__ import annotations

import json
import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tooldeck.tools.answers.formats import FORMATS
from tooldeck.tools.answers.spec import AnswerSpec
from tooldeck.tools.verify_answer import verify


def checked(answer, **spec):
    return verify(answer, AnswerSpec(**spec))


def fault(answer, **spec):
    """The only issue of an answer."""
    result = checked(answer, **spec)
    assert not result["ok"]
    (issue,) = result["issues"]
    return issue


@pytest.mark.parametrize(
    ("form", "answer", "normal"),
    [
        ("number", "1,234,567.50", "1234567.50"),
        ("number", "\u22123.25 ", "-3.25"),
        ("number", "0", "0"),
        ("integer", "42.0", "42"),
        ("boolean", "Yes", True),
        ("date", "2024-02-29", "2024-02-29"),
        ("date", "20240131", "2024-01-31"),
        ("time", "14:30", "14:30:00"),
        ("datetime", "2026-01-31T14:30Z", "2026-01-31T14:30:00+00:00"),
        ("url", "HTTPS://Example.org:443/a b".replace(" ", "%20"), "https://example.org/a%20b"),
        ("email", "Ada.Lovelace+x@Example.ORG", "Ada.Lovelace+x@example.org"),
        ("email", "jürgen@bücher.example", "jürgen@bücher.example"),
        ("file_path", "src/./app.py", "src/app.py"),
        ("file_path", r"C:\Users\ada\notes.txt", r"C:\Users\ada\notes.txt"),
        ("code", "```python\nx = 1\n```", "x = 1"),
        ("json", '```json\n{"a": [1]}\n```', {"a": [1]}),
        ("list", "- a\n- b", ["a", "b"]),
        ("list", "1. a\n2) b", ["a", "b"]),
        ("list", "red, green; blue", ["red", "green", "blue"]),
        ("list", '["a", 2]', ["a", 2]),
        ("text", " e\u0301 ", "é"),
    ],
)
def test_an_answer_of_a_format_passes_in_its_normal_notation(form, answer, normal):
    assert checked(answer, format=form) == {"ok": True, "issues": [], "normalised": normal}


@pytest.mark.parametrize(
    ("form", "answer", "hint"),
    [
        ("number", "Infinity", ""),
        ("number", "NaN", ""),
        ("number", "0x10", ""),
        ("number", "1e5", "write 100000"),
        ("number", "1e999999999", ""),
        ("number", "1.234,5", "write 1234.5, with a point"),
        ("number", "The answer is 42.", "give only 42"),
        ("number", "between 3 and 4", ""),
        ("number", "١٢", "write 12"),
        ("integer", "3.5", ""),
        ("boolean", "maybe", "true or false"),
        ("date", "2024-13-45", "month must be in 1..12"),
        ("date", "2023-02-29", "day is out of range for month"),
        ("date", "31.12.2024", "write 2024-12-31"),
        ("date", "03/04/2024", "write 2024-04-03 or 2024-03-04"),
        ("date", "It was on 2024-02-29, I think", "give only 2024-02-29"),
        ("time", "25:00", "hour must be in 0..23"),
        ("datetime", "2024-01-31", "the time is missing"),
        ("url", "http://", "no valid name"),
        ("url", "example.org/page", "write https://example.org/page"),
        ("url", "javascript:alert(1)", "only http and https"),
        ("url", "See https://example.org/a.", "give only https://example.org/a"),
        ("email", "ada@localhost", "name of a site"),
        ("email", "a..b@example.org", ""),
        ("email", "ada@-x.org", "name of a site"),
        ("email", "Ada <ada@example.org>", "give only ada@example.org"),
        ("file_path", "/", "add the name"),
        ("file_path", "a\nb", "one path"),
        ("file_path", "C:\\a?b", ""),
        ("json", '{"a": NaN}', "NaN"),
        ("json", '{"a": 1,}', "double quotes"),
        ("json", "[" * 100_000, ""),
        ("list", "[1, 2", ""),
        ("text", "  ", "give an answer"),
    ],
)
def test_what_is_not_of_the_format_is_refused_with_the_smallest_change(form, answer, hint):
    issue = fault(answer, format=form)
    assert issue["rule"] == "format"
    assert issue["expected"]
    assert hint in issue.get("hint", "")


@pytest.mark.parametrize(
    ("language", "code", "line"),
    [("python", "x = 1\ny = (", "line 2"), ("json", '{\n"a" 1}', "line 2"), ("toml", "a = ", "")],
)
def test_code_that_does_not_parse_is_told_with_its_line(language, code, line):
    issue = fault(code, format="code", code_language=language)
    assert issue.get("path", "") == line


@pytest.mark.parametrize("code", ["(" * 10_000, "-" * 100_000 + "1", "\0", "x\n" * 200_000])
def test_code_that_would_break_a_parser_is_only_refused(code):
    assert not checked(code, format="code")["ok"]


def test_numbers_have_bounds_places_and_a_unit():
    assert checked("12.50 kg", format="number", unit="kg", decimals=2, maximum=12.5)["normalised"] == "12.50"
    assert fault("12.5", format="number", unit="kg")["hint"] == "write kg after the number"
    assert fault("3.14159", format="number", decimals=2)["hint"] == "write 3.14"
    assert fault("3.14159 kg", format="number", unit="kg", decimals=1)["hint"] == "write 3.1 kg"
    assert fault("0.1", format="number", minimum=0.2)["expected"] == "0.2 or more"
    assert fault("101", format="integer", maximum=100)["expected"] == "100 or less"


def test_a_schema_says_each_place_that_does_not_fit():
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "tags": {"$ref": "#/$defs/tags"}},
        "required": ["name"],
        "additionalProperties": False,
        "$defs": {"tags": {"type": "array", "items": {"type": "string"}}},
    }
    told = checked('{"tags": ["a", 1], "extra": 0}', json_schema=schema)["issues"]
    places = {issue["path"]: issue for issue in told}
    assert set(places) == {"name", "tags[1]", "extra"}
    assert places["name"]["hint"] == "add name"
    assert places["tags[1]"]["got"] == "1"
    assert checked({"name": "Ada", "tags": []}, json_schema=schema)["ok"]


def test_a_list_has_a_length_and_no_item_twice():
    assert fault(["a", "b"], format="list", min_items=3)["hint"] == "add 1"
    assert fault("a, b, c", format="list", max_items=2)["hint"] == "drop 1"
    twice = fault("- Red\n- blue\n- red", format="list", unique=True)
    assert (twice["path"], twice["hint"]) == ("[2]", "drop item 3")


def test_lengths_and_phrases_are_checked_together_with_the_format():
    spec = {"max_words": 2, "max_lines": 1, "min_chars": 30, "required": ["Ada"], "forbidden": ["as an  AI"]}
    rules = [issue["rule"] for issue in checked("As an AI,\nI cannot", **spec)["issues"]]
    assert sorted(rules) == ["forbidden", "max_lines", "max_words", "min_chars", "required"]


def test_a_pattern_is_held_against_the_whole_answer():
    assert checked("AB-12", pattern="[A-Z]{2}-\\d+")["ok"]
    assert fault("xAB-12", pattern="[A-Z]{2}-\\d+")["rule"] == "pattern"


def test_a_pattern_that_could_take_years_is_answered_at_once():
    start = time.monotonic()
    assert fault("a" * 40 + "!", pattern="(a+)+")["rule"] == "pattern"
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    "spec",
    [
        {"pattern": "("},
        {"pattern": "(?=(a+)+b)(a+)+"},
        {"json_schema": {"type": "nonsense"}},
        {"format": "poem"},
        {"colour": "red"},
    ],
    ids=str,
)
def test_a_spec_that_cannot_be_meant_is_refused(spec):
    with pytest.raises(ValidationError):
        AnswerSpec(**spec)


def test_citations_name_sources_and_quote_them():
    sources = {"1": "At sea level, water\nboils at 100 °C.", "nasa": "Jupiter is the largest planet."}
    assert checked("It “boils at 100 °C” [1]; see [nasa] and [sic].", sources=sources)["ok"]
    assert fault("No mark at all.", sources=sources)["got"] == "no citation"
    assert fault("So [1] and [7].", sources=sources)["got"] == "[7]"
    assert fault("So [1] and [nassa].", sources=sources)["hint"] == "write [nasa]"
    assert "boils at 90" in fault('It "boils at 90 °C" [1].', sources=sources)["got"]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Das ist ein Satz, der nicht auf Englisch geschrieben ist."),
        ("en", "This is a sentence that was not written in German."),
        ("fr", "Ce texte est écrit dans la langue que les Français parlent."),
        ("ja", "会議は来週の火曜日に変更されました"),
        ("zh", "会议改到下周二了"),
        ("ko", "새로운 회의 일정"),
        ("ru", "Это предложение на русском языке"),
    ],
)
def test_a_language_is_told_from_the_others(language, text):
    assert checked(text, language=language)["ok"]
    for other in {"de", "en", "fr", "ja", "zh", "ko", "ru"} - {language}:
        assert fault(text, language=other)["rule"] == "language"


def test_a_text_too_short_to_tell_passes():
    assert checked("42", language="de")["ok"]
    assert checked("Berlin", language="fr")["ok"]


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6))
def test_every_decimal_number_keeps_its_value(number):
    assert Decimal(checked(f"{number:f}", format="number")["normalised"]) == number


@given(st.text(), st.sampled_from(sorted(FORMATS)))
def test_no_text_brings_a_parser_down(text, form):
    json.dumps(checked(text, format=form))
