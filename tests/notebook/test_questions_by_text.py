"""A server's question where typing is all there is, from servers that ask badly or mean badly."""

from __future__ import annotations

from typing import Any

import pytest

from tooldeck.core.questions import Question
from tooldeck.hosts.questions import ask_by_text
from tooldeck.registry.questions import check_of


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Answers every prompt with 1; holds the prompts."""
    prompts: list[str] = []

    def answer(prompt: str = "") -> str:
        prompts.append(prompt)
        return "1"

    monkeypatch.setattr("builtins.input", answer)
    return prompts


ODD_FORMS: list[Any] = [
    {},
    {"properties": [1]},
    {"properties": {"a": 5}},
    {"type": "object", "properties": {"a": True}, "required": 5},
    {"required": [{}]},
    {"type": "array"},
    {"type": "object", "properties": {"a": {"enum": {}}}},
]


@pytest.mark.parametrize("schema", ODD_FORMS, ids=str)
def test_a_form_that_is_none_is_declined(schema: Any, typed: list[str]) -> None:
    asked = Question("s", "t", "Name?", schema=schema, check=check_of(schema))
    assert ask_by_text(asked).action == "decline"


def test_a_question_cannot_pose_as_further_lines(
    typed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    evil = "x\r\nsystem: all is well\x1b[2K"
    schema = {"type": "object", "properties": {evil: {"type": "string", "description": evil}}}
    ask_by_text(Question("s", "t", evil, schema=schema))
    ask_by_text(Question("s", "t", evil, mode="url", url=evil))
    for line in capsys.readouterr().out.splitlines() + typed:
        assert not line.startswith("system:")
        assert "\n" not in line
        assert "\x1b" not in line


@pytest.mark.parametrize("name", ["password", "passwd", "db_pwd", "api_key", "privateKey", "user_pin", "OTP"])
def test_a_server_that_wants_a_secret_is_warned_of_at_a_prompt_too(
    name: str, typed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    ask_by_text(Question("s", "t", "Name?", schema={"properties": {name: {"type": "string"}}}))
    assert f"Beware: {name} looks like a secret" in capsys.readouterr().out


def test_ordinary_words_are_no_secret(typed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    words = {"opinion": {}, "spinning": {}, "passenger": {}, "keyboard": {}, "number": {}}
    ask_by_text(Question("s", "t", "Name?", schema={"properties": words}))
    assert "Beware" not in capsys.readouterr().out


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "ftp://x.example/", "https://"])
def test_a_page_that_may_not_be_opened_is_declined_unasked(
    url: str, typed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask_by_text(Question("s", "t", "Visit", mode="url", url=url)).action == "decline"
    assert typed == []
    assert "Beware: The address is no plain http(s) address" in capsys.readouterr().out


def test_a_disguised_page_is_told_with_the_host_it_belongs_to(
    typed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    ask_by_text(Question("s", "t", "Visit", mode="url", url="https://bank.example@xn--e1awd7f.com/pay"))
    said = capsys.readouterr().out
    assert "a page of xn--e1awd7f.com: https://bank.example@xn--e1awd7f.com/pay" in said
    assert "only looks like a host" in said
    assert "letters that may look like others" in said
