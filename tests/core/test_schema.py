"""The JSON Schema of a function: every kind of annotation, and the same through every door."""

from __future__ import annotations

import enum
import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, Optional, Required

import pytest
from pydantic import BaseModel, Field
from typing_extensions import ReadOnly, TypedDict, Unpack

from tooldeck import BaseTool, Deck, DefinitionError, tool
from tooldeck.core.define import define
from tooldeck.registry.export import DIALECTS


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Note(BaseModel):
    parent: Optional[Note] = None  # noqa: UP045 - the older spelling is what users write


class Line(BaseModel):
    sku: str
    extra: Note | None = None


class Order(BaseModel):
    lines: list[Line]


def book(
    city: str,
    seats: int | None = None,
    cls: Literal["eco", "biz"] = "eco",
    tags: list[str] = [],  # noqa: B006 - what users write
    mode: Color = Color.RED,
):
    """Book a seat."""
    return mode


class BookTool(BaseTool):
    """Book a seat."""

    name = "book"

    def run(
        self,
        city: str,
        seats: int | None = None,
        cls: Literal["eco", "biz"] = "eco",
        tags: list[str] = [],  # noqa: B006 - as above
        mode: Color = Color.RED,
    ):
        return mode


def through_every_door():
    yield "add", Deck().add(book).parameters
    yield "decorator", tool(book).parameters
    yield "deck decorator", Deck().tool(effects="read")(book).parameters
    yield "class", Deck().add(BookTool()).parameters
    deck = Deck()
    deck.add(book)
    keys = {
        "openai": "parameters",
        "anthropic": "input_schema",
        "gemini": "parametersJsonSchema",
        "mcp": "inputSchema",
    }
    for dialect in DIALECTS:
        (exported,) = deck.export(dialect)
        yield dialect, exported.get("function", exported)[keys[dialect]]


@pytest.mark.parametrize(
    ("door", "schema"), list(through_every_door()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_the_schema_is_the_same_through_every_door(door, schema):
    assert schema["required"] == ["city"]
    properties = schema["properties"]
    assert properties["seats"] == {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}
    assert properties["cls"] == {"enum": ["eco", "biz"], "type": "string", "default": "eco"}
    assert properties["tags"] == {"type": "array", "items": {"type": "string"}, "default": []}
    assert schema["$defs"]["Color"]["enum"] == ["red", "blue"]
    assert schema["$defs"]["Color"]["type"] == "string"
    color = {"$ref": "#/$defs/Color"}
    # Gemini takes nothing beside a reference.
    assert properties["mode"] == {"default": "red", **({"anyOf": [color]} if door == "gemini" else color)}
    assert schema["additionalProperties"] is False


def test_an_enum_arrives_as_its_member():
    assert Deck(policy="auto").call(book, city="Rome", mode="blue").value is Color.BLUE


def test_postponed_and_quoted_annotations_are_resolved():
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(
        "from __future__ import annotations\nfrom dataclasses import dataclass\nfrom typing import Literal\n"
        "@dataclass\nclass Spot:\n    x: float\n"
        "def area(w: float, h: 'float', at: Spot, unit: Literal['m', 'ft'] = 'm'):\n    return w * h",
        space,
    )
    made = define(space["area"])
    assert made.parameters["properties"]["h"] == {"type": "number"}
    assert made.parameters["properties"]["unit"]["enum"] == ["m", "ft"]
    result = Deck(policy="auto").call(made, {"w": "2.5", "h": 4, "at": {"x": 1}})
    assert result.value == 10.0


def test_types_local_to_a_function_are_found():
    @dataclass
    class Local:
        x: int

    @tool
    def f(at: Local):
        return at.x

    assert "Local" in f.parameters["$defs"]


def test_every_reference_points_into_the_schema():
    def send(order: Order): ...

    schema = define(send).parameters
    references = []

    def walk(node):
        if isinstance(node, dict):
            references.extend([node["$ref"]] if "$ref" in node else [])
            for inner in node.values():
                walk(inner)
        elif isinstance(node, list):
            for inner in node:
                walk(inner)

    walk(schema)
    assert references
    assert all(reference.removeprefix("#/$defs/") in schema["$defs"] for reference in references)
    result = Deck(policy="auto").call(send, {"order": {"lines": [{}]}})
    assert "order.lines[0].sku: is required" in result.error


def test_an_order_arrives_as_an_order():
    def send(order: Order):
        return order

    value = Deck(policy="auto").call(send, '{"order": {"lines": [{"sku": "A1"}]}}').value
    assert value == Order(lines=[Line(sku="A1")])


@pytest.mark.parametrize(
    "name", ["self", "name", "arguments", "cls", "_x", "model_config", "type", "Arguments", "a1"]
)
def test_a_parameter_may_have_any_name(name):
    space: dict[str, Any] = {}
    exec(f"def f({name}: int): return {name}", space)
    assert list(define(space["f"]).parameters["properties"]) == [name]


def test_descriptions_come_from_the_docstring_and_the_annotation_wins():
    def f(a: int, b: Annotated[int, Field(description="from field")], c: Annotated[int, "from words"]):
        """Do it.

        Args:
            a: from docstring
            b: from docstring
            c: from docstring
        """

    properties = define(f).parameters["properties"]
    assert [properties[name]["description"] for name in "abc"] == [
        "from docstring",
        "from field",
        "from words",
    ]


def test_kwargs_are_additional_properties():
    def f(a: int, *rest: str, **more: float): ...

    schema = define(f).parameters
    assert schema["additionalProperties"] == {"type": "number"}
    assert schema["properties"]["rest"] == {"type": "array", "items": {"type": "string"}, "default": []}
    assert schema["required"] == ["a"]


def test_a_default_outside_json_is_left_out():
    marker = object()

    def f(a: Any = marker, b: float = float("inf"), c: int = "x"): ...  # type: ignore[assignment]

    properties = define(f).parameters["properties"]
    assert "default" not in properties["a"]
    assert "default" not in properties["b"]
    assert "default" not in properties["c"]
    assert "required" not in define(f).parameters


def test_a_parameter_that_cannot_be_described_is_named():
    class Opaque: ...

    def f(ok: int, bad: Opaque): ...

    with pytest.raises(DefinitionError, match=r"f: parameter 'bad' of type .*Opaque cannot be described"):
        define(f)


def test_extra_keywords_that_cannot_be_described_are_named():
    class Opaque: ...

    def f(**bad: Opaque): ...

    with pytest.raises(DefinitionError, match=r"parameter '\*\*' of type"):
        define(f)


def test_the_schema_is_plain_json():
    def f(a: Literal[1, "b"], b: tuple[int, str], c: set[int], d: dict[str, Order]): ...

    schema = define(f).parameters
    assert json.loads(json.dumps(schema, allow_nan=False)) == schema


def test_the_type_of_the_value_is_described_where_it_can_be():
    class Answer(TypedDict):
        x: int

    def f() -> Answer: ...

    def g() -> object: ...

    assert define(f).output_schema["properties"] == {"x": {"type": "integer"}}
    assert define(g).output_schema is None or define(g).output_schema


def test_a_parameter_with_an_alias_is_refused_by_name():
    def read(path: Annotated[str, Field(alias="dir")]) -> str:
        return path

    with pytest.raises(DefinitionError, match="read: parameter 'path' has an alias"):
        define(read)


class Trip(TypedDict):
    city: Annotated[str, "Where to."]
    days: NotRequired[Annotated[int, Field(ge=1)]]


class Options(Trip, total=False):
    seat: Required[Literal["aisle", "window"]]
    notes: ReadOnly[list[str]]


def test_keywords_of_a_typed_dict_are_parameters_of_their_own():
    def go(start: str, **more: Unpack[Options]):
        """Go.

        Args:
            start: Where from.
            notes: What else.
        """
        return {"start": start, **more}

    deck = Deck(policy="auto")
    made = deck.add(go, effects="none")
    properties = made.parameters["properties"]
    assert list(properties) == ["start", "city", "days", "seat", "notes"]
    assert made.parameters["required"] == ["start", "city", "seat"]
    assert properties["city"] == {"type": "string", "description": "Where to."}
    assert properties["days"] == {"type": "integer", "minimum": 1}
    assert properties["notes"]["description"] == "What else."
    given = {"start": "Hull", "city": "Oslo", "seat": "aisle"}
    assert deck.call("go", **given).value == given
    assert deck.call("go", **given, days="2").value == {**given, "days": 2}
    assert "days" in deck.call("go", **given, days=0).error
    assert "class_: is not a parameter" in deck.call("go", **given, class_=1).error
    assert go(**given) == given
