"""Arguments in a wrapping: taken out where they fit then, never the arguments of another tool."""

from __future__ import annotations

import pytest


def add(a: int, b: int) -> int:
    return a + b


def search(query: str, arguments: dict[str, str] | None = None) -> str:
    return f"{query} {arguments}"


def tag(tags: list[str]) -> list[str]:
    return tags


@pytest.mark.parametrize(
    "raw",
    [
        '{"arguments": {"a": 1, "b": 2}}',
        '{"input": {"a": 1, "b": 2}}',
        '{"parameters": "{\\"a\\": 1, \\"b\\": 2}"}',
        '{"name": "add", "arguments": {"a": 1, "b": 2}}',
        '{"type": "function", "id": "x", "function": {"name": "add", "arguments": {"a": 1, "b": 2}}}',
        '[{"a": 1, "b": 2}]',
        '{"a": 1, "b": 2}<|im_end|>',
        '{"a": 1, "b": 2}</s>\n',
        {"arguments": {"a": 1, "b": 2}},
    ],
)
def test_arguments_are_taken_out_of_their_wrapping(run, auto, raw):
    deck, _ = auto
    deck.add(add)
    result = run(deck, "add", raw)
    assert result.value == 3
    assert dict(result.call.arguments) == {"a": 1, "b": 2}
    assert result.notes


@pytest.mark.parametrize(
    "raw",
    [
        '{"name": "subtract", "arguments": {"a": 1, "b": 2}}',
        '{"arguments": {"a": 1, "b": 2}, "a": 5}',
        '{"arguments": {"a": 1}}',
        '{"arguments": [1, 2]}',
        '[{"a": 1, "b": 2}, {"a": 3, "b": 4}]',
        "[]",
        '"x"',
        "42",
    ],
)
def test_what_is_no_wrapping_of_this_call_is_refused(run, auto, raw):
    deck, _ = auto
    deck.add(add)
    assert run(deck, "add", raw).status == "invalid"


def test_a_parameter_of_that_name_is_no_wrapping(run, auto):
    deck, _ = auto
    deck.add(search)
    assert run(deck, "search", '{"query": "x", "arguments": {"k": "v"}}').value == "x {'k': 'v'}"
    assert run(deck, "search", '{"arguments": {"query": "x"}}').status == "invalid"


def test_a_list_is_the_only_parameter_where_that_is_a_list(run, auto):
    deck, _ = auto
    deck.add(tag)
    assert run(deck, "tag", '["a", "b"]').value == ["a", "b"]
    assert run(deck, "tag", "[]").status == "invalid"
