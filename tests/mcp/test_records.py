"""Structured results as records."""

from __future__ import annotations

import json
from datetime import date, datetime

import pytest

from tooldeck import Deck
from tooldeck.mcp.records import record_of

CITY = {
    "title": "City",
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "founded": {"type": "string", "format": "date"},
        "seen": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]},
        "user-id": {"type": "integer"},
        "twin": {"$ref": "#"},
        "parts": {"type": "array", "items": {"$ref": "#/$defs/Part"}},
    },
    "required": ["name"],
    "$defs": {"Part": {"title": "Part", "type": "object", "properties": {"n": {"type": "integer"}}}},
}


def test_members_are_attributes_all_the_way_down():
    value = {"name": "Oslo", "twin": {"name": "Bergen"}, "parts": [{"n": 1}, {"n": 2}], "user-id": 7}
    city = record_of(value, CITY)
    assert (city.name, city.twin.name, [part.n for part in city.parts]) == ("Oslo", "Bergen", [1, 2])
    assert city.user_id == city["user-id"] == 7
    assert repr(city.parts[0]) == "Part(n=1)"
    assert repr(city.twin).startswith("City(name='Bergen', founded=None")
    assert set(city) == set(value)
    assert {"name", "user_id", "twin"} <= set(dir(city))


def test_what_the_schema_lists_and_is_not_there_is_none_and_what_nobody_knows_is_an_error():
    city = record_of({"name": "Oslo", "extra": {"a": [1]}}, CITY)
    assert city.founded is None
    assert "founded" not in city
    assert city.extra.a == [1]
    with pytest.raises(AttributeError, match="City has no 'nam'; did you mean 'name'"):
        city.nam  # noqa: B018 - the look is the test
    with pytest.raises(KeyError):
        city["founded"]


def test_dates_are_dates_where_they_can_be_read():
    city = record_of({"name": "x", "founded": "1048-01-01", "seen": "2026-12-01T00:10:00+00:00"}, CITY)
    assert city.founded == date(1048, 1, 1)
    assert city.seen == datetime.fromisoformat("2026-12-01T00:10:00+00:00")
    assert record_of({"name": "x", "founded": "long ago"}, CITY).founded == "long ago"


@pytest.mark.parametrize("schema", [None, {}, {"properties": []}, {"$ref": "#"}, {"anyOf": "x"}])
def test_any_schema_gives_a_record(schema):
    assert record_of({"a": {"b": 1}, "__class__": "x", "_values": 2, "class": 3}, schema).a.b == 1


def test_hostile_names_reach_nothing_of_the_record_itself():
    record = record_of({"_values": {"a": 1}, "__dict__": 1, "keys": 2, "__init__": 3}, None)
    assert set(record) == {"_values", "__dict__", "keys", "__init__"}
    assert callable(record.keys)
    assert record["keys"] == 2


def test_the_record_of_a_result_knows_the_tools_output_schema():
    deck = Deck(policy="auto")
    deck.mcp.connect("demo")
    value = deck.call("city", name="oslo").unwrap()
    assert value.structured == {"name": "Oslo", "country": "Norway", "people": 717_000}
    assert value.record.country == "Norway"
    assert repr(value.record) == "City(name='Oslo', country='Norway', people=717000)"
    assert json.dumps(dict(value.record))
    deck.close()
