"""Following references of schemas, also of those that were written to take for ever."""

from __future__ import annotations

import pytest

from tooldeck.core.references import resolve


def test_what_is_referred_to_and_what_stands_beside_are_one_schema() -> None:
    root = {"$defs": {"base": {"properties": {"a": {}}, "required": ["a"]}}}
    schema = {"$ref": "#/$defs/base", "properties": {"b": {}}, "required": ["b"]}
    assert resolve(schema, root) == {"properties": {"b": {}, "a": {}}, "required": ["b", "a"]}


@pytest.mark.timeout(10)
def test_members_that_double_at_every_step_are_given_up_early() -> None:
    parts = {f"a{i}": {"allOf": [{"$ref": f"#/$defs/a{i + 1}"}] * 2} for i in range(60)}
    root = {"$defs": {**parts, "a60": {"properties": {"deep": {}}}}, "properties": {"near": {}}}
    assert "near" in resolve({**root, "$ref": "#/$defs/a0"}, root)["properties"]


def test_a_circle_of_references_leads_nowhere() -> None:
    root = {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}
    assert resolve({"$ref": "#/$defs/a"}, root) == {}
