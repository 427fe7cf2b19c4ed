"""Results that are recorded once and played from then on."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json

import pytest
from pydantic import BaseModel

from tooldeck import Block, Deck, DefinitionError, ExpectedError
from tooldeck.core.parts import Answer, Image, Table, Text
from tooldeck.testing import fake_deck


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.jsonl"


class Weather(BaseModel):
    city: str
    on: dt.date


@dataclasses.dataclass
class Point:
    x: int
    y: tuple[int, int]


class Opaque:
    def __repr__(self):
        return "an opaque thing"


PNG = b"\x89PNG\r\n\x1a\n\x00"


def deck_of(run_counter, answers=(), **options):
    """A deck whose tools count how often they really run."""
    deck, host = fake_deck(answers, **options)

    @deck.tool(effects="read")
    def roll(sides: int = 6, word: str = "") -> int:
        run_counter.append(sides)
        return len(run_counter) * 100 + sides

    @deck.tool(effects="write")
    def save(text: str) -> str:
        run_counter.append(text)
        return f"saved {text}"

    @deck.tool(effects="read")
    def fail(kind: str) -> None:
        run_counter.append(kind)
        raise ExpectedError("no such thing") if kind == "expected" else ValueError("broken")

    return deck, host


def test_a_replay_gives_what_was_recorded_in_the_same_order_and_runs_nothing(run, path):
    ran = []
    deck, _ = deck_of(ran)
    calls = [
        ("roll", {"sides": 6}),
        ("roll", {"sides": "6"}),
        ("roll", {}),
        ("roll", {"sides": 20}),
        ("fail", {"kind": "x"}),
    ]
    with deck.recording(path) as tape:
        recorded = [run(deck, name, arguments) for name, arguments in calls]
    assert tape.count == 5
    ran.clear()
    deck, _ = deck_of(ran)
    with deck.replaying(path) as tape:
        played = [run(deck, name, arguments) for name, arguments in calls]
        assert tape.left == 0
    assert ran == []
    for before, after in zip(recorded, played, strict=True):
        assert (after.status, after.value, after.text, after.error) == (
            before.status,
            before.value,
            before.text,
            before.error,
        )
    assert played[0].attempts == 0
    assert run(deck, "roll").value == 106


@pytest.mark.parametrize(
    ("returned", "value"),
    [
        (dict, {"a": [1, 2.5, None, True], "ü": {"b": "c"}}),
        (str, "text with \u2028 and \n and ☃"),
        (Weather, Weather(city="Ulm", on=dt.date(2026, 11, 30))),
        (Point, Point(1, (2, 3))),
        (tuple[int, str], (1, "a")),
        (set[int], {1, 2}),
        (dt.datetime, dt.datetime(2026, 11, 30, 12, 0, tzinfo=dt.UTC)),
        (bytes, b"plain"),
        (None, None),
    ],
    ids=["json", "text", "model", "dataclass", "tuple", "set", "time", "bytes", "none"],
)
def test_values_come_back_as_what_they_were(run, path, returned, value):
    def give():
        return value

    give.__annotations__["return"] = returned
    deck, _ = fake_deck(policy="auto")
    deck.add(give, effects="read")
    with deck.recording(path):
        run(deck, "give")
    with deck.replaying(path):
        played = run(deck, "give")
    assert played.value == value
    assert type(played.value) is type(value)
    assert played.notes == ()


@pytest.mark.parametrize(
    "value", [Opaque(), (1, 2), float("inf"), {1: 2}], ids=["object", "tuple", "inf", "keys"]
)
def test_a_value_that_no_file_can_hold_is_played_as_plain_data_with_a_note(run, path, value):
    deck, _ = fake_deck(policy="auto")
    deck.add(lambda: value, name="give", effects="read")
    with deck.recording(path):
        before = run(deck, "give")
    with deck.replaying(path):
        played = run(deck, "give")
    assert played.ok
    assert played.text == before.text or value == float("inf")
    assert "not as the object it was" in str(played.notes[0])


def test_pictures_and_texts_for_models_are_played_as_well(run, path):
    deck, _ = fake_deck(policy="auto")
    table = Table(("a", "b"), (("1", "2"),), 1)
    deck.add(lambda: Image(PNG), name="draw", effects="none")
    deck.add(lambda: Answer({"n": 1}, "one", (Text("t"), Image(PNG), table)), name="answer", effects="none")
    with deck.recording(path):
        before = [run(deck, "draw"), run(deck, "answer")]
    with deck.replaying(path):
        after = [run(deck, "draw"), run(deck, "answer")]
    assert after[0].value == Image(PNG)
    assert after[1].value == {"n": 1}
    assert [result.text for result in after] == [result.text for result in before]
    assert [result.parts for result in after] == [result.parts for result in before]


def test_nobody_is_asked_and_what_was_denied_stays_denied(run, path):
    deck, _ = deck_of([], [True, False])
    with deck.recording(path):
        statuses = [run(deck, "save", text=text).status for text in ("a", "b")]
    assert statuses == ["ok", "denied"]
    ran = []
    deck, host = deck_of(ran, [True, True])
    with deck.replaying(path):
        played = [run(deck, "save", text=text) for text in ("a", "b")]
    assert [result.status for result in played] == ["ok", "denied"]
    assert (host.requests, ran) == ([], [])


def test_what_policy_denies_today_is_not_played(run, path):
    deck, _ = deck_of([])
    with deck.recording(path):
        assert run(deck, "roll").ok
    deck.policy.deny("roll")
    with deck.replaying(path) as tape:
        assert run(deck, "roll").status == "denied"
        assert tape.left == 1


def test_a_call_that_was_not_recorded_is_refused_and_does_not_run(run, path):
    ran = []
    deck, _ = deck_of(ran)
    with deck.recording(path):
        run(deck, "roll", sides=6)
    ran.clear()
    with deck.replaying(path):
        other, first, second = (
            run(deck, "roll", sides=7),
            run(deck, "roll", sides=6),
            run(deck, "roll", sides=6),
        )
    assert ran == []
    assert (other.status, first.status, second.status) == ("blocked", "ok", "blocked")
    assert f"the recording '{path}' does not have this call; record it again" in other.error
    assert "has this call 1 time only" in second.error


def test_what_is_wrong_with_a_call_is_said_as_ever(run, path):
    deck, _ = deck_of([])
    with deck.recording(path):
        pass
    with deck.replaying(path):
        assert run(deck, "roll", sides="x").status == "invalid"
        assert run(deck, "rol").status == "unknown"
        deck.before_tool(lambda call: Block("no"))
        assert run(deck, "roll").status == "blocked"


def test_a_tool_that_is_not_available_now_is_played(run, path):
    deck, _ = fake_deck(policy="auto")
    state = {"key": True}
    deck.add(lambda: "sun", name="weather", effects="read", available=lambda: state["key"])
    with deck.recording(path):
        run(deck, "weather")
    state["key"] = False
    deck, _ = fake_deck(policy="auto")
    deck.add(lambda: "rain", name="weather", effects="read", available=lambda: state["key"])
    with deck.replaying(path):
        assert run(deck, "weather").value == "sun"
    assert run(deck, "weather").status == "denied"


def test_secrets_are_not_in_the_file_and_their_calls_are_found_all_the_same(run, path):
    deck, _ = fake_deck(policy="auto")
    deck.add(lambda password, n: f"{n} for {password}", name="login", effects="read")
    with deck.recording(path):
        for n in (1, 2):
            run(deck, "login", password="open sesame", n=n)
    assert "sesame" not in path.read_text()
    with deck.replaying(path):
        played = [run(deck, "login", password="anything", n=n) for n in (2, 1)]
    assert [result.value for result in played] == ["2 for •••", "1 for •••"]


def test_calls_of_a_batch_are_recorded_and_played(run, path):
    ran = []
    deck, _ = deck_of(ran)
    calls = [("roll", {"sides": n}) for n in range(5)]
    with deck.recording(path):
        recorded = [result.value for result in run.many(deck, calls)]
    ran.clear()
    with deck.replaying(path):
        assert [result.value for result in run.many(deck, calls)] == recorded
    assert ran == []


def test_only_one_goes_on_at_a_time_and_the_end_may_come_twice(path, tmp_path):
    deck = Deck()
    tape = deck.recording(path)
    assert deck.tape is tape
    with pytest.raises(DefinitionError, match="still going on"):
        deck.replaying(path)
    tape.stop()
    other = deck.recording(tmp_path / "other")
    tape.stop()
    assert deck.tape is other


def test_a_recording_replaces_another_and_no_other_file(path):
    deck, _ = deck_of([])
    for _ in range(2):
        with deck.recording(path):
            deck.call("roll")
    assert len(path.read_text().splitlines()) == 2
    path.write_text("my thesis")
    with pytest.raises(DefinitionError, match="no recording"):
        deck.recording(path)
    assert path.read_text() == "my thesis"
    assert deck.tape is None


@pytest.mark.parametrize(
    "harm",
    [
        lambda path: path.unlink(),
        lambda path: path.write_text(""),
        lambda path: path.write_bytes(b"\xff\xfe"),
        lambda path: path.write_text("[1]\n"),
        lambda path: path.write_text(json.dumps({"tooldeck": "recording", "version": 2}) + "\n"),
        lambda path: path.write_text(path.read_text() + "{half"),
        lambda path: path.write_text(path.read_text() + '{"tool": "x", "arguments": {}, "status": "fine"}\n'),
    ],
    ids=["missing", "empty", "binary", "other", "newer", "half", "status"],
)
def test_a_file_that_is_no_recording_is_refused_in_one_sentence(path, harm):
    deck = Deck()
    with deck.recording(path):
        pass
    harm(path)
    with pytest.raises(DefinitionError) as caught:
        deck.replaying(path)
    assert str(path) in str(caught.value)
    assert deck.tape is None


def test_a_recording_that_cannot_be_written_disturbs_no_call(run, path, caplog):
    deck, _ = deck_of([])
    with deck.recording(path):
        path.unlink()
        path.mkdir()
        assert [run(deck, "roll").ok for _ in range(3)] == [True] * 3
    (record,) = caplog.records
    assert "Results are missing in the recording" in record.message
    with pytest.raises(DefinitionError, match="cannot be written"):
        deck.recording(path / "no" / "such")
