"""apply_patch against references: a plain replacement, git itself, and a process that is killed."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_workspace import make_sample_workspace

from tooldeck.core.errors import ExpectedError
from tooldeck.guards.paths import FileChange, PathRefused, Workspace
from tooldeck.tools.patches.placing import patched
from tooldeck.tools.patches.reading import read_patch
from tooldeck.tools.patches.records import BadPatch
from tooldeck.tools.texts.diffs import unified
from tooldeck.tools.texts.documents import fresh

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "", "  d", "--- x", "+++ y", "@@"]), max_size=12)


def joined(lines, *, final):
    return "\n".join(lines) + ("\n" if lines and final else "")


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS, st.booleans(), st.booleans())
def test_the_diff_of_two_texts_makes_the_one_of_the_other(old, new, old_final, new_final):
    before, after = joined(old, final=old_final), joined(new, final=new_final)
    diff = unified(before, after, "a.txt")
    if not diff:
        return
    [file] = read_patch(diff)
    assert patched(fresh(before), file.hunks, "a.txt", "exact")[0].text == after


PIECES = st.sampled_from(
    [
        "--- a/x", "+++ b/x", "--- /dev/null", "+++ /dev/null", "@@ -1,2 +1,2 @@", "@@", "@@ -0,0 +1 @@",
        " a", "-a", "+a", "", "\\ No newline at end of file", "diff --git a/x b/x", "new file mode 100644",
        "rename from x", "rename to y", "*** Begin Patch", "*** End Patch", "*** Update File: x",
        "*** Add File: y", "*** Move to: z", "*** End of File", "*** Delete File: x", "copy from x",
        'diff --git "a/\\303\\251" "b/\\303\\251"', "\r", "\0",
        "old mode 100644", "new mode 100755", "-- ", "```", "index 1..2",
    ]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(PIECES, PIECES, PIECES, st.text(max_size=8)), max_size=25))
def test_any_text_is_a_patch_or_is_refused(lines):
    try:
        files = read_patch("\n".join(lines))
    except BadPatch:
        return
    for file in files:
        assert file.path or file.new_path
        for hunk in file.hunks:
            try:
                patched(fresh("a\nb\na\n"), [hunk], "x", "context")
            except ExpectedError:
                continue


def git(folder, *words, data=None, check=True):
    env = {
        "PATH": os.environ["PATH"], "HOME": "/nowhere", "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_SYSTEM": "/dev/null", "GIT_CEILING_DIRECTORIES": str(folder.parent),
    }  # fmt: skip
    who = ["-c", "user.name=x", "-c", "user.email=x@y"]
    return subprocess.run(
        ["git", *who, *words], cwd=folder, env=env, input=data, capture_output=True, check=check
    )


def tree(folder):
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and ".git" not in path.parts:
            found[str(path.relative_to(folder))] = (path.read_bytes(), path.stat().st_mode & 0o100)
    return found


def put(folder, files):
    for path, (data, executable) in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
        (folder / path).chmod(0o755 if executable else 0o644)


def changed_text(rng, data):
    end = b"\r\n" if b"\r\n" in data else b"\n"
    lines = data.split(end)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(lines))
        rng.choice(
            [
                lambda at=at: lines.insert(at, b"new %d" % rng.randrange(99)),
                lambda at=at: lines.pop(at) if len(lines) > 1 else None,
                lambda at=at: lines.__setitem__(at, lines[at] + b" changed"),
            ]
        )()
    return end.join(lines)


def changed_tree(rng, files):
    made = {
        path: (changed_text(rng, data) if rng.random() < 0.6 else data, bit)
        for path, (data, bit) in files.items()
    }
    path = rng.choice(sorted(made))
    kind = rng.randrange(5)
    if kind == 0:
        del made[path]
    elif kind == 1:
        made["moved/" + path] = made.pop(path)
    elif kind == 2:
        made[path] = (made[path][0], 0o100 - made[path][1])
    elif kind == 3:
        made['n\u00e9w "file".txt'] = (b"x\ny", 0)
    return made


@pytest.mark.parametrize("seed", range(8))
def test_what_git_makes_of_a_patch_is_what_we_make_of_it(tmp_path, deck, root, seed):
    rng = random.Random(seed)
    files = {
        f"d{number}/f{number}.txt": (
            (b"\r\n" if number == 2 else b"\n").join(
                b"line %d of %d" % (at, number) for at in range(rng.randint(6, 30))
            )
            + rng.choice([b"", b"\n" if number != 2 else b"\r\n"]),
            0,
        )
        for number in range(4)
    }
    repo, theirs = tmp_path / "repo", tmp_path / "theirs"
    for folder in (repo, theirs):
        folder.mkdir()
        put(folder, files)
    put(root, files)
    git(repo, "init", "-q")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "x")
    wanted = changed_tree(rng, files)
    for path in files:
        (repo / path).unlink()
    put(repo, wanted)
    git(repo, "add", "-A")
    patch = git(repo, "diff", "--cached", "-M").stdout
    drift = b"drift\n" * rng.randint(0, 3)
    for folder in (theirs, root):
        for path in files:
            (folder / path).write_bytes(
                (drift if path != "d2/f2.txt" else b"") + (folder / path).read_bytes()
            )
    if not patch:
        return
    done = git(theirs, "apply", data=patch, check=False)
    result = deck.call("apply_patch", action="apply", patch=patch.decode())
    if done.returncode == 0:
        assert result.ok, result.error
        assert tree(root) == tree(theirs)
    elif not result.ok:
        assert tree(root) == tree(theirs)
    if not drift:
        assert tree(root) == wanted


KILLED = """
import os, random, signal, sys, time
from pathlib import Path
from tooldeck.guards.paths import FileChange, Workspace

folder, result = Path(sys.argv[1]), []
OLD = {"a.txt": b"a", "b.txt": b"b", "gone.txt": b"g", "sub/c.txt": b"c"}
NEW = {"a.txt": b"A", "b.txt": b"B", "new/n.txt": b"N", "sub/c.txt": b"C"}
changes = [FileChange(path, OLD.get(path), NEW.get(path)) for path in sorted({*OLD, *NEW})]

def tree(root):
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}

def dying(name, at):
    real = getattr(os, name)
    def call(*args, **kwargs):
        count[0] += 1
        if count[0] == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **kwargs)
    setattr(os, name, call)

for at in range(1, 200):
    root = folder / str(at)
    for path, data in OLD.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    count, pid = [0], os.fork()
    if pid == 0:
        for name in ("rename", "link", "unlink", "mkdir", "rmdir"):
            dying(name, at)
        Workspace(root).change_all(lambda: changes)
        os._exit(0)
    ended = os.waitpid(pid, 0)[1]
    Workspace(root).root
    left = tree(root)
    assert left in (OLD, NEW), (at, left)
    result.append(left == NEW)
    if ended == 0:
        break
assert ended == 0 and result[-1]

root = folder / "accept"
for path, data in OLD.items():
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(data)

def killed_while_checked():
    assert tree(root).items() >= NEW.items()
    os.kill(os.getpid(), signal.SIGKILL)

def stopped_while_checked():
    raise KeyboardInterrupt

if (pid := os.fork()) == 0:
    Workspace(root).change_all(lambda: changes, killed_while_checked)
os.waitpid(pid, 0)
Workspace(root).root
assert tree(root) == OLD, tree(root)
try:
    Workspace(root).change_all(lambda: changes, stopped_while_checked)
except KeyboardInterrupt:
    assert tree(root) == OLD, tree(root)

ways, randomness = [changes, [FileChange(c.path, c.after, c.before) for c in changes]], random.Random(7)
for _ in range(40):
    if (pid := os.fork()) == 0:
        os.close(2)
        space = Workspace(root)
        at = 0 if tree(root).get("a.txt") == b"a" else 1
        while True:
            space.change_all(lambda: ways[at])
            at = 1 - at
    time.sleep(randomness.uniform(0.002, 0.03))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    Workspace(root).root
    assert tree(root) in (OLD, NEW), tree(root)
print(len(result), sum(result))
"""


def test_a_process_killed_at_any_point_leaves_all_files_old_or_all_new(tmp_path):
    """Before every single step, while it is checked, and at random; the next workspace puts things right."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    points, new = map(int, done.stdout.split())
    assert points > 20
    assert 2 <= new < points


HALF = """
import os, signal, sys
from tooldeck.guards import transaction
from tooldeck.guards.paths import FileChange, Workspace

space = Workspace(sys.argv[1])
real, done = transaction._carry_out, []

def dying(workspace, change):
    if done:
        os.kill(os.getpid(), signal.SIGKILL)
    done.append(change)
    real(workspace, change)

def changed(path):
    return FileChange(path, space.read(path), space.read(path) + b"# half\\n")

transaction._carry_out = dying
space.change_all(lambda: [changed("src/lamp.py"), changed("tests/test_lamp.py")])
"""

ENTRIES = {
    "read": ("file", {"action": "read", "path": "src/lamp.py"}),
    "search": ("file", {"action": "search", "pattern": "half"}),
    "glob": ("file", {"action": "glob", "pattern": "**/*.py"}),
    "write": ("file", {"action": "write", "path": "other.txt", "content": "x"}),
    "patch": (
        "apply_patch",
        {
            "action": "check",
            "patch": "*** Begin Patch\n*** Update File: src/lamp.py\n-def off() -> str:\n+def out() -> str:\n"
            "*** End Patch",
        },
    ),
    "code": ("code", {"action": "symbols", "path": "src"}),
    "git": ("git", {"action": "status"}),
    "exec": ("exec", {"action": "shell", "argv": ["cat", "src/lamp.py"], "workspace": "read"}),
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_whatever_an_open_deck_does_first_finds_whole_old_files_after_another_one_was_killed(
    deck, root, entry
):
    make_sample_workspace(root)
    whole = {path: path.read_bytes() for path in root.rglob("*.py")}
    assert deck.call("file", action="read", path="src/lamp.py").ok  # the deck is open before
    killed = subprocess.run([sys.executable, "-c", HALF, str(root)], timeout=30, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert b"half" in (root / "src/lamp.py").read_bytes()
    tool, arguments = ENTRIES[entry]
    result = deck.call(tool, arguments)
    assert result.ok, result.error
    assert "# half" not in result.text
    assert {path: path.read_bytes() for path in root.rglob("*.py")} == whole
    assert not (root / ".tooldeck").exists()


def test_files_that_are_being_looked_at_are_read_as_they_are_and_nobody_waits(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"old")
    writer, reader, seen = Workspace(tmp_path), Workspace(tmp_path), []

    def accept():
        seen.append(reader.read("a.txt"))
        raise ExpectedError("No.")

    with pytest.raises(PathRefused, match=r"No\. All files are as they were before\."):
        writer.change_all(lambda: [FileChange("a.txt", b"old", b"new")], accept)
    assert [*seen, reader.read("a.txt")] == [b"new", b"old"]


def test_old_contents_that_cannot_be_put_back_are_kept_and_nobody_tries_again(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"old")
    space = Workspace(tmp_path)

    def accept():
        (tmp_path / "a.txt").write_bytes(b"of somebody else")
        raise ExpectedError("No.")

    with pytest.raises(PathRefused, match=r"could not be put back: 'a\.txt'; see \.tooldeck/left"):
        space.change_all(lambda: [FileChange("a.txt", b"old", b"new")], accept)
    assert Workspace(tmp_path).read("a.txt") == b"of somebody else"
    [kept] = (tmp_path / ".tooldeck" / "left").rglob("a.txt")
    assert kept.read_bytes() == b"old"


@pytest.mark.parametrize(
    "plan",
    [
        "3",
        '"abc"',
        '{"a": 1}',
        "[{}]",
        '[{"path": 3, "kept": null, "mode": null, "after": null}]',
        '[{"path": "a.txt", "kept": "0.old", "mode": "x", "after": null}]',
        pytest.param("[" * 100_000, id="nested"),
    ],
)
def test_a_plan_that_is_none_of_ours_is_taken_away_and_keeps_nobody_from_reading(tmp_path, plan):
    (tmp_path / "a.txt").write_bytes(b"own")
    folder = tmp_path / ".tooldeck" / "patches" / "theirs"
    folder.mkdir(parents=True)
    (folder / "0.old").write_bytes(b"theirs")
    (folder / "plan.json").write_text(plan)
    assert Workspace(tmp_path).read("a.txt") == b"own"
    assert not folder.exists()


def test_a_plan_that_came_with_a_folder_lends_nobody_the_rights_of_its_user(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"new")
    folder = tmp_path / ".tooldeck" / "patches" / "theirs"
    folder.mkdir(parents=True)
    (folder / "0.old").write_bytes(b"old")
    file = {"path": "a.txt", "kept": "0.old", "mode": 0o6755, "after": hashlib.sha256(b"new").hexdigest()}
    (folder / "plan.json").write_text(json.dumps([file]))
    assert Workspace(tmp_path).read("a.txt") == b"old"
    assert (tmp_path / "a.txt").stat().st_mode & 0o7777 == 0o755
