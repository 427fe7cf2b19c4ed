"""Exports in the dialects of the providers, held against what each of them publishes."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from typing import Annotated, Literal

import jsonschema
import pytest
from pydantic import BaseModel, Field

from tooldeck import Deck
from tooldeck.core.define import define
from tooldeck.core.options import Options
from tooldeck.registry.dialects import lettered, strictly

DATA = Path(__file__).parents[2].parent / "shared" / "data"
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
TOP = {"anyOf", "oneOf", "allOf", "not", "enum"}
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the corpora are not on this machine")


class Point(BaseModel):
    x: int
    y: int


class Tree(BaseModel):
    name: str
    left: Tree | None = None


def exported(dialect, function, **options):
    deck = Deck()
    deck.add(function, **options)
    (tool,) = deck.export(dialect)
    return tool


def all_required(a: int, point: Point, kind: Literal["x", "y"], names: list[str], size: float | None) -> int:
    """Everything is required."""
    return a


def one_optional(a: int, b: int = 2) -> int:
    """One is not."""
    return a


@pytest.mark.parametrize(
    ("function", "strict"),
    [
        (all_required, True),
        (lambda: 1, True),
        (one_optional, False),
        (lambda a: a, False),
        (lambda **more: more, False),
    ],
    ids=["all required", "none", "one optional", "any value", "any name"],
)
def test_openai_is_strict_where_no_optional_parameter_becomes_required_by_it(function, strict):
    made = exported("openai", function, name="f")["function"]
    assert made["strict"] is strict
    assert set(made["parameters"].get("required", ())) == set(
        define(function, Options(name="f")).parameters.get("required", ())
    )


@pytest.mark.parametrize(
    "annotation",
    [
        dict[str, int],
        tuple[int, str],
        Annotated[str, Field(min_length=2)],
        Annotated[list[int], Field(json_schema_extra={"uniqueItems": True})],
        Annotated[Point, Field(description="beside a reference")],
        Tree,
        object,
    ],
    ids=str,
)
def test_what_openai_does_not_take_strictly_is_not_strict(annotation):
    def f(value):
        return value

    f.__annotations__ = {"value": annotation}
    assert exported("openai", f)["function"]["strict"] is False


def test_strictness_has_the_limits_of_openai():
    def nested(depth):
        inner = {"type": "string"}
        for _ in range(depth):
            inner = {"type": "object", "properties": {"a": inner}, "required": ["a"]}
            inner["additionalProperties"] = False
        return inner

    assert strictly(nested(10))
    assert not strictly(nested(11))
    wide = {"type": "object", "properties": {}, "additionalProperties": False, "required": []}
    many = {"type": "string", "enum": [str(n) for n in range(1001)]}
    assert not strictly({**wide, "properties": {"a": many}, "required": ["a"]})
    assert not strictly({**wide, "$ref": "#/$defs/a"})
    assert strictly(wide) == wide


CHOICE = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
}


def test_alternatives_at_the_top_stay_where_they_are_understood_and_are_checked_everywhere():
    deck = Deck(policy="auto")
    deck.add({"name": "f", "parameters": CHOICE, "function": lambda **given: given})
    shown = {
        dialect: json.dumps(deck.export(dialect)) for dialect in ("openai", "anthropic", "gemini", "mcp")
    }
    assert [dialect for dialect, text in shown.items() if "anyOf" in text] == ["mcp"]
    assert deck.call("f", {}).status == "invalid"


def test_gemini_sees_constants_as_enumerations_and_references_by_themselves():
    def f(kind: Literal["only"], where: Annotated[Point, Field(description="where")]) -> Point:
        return where

    made = exported("gemini", f)
    shown = made["parametersJsonSchema"]["properties"]
    assert shown["kind"]["enum"] == ["only"]
    assert shown["where"]["description"] == "where"
    assert shown["where"]["anyOf"] == [{"$ref": "#/$defs/Point"}]
    assert made["responseJsonSchema"]["properties"].keys() == {"x", "y"}


def test_a_name_that_gemini_would_not_take_is_called_by_its_exported_name():
    deck = Deck(policy="auto")
    for name in ("2fa", "-x", "plain", "_own"):
        deck.add(lambda: 1, name=name)
    assert [tool["name"] for tool in deck.export("gemini")] == ["_2fa", "_-x", "plain", "_own"]
    assert [tool["name"] for tool in deck.export("anthropic")] == ["2fa", "-x", "plain", "_own"]
    assert deck.call("_2fa").call.tool is deck["2fa"]
    assert deck.call("_plain").status == "unknown"
    deck.add(lambda: 2, name="_2fa")
    assert deck.call("_2fa").value == 2
    assert lettered("9" * 64) == "_" + "9" * 63


def corpus_tools():
    """Every function of the schema corpus that can be a tool, and the name it goes by there."""
    spec = importlib.util.spec_from_file_location("corpus_of_functions", DATA / "schema_corpus" / "run.py")
    found = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    spec.loader.exec_module(found)
    made = []

    class Adapter:
        @staticmethod
        def schema(function):
            options = Options(name="x") if getattr(function, "__name__", "") == "<lambda>" else Options()
            tool = define(function, options)
            made.append(tool)
            return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}

    found.load = lambda path: Adapter
    found.dump(DATA)
    sys.path[:] = before
    return made


def server_tools():
    deck = Deck()
    for file in sorted((DATA / "mcp_tool_schemas").glob("*.json")):
        listed = json.loads(file.read_text())
        for tool in listed["tools"] if isinstance(listed, dict) else listed:
            record = {"name": "t", "parameters": tool.get("inputSchema"), "function": lambda **given: given}
            try:
                yield deck.add(record)
            except Exception:
                continue


def nodes(schema):
    yield schema
    for key, value in schema.items() if isinstance(schema, dict) else ():
        if key in {"anyOf", "oneOf", "allOf", "prefixItems"}:
            inner = value
        elif key in {"properties", "$defs"}:
            inner = value.values()
        else:
            inner = [value] if key in {"items", "additionalProperties"} and isinstance(value, dict) else []
        for one in inner:
            yield from nodes(one)


@needs_data
@pytest.mark.parametrize("source", [corpus_tools, server_tools])
def test_every_schema_of_the_corpora_is_exported_within_the_rules_of_each_provider(source):
    tools = list(source())
    assert len(tools) > 60
    strict = 0
    for tool in tools:
        deck = Deck()
        deck.add(tool)
        (openai,), (anthropic,), (gemini,), (mcp,) = map(
            deck.export, ("openai", "anthropic", "gemini", "mcp")
        )
        shown = openai["function"]["parameters"]
        strict += openai["function"]["strict"]
        for schema in (shown, anthropic["input_schema"], gemini["parametersJsonSchema"]):
            assert schema["type"] == "object"
            assert not TOP & set(schema)
        for schema in (shown, anthropic["input_schema"], mcp["inputSchema"]):
            jsonschema.Draft202012Validator.check_schema(schema, format_checker=None)
        for node in nodes(gemini["parametersJsonSchema"]):
            if isinstance(node, dict):
                assert "const" not in node
                assert "$ref" not in node or all(key.startswith("$") for key in node)
        if openai["function"]["strict"]:
            for node in nodes(shown):
                if node.get("type") == "object":
                    assert node["additionalProperties"] is False
                    assert set(node.get("required", ())) == set(node.get("properties", {}))
        assert NAME.fullmatch(openai["function"]["name"])
        assert shown.get("required") == tool.parameters.get("required")
    assert strict > 0
