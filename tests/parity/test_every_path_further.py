"""The author's checks, switches, injected values, logs and recordings hold on every path as well."""

from __future__ import annotations

import threading

import pytest
from call_paths import IN_THE_RUN, PATHS
from ipython_shell import open_shell

from tooldeck import CancelToken, Injected, Rewrite, Run, ToolContext, calling


@pytest.fixture(params=list(PATHS))
def path(request):
    """``path(shell, name, arguments)`` calls a tool by one of the ways."""
    return PATHS[request.param]


@pytest.fixture(params=IN_THE_RUN)
def path_in_the_run(request):
    """The same for the ways whose calls belong to the run of their caller."""
    return PATHS[request.param]


@pytest.fixture
def body(shell):
    """A tool ``probe`` that only computes; ``body.runs`` has what it was run with."""

    def probe(x: int) -> int:
        probe.runs.append(x)
        return x

    probe.runs = []
    shell.deck.add(probe, effects="none")
    return probe


def again(shell, body, **options):
    shell.deck.add(body, effects="none", **options)


def test_an_input_check_of_the_author_can_refuse(shell, path, body):
    again(shell, body, check_input=lambda arguments: "x is too large")
    result = path(shell, "probe", {"x": 3})
    assert (result.status, body.runs) == ("blocked", [])
    assert "x is too large" in result.error


def test_an_output_check_of_the_author_can_replace_the_value(shell, path, body):
    again(shell, body, check_output=lambda value: Rewrite(value * 10))
    result = path(shell, "probe", {"x": 3})
    assert (result.value, body.runs) == (30, [3])


def test_a_tool_that_is_switched_off_does_not_run(shell, path, body):
    shell.deck.disable("probe")
    result = path(shell, "probe", {"x": 3})
    assert (result.status, body.runs) == ("denied", [])


def test_a_tool_that_is_not_available_says_why(shell, path, body):
    again(shell, body, available=lambda: "the printer is off")
    result = path(shell, "probe", {"x": 3})
    assert (result.status, body.runs) == ("denied", [])
    assert "the printer is off" in result.error


def test_what_the_deck_fills_in_cannot_be_given(shell, path):
    seen = []

    def probe(x: int, context: Injected[ToolContext], cancel: Injected[CancelToken]) -> int:
        seen.append((context.call.name, cancel.cancelled))
        return x

    shell.deck.add(probe, effects="none")
    assert path(shell, "probe", {"x": 3, "cancel": {"cancelled": True}}).status == "invalid"
    assert path(shell, "probe", {"x": 3}).value == 3
    assert seen == [("probe", False)]


def test_a_persons_word_interrupts_the_next_call_once(shell, path_in_the_run, body):
    run = Run()
    run.steer("look at the other file")
    with calling("model", run=run):
        first = path_in_the_run(shell, "probe", {"x": 3})
        second = path_in_the_run(shell, "probe", {"x": 3})
    assert (first.status, second.status, body.runs) == ("cancelled", "ok", [3])
    assert "look at the other file" in first.text


def test_a_hook_rewrites_arguments_and_they_are_checked_again(shell, path, body):
    to = iter([{"x": 7}, {"x": "seven"}])
    shell.deck.before_tool(lambda call: Rewrite(next(to)), tools="probe")
    assert path(shell, "probe", {"x": 3}).value == 7
    assert path(shell, "probe", {"x": 3}).status == "invalid"
    assert body.runs == [7]


def test_a_limit_of_the_whole_call_ends_it(shell, path, body):
    let_go = threading.Event()

    def probe(x: int) -> int:
        let_go.wait(30)
        return x

    shell.deck.add(probe, effects="none", call_timeout=0.05)
    try:
        assert path(shell, "probe", {"x": 3}).status == "timeout"
    finally:
        let_go.set()


def test_one_bad_target_leaves_the_others_alone(shell, path):
    def probe(x: int) -> int:
        if x < 0:
            raise ConnectionError("no answer")
        return x

    shell.deck.add(probe, effects="none", breaker=2, retry=1, target="x")
    ends = [path(shell, "probe", {"x": x}).status for x in (-1, -1, -1, 5)]
    assert ends == ["failed", "failed", "tripped", "ok"]


def test_every_call_lands_in_the_log(shell, path, body):
    result = path(shell, "probe", {"x": 3})
    refused = path(shell, "probe", {"x": "three"})
    logged = [entry for entry in shell.deck.log() if entry.name == "probe"]
    assert [entry.status for entry in logged] == [result.status, refused.status] == ["ok", "invalid"]


def test_a_recorded_result_is_played_and_nothing_runs(shell, path, body, tmp_path):
    if path is PATHS["from_a_tool"]:
        pytest.skip("the tool around it is played as well, so that nothing inside of it is called")
    with shell.deck.recording(tmp_path / "tape.json"):
        assert path(shell, "probe", {"x": 3}).value == 3
    with shell.deck.replaying(tmp_path / "tape.json"):
        assert path(shell, "probe", {"x": 3}).value == 3
        assert not path(shell, "probe", {"x": 4}).ok
    assert body.runs == [3]


def test_only_allowed_tools_run(path, monkeypatch, capsys):
    monkeypatch.setenv("TOOLDECK_ALLOWED_TOOLS", "outer,other")
    ran = []
    with open_shell(capsys) as shell:
        shell.deck.policy = "auto"
        shell.deck.add(ran.append, name="probe", effects="none")
        result = path(shell, "probe", {"object": 3})
    assert (result.status, ran) == ("denied", [])
    assert "TOOLDECK_ALLOWED_TOOLS" in result.error
