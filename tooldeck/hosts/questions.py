"""A question to the person where typing is all there is, and the answer where not even that is."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from tooldeck.core.errors import DefinitionError
from tooldeck.core.questions import Answer, Question
from tooldeck.core.references import properties, resolve
from tooldeck.guards.links import host_of, safe_link
from tooldeck.guards.questions import question_warnings
from tooldeck.guards.text import one_line, visible
from tooldeck.hosts.asynchronous import AsyncHost
from tooldeck.hosts.lanes import Lane
from tooldeck.hosts.prompt import KEYBOARD, on_a_terminal, typed_within

__all__ = ["NO_TERMINAL", "ask_by_text", "ask_on_terminal"]

NO_TERMINAL = "this program has no terminal to ask on"
_TRIES = 3
"""Forms that may not fit, before that counts as a no."""

Typed = Callable[[str, float | None], str | None]
"""Shows a prompt and gives the line that is typed within so many seconds, or None when none is."""


class _Late(Exception):
    """Nothing was typed in time."""


def _plainly(prompt: str, seconds: float | None) -> str | None:
    return input(prompt)


async def ask_on_terminal(question: Question) -> Answer:
    """Ask where standard input is a terminal, off the loop; the answer is ``nobody`` elsewhere."""
    if not on_a_terminal():
        return Answer("nobody", note=NO_TERMINAL)
    asking = Lane(lambda: ask_by_text(question, typed_within), "question")
    asking.start()
    try:
        return await AsyncHost().wait(asking.future)
    except asyncio.CancelledError:
        asking.interrupt()  # else the next line typed would be its answer
        raise


def ask_by_text(question: Question, typed: Typed = _plainly) -> Answer:
    """Ask field by field; an empty answer to a required field declines, an ended input is nobody's.

    A page that is no http(s) address is declined without asking.
    `typed` gives the lines; by default `input`, which knows no time-out.
    """
    with KEYBOARD:
        _say(f"{question.asker} asks: {one_line(question.message)}")
        for warning in question_warnings(question):
            _say(f"Beware: {one_line(warning)}")
        asked = _Asked(typed, question.timeout)
        try:
            return _visit(question, asked) if question.mode == "url" else _form(question, asked)
        except EOFError:
            return Answer("nobody", note="the input has ended")
        except _Late:
            return Answer("late")


class _Asked:
    """The prompts of one question, which share its time."""

    def __init__(self, typed: Typed, seconds: float | None) -> None:
        self._typed = typed
        self._end = None if seconds is None else time.monotonic() + seconds

    def __call__(self, prompt: str) -> str:
        left = None if self._end is None else max(0.0, self._end - time.monotonic())
        line = self._typed(one_line(prompt), left)
        if line is None:
            raise _Late
        return line.rstrip("\r\n")


def _visit(question: Question, asked: _Asked) -> Answer:
    if not safe_link(question.url):
        return Answer("decline")
    _say(f"It wants you to visit a page of {one_line(host_of(question.url))}: {one_line(question.url)}")
    agreed = asked("Did you, and do you agree? [y/N] ").strip().casefold() in {"y", "yes"}
    return Answer("accept" if agreed else "decline")


def _form(question: Question, asked: _Asked) -> Answer:
    for _ in range(_TRIES):
        content = _filled(question, asked)
        if content is None:
            return Answer("decline")
        try:
            problems = question.check(content)
        except DefinitionError as error:
            _say(f"The question is no proper form: {error}")
            return Answer("decline")
        if not problems:
            return Answer("accept", content)
        _say("; ".join(map(str, problems)))
    return Answer("decline")


def _filled(question: Question, asked: _Asked) -> dict[str, Any] | None:
    """The form as it was typed; None where a required field was left empty."""
    content: dict[str, Any] = {}
    for name, inner, required in properties(question.schema, question.schema):
        schema = resolve(inner, question.schema)
        line = asked(f"  {schema.get('title') or name}{_hint(schema, required=required)}: ")
        if line:
            content[name] = _meant(line, schema)
        elif "default" in schema:
            content[name] = schema["default"]
        elif required:
            return None
    return content


def _hint(schema: Mapping[str, Any], *, required: bool) -> str:
    words = ["required"] if required and "default" not in schema else []
    choices = schema.get("enum")
    if isinstance(choices, list):
        listed = ", ".join(f"{number} {choice}" for number, choice in enumerate(choices, 1))
        words.append(f"one of: {listed}")
    if "default" in schema:
        words.append(f"default {schema['default']!r}")
    text = f" ({'; '.join(words)})" if words else ""
    return f"{text} — {schema['description']}" if schema.get("description") else text


def _meant(line: str, schema: Mapping[str, Any]) -> Any:
    """The value of a line: a choice by its words or its number, text as it is, anything else as JSON."""
    choices = schema.get("enum")
    if isinstance(choices, list):
        by_words = [choice for choice in choices if str(choice) == line]
        by_number = {str(number): choice for number, choice in enumerate(choices, 1)}
        return by_words[0] if by_words else by_number.get(line.strip(), line)
    if schema.get("type") == "string":
        return line
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return line


def _say(sentence: str) -> None:
    print(visible(sentence))  # noqa: T201 - the purpose
