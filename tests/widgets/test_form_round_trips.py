"""What fits a schema goes into its form and comes out again; what does not fit is refused with a reason."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tooldeck.core.define import Options, define
from tooldeck.notebook.forms import Form
from tooldeck.registry.json_schema import JsonSchemaParameters

DATA = Path(__file__).parents[3] / "shared" / "data"
SERVERS = DATA / "mcp_tool_schemas"
FUNCTIONS = DATA / "schema_corpus"

words = st.text(st.characters(exclude_categories=["Cs"]))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
TREE: dict[str, Any] = {
    "type": "object",
    "properties": {"v": {"type": "integer"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
    "required": ["v"],
}
EITHER: dict[str, Any] = {
    "oneOf": [
        {
            "type": "object",
            "properties": {"kind": {"const": "mail"}, "to": {"type": "string"}},
            "required": ["kind"],
        },
        {
            "type": "object",
            "properties": {"kind": {"const": "call"}, "at": {"type": "integer"}},
            "required": ["kind"],
        },
        {"type": "array", "items": {"type": "integer"}},
        {"type": "string"},
    ]
}
either = (
    st.fixed_dictionaries({"kind": st.just("mail")}, optional={"to": words})
    | st.fixed_dictionaries({"kind": st.just("call")}, optional={"at": st.integers()})
    | st.lists(st.integers())
    | words
)
moments = st.datetimes().map(lambda when: when.isoformat() + "Z")
PROPERTIES: dict[str, tuple[dict[str, Any] | bool, st.SearchStrategy[Any]]] = {
    "text": ({"type": "string"}, words),
    "count": ({"type": "integer"}, st.integers()),
    "share": ({"type": "integer", "minimum": 0, "maximum": 100}, st.integers(0, 100)),
    "ratio": ({"type": "number", "minimum": 0, "maximum": 1}, st.floats(0, 1)),
    "flag": ({"type": "boolean"}, st.booleans()),
    "kind": ({"enum": ["a", "b", 3, True]}, st.sampled_from(["a", "b", 3, True])),
    "zone": ({"enum": [*range(40), "1"]}, st.sampled_from([*range(40), "1"])),
    "maybe": ({"type": ["number", "null"]}, st.none() | st.floats(allow_nan=False, allow_infinity=False)),
    "mixed": ({"type": ["string", "integer", "boolean"]}, words | st.integers() | st.booleans()),
    "tags": ({"type": "array", "items": {"type": "string"}}, st.lists(words)),
    "several": ({"type": "array", "items": {"enum": ["x", "y"]}}, st.lists(st.sampled_from(["x", "y"]))),
    "extra": (True, json_values),
    "map": (
        {"type": "object", "additionalProperties": {"type": "integer"}},
        st.dictionaries(words, st.integers(), max_size=4),
    ),
    "pair": (
        {
            "type": "array",
            "prefixItems": [{"type": "string"}, {"type": "integer"}],
            "items": {"type": "boolean"},
        },
        st.lists(words, max_size=1)
        | st.tuples(words, st.integers(), st.booleans()).map(list)
        | st.tuples(words, st.integers()).map(list),
    ),
    "tree": (
        {"$ref": "#/$defs/Tree"},
        st.recursive(
            st.fixed_dictionaries({"v": st.integers()}),
            lambda kids: st.fixed_dictionaries({"v": st.integers(), "kids": st.lists(kids, max_size=3)}),
            max_leaves=5,
        ),
    ),
    "either": (EITHER, either),
    "list": ({"type": "array", "items": EITHER}, st.lists(either, max_size=4)),
    "at": ({"type": "string", "format": "date-time"}, moments),
    "day": ({"type": "string", "format": "date"}, st.dates().map(str)),
    "file": ({"type": "string", "contentEncoding": "base64"}, st.sampled_from(["", "AAEC", "aGk="])),
    "open": (
        {"type": "object", "properties": {"a": {"type": "integer"}}, "required": []},
        st.dictionaries(st.sampled_from("abc"), st.integers(), max_size=3),
    ),
}
names = st.lists(st.sampled_from(sorted(PROPERTIES)), min_size=1, max_size=5, unique=True)
"""A few of them at a time: making the fields is what takes the time."""


def schema_of(names: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: PROPERTIES[name][0] for name in names},
        "$defs": {"Tree": TREE},
    }


def fitting(names: list[str]) -> st.SearchStrategy[tuple[list[str], dict[str, Any]]]:
    return st.tuples(
        st.just(names), st.fixed_dictionaries({}, optional={name: PROPERTIES[name][1] for name in names})
    )


def wrong(names: list[str]) -> st.SearchStrategy[tuple[list[str], dict[str, Any]]]:
    return st.tuples(st.just(names), st.dictionaries(st.sampled_from(names), json_values, max_size=4))


@settings(max_examples=40, deadline=None, suppress_health_check=[*HealthCheck])
@given(names.flatmap(fitting))
def test_what_fits_goes_into_a_form_and_comes_out_of_it(case: tuple[list[str], dict[str, Any]]) -> None:
    names, arguments = case
    made = Form(schema_of(names))
    made.set_value(arguments)
    assert made.value == arguments
    assert made.check() == []


@settings(max_examples=40, deadline=None, suppress_health_check=[*HealthCheck])
@given(names.flatmap(wrong))
def test_what_does_not_fit_is_neither_lost_nor_taken(case: tuple[list[str], dict[str, Any]]) -> None:
    names, arguments = case
    made = Form(schema_of(names))
    made.set_value(arguments)
    assert made.value == arguments
    if JsonSchemaParameters(schema_of(names)).check(arguments).problems:
        assert made.check()


def _servers() -> list[Any]:
    """Tools of real MCP servers and worse ones made up, and what servers ask a person."""
    found: list[Any] = []
    for file in sorted(SERVERS.glob("*.json")):
        data = json.loads(file.read_text("utf-8"))
        if isinstance(data, dict):
            found += [
                pytest.param(tool, id=f"{file.stem}-{str(tool.get('name'))[:40]}")
                for tool in data["tools"]
                if isinstance(tool.get("inputSchema"), dict)
            ]
        else:
            found += [
                pytest.param({"inputSchema": one["requestedSchema"]}, id=f"{file.stem}-{place}")
                for place, one in enumerate(data)
                if "requestedSchema" in one
            ]
    return found or [pytest.param(None, marks=pytest.mark.skip(reason=f"no schemas in {SERVERS}"))]


@pytest.mark.parametrize("tool", _servers())
def test_tools_of_real_servers_get_a_form_that_keeps_their_arguments(tool: dict[str, Any]) -> None:
    schema = tool["inputSchema"]
    made = Form(schema)
    assert made.faults() == []
    for value in tool.get("_test", {}).get("valid", []):
        made.set_value(value)
        assert made.value == value
        assert made.check() == []
    for value in tool.get("_test", {}).get("invalid", []):
        assert JsonSchemaParameters(schema).check(value).problems
        made.set_value(value)
        # A form may fill in what is missing: a required default is sent though nobody touched it.
        assert made.check() or made.value != value


def _functions() -> list[Any]:
    """The functions of the corpus with what their schemas must accept and refuse."""
    if not FUNCTIONS.is_dir():
        return [pytest.param(None, {}, marks=pytest.mark.skip(reason=f"no functions in {FUNCTIONS}"))]
    expected = json.loads((FUNCTIONS / "expected.json").read_text("utf-8"))
    sys.path.insert(0, str(FUNCTIONS))
    try:
        modules = [importlib.import_module(path.stem) for path in sorted(FUNCTIONS.glob("c[0-9]*.py"))]
    finally:
        sys.path.remove(str(FUNCTIONS))
    found: list[Any] = []
    for module in modules:
        cases = getattr(module, "CASES", None) or vars(module)
        found += [
            pytest.param(case, expected[name], id=name)
            for name, case in cases.items()
            if name in expected and callable(case)
        ]
    return found


@pytest.mark.parametrize(("function", "expected"), _functions())
def test_forms_of_functions_keep_what_fits_and_refuse_what_does_not(
    function: Any, expected: dict[str, Any]
) -> None:
    tool = define(function, Options(name="x"))
    # The schema itself tests here: the tool would repair some of what its schema refuses.
    made = Form(tool.parameters)
    for value in expected.get("accepts", []):
        made.set_value(value)
        assert made.value == value
        assert made.check() == []
        assert not tool.params.check(value).problems
    for value in expected.get("rejects", []):
        made.set_value(value)
        assert made.check() or made.value != value
