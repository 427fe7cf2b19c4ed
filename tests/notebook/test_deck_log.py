"""``%deck log`` and ``%deck replay``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ipython_shell import Shell, open_shell

from tooldeck import Deck


@pytest.fixture
def added(shell: Shell) -> Shell:
    shell.run("%%tool --effects none\ndef add(a: int, b: int = 2) -> int:\n    return a + b")
    shell.run("%call add a=1")
    shell.run('%call add {"a": "x"}')
    return shell


def test_the_log_lists_calls_with_the_numbers_that_replay_takes(added: Shell) -> None:
    said = added.shown("%deck log")
    assert [line.split()[0] for line in said.splitlines() if "add(" in line] == ["1", "2"]
    assert "add(a=1)" in said
    assert "invalid" in said
    assert added.run("%deck replay 1").value == 3
    assert added.run("%deck replay 1 b=40").value == 41


def test_the_log_is_narrowed_by_number_tool_and_status(added: Shell) -> None:
    assert "add(a=1)" not in added.shown("%deck log 1")
    assert "invalid" not in added.shown("%deck log --status ok")
    assert "No such call" in added.shown("%deck log --tool other")


def test_the_log_is_written_as_json_lines(added: Shell, tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    assert "Wrote 2 calls" in added.shown(f"%deck log --export {file}")
    assert [json.loads(line)["status"] for line in file.read_text().splitlines()] == ["ok", "invalid"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%deck log many", "the number of calls"),
        ("%deck log --status fin", "Unknown status 'fin'"),
        ("%deck log --export /no/such/folder/x", "cannot write"),
        ("%deck lgo", "did you mean log?"),
        ("%deck replay", "%deck replay 12"),
        ("%deck replay 99", "no call 99"),
        ("%deck replay 1 b", "write key=value"),
    ],
)
def test_a_mistake_is_one_sentence(added: Shell, line: str, expected: str) -> None:
    assert expected in added.fails(line)


def test_a_secret_is_asked_for_where_somebody_can_answer(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.run("%%tool --effects none\ndef login(password: str) -> int:\n    return len(password)")
    shell.run("%call login password=sesame")
    assert "sesame" not in shell.shown("%deck log")
    assert "nobody can be asked" in shell.fails("%deck replay 1")
    from tooldeck.notebook.kernel.environment import Audience
    from tooldeck.notebook.magics import decks

    monkeypatch.setattr(decks, "audience", lambda: Audience.STDIN)
    monkeypatch.setattr(decks, "getpass", lambda prompt: f"{prompt}12")
    assert shell.run("%deck replay 1").value == len("password: 12")
    assert shell.run("%deck replay 1 password=xyz").value == 3


def test_a_deck_of_the_users_own_without_a_store_shows_its_history(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with open_shell(capsys) as shell:
        shell.ip.run_line_magic("unload_ext", "tooldeck")
        shell.ip.user_ns["deck"] = Deck(policy="auto")
        shell.ip.run_line_magic("load_ext", "tooldeck")
        shell.deck.call("nothing")
        assert "nothing()" in shell.shown("%deck log")
        assert "Deck(store=" in shell.fails("%deck log 3")


@pytest.mark.parametrize(("given", "kept"), [("", True), ("off", False), (":memory:", False)])
def test_a_notebook_keeps_its_log_beside_itself_from_the_first_call_on(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    given: str,
    kept: bool,
) -> None:
    monkeypatch.setenv("TOOLDECK_STORE", given)
    monkeypatch.chdir(tmp_path)
    for earlier in range(2):
        with open_shell(capsys) as shell:
            assert (tmp_path / ".tooldeck").exists() == (kept and earlier == 1)
            shell.deck.call("nothing")
            assert (tmp_path / ".tooldeck" / "deck.db").exists() == kept
            if kept:
                assert len(shell.deck.log()) == earlier + 1


def test_results_are_recorded_and_played_by_a_line(added: Shell, tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    assert "until %deck record off" in added.shown(f"%deck record {file}")
    added.run("%call add a=1 b=10")
    assert "Recorded 1 results" in added.shown("%deck record off")
    added.run("%%tool --effects none\ndef add(a: int, b: int = 2) -> int:\n    raise RuntimeError")
    assert "1 results" in added.shown(f"%deck replay {file}")
    assert added.run("%call add a=1 b=10").value == 11
    assert added.run("%call add a=1 b=11").status == "blocked"
    assert "Calls run again" in added.shown("%deck replay off")
    assert added.run("%call add a=1 b=10").status == "failed"
    assert "No replay" in added.shown("%deck replay off")
    assert "%deck record results.jsonl" in added.fails("%deck record")
    assert "There is no recording 'missing.jsonl'" in added.fails("%deck replay missing.jsonl")
