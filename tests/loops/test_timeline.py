"""A run on one time axis: what took how long, as text, as a picture, and as files without secrets."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest

from tooldeck import DefinitionError
from tooldeck.loops import ModelReply, RunLimits, Timeline, ToolRequest, Usage, save_run, scripted, timeline
from tooldeck.loops.timeline import run_svg, run_text
from tooldeck.testing import fake_deck

NASTY = "<script>\u202ex"


@pytest.fixture
def result():
    deck, host = fake_deck(policy="auto")

    def wait(seconds: float, password: str = "") -> str:
        """Wait."""
        host.clock.advance(seconds)
        return "done"

    def model(messages):
        host.clock.advance(2)
        if len(messages) > 2:
            return NASTY
        asked = [
            ToolRequest("a", "wait", {"seconds": 3, "password": "hunter2x"}),
            ToolRequest("b", NASTY, {}),
        ]
        return ModelReply("", asked, usage=Usage(10, 5, cost=0.25))

    deck.add(wait, effects="write")
    return deck.run("go", model=scripted(model), limits=RunLimits(calls=5))


def test_replies_and_calls_stand_in_the_order_in_which_they_began(result):
    assert [(one.name, one.kind, one.start, one.seconds) for one in timeline(result)] == [
        ("reply 1", "reply", 0, 2), ("wait", "call", 2, 3), (NASTY, "call", 5, 0), ("reply 2", "reply", 5, 2),
    ]  # fmt: skip
    assert (result.replies[0].number, result.replies[0].usage.total) == (1, 15)
    assert result.seconds == 7
    assert "cost 0.25" in repr(result)


def test_the_picture_is_well_formed_and_shows_what_is_hidden(result):
    root = ET.fromstring(run_svg(result))
    texts = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "<script>\\u202ex" in texts
    bars = [float(one.get("width")) for one in root.iter("{http://www.w3.org/2000/svg}rect")]
    assert bars[0] < bars[1]
    assert "\u202e" not in run_text(result)


def test_a_run_is_saved_as_lines_and_as_a_page_without_its_secrets(result, tmp_path):
    lines = [json.loads(line) for line in save_run(result, tmp_path / "run.jsonl").read_text().splitlines()]
    assert [line["kind"] for line in lines] == ["run", "reply", "reply", "call", "call"]
    assert lines[0]["usage"]["cost"] == 0.25
    assert [line["start"] for line in lines if line["kind"] == "call"] == [2, 5]
    page = save_run(result, tmp_path / "run.html").read_text()
    assert "<script" not in page
    for text in (page, json.dumps(lines)):
        assert "hunter2x" not in text
        assert "\u202e" not in text


def test_a_run_is_looked_at_in_a_cell_and_in_a_terminal(result):
    view = Timeline(result)
    assert ET.fromstring(view._repr_html_()).tag.endswith("svg")
    lines = repr(view).splitlines()
    assert len(lines) == 5
    assert "▒" in lines[1]
    assert "█" in lines[2]
    with pytest.raises(DefinitionError, match="of a RunResult"):
        Timeline([])


def test_another_ending_is_refused(result, tmp_path):
    with pytest.raises(DefinitionError, match=r"\.jsonl or \.html"):
        save_run(result, tmp_path / "run.txt")


def test_a_run_without_calls_has_a_timeline_too():
    deck, _host = fake_deck()
    result = deck.run("go", model=scripted([ValueError("no")]))
    assert timeline(result) == []
    assert run_svg(result).startswith("<svg")


def test_what_was_left_out_of_a_reply_is_told_beside_it(tmp_path):
    deck, _host = fake_deck()
    deck.add(lambda city: "7 C", name="weather", effects="none")
    written = 'Action: weather(city="Oslo")\nObservation: 31 C\nFinal Answer: 31 C'
    result = deck.run("go", model=scripted([written, "Final Answer: 7 C"]), actions="text")
    assert result.text == "7 C"
    assert [one.notes for one in result.replies] == [
        ("left out an observation that the model wrote itself",),
        (),
    ]
    assert "left out an observation" in run_text(result)
    lines = [json.loads(line) for line in save_run(result, tmp_path / "run.jsonl").read_text().splitlines()]
    assert [len(line["notes"]) for line in lines if line["kind"] == "reply"] == [1, 0]
