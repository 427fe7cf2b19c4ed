"""The preview of a call: told before anybody is asked, complete, and without a say in the matter."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tooldeck import BaseTool, Decision, Deck, DefinitionError, tool
from tooldeck.core.preview import MAX_CHARS
from tooldeck.hosts.prompt import question
from tooldeck.testing import fake_deck


def write(path: str, text: str = "new"):
    """Write a file."""
    return f"wrote {path}"


def shown(run, preview, answers=(False,), **arguments):
    deck, host = fake_deck(answers)
    deck.add(write, effects="write", preview=preview)
    run(deck, "write", arguments or {"path": "a"})
    return host.requests[0].preview


def test_a_preview_is_given_the_arguments_that_it_names_defaults_included(run):
    assert shown(run, lambda path, text: f"{path} becomes {text}") == "a becomes new"
    assert shown(run, lambda text: text, path="a", text="b") == "b"
    assert shown(run, lambda **given: sorted(given.items()).__repr__()) == "[('path', 'a'), ('text', 'new')]"
    assert shown(run, lambda: "nothing to say of it") == "nothing to say of it"


def test_a_preview_is_made_anew_for_edited_arguments(run):
    deck, host = fake_deck([False])
    deck.add(write, effects="write", preview=lambda path, text: f"{path} becomes {text}")
    run(deck, "write", path="a")
    (request,) = host.requests
    assert asyncio.run(request.foresee(host, {"path": "b", "text": "c"})) == "b becomes c"
    assert request.preview == "a becomes new"


async def preview_later(path):
    await asyncio.sleep(0)
    return f"later {path}"


def test_a_preview_may_be_async(run):
    assert shown(run, preview_later) == "later a"


def test_a_preview_is_made_only_where_somebody_is_asked(run):
    made = []
    deck, _ = fake_deck([Decision(True, scope="session")])
    deck.add(write, effects="write", preview=lambda path: made.append(path) or "p")
    assert run(deck, "write").status == "invalid"
    assert made == []
    run(deck, "write", path="a")
    run(deck, "write", path="b")
    assert made == ["a"]
    deck.policy.deny("write")
    run(deck, "write", path="c")
    assert made == ["a"]


def explode(path):
    raise OSError("no such file")


@pytest.mark.parametrize(
    ("preview", "says"),
    [
        (explode, "no preview: it raised OSError: no such file"),
        (lambda path: 5, "no preview: it gave 5, which is no text"),
        (lambda path: None, "no preview: it gave None, which is no text"),
        (lambda path: "", "no preview: it is empty"),
        (
            lambda path: "x" * (MAX_CHARS + 1),
            "no preview: 500001 characters are more",
        ),
    ],
    ids=["raises", "number", "nothing", "empty", "endless"],
)
def test_a_preview_that_fails_says_so_and_decides_nothing(run, preview, says):
    assert shown(run, preview, answers=[True]).startswith(says)
    deck, _ = fake_deck([True])
    deck.add(write, effects="write", preview=preview)
    assert run(deck, "write", path="a").ok


def test_a_preview_that_takes_too_long_is_left_behind(run, monkeypatch):
    monkeypatch.setattr("tooldeck.core.preview.SECONDS", 0.05)
    release = threading.Event()
    asked = []

    def slow(path):
        release.wait(20)
        return "too late"

    def approver(request):
        asked.append(request.preview)
        return Decision(True)

    deck = Deck(approver=approver)
    deck.add(write, effects="write", preview=slow)
    try:
        assert run(deck, "write", path="a").ok
    finally:
        release.set()
    assert asked == ["no preview: it took longer than 0.05 s"]


@pytest.mark.parametrize(
    ("preview", "says"),
    [(explode, "it raised OSError: no such file."), (lambda path: "", "it is empty.")],
    ids=["raises", "empty"],
)
def test_nobody_is_asked_blindly_where_the_author_demands_a_preview(run, preview, says):
    deck, host = fake_deck([True])
    deck.add(write, effects="write", preview=preview, preview_within=5)
    result = run(deck, "write", path="a")
    assert (result.status, host.requests) == ("denied", [])
    assert result.error == f"write needs approval, and nobody can judge it without a preview: {says}"
    deck.policy.allow("write")
    assert run(deck, "write", path="a").ok  # nobody has to judge it


def test_a_preview_that_is_demanded_has_the_time_that_the_author_gives_it(run, monkeypatch):
    monkeypatch.setattr("tooldeck.core.preview.SECONDS", 0.01)
    release, asked = threading.Event(), []

    def approver(request):
        asked.append(request.preview)
        return Decision(True)

    def slow(path):
        return "in the end" if release.wait(20 if len(path) > 1 else 0.05) else "not yet"

    def stuck(path):
        release.wait(20)
        return "too late"

    deck = Deck(approver=approver)
    deck.add(write, effects="write", preview=slow, preview_within=20)
    assert run(deck, "write", path="a").ok
    deck.add(write, name="other", effects="write", preview=stuck, preview_within=0.05)
    try:
        refused = run(deck, "other", path="a")
    finally:
        release.set()
    assert (refused.status, asked) == ("denied", ["not yet"])
    assert "without a preview: it took longer than 0.05 s." in refused.error


def test_what_would_change_must_still_be_what_was_approved(run):
    """Also what was edited in the question must have a preview, which the person may not have waited for."""
    shown = ["one", "another"]
    deck, _ = fake_deck([True, True, Decision(True, {"path": "b"}), Decision(True, {"path": "gone"})])
    deck.add(
        write,
        effects="write",
        preview=lambda path: shown.pop(0) if path == "a" and shown else {"a": "x", "b": "y"}[path],
        preview_within=5,
    )
    changed = run(deck, "write", path="a")
    assert changed.status == "denied"
    assert "would change something else by now than what was approved" in changed.error
    assert run(deck, "write", path="a").value == "wrote a"
    assert run(deck, "write", path="a").value == "wrote b"
    unseen = run(deck, "write", path="a")
    assert (unseen.status, "KeyError" in unseen.error) == ("denied", True)
    with pytest.raises(DefinitionError, match="preview_within needs the option preview as well"):
        Deck().add(write, preview_within=5)


def test_a_preview_cannot_change_what_is_approved(run):
    def tidy(names):
        names.clear()
        return "all gone"

    deck, _ = fake_deck([True])
    deck.add(lambda names: names, name="keep", preview=tidy)
    assert run(deck, "keep", names=["a", "b"]).value == ["a", "b"]


def test_a_preview_that_wants_what_the_tool_has_not_is_refused_where_it_is_given():
    for given in (lambda file: "", lambda path, mode: ""):
        with pytest.raises(DefinitionError, match="which the tool has not; it may take path, text"):
            Deck().add(write, preview=given)
    with pytest.raises(DefinitionError, match="preview must be a function"):
        Deck().add(write, preview="diff")
    Deck().add(lambda **given: 1, name="any", preview=lambda whatever: "")


def test_a_preview_works_for_decorated_functions_classes_and_records(run):
    @tool(effects="write", preview=lambda path: f"decorated {path}")
    def decorated(path: str):
        return path

    class Written(BaseTool):
        name = "written"
        effects = "write"

        def run(self, path: str):
            return path

        def preview(self, path: str):
            return f"{self.name} {path}"

    record = {
        "name": "recorded", "parameters": {"type": "object"}, "function": lambda **given: 1,
        "preview": lambda path: f"recorded {path}",
    }  # fmt: skip
    deck, host = fake_deck([False] * 3)
    for thing in (decorated, Written(), record):
        run(deck, deck.add(thing).name, path="a")
    assert [request.preview for request in host.requests] == ["decorated a", "written a", "recorded a"]


def test_a_prompt_shows_the_whole_preview_and_no_line_of_it_poses_as_ours(run):
    deck, host = fake_deck([False])
    text = "line 1\nApprove? [y]es\u202e\rx\n" + "z" * 3_000
    deck.add(write, effects="write", preview=lambda: text)
    run(deck, "write", path="a" * 500 + "; drop table users")
    asked = question(host.requests[0])
    assert "; drop table users" in asked
    assert asked.split("what it would change:\n")[1].splitlines() == [
        "  | line 1", "  | Approve? [y]es\\u202e\\rx", "  | " + "z" * 3_000,
    ]  # fmt: skip
