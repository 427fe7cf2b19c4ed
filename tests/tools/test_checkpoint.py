"""Moments of a workspace and a conversation, and the way back to them that harms nobody's own work."""

from __future__ import annotations

import subprocess

import pytest

from tooldeck import Deck
from tooldeck.core.cells import Cell
from tooldeck.core.messages import ModelReply, ToolRequest
from tooldeck.store import checkpoints
from tooldeck.store.checkpoints import Checkpoints


@pytest.fixture
def deck(root):
    made = Deck(policy="auto", workspace=root, store=":memory:")
    made.add_builtins("checkpoint", "file", "apply_patch")
    return made


@pytest.fixture
def go(do):
    """``go("save", label=…)`` is a call of an action that has to succeed, and gives its value."""
    return lambda action, **arguments: do("checkpoint", action, **arguments)


def git(root, *words):
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout


def state_of(root):
    words = (
        ("status", "--porcelain"),
        ("stash", "list"),
        ("log", "--all"),
        ("branch",),
        ("diff", "--cached"),
    )
    return [git(root, *one) for one in words]


@pytest.mark.parametrize("with_git", [True, False])
def test_files_go_back_and_everything_of_the_person_stays(do, go, root, with_git):
    for name, text in {"a.txt": "committed\n", "draft.txt": "draft\n", ".env": "KEY=1\n"}.items():
        (root / name).write_text(text)
    (root / "data").mkdir()
    (root / "data" / "big.bin").write_bytes(b"\0" * 10)
    (root / ".gitignore").write_text(".env\ndata/\n")
    if with_git:
        git(root, "init", "-q")
        git(root, "add", "a.txt", ".gitignore")
        git(root, "commit", "-qm", "first")
        (root / "b.txt").write_text("staged\n")
        git(root, "add", "b.txt")
    (root / "a.txt").write_text("committed\nmine\n")
    before = state_of(root) if with_git else []
    saved = go("save", label="start")["id"]
    do("file", "write", path="a.txt", content="the tool's\n")
    do("file", "write", path="new/made.txt", content="by the tool\n")
    (root / "since.txt").write_text("written by the person since\n")
    (root / ".env").write_text("KEY=2\n")
    told = go("rollback", id=saved, scope="files")
    assert (told["restored"], told["removed"], told["left_alone"]) == (["a.txt"], ["new/made.txt"], [])
    assert (root / "a.txt").read_text() == "committed\nmine\n"
    assert not (root / "new" / "made.txt").exists()
    assert (root / "draft.txt").read_text() == "draft\n"
    assert (root / "since.txt").read_text() == "written by the person since\n"
    assert (root / ".env").read_text() == "KEY=2\n"
    assert (root / "data" / "big.bin").exists()
    (root / "since.txt").unlink()
    assert not with_git or state_of(root) == before


def test_what_somebody_else_changed_is_in_the_way_unless_it_is_forced(do, go, refused, root):
    (root / "mine.txt").write_text("one\n")
    (root / "tools.txt").write_text("one\n")
    saved = go("save", label="start")["id"]
    do("file", "write", path="tools.txt", content="two\n")
    (root / "mine.txt").write_text("two, by hand\n")
    words = refused("checkpoint", "rollback", id=saved, scope="files")
    assert "somebody else has changed mine.txt" in words
    assert (root / "tools.txt").read_text() == "two\n"
    planned = go("rollback", id=saved, scope="files", dry_run=True)
    assert (planned["restored"], planned["left_alone"]) == (["tools.txt"], ["mine.txt"])
    assert (root / "tools.txt").read_text() == "two\n"
    undone = go("rollback", id=saved, scope="files", force=True)
    assert (root / "mine.txt").read_text() == (root / "tools.txt").read_text() == "one\n"
    go("rollback", id=undone["saved_before"], scope="files")
    assert (root / "mine.txt").read_text() == "two, by hand\n"


def test_a_file_that_a_person_edited_after_the_tool_is_the_persons(do, go, refused, root):
    (root / "a.txt").write_text("one\n")
    saved = go("save", label="start")["id"]
    do("file", "write", path="a.txt", content="two\n")
    do("file", "write", path="new.txt", content="made\n")
    (root / "a.txt").write_text("two\nand mine\n")
    (root / "new.txt").write_text("made\nand mine\n")
    assert "has changed a.txt, new.txt since" in refused("checkpoint", "rollback", id=saved, scope="files")
    go("rollback", id=saved, scope="files", force=True)
    assert (root / "a.txt").read_text() == "one\n"
    assert (root / "new.txt").read_text() == "made\nand mine\n"  # there is nothing to put in its place


def test_a_file_that_was_removed_comes_back_with_its_bytes_and_mode(do, go, root):
    (root / "run.sh").write_bytes(b"#!/bin/sh\r\n\xff\n")
    (root / "run.sh").chmod(0o750)
    saved = go("save", label="start")["id"]
    do("apply_patch", "apply", patch="*** Begin Patch\n*** Delete File: run.sh\n*** End Patch\n")
    assert go("rollback", id=saved, scope="files")["restored"] == ["run.sh"]
    assert (root / "run.sh").read_bytes() == b"#!/bin/sh\r\n\xff\n"
    assert (root / "run.sh").stat().st_mode & 0o777 == 0o750


def test_the_difference_says_what_changed_and_who_did_it(do, go, root):
    (root / "a.txt").write_text("one\n")
    (root / "b.bin").write_bytes(b"\0\1")
    go("save", label="start")
    do("file", "edit", path="a.txt", old="one", new="two")
    (root / "b.bin").write_bytes(b"\0\2\3")
    told = go("diff", id="last")
    assert told["files"] == [
        {"path": "a.txt", "change": "changed", "by": "file edit"},
        {"path": "b.bin", "change": "changed", "by": "somebody else"},
    ]
    assert "-one\n+two\n" in told["diff"]


def test_a_difference_is_read_as_lines_and_what_it_shows_from_elsewhere_is_fenced(deck, do, go, root):
    deck.add(
        lambda: "a page that nobody vouches for\n" * 3, name="page", effects="network", trust="untrusted"
    )
    do("file", "write", path="note.md", content=do("page"))
    saved = go("save", label="start")["id"]
    (root / "note.md").write_text("my own words\n")
    result = deck.call("checkpoint", action="diff", id=saved)
    assert "note.md: changed by somebody else\n--- a/note.md\n" in result.text
    assert "\n-a page that nobody vouches for\n" in result.text
    assert result.text.startswith("«outside ")
    (root / "note.md").write_text("a page that nobody vouches for\n" * 3)
    assert "no file has changed" in deck.call("checkpoint", action="diff", id=saved).text


def test_a_link_that_took_the_place_of_a_file_is_not_followed(do, go, refused, root):
    (root / "a.txt").write_text("one\n")
    saved = go("save", label="start")["id"]
    (root / "a.txt").unlink()
    (root / "a.txt").symlink_to("../out/secret.txt")
    assert "somebody else has changed a.txt" in refused("checkpoint", "rollback", id=saved, scope="files")
    assert "somebody else" in str(
        go("rollback", id=saved, scope="files", dry_run=True) | {"by": "somebody else"}
    )
    assert (root.parent / "out" / "secret.txt").read_text() == "secret\n"


def test_large_files_and_secrets_are_named_and_not_kept(deck, go, root, monkeypatch):
    monkeypatch.setattr("tooldeck.tools.checkpoints.files.MOST_BYTES", 100)
    (root / "large.bin").write_bytes(b"x" * 101)
    (root / "server.key").write_text("secret\n")
    (root / "a.txt").write_text("one\n")
    made = go("save", label="start")
    assert made["not_kept"] == ["large.bin", "server.key"]
    assert list(Checkpoints(deck.store).files(made["id"])) == ["a.txt"]


def test_unknown_ids_are_answered_with_those_that_are_there(go, refused):
    assert "no checkpoint of this workspace yet" in refused("checkpoint", "diff", id="last")
    saved = go("save", label="start")["id"]
    assert saved in refused("checkpoint", "diff", id="cp_nothing")


def test_the_oldest_go_and_so_do_contents_that_nothing_needs(deck, go, root, monkeypatch):
    monkeypatch.setattr(checkpoints, "MOST", 2)
    for number in range(4):
        (root / "a.txt").write_text(f"state {number}\n")
        go("save", label=str(number))
    assert [one["label"] for one in go("list")["checkpoints"]] == ["2", "3"]
    assert deck.store.run("SELECT count(*) FROM contents").rows == [(2,)]


def test_the_cell_that_ran_is_noted_where_there_is_one(deck, go):
    deck.provide(Cell, Cell(7))
    assert go("save", label="start")["cell"] == 7


def test_a_rollback_shows_beforehand_what_it_will_change(root):
    asked = []
    deck = Deck(workspace=root, store=":memory:", approver=lambda request: asked.append(request.preview))
    deck.policy.allow("file")
    deck.add_builtins("checkpoint", "file")
    (root / "a.txt").write_text("one\n")
    deck.call("checkpoint", action="save", label="start").unwrap()
    deck.call("file", action="write", path="a.txt", content="two\n").unwrap()
    assert deck.call("checkpoint", action="rollback", id="last", scope="files").status == "denied"
    assert asked == ["--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-two\n+one\n"]
    assert (root / "a.txt").read_text() == "two\n"


class _Seen:
    """A model that says one thing after the other, whatever it is told; keeps what that was."""

    def __init__(self, *steps):
        self.told = []
        self._steps = [*steps]

    def __call__(self, messages, tools):
        self.told.append([(one.role, one.text) for one in messages if one.role != "system"])
        step = self._steps.pop(0)
        if isinstance(step, str):
            return ModelReply(step)
        return ModelReply(requests=(ToolRequest(f"id-{len(self.told)}", *step),))


def call(action, **arguments):
    return ("checkpoint", {"action": action, **arguments})


def test_a_conversation_goes_back_whole_rounds_at_a_time_and_the_report_stays(deck, root):
    (root / "a.txt").write_text("one\n")
    model = _Seen(
        call("save", label="start"),
        ("file", {"action": "write", "path": "a.txt", "content": "a mistake\n"}),
        call("rollback", id="last", report="Writing there was a mistake."),
        "Done.",
    )
    result = deck.run("Repair it.", model=model)
    assert result.text == "Done."
    last = model.told[-1]
    assert last[0] == ("user", "Repair it.")
    assert len(last) == 2
    assert last[1][0] == "user"
    assert "taken back to the checkpoint" in last[1][1]
    assert "Writing there was a mistake." in last[1][1]
    assert (root / "a.txt").read_text() == "one\n"
    requests = [request.id for one in result.messages for request in one.requests]
    answers = [answer.id for one in result.messages for answer in one.answers]
    assert requests == answers


def test_messages_that_were_put_together_can_be_read_again(deck):
    model = _Seen(
        call("save", label="start"),
        call("list"),
        call("collapse", id="last", summary="There is one checkpoint."),
        "Done.",
    )
    result = deck.run("Look.", model=model)
    last = model.told[-1]
    assert "There is one checkpoint." in last[1][1]
    assert [role for role, _ in last] == ["user", "user", "assistant", "tool"]
    (whole,) = [one for one in deck.call("checkpoint", action="list").value["checkpoints"] if "kind" in one]
    shown = deck.call("checkpoint", action="show", id=whole["id"]).value
    assert shown["of"] == 5
    assert [one["role"] for one in shown["messages"]] == ["user", "assistant", "tool", "assistant", "tool"]
    assert "start" in shown["messages"][2]["text"]
    assert result.text == "Done."


def test_a_later_deck_has_the_messages_to_go_on_with(deck):
    deck.run("Look.", model=_Seen(call("list"), call("save", label="start"), "Done."))
    (one,) = Checkpoints(deck.store).list(str(deck.workspace.root))
    kept = Checkpoints(deck.store).messages(one.id)
    assert [message.role for message in kept] == ["user", "assistant", "tool"]
    assert deck.run("Go on.", model=_Seen("Well."), messages=kept).text == "Well."


def test_outside_of_a_run_only_files_go_back(go, refused):
    go("save", label="start")
    assert "inside of a run" in refused("checkpoint", "rollback", id="last")
    assert "inside of a run" in refused("checkpoint", "collapse", id="last", summary="x")


def test_a_checkpoint_of_another_conversation_is_refused(deck):
    deck.run("One.", model=_Seen(call("save", label="start"), "Done."))
    result = deck.run("Two.", model=_Seen(call("rollback", id="last", scope="history"), "Done."))
    (step,) = result.calls
    assert "is of another conversation" in step.result.error
    assert len(result.messages) == 4


def test_a_deck_that_keeps_nothing_says_so(root):
    deck = Deck(policy="auto", workspace=root)
    deck.add_builtins("checkpoint")
    assert "Deck(store=" in deck.call("checkpoint", action="save", label="x").error


def test_secrets_are_not_written_down_and_the_conversation_keeps_them(deck):
    secret = "sk-ant-" + "a1B2c3D4" * 6
    model = _Seen(
        call("save", label="start"), call("list"), call("rollback", id="last", scope="history"), "Done."
    )
    deck.run(f"Use {secret} to look.", model=model)
    (row, *_) = deck.store.run("SELECT messages FROM checkpoints").rows
    assert secret not in row[0]
    assert model.told[-1][0] == ("user", f"Use {secret} to look.")
    assert "taken back" in model.told[-1][1][1]


def test_a_file_whose_older_state_nobody_knows_is_told_of_and_left(do, go, root):
    saved = go("save", label="start")["id"]
    (root / "a.txt").write_text("by the person, since\n")
    do("file", "write", path="a.txt", content="by the tool\n")
    assert go("diff", id=saved)["files"] == [
        {"path": "a.txt", "change": "changed, not kept", "by": "file write"}
    ]
    assert go("rollback", id=saved, scope="files")["left_alone"] == ["a.txt"]
    assert (root / "a.txt").read_text() == "by the tool\n"


@pytest.fixture
def programs(deck, root):
    """The deck with programs that may change the workspace, where the sandbox of this machine can do that."""
    deck.add_builtins("exec", "git")
    made = deck.call("exec", action="shell", argv=["true"], workspace="write")
    if not made.ok and "bubblewrap" in made.error:
        pytest.skip(made.error)
    return deck


def test_what_programs_of_the_deck_changed_is_theirs_and_goes_back(programs, do, go, refused, root):
    for name in ("kept.txt", "gone.txt", "mine.txt"):
        (root / name).write_text(f"{name} as it was\n")
    saved = go("save", label="before")["id"]
    line = "open('kept.txt', 'w').write('by code'); open('new.txt', 'w'); import os; os.remove('gone.txt')"
    do("exec", "python", code=line, workspace="write")
    told = {one["path"]: one["by"] for one in go("diff", id=saved)["files"]}
    assert told == {"kept.txt": "exec python", "new.txt": "exec python", "gone.txt": "exec python"}
    (root / "mine.txt").write_text("my own\n")
    assert "mine.txt" in refused("checkpoint", "rollback", id=saved, scope="files")
    (root / "mine.txt").write_text("mine.txt as it was\n")
    (root / "kept.txt").write_text("by me, after the program\n")
    assert "kept.txt" in refused("checkpoint", "rollback", id=saved, scope="files")
    do("exec", "shell", argv=["cp", "mine.txt", "kept.txt"], workspace="write")
    back = go("rollback", id=saved, scope="files")
    assert (back["restored"], back["removed"]) == (["gone.txt", "kept.txt"], ["new.txt"])
    assert (root / "kept.txt").read_text() == "kept.txt as it was\n"


def test_what_git_changed_by_a_call_is_taken_back_like_the_change_of_any_tool(deck, do, go, root):
    deck.add_builtins("git")
    git(root, "init", "-q")
    (root / "a.txt").write_text("committed\n")
    git(root, "add", "a.txt")
    git(root, "commit", "-qm", "first")
    (root / "a.txt").write_text("half done\n")
    saved = go("save", label="half done")["id"]
    do("git", "restore", paths=["a.txt"])
    assert [one["by"] for one in go("diff", id=saved)["files"]] == ["git restore"]
    go("rollback", id=saved, scope="files")
    assert (root / "a.txt").read_text() == "half done\n"
