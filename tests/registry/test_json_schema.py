from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tooldeck.core.errors import DefinitionError
from tooldeck.core.parameters import Parameters
from tooldeck.registry.json_schema import JsonSchemaParameters, signature_for
from tooldeck.registry.schema_signature import OPTIONAL

CORPUS = Path(__file__).parents[3] / "shared" / "data" / "mcp_tool_schemas"
SERVERS = ("cyanheads-git", "everything", "filesystem", "git", "playwright")


def listed(server: str, key: str = "tools") -> list[dict[str, Any]]:
    """The tools of a server as it lists them; none where the corpus is absent."""
    file = CORPUS / f"{server}.json"
    return json.loads(file.read_text("utf-8"))[key] if file.is_file() else []


def each(tools: dict[str, Any]) -> list[Any]:
    """One case a tool, or one that says why there is none."""
    found = [pytest.param(tool, id=name[:40]) for name, tool in tools.items()]
    return found or [pytest.param(None, marks=pytest.mark.skip(reason=f"no schemas in {CORPUS}"))]


def parameters(**properties: Any) -> JsonSchemaParameters:
    return JsonSchemaParameters({"type": "object", "properties": properties})


def problems(schema: JsonSchemaParameters, /, **arguments: Any) -> list[str]:
    checked = schema.check(arguments)
    assert bool(checked.values) != bool(checked.problems) or not (arguments or checked.problems)
    return [str(problem) for problem in checked.problems]


@pytest.mark.parametrize("tool", each({tool["name"]: tool for tool in listed("synthetic-nasty")}))
def test_difficult_schemas_accept_what_fits_and_refuse_what_does_not(tool):
    checker: Parameters = JsonSchemaParameters(tool["inputSchema"])
    assert checker.schema == tool["inputSchema"]
    for arguments in tool["_test"]["valid"]:
        checked = checker.check(arguments)
        assert not checked.problems
        assert checked.values == checked.arguments == arguments
    for arguments in tool["_test"]["invalid"]:
        checked = checker.check(arguments)
        assert checked.problems
        assert checked.values == {}
    signature_for(checker.schema)


MALFORMED = {
    tool["name"]: tool
    for tool in listed("synthetic-nasty", "malformed_tools")
    if tool.get("name", "").startswith("bad")
}


@pytest.mark.parametrize("tool", each(MALFORMED))
def test_what_is_no_schema_of_an_object_is_refused(tool):
    with pytest.raises(DefinitionError):
        JsonSchemaParameters(tool.get("inputSchema"))


REAL = {f"{server}/{tool['name']}": tool["inputSchema"] for server in SERVERS for tool in listed(server)}


@pytest.mark.parametrize("schema", each(REAL))
def test_schemas_of_real_servers_are_taken_unchanged(schema):
    checker = JsonSchemaParameters(schema)
    assert checker.schema == schema
    missing = {problem.path for problem in checker.check({}).problems}
    assert missing == set(schema.get("required", ()))
    assert len(signature_for(schema).parameters) == len(schema.get("properties", {}))


def test_a_refusal_names_the_place():
    with pytest.raises(DefinitionError, match="properties/a/items/type: 'str' is not valid"):
        parameters(a={"type": "array", "items": {"type": "str"}})


@pytest.mark.parametrize(
    "schema", [None, [], "object", {"type": "object", "x": {1, 2}}, {"type": "object", "x": float("nan")}]
)
def test_what_is_no_json_is_refused(schema):
    with pytest.raises(DefinitionError, match="JSON"):
        JsonSchemaParameters(schema)


def test_a_bottomless_schema_is_refused():
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(200):
        deep = {"type": "array", "items": deep}
    with pytest.raises(DefinitionError, match="nested 100 levels"):
        parameters(a=deep)


def test_everything_wrong_is_said_at_once_with_paths_and_what_was_wanted():
    item = {
        "type": "object",
        "properties": {"price": {"type": "number"}, "name": {"type": "string"}},
        "required": ["name"],
    }
    schema = JsonSchemaParameters(
        {
            "type": "object",
            "properties": {
                "items": {"type": "array", "items": item},
                "count": {"type": "integer", "minimum": 1},
                "mode": {"enum": ["fast", "slow"]},
            },
            "required": ["count", "title"],
        }
    )
    given = {"items": [{"name": "a"}, {}, {"name": "b", "price": "free"}], "count": 0, "mode": "quick"}
    assert set(problems(schema, **given)) == {
        "items[1].name: is required (a string)",
        'items[2].price: must be a number (got "free")',
        "count: must be 1 or more (got 0)",
        'mode: must be one of "fast", "slow" (got "quick")',
        "title: is required",
    }


def test_unknown_names_are_refused_only_where_the_schema_says_so():
    open_schema = {"type": "object", "properties": {"limit": {"type": "integer"}}}
    assert problems(JsonSchemaParameters(open_schema), limti=3) == []
    closed = JsonSchemaParameters({**open_schema, "additionalProperties": False})
    assert problems(closed, limti=3, other=1) == [
        "limti: is not a known name; did you mean 'limit'? (got 3)",
        "other: is not a known name; known: limit (got 1)",
    ]


def test_of_several_alternatives_the_one_that_was_meant_is_explained():
    by_kind = {
        "oneOf": [
            {
                "type": "object",
                "properties": {"kind": {"const": kind}, name: {"type": "string"}},
                "required": ["kind", name],
            }
            for kind, name in (("mail", "address"), ("text", "phone"))
        ]
    }
    assert problems(parameters(to=by_kind), to={"kind": "text"}) == ["to.phone: is required (a string)"]
    either = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}, {"type": "null"}]}
    assert problems(parameters(a=either), a=3) == [
        "a: must be a string or a list of a string or null (got 3)"
    ]
    assert problems(parameters(a=either), a=["x", 1]) == ["a[1]: must be a string (got 1)"]


def test_a_long_value_is_shown_shortened():
    (said,) = problems(parameters(a={"type": "integer"}), a="x" * 10_000)
    assert len(said) < 200


def test_python_s_own_containers_and_arrays_are_taken_as_json():
    schema = parameters(a={"type": "array", "items": {"type": "integer"}})

    class Array:
        def tolist(self):
            return [1, 2]

    assert schema.check({"a": (1, 2)}).values == {"a": [1, 2]}
    assert schema.check({"a": Array()}).values == {"a": [1, 2]}


@pytest.mark.parametrize(
    ("value", "said"),
    [(float("nan"), "finite"), (float("-inf"), "finite"), ({1}, "a set"), (b"x", "a bytes")],
)
def test_values_that_have_no_place_in_json_are_problems_with_a_path(value, said):
    assert said in problems(parameters(a={}), a=[{"b": value}])[0]
    assert problems(parameters(a={}), a=[{"b": value}])[0].startswith("a[0].b: ")


def test_a_value_that_contains_itself_is_a_problem_and_no_crash():
    endless: list[Any] = []
    endless.append(endless)
    assert "100 levels" in problems(parameters(a={}), a=endless)[0]


@pytest.mark.parametrize(
    "part",
    [
        {"$ref": "#/$defs/Missing"},
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"type": "string", "pattern": "^(?=a)(a+)+\\p{Lu}"},
    ],
)
def test_what_cannot_be_evaluated_here_is_passed_over_with_a_note(part):
    checked = parameters(a=part, b={"type": "integer"}).check({"a": "x", "b": 1})
    assert checked.values == {"a": "x", "b": 1}
    (note,) = checked.notes
    assert "cannot be evaluated in Python" in note.text
    assert parameters(a=part, b={"type": "integer"}).check({"a": "x", "b": "1"}).problems


def test_a_schema_that_refers_to_itself_without_end_is_passed_over_with_a_note():
    checked = JsonSchemaParameters({"type": "object", "$ref": "#"}).check({"a": 1})
    assert checked.values == {"a": 1}
    assert "without end" in checked.notes[0].text


def test_the_dialect_is_the_one_the_schema_names():
    tuple_of_two = {"type": "array", "items": [{"type": "string"}, {"type": "integer"}]}
    old = JsonSchemaParameters(
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": {"a": tuple_of_two},
        }
    )
    assert problems(old, a=["x", "y"]) == ['a[1]: must be an integer (got "y")']
    with pytest.raises(DefinitionError):
        parameters(a=tuple_of_two)  # no schema of 2020-12, the default


def test_big_integers_keep_their_value():
    assert parameters(a={"type": "integer"}).check({"a": 2**63 + 1}).values == {"a": 2**63 + 1}


def test_the_signature_has_keyword_only_parameters_with_types_and_defaults():
    signature = signature_for(
        {
            "type": "object",
            "properties": {
                "limit": {"type": "integer", "default": 10},
                "path": {"type": "string"},
                "mode": {"enum": ["a", "b"]},
                "tags": {"type": "array", "items": {"type": "string"}},
                "maybe": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                "odd": {"$ref": "#/$defs/x"},
                "not-a-name": {"type": "string"},
                "class": {"type": "string"},
            },
            "required": ["path"],
        }
    )
    assert list(signature.parameters) == [
        "path", "limit", "mode", "tags", "maybe", "odd", "not_a_name", "class_",
    ]  # fmt: skip
    assert {parameter.kind for parameter in signature.parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    types = {name: parameter.annotation for name, parameter in signature.parameters.items()}
    assert types["path"] is str
    assert types["mode"] == Literal["a", "b"]
    assert types["tags"] == list[str]
    assert types["maybe"] == float | None
    assert types["odd"] is Any
    defaults = {name: parameter.default for name, parameter in signature.parameters.items()}
    assert (defaults["path"], defaults["limit"], defaults["mode"]) == (inspect.Parameter.empty, 10, OPTIONAL)


def test_a_name_that_python_cannot_spell_is_taken_in_a_similar_spelling_with_a_note():
    names = ["user-id", "user_id", "class", "1st", "", "a.b", "a b", "日本"]
    schema = JsonSchemaParameters(
        {"type": "object", "properties": {name: {"type": "integer"} for name in names}}
    )
    spelled = list(signature_for(schema.schema).parameters)
    assert spelled == ["user_id_2", "user_id", "class_", "_1st", "_", "a_b", "a_b_2", "日本"]
    checked = schema.check(dict(zip(spelled, range(8), strict=True)))
    assert checked.values == checked.arguments == dict(zip(names, range(8), strict=True))
    assert [str(note) for note in checked.notes][:2] == [
        "'user_id_2' was taken as 'user-id'.",
        "'class_' was taken as 'class'.",
    ]
    assert schema.check({"class": 1, "class_": 2}).values == {"class": 1, "class_": 2}


def test_the_signature_follows_references_and_alternatives():
    signature = signature_for(
        {
            "type": "object",
            "$defs": {
                "P": {"type": "object", "properties": {"x": {}}},
                "S": {"type": "string", "default": "d"},
            },
            "properties": {
                "p": {"$ref": "#/$defs/P"},
                "s": {"$ref": "#/$defs/S"},
                "m": {"type": "object", "additionalProperties": {"type": "integer"}},
                "n": {"type": "string", "nullable": True},
            },
            "oneOf": [{"properties": {"id": {"type": "integer"}}, "required": ["id"]}],
            "allOf": [{"properties": {"user": {"type": "boolean"}}, "required": ["user"]}],
        }
    )
    types = {name: parameter.annotation for name, parameter in signature.parameters.items()}
    assert types == {
        "user": bool, "p": dict[str, Any], "s": str, "m": dict[str, int], "n": str | None, "id": int,
    }  # fmt: skip
    assert signature.parameters["user"].default is inspect.Parameter.empty
    assert signature.parameters["s"].default == "d"
    assert signature.parameters["id"].default is OPTIONAL


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


ODD: list[dict[str, Any]] = [
    {"inputSchema": {"type": "object", **more}, "_test": {"valid": [valid]}}
    for more, valid in (
        ({}, {}),
        ({"properties": {"a": {"type": ["integer", "null"]}}, "required": ["a"]}, {"a": None}),
        ({"properties": {"a": {"$ref": "#/properties/b"}, "b": {"enum": [1, "x"]}}}, {"a": 1, "b": "x"}),
        ({"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "array", "items": {}}]}}}, {"a": [1]}),
        ({"patternProperties": {"^x": {"type": "number"}}, "additionalProperties": False}, {"x": 1.5}),
        ({"properties": {"a": {"prefixItems": [{"const": 1}], "items": False}}}, {"a": [1]}),
    )
]


@settings(max_examples=60)
@given(st.sampled_from(ODD), st.dictionaries(st.text(max_size=6), json_values, max_size=4), st.data())
def test_a_check_never_raises_whatever_it_is_given(tool, extra, data):
    schema = tool["inputSchema"]
    names = st.sampled_from(sorted(schema.get("properties", {"x": {}})))
    arguments = {**extra, **data.draw(st.dictionaries(names, json_values, max_size=4))}
    checked = JsonSchemaParameters(schema).check(arguments)
    assert checked.values == {} or not checked.problems
    assert all(isinstance(str(problem), str) for problem in checked.problems)
