"""The log of calls: what is in it, what is not, what it survives, and running a logged call again."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import sqlite3
import subprocess
import sys
import threading

import pytest
from pydantic import SecretStr

from tooldeck import Ask, Decision, Deck, DefinitionError, Run, SetupError, calling
from tooldeck.store import SqliteStore
from tooldeck.store.log import write_jsonl
from tooldeck.testing import fake_deck


@pytest.fixture
def logged():
    """A deck on a fake host with a log in memory, and that host."""
    return fake_deck(policy="auto", store=":memory:")


def add(a: int, b: int = 2) -> int:
    """Add."""
    return a + b


def test_every_call_is_in_the_log_with_how_it_ended(run, logged):
    deck, _ = logged
    deck.add(add, effects="none")
    run(deck, "add", a="1")
    run(deck, "add", a="x")
    run(deck, "ad", a=1)
    first, second, third = deck.log()
    assert (first.name, first.arguments, first.status, first.attempts) == ("add", {"a": 1}, "ok", 1)
    assert first.result == "3"
    assert "read" in first.notes[0]
    assert first.seconds is not None
    assert (second.status, second.attempts) == ("invalid", 0)
    assert "valid integer" in second.error
    assert (third.status, third.origin) == ("unknown", None)
    assert "did you mean 'add'" in third.error


def test_who_called_and_what_people_and_stages_decided_is_in_it(run):
    def approved(request):
        return Decision(True, {"a": 5}, scope="session", note="go on")

    deck, _ = fake_deck([approved, Decision(False, note="too much")], store=":memory:")
    deck.add(add, effects="write")
    with calling("model", run=Run(), label="gpt"):
        run(deck, "add", a=1)
    deck.policy.revoke()
    run(deck, "add", a=2)
    first, second = deck.log()
    assert (first.source, first.label, first.run is None) == ("model", "gpt", False)
    assert first.arguments == {"a": 5}
    assert first.decisions["approve"] == "approved by you"
    (answer,) = first.approvals
    assert (answer["approved"], answer["scope"], answer["note"], answer["edited"]) == (
        True,
        "session",
        "go on",
        True,
    )
    assert second.status == "denied"
    assert (second.approvals[0]["approved"], second.approvals[0]["note"]) == (False, "too much")


def test_a_call_within_a_call_names_its_parent(run, logged):
    deck, _ = logged
    deck.add(add, effects="none")

    @deck.tool(effects="none")
    def twice(a: int) -> int:
        return deck.call("add", a=a, b=a).value

    run(deck, "twice", a=3)
    outer, inner = deck.log()
    assert (outer.name, inner.name, inner.parent) == ("twice", "add", outer.call)


def test_the_last_calls_are_chosen_by_number_tool_and_status(logged):
    deck, _ = logged
    deck.add(add, effects="none")
    deck.add(lambda: 1, name="git_log", effects="none")
    for a in range(3):
        deck.call("add", a=a)
    deck.call("git_log")
    deck.call("add", a="x")
    assert [entry.arguments["a"] for entry in deck.log(2, tool="add")] == [2, "x"]
    assert [entry.name for entry in deck.log(tool="git_*")] == ["git_log"]
    assert len(deck.log(None, status="ok")) == 4
    assert deck.log(0) == []
    for wrong in ({"n": -1}, {"n": True}, {"status": "fine"}):
        with pytest.raises(DefinitionError):
            deck.log(**wrong)
    with pytest.raises(DefinitionError, match="did you mean 'unfinished'"):
        deck.log(status="unfinishd")


def test_a_deck_without_a_store_keeps_nothing_and_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    deck = Deck(policy="auto")
    deck.call(add, a=1)
    assert deck.store is None
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(SetupError, match="store="):
        deck.log()


def test_a_call_is_in_the_log_while_it_runs(logged):
    deck, _ = logged
    seen = []

    @deck.tool(effects="none")
    def look(x: int) -> None:
        seen.extend(deck.log(status="running"))
        seen.extend(deck.log(status="unfinished"))

    deck.call("look", x=1)
    (entry,) = seen
    assert (entry.name, entry.arguments, entry.attempts, entry.seconds) == ("look", {"x": 1}, 1, None)
    assert deck.log()[0].status == "ok"


def test_an_interrupted_call_is_in_the_log_as_cancelled(logged):
    deck, _ = logged

    @deck.tool(effects="none")
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        deck.call("stop")
    assert deck.log()[0].status == "cancelled"


KILLED = """
import os, signal, sys
from tooldeck import Deck
deck = Deck(policy="auto", store=sys.argv[1])

@deck.tool(effects="write")
def note(text: str) -> str:
    return text

@deck.tool(effects="execute")
def die(after: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)

deck.call("note", text="before")
deck.call("die", after=1)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_the_log_survives_a_killed_program_with_the_call_that_never_ended(tmp_path):
    path = tmp_path / "deck.db"
    done = subprocess.run([sys.executable, "-c", KILLED, path], timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    deck = Deck(policy="auto", store=path)
    ended, killed = deck.log()
    assert (ended.name, ended.status) == ("note", "ok")
    assert (killed.name, killed.arguments, killed.status, killed.attempts) == (
        "die",
        {"after": 1},
        "unfinished",
        1,
    )
    assert deck.log(status="unfinished") == [killed]


class Anything:
    def __repr__(self) -> str:
        return "<an object>"


def test_secrets_are_in_no_column(run, tmp_path):
    path = tmp_path / "deck.db"
    deck, _ = fake_deck([Decision(False, note="not with open sesame")], store=path)

    @deck.tool(effects="none")
    def login(word: SecretStr, apiKey: str = "", n: int = 0) -> str:
        """Log in."""
        raise ValueError(f"{word.get_secret_value()} and {apiKey} are wrong")

    secrets = {"word": "open sesame", "apiKey": "k-1234567"}
    run(deck, "login", **secrets)
    run(deck, "login", **secrets, n="open sesame")
    run(deck, "login", json.dumps(secrets)[:-4])
    deck.policy.ask("login")
    run(deck, "login", **secrets)
    deck.close()
    assert deck.log()[0].masked == ("apiKey", "word")
    deck.close()
    everything = repr(sqlite3_rows(path))
    assert "sesame" not in everything
    assert "k-1234567" not in everything
    assert len(deck.log()) == 4


def sqlite3_rows(path):
    database = sqlite3.connect(path)
    try:
        return database.execute("SELECT * FROM calls").fetchall()
    finally:
        database.close()


def test_hostile_arguments_and_results_do_not_disturb_log_or_call(run, logged, caplog):
    deck, _ = logged

    class Angry:
        def __repr__(self) -> str:
            raise RuntimeError("no")

        __str__ = __repr__

    @deck.tool(effects="none")
    def give(x: object = None) -> object:
        return "taken" if x is endless else x

    endless = (n for n in iter(int, 1))
    for value in (Angry(), endless, "\ud800 lone", "nul\0", 10**400, {1: 2}):
        result = run(deck, "give", x=value)
        assert result.ok, result
    run(deck, "\ud800")
    assert len(deck.log()) == 7
    assert caplog.records == []


def test_a_long_result_and_long_arguments_are_bounded(logged):
    deck, _ = logged
    deck.add(lambda text: text * 2, name="double", effects="none", max_chars=100_000)
    deck.call("double", text="x" * 30_000)
    deck.call("double", text="x" * 200_000)
    first, second = deck.log()
    assert len(first.result) <= 4_000
    assert len(first.arguments["text"]) == 30_000
    assert second.arguments is None
    with pytest.raises(DefinitionError, match="not stored whole"):
        deck.replay(second.id)


def test_the_oldest_calls_go_when_there_are_too_many(tmp_path, monkeypatch):
    monkeypatch.setattr("tooldeck.store.audit.KEPT", 3)
    for _ in range(2):
        deck = Deck(policy="auto", store=tmp_path / "deck.db")
        deck.add(add, effects="none")
        for a in range(5):
            deck.call("add", a=a)
    assert [entry.id for entry in deck.log(None)] == [3, 4, 5, 6, 7, 8, 9, 10]


def test_a_locked_database_is_said_once_and_calls_go_on(tmp_path, caplog, monkeypatch):
    clock = [1_000.0]
    monkeypatch.setattr("tooldeck.store.audit.time.monotonic", lambda: clock[0])
    monkeypatch.setattr("tooldeck.store.sqlite.BUSY_SECONDS", 0.01)
    path = tmp_path / "deck.db"
    deck = Deck(policy="auto", store=path)
    deck.add(add, effects="none")
    deck.call("add", a=1)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    assert [deck.call("add", a=a).value for a in range(3)] == [2, 3, 4]
    (record,) = caplog.records
    assert f"{str(path)!r} is locked by another program" in record.message
    assert record.message.endswith("Calls go on, and are not recorded.")
    other.execute("ROLLBACK")
    other.close()
    clock[0] += 31
    assert deck.call("add", a=9).ok
    assert [entry.arguments["a"] for entry in deck.log()] == [1, 9]
    assert "recorded again" in caplog.records[-1].message


def test_a_corrupt_database_is_said_once_and_calls_go_on(run, tmp_path, caplog):
    path = tmp_path / "deck.db"
    path.write_text("this is no database" * 100)
    deck, _ = fake_deck(policy="auto", store=path)
    deck.add(add, effects="none")
    assert [run(deck, "add", a=a).value for a in range(3)] == [2, 3, 4]
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "not a database" in record.message


def test_calls_of_many_threads_and_tasks_are_all_in_the_log(tmp_path):
    deck = Deck(policy="auto", store=tmp_path / "deck.db")
    deck.add(add, effects="none")
    threads = [threading.Thread(target=lambda: [deck.call("add", a=a) for a in range(10)]) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    async def together():
        await asyncio.gather(*(deck.acall("add", a=a) for a in range(10)))

    asyncio.run(together())
    entries = deck.log(None)
    assert len(entries) == 40
    assert {entry.status for entry in entries} == {"ok"}


# --- again


def replayed(run, deck, id, **arguments):
    if type(run).__name__ == "Awaited":
        return asyncio.run(deck.areplay(id, **arguments))
    return deck.replay(id, **arguments)


def test_a_replayed_call_runs_todays_tool_with_the_logged_arguments(run, logged):
    deck, _ = logged
    deck.add(add, effects="none")
    deck.call("add", a="5")

    def newer(a: int, b: int = 2) -> int:
        return a * b

    deck.remove("add")
    deck.add(newer, name="add", effects="none")
    assert replayed(run, deck, 1).value == 10
    assert replayed(run, deck, 1, b=3).value == 15
    assert [entry.arguments for entry in deck.log()] == [{"a": 5}, {"a": 5}, {"a": 5, "b": 3}]


def test_a_replayed_call_is_guarded_like_any_other(run, logged):
    deck, host = logged
    deck.add(add, effects="write")
    deck.call("add", a=1)
    deck.policy = "default"
    assert replayed(run, deck, 1).status == "denied"
    assert len(host.requests) == 1
    deck.remove("add")
    assert replayed(run, deck, 1).status == "unknown"


def test_masked_arguments_must_be_given_again(run, logged):
    deck, _ = logged

    @deck.tool(effects="none")
    def login(word: SecretStr, user: str) -> str:
        return f"{user} {word.get_secret_value()}"

    deck.call("login", word="open", user="ada")
    with pytest.raises(DefinitionError, match=r"secrets, which are not stored: word; .*replay\(1, word=…\)"):
        replayed(run, deck, 1)
    assert replayed(run, deck, 1, word="open").value == "ada open"


def test_what_could_not_be_stored_or_is_not_there_cannot_be_replayed(run, logged):
    deck, _ = logged

    @deck.tool(effects="none")
    def show(x: object) -> str:
        return str(x)

    deck.call("show", x=Anything())
    assert deck.log()[0].arguments == {"x": "<an object>"}
    with pytest.raises(DefinitionError, match="not stored whole"):
        replayed(run, deck, 1)
    with pytest.raises(DefinitionError, match="no call 99 in the log"):
        replayed(run, deck, 99)
    with pytest.raises(DefinitionError, match="by its number"):
        replayed(run, deck, "1")


def test_the_log_becomes_a_file_with_an_object_a_line(tmp_path, logged):
    deck, _ = logged
    deck.add(add, effects="none")
    deck.call("add", a=1)
    deck.call("nö", a=1)
    assert write_jsonl(deck.log(None), tmp_path / "log.jsonl") == 2
    first, second = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text("utf-8").splitlines()]
    assert (first["name"], first["arguments"], first["status"]) == ("add", {"a": 1}, "ok")
    assert second["name"] == "nö"


def test_a_store_of_the_users_own_is_used_and_left_open_by_nobody_else(logged):
    store = SqliteStore()
    one, two = Deck(policy="auto", store=store), Deck(policy="auto", store=store)
    one.call(add, a=1)
    two.call(add, a=2)
    assert one.store is store
    assert [entry.arguments["a"] for entry in two.log()] == [1, 2]
    assert one.log()[0].session != one.log()[1].session


def test_calls_with_the_same_id_at_the_same_time_are_told_apart(logged):
    deck, _ = logged
    both = threading.Barrier(2)

    def wait(x: int) -> int:
        both.wait(10)
        return x

    deck.add(wait, effects="none")
    deck.call_many([{"id": "call_0", "name": "wait", "arguments": {"x": x}} for x in (1, 2)])
    assert sorted((entry.status, entry.arguments["x"], entry.result) for entry in deck.log()) == [
        ("ok", 1, "1"),
        ("ok", 2, "2"),
    ]


def test_no_secret_comes_in_by_a_name_a_label_or_a_reason(run):
    token = "ghp_" + "a" * 30
    deck, _ = fake_deck([Decision(True)], store=":memory:")
    deck.add(lambda password: "ran", name="login", effects="write")
    deck.before_tool(lambda call: Ask(f"it sends {call.raw['password']}"), tools="login")
    with calling(label=token):
        assert run(deck, "login", password="open sesame").ok
    run(deck, token, a=1)
    stored = repr(deck.log())
    assert token not in stored
    assert "open sesame" not in stored
    assert len(deck.log()) == 2


def test_a_damaged_entry_hides_no_other_and_cannot_be_replayed(tmp_path):
    deck = Deck(policy="auto", store=tmp_path / "deck.db")
    deck.add(add, effects="none")
    for a in (1, 2, 3, 4):
        deck.call("add", a=a)
    with sqlite3.connect(tmp_path / "deck.db") as other:
        other.execute("UPDATE calls SET arguments = '{bad' WHERE id = 1")
        other.execute("UPDATE calls SET approvals = '5', name = x'ff00' WHERE id = 2")
        other.execute("UPDATE calls SET arguments = '[1]' WHERE id = 3")
    other.close()
    entries = deck.log()
    assert [entry.result for entry in entries] == ["3", "4", "5", "6"]
    assert [entry.notes for entry in entries] == [("this entry of the log is damaged",)] * 3 + [()]
    with pytest.raises(DefinitionError, match="not stored whole"):
        deck.replay(1)
    deck.close()
