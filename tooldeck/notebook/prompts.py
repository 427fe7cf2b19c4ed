"""A server's question as text, where typing is all there is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tooldeck.core.errors import DefinitionError
from tooldeck.guards.text import one_line
from tooldeck.mcp.handlers import Answer, Question
from tooldeck.notebook.say import say
from tooldeck.notebook.schemas import properties
from tooldeck.registry.json_schema import JsonSchemaParameters

__all__ = ["ask_by_text"]


def ask_by_text(question: Question) -> Answer:
    """Ask field by field with `input`; an empty answer to a required field declines."""
    say(f"{question.server} asks: {one_line(question.message)}")
    try:
        if question.mode == "url":
            return _visit(question)
        return _form(question)
    except EOFError:
        return Answer("decline")


def _visit(question: Question) -> Answer:
    say(f"It wants you to visit: {one_line(question.url)}")
    return Answer(
        "accept"
        if input("Did you, and do you agree? [y/N] ").strip().casefold() in {"y", "yes"}
        else "decline"
    )


def _form(question: Question) -> Answer:
    content: dict[str, Any] = {}
    for name, inner, required in properties(question.schema, question.schema):
        schema = inner if isinstance(inner, Mapping) else {}
        hint = _hint(schema, required=required)
        typed = input(one_line(f"  {schema.get('title') or name}{hint}: "))
        if not typed:
            if required and "default" not in schema:
                return Answer("decline")
            continue
        content[name] = typed if schema.get("type") == "string" else _json(typed)
    try:
        problems = JsonSchemaParameters(question.schema).check(content).problems
    except DefinitionError as error:
        say(f"The question is no proper form: {error}")
        return Answer("decline")
    if problems:
        say("; ".join(map(str, problems)))
        return Answer("decline")
    return Answer("accept", content)


def _hint(schema: Mapping[str, Any], *, required: bool) -> str:
    words = [*(["required"] if required else []), *([f"one of {schema['enum']}"] if "enum" in schema else [])]
    if "default" in schema:
        words.append(f"default {schema['default']!r}")
    text = f" ({', '.join(words)})" if words else ""
    return f"{text} — {schema['description']}" if schema.get("description") else text


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
