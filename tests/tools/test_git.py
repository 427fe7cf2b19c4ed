"""git: on real repositories, friendly and hostile ones."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tooldeck import Decision, Deck
from tooldeck.core.errors import ExpectedError
from tooldeck.tools.repositories.commands import translated

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
ENV = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
}


@pytest.fixture(scope="session")
def template(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("template")
    run = plain_git(folder)
    run("init", "--quiet", "--initial-branch=main", "--template=")
    run("config", "user.name", "Ada")
    run("config", "user.email", "ada@example.org")
    (folder / "a.txt").write_text("one\ntwo\nthree\n")
    (folder / "b c.txt").write_text("b\n")
    run("add", "--all")
    run("commit", "--quiet", "--message", "First\n\nWith a body.")
    return folder


def plain_git(folder: Path):
    def run(*words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=folder, env=ENV, capture_output=True, text=True, timeout=30, check=True
        )
        return done.stdout

    return run


@pytest.fixture
def root(tmp_path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def repo(root, template) -> Path:
    shutil.copytree(template, root / "r")
    return root / "r"


@pytest.fixture
def plain(repo):
    """Plain git in the repository, to prepare and to compare."""
    return plain_git(repo)


@pytest.fixture
def git(root):
    deck = Deck(policy="auto", workspace=root)
    deck.add_builtins("git")

    def call(action, **arguments):
        return deck.call("git", {"action": action, "repo": "r", **arguments})

    return call


# -- records


def test_the_status_tells_every_kind_of_change_by_its_name(git, repo, plain):
    (repo / "a.txt").write_text("one\n")
    (repo / "new -> odd.txt").write_text("x")
    plain("mv", "b c.txt", "d e.txt")
    status = git("status").unwrap()
    found = {entry.path: (entry.index, entry.worktree, entry.original) for entry in status.entries}
    assert found == {
        "a.txt": (".", "M", ""),
        "d e.txt": ("R", ".", "b c.txt"),
        "new -> odd.txt": ("?", "?", ""),
    }
    assert (status.branch, status.clean, status.in_progress) == ("main", False, "")
    assert status.commit == plain("rev-parse", "HEAD").strip()


def test_a_branch_without_a_commit_a_detached_head_and_a_bare_repository(git, root, repo, plain):
    plain("checkout", "--quiet", "--detach")
    assert git("status").unwrap().branch is None
    assert "HEAD is detached" in git("push").error
    unborn = plain_git(root)
    unborn("init", "--quiet", "--initial-branch=main", "--template=", "unborn")
    fresh = git("status", repo="unborn").unwrap()
    assert (fresh.branch, fresh.commit, fresh.clean) == ("main", None, True)
    assert git("log", repo="unborn").unwrap().commits == ()
    assert git("branches", repo="unborn").text.count("no branches yet") == 1
    (root / "unborn" / "f").write_text("x")
    assert git("add", repo="unborn", paths=["unborn/f"]).ok
    assert git("branch", repo="unborn", do="create", name="other").ok
    unborn("clone", "--quiet", "--bare", "r", "bare.git")
    assert "bare" in git("status", repo="bare.git").error
    assert len(git("log", repo="bare.git").unwrap().commits) == 1


def test_a_merge_in_conflict_is_told_and_can_be_finished(git, repo, plain):
    plain("checkout", "--quiet", "-b", "work")
    (repo / "a.txt").write_text("work\n")
    plain("commit", "--quiet", "-am", "Work")
    plain("checkout", "--quiet", "main")
    (repo / "a.txt").write_text("main\n")
    plain("commit", "--quiet", "-am", "Main")
    plain("remote", "add", "self", ".")
    pulled = git("pull", remote="self", branch="work", how="merge")
    assert "met conflicts and waits" in pulled.error
    status = git("status").unwrap()
    assert status.in_progress == "merge"
    assert [entry.path for entry in status.entries if entry.conflict] == ["a.txt"]
    (repo / "a.txt").write_text("both\n")
    assert git("add", paths=["r/a.txt"]).ok
    assert git("commit", message="Merge work").ok
    assert len(git("log", n=1).unwrap().commits[0].parents) == 2
    assert git("status").unwrap().in_progress == ""


def test_a_merge_driver_of_the_repository_decides_nothing(git, repo, plain, tmp_path):
    (repo / ".gitattributes").write_text("a.txt merge=evil\n")
    plain("config", "merge.evil.driver", f"touch {tmp_path}/ran")
    plain("add", "--all")
    plain("commit", "--quiet", "-m", "Attributes")
    plain("checkout", "--quiet", "-b", "work")
    (repo / "a.txt").write_text("work\n")
    plain("commit", "--quiet", "-am", "Work")
    plain("checkout", "--quiet", "main")
    (repo / "a.txt").write_text("main\n")
    plain("commit", "--quiet", "-am", "Main")
    plain("remote", "add", "self", ".")
    assert "met conflicts" in git("pull", remote="self", branch="work", how="merge").error
    assert "<<<<<<<" in (repo / "a.txt").read_text()
    assert not (tmp_path / "ran").exists()


def test_a_submodule_is_one_entry_and_its_own_repository(git, root, repo, plain):
    plain_git(root)("clone", "--quiet", "r", "other")
    plain("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../other", "sub")
    plain("commit", "--quiet", "-m", "Sub")
    (repo / "sub" / "a.txt").write_text("changed")
    (entry,) = git("status").unwrap().entries
    assert (entry.path, entry.submodule[0]) == ("sub", "S")
    assert [one.path for one in git("status", repo="r/sub").unwrap().entries] == ["a.txt"]


def test_names_that_are_no_utf8_and_names_with_blanks_and_breaks_survive(git, repo, plain):
    odd = os.fsdecode(b"caf\xe9.txt")
    for name in (odd, "line\nbreak.txt", "täst.txt", "-x.txt"):
        (repo / name).write_text("x")
    assert {entry.path for entry in git("status").unwrap().entries} == {
        odd, "line\nbreak.txt", "täst.txt", "-x.txt",
    }  # fmt: skip
    assert git("add", paths=["r/-x.txt", "r/täst.txt"]).ok
    assert {path for path, _, _ in git("diff", staged=True).unwrap().files} == {"-x.txt", "täst.txt"}
    assert git("add", paths=["r"]).ok
    staged = git("diff", staged=True, stat=True)
    assert odd in {path for path, _, _ in staged.unwrap().files}
    assert "'caf\\xe9.txt' | +1 -0\n'line\\nbreak.txt' | +1 -0" in staged.text


def test_the_log_has_commits_with_all_their_parts_and_filters(git, repo, plain):
    (commit,) = git("log").unwrap().commits
    assert (commit.author, commit.email, commit.subject, commit.body) == (
        "Ada", "ada@example.org", "First", "With a body.",
    )  # fmt: skip
    assert commit.date == "2026-01-02T03:04:05+00:00"
    assert "HEAD -> main" in commit.refs
    assert git("log", grep="a body").unwrap().commits
    assert git("log", grep="a.body").unwrap().commits == ()
    assert git("log", author="Bob").unwrap().commits == ()
    assert git("log", path="r/b c.txt").unwrap().commits == (commit,)
    assert git("log", since="2026-02-01").unwrap().commits == ()


def test_difference_blame_and_show_agree_with_git(git, repo, plain):
    (repo / "a.txt").write_text("one\n2\nthree\n")
    assert git("diff").unwrap().patch == plain("diff")
    assert git("diff", context=0).unwrap().patch == plain("diff", "-U0")
    assert git("diff", stat=True).unwrap().files == (("a.txt", 1, 1),)
    lines = git("blame", path="r/a.txt", start=2, end=3).unwrap().lines
    assert [(line.number, line.text, line.author) for line in lines] == [
        (2, "two", "Ada"),
        (3, "three", "Ada"),
    ]
    assert git("show", path="r/a.txt").unwrap().text == "one\ntwo\nthree\n"
    assert "+three" in git("show").unwrap().text


# -- changes


def test_commits_stashes_and_branches_are_made(git, repo, plain):
    (repo / "a.txt").write_text("changed\n")
    (repo / "b c.txt").write_text("changed too\n")
    message = "- item one\n\n# kept\n--amend"
    done = git("commit", message=message, paths=["r/a.txt"]).unwrap()
    assert done.commit == plain("rev-parse", "HEAD").strip()
    assert plain("log", "-1", "--format=%B").strip() == message
    assert plain("log", "--format=%s").splitlines() == ["- item one", "First"]
    assert git("commit", message="Better", amend=True).ok
    assert plain("log", "--format=%s").splitlines() == ["Better", "First"]
    assert git("stash", message="later").ok
    assert git("status").unwrap().stashes == 1
    assert git("stash", do="pop").ok
    assert (repo / "b c.txt").read_text() == "changed too\n"
    assert git("restore", paths=["r/b c.txt"]).ok
    assert (repo / "b c.txt").read_text() == "b\n"
    assert git("branch", do="create", name="topic", start="HEAD~1").ok
    assert plain("log", "--format=%s").splitlines() == ["First"]
    assert git("branch", do="switch", name="main").ok
    assert git("branch", do="delete", name="topic").ok
    assert "nothing to commit" in git("commit", message="x").error


def test_a_branch_is_pushed_and_pulled_between_folders_of_the_workspace(git, root, repo, plain):
    plain_git(root)("init", "--quiet", "--bare", "--template=", "remote.git")
    plain("remote", "add", "origin", "../remote.git")
    assert git("push", set_upstream=True).ok
    plain_git(root)("clone", "--quiet", "--branch", "main", "remote.git", "second")
    (repo / "a.txt").write_text("news\n")
    git("commit", message="News", paths=["r/a.txt"])
    assert git("status").unwrap().ahead == 1
    assert git("push").ok
    assert git("pull", repo="second").ok
    assert (root / "second" / "a.txt").read_text() == "news\n"
    git("commit", message="Rewritten", amend=True)
    assert "rejected" in git("push").error
    assert git("push", force=True).ok
    assert "Not possible to fast-forward" in git("pull", repo="second").error


def test_the_change_is_shown_before_it_is_approved(root, repo):
    asked = []

    def approver(request):
        asked.append((request.call.arguments["action"], request.preview))
        return Decision(approved=False, by="test")

    deck = Deck(workspace=root, approver=approver)
    deck.add_builtins("git")
    (repo / "a.txt").write_text("one\nTWO\nthree\n")
    (repo / "new.txt").write_text("x")
    for arguments in (
        {"action": "add", "paths": ["r"]},
        {"action": "commit", "message": "m", "paths": ["r/a.txt"]},
        {"action": "restore", "paths": ["r/a.txt"]},
        {"action": "stash"},
        {"action": "branch", "do": "create", "name": "x"},
    ):
        assert deck.call("git", {"repo": "r", **arguments}).status == "denied"
    told = dict(asked)
    for action in ("add", "commit", "restore", "stash"):
        assert "+TWO" in told[action]
    assert "new.txt" in told["add"]
    assert "lost" in told["restore"]
    assert "create x at HEAD; now on main" in told["branch"]
    assert deck.call("git", action="status", repo="r").ok  # looking needs no approval


# -- words that are options, paths that lead out


OPTIONS = [
    ("log", {"ref": "--output=/t/pwn"}),
    ("log", {"ref": "-n1"}),
    ("diff", {"ref": "--output=/t/pwn"}),
    ("diff", {"ref": "--no-index /etc/passwd"}),
    ("show", {"ref": "--output=x"}),
    ("show", {"ref": ":/x"}),
    ("blame", {"path": "r/a.txt", "ref": "--contents=/etc/hostname"}),
    ("branch", {"do": "create", "name": "-D main"}),
    ("branch", {"do": "switch", "name": "-f"}),
    ("branch", {"do": "create", "name": "x", "start": "--orphan"}),
    ("restore", {"paths": ["r/a.txt"], "source": "--x"}),
    ("push", {"remote": "--receive-pack=touch /t/pwn"}),
    ("push", {"remote": "ext::sh -c touch% /t/pwn"}),
    ("pull", {"remote": "--upload-pack=touch /t/pwn"}),
    ("pull", {"branch": "--exec=x"}),
]


@pytest.mark.parametrize(("action", "arguments"), OPTIONS, ids=lambda value: str(value)[:40])
def test_what_would_be_an_option_is_refused_as_a_revision(git, repo, tmp_path, action, arguments):
    pwn = tmp_path / "pwn"
    given = {key: value.replace("/t/", f"{tmp_path}/") if isinstance(value, str) else value
             for key, value in arguments.items()}  # fmt: skip
    result = git(action, **given)
    assert isinstance(result.exception, ExpectedError)
    assert "is no revision" in result.error
    assert not pwn.exists()
    assert not (repo / "x").exists()


def test_texts_that_look_like_options_stay_texts(git, repo, tmp_path):
    for filters in ({"grep": "-Oid"}, {"author": "--output=x"}, {"since": "--all"}):
        assert git("log", **filters).ok
    assert not git("add", paths=[f"--pathspec-from-file={tmp_path}/x"]).ok
    assert git("stash", message="--all").ok
    assert not (repo / "x").exists()


def test_nothing_outside_of_the_workspace_is_touched(git, root, repo, plain, template, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(template, out)
    (out / "s.txt").write_text("secret")
    (repo / "link").symlink_to(out)
    (root / "plain").mkdir()
    plain_git(tmp_path)("init", "--quiet", "--template=")
    for paths in (["../out/s.txt"], [str(out / "s.txt")], ["r/link/s.txt"], ["r/../../out/s.txt"]):
        for action in ("add", "diff", "status"):
            assert not git(action, paths=paths).ok
    for folder in ("../out", str(out), "r/link"):
        assert not git("status", repo=folder).ok
    assert "is not a git repository" in git("status", repo="plain").error
    (root / "gitfile").mkdir()
    (root / "gitfile" / ".git").write_text(f"gitdir: {out}/.git\n")
    assert "outside of the workspace" in git("status", repo="gitfile").error
    plain("config", "core.worktree", str(out))
    assert "outside of the workspace" in git("status").error
    plain("config", "--unset", "core.worktree")
    plain("remote", "add", "away", str(out))
    assert "outside of the workspace" in git("push", remote="away").error
    assert "outside of the workspace" in git("pull", remote="away").error
    assert plain_git(out)("log", "--format=%s").splitlines() == ["First"]
    assert not git("add", paths=["r/.git/config"]).ok


def test_nothing_that_a_repository_names_is_run(git, repo, plain, tmp_path):
    mark = tmp_path / "ran"
    script = tmp_path / "evil.sh"
    script.write_text(f'#!/bin/sh\necho "$0 $@" >> {mark}\ncat\n')
    script.chmod(0o755)
    (repo / ".gitattributes").write_text("*.txt filter=evil diff=evil merge=evil\n")
    hooks = repo / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("pre-commit", "commit-msg", "post-commit", "post-checkout", "pre-push"):
        shutil.copy(script, hooks / hook)
    for name in (
        "core.fsmonitor", "core.hooksPath", "core.pager", "core.editor", "core.sshCommand", "core.askPass",
        "diff.external", "diff.evil.command", "diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge",
        "filter.evil.process", "merge.evil.driver", "gpg.program", "sequence.editor", "credential.helper",
        "remote.origin.uploadpack", "remote.origin.receivepack", "interactive.diffFilter", "pager.log",
        "core.alternateRefsCommand", "uploadpack.packObjectsHook", "gpg.ssh.program",
    ):  # fmt: skip
        plain("config", name, str(script))
    for setting in ("commit.gpgSign", "log.showSignature", "filter.evil.required"):
        plain("config", setting, "true")
    plain("config", "remote.origin.url", ".")
    (repo / "a.txt").write_text("changed\n")
    for action, arguments in (
        ("status", {}), ("diff", {}), ("log", {}), ("show", {}), ("blame", {"path": "r/a.txt"}),
        ("add", {"paths": ["r"]}), ("commit", {"message": "m"}), ("branch", {"do": "create", "name": "n"}),
        ("branch", {"do": "switch", "name": "main"}), ("push", {"branch": "n"}), ("pull", {"branch": "n"}),
    ):  # fmt: skip
        result = git(action, **arguments)
        assert result.ok, (action, result.error)
    (repo / "a.txt").write_text("changed again\n")
    assert git("stash").ok
    assert git("stash", do="pop").ok
    assert git("restore", paths=["r/a.txt"]).ok
    assert not mark.exists(), mark.read_text()
    assert "not used, since they run programs" in git("add", paths=["r"]).text


def test_nothing_waits_for_somebody_to_type(git, repo, plain):
    plain("remote", "add", "origin", "https://127.0.0.1:9/x.git")
    start = time.monotonic()
    assert not git("push").ok
    assert not git("pull").ok
    assert time.monotonic() - start < 30


# -- command lines


@pytest.mark.parametrize(
    ("line", "action", "arguments"),
    [
        ("git status --short", "status", {}),
        ("log --oneline -5", "log", {"n": 5}),
        ("git log --oneline | head -20", "log", {"n": 20}),
        ("git log -n 3 main..work -- src/a.py", "log", {"n": 3, "ref": "main..work", "path": "src/a.py"}),
        ("git log --author='A B' --since=yesterday", "log", {"author": "A B", "since": "yesterday"}),
        ("git diff --cached -- 'b c.txt'", "diff", {"staged": True, "paths": ("b c.txt",)}),
        ("git show HEAD~1", "show", {"ref": "HEAD~1"}),
        ("git blame a.txt", "blame", {"path": "a.txt"}),
        ("git branch -a", "branches", {}),
    ],
)
def test_a_command_line_that_looks_is_read_as_an_action(line, action, arguments):
    assert translated(line) == (action, arguments)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("git log | grep fix", "a pipe"),
        ("git status; rm -rf .", "a second command"),
        ("git log > out.txt", "a redirection"),
        ("git log --format='%h | %s'", "has no parameter"),
        ("git diff --output=/tmp/x", "'--output' of 'diff' has no parameter"),
        ("git -c core.fsmonitor=x status", "Name the command first"),
        ("git commit -m 'x'", "action='commit' with message"),
        ("git checkout main", "action='branch' with do='create', 'switch'"),
        ("git reset --hard", "action='restore'"),
        ("git config core.fsmonitor x", "no action for 'git config'"),
        ("git rebase -x 'touch p' main", "no action for 'git rebase'"),
        ("git stauts", "did you mean 'status'"),
        ("git log 'open", "no closing quotation"),
    ],
)
def test_any_other_is_refused_with_the_way_to_say_it(line, says):
    with pytest.raises(ExpectedError) as caught:
        translated(line)
    assert says in str(caught.value)


def test_command_lines_are_answered_through_the_tool(git, repo):
    assert len(git("command", command="git log -1").unwrap().commits) == 1
    assert "action='commit'" in git("command", command="git commit -m x").error


def test_without_git_one_sentence_says_how_to_get_it(git, repo, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert git("status").error.endswith("'git' is not installed here; install it with: apt-get install git.")
