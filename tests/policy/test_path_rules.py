"""Rules about paths: what counts is where a path leads, however it is written."""

from __future__ import annotations

import os

import pytest

from tooldeck import Deck
from tooldeck.policy import Policy


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder: src with a file, links out of it and into it, a home beside it."""
    home = tmp_path / "home" / "ada"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "key").touch()
    work = tmp_path / "work [1]"
    (work / "src").mkdir(parents=True)
    (work / "src" / "a.py").touch()
    (work / "src" / "out").symlink_to(home / ".ssh")
    (work / "way").symlink_to("src")
    (work / "notes.txt").symlink_to(home / ".ssh" / "key")
    monkeypatch.chdir(work)
    monkeypatch.setenv("HOME", str(home))
    return work


def words(pattern, path):
    """What an allow rule and a deny rule with this pattern make of a call that changes files."""
    found = []
    for word in ("allow", "deny"):
        deck = Deck(policy=Policy("default", [{"word": word, "arguments": {"path": pattern}}]))
        made = deck.add(lambda path: path, name="file", effects="write")
        found.append(deck.policy.explain(made, {"path": path}).verdict.word == word)
    return tuple(found)


@pytest.mark.parametrize(
    ("pattern", "path", "allowed", "denied"),
    [
        ("src/*", "src/a.py", True, True),
        ("src/*", "./src/a.py", False, True),
        ("src/*", "{work}/src/a.py", False, True),
        ("{escaped}/src/*", "src/a.py", False, True),
        ("{escaped}/src/*", "{work}/src/a.py", True, True),
        ("src/*", "way/a.py", False, True),
        ("way/*", "way/a.py", True, True),
        ("src/*", "src/new/file", True, True),
        ("src/*", "src/out/key", False, True),
        ("src/*", "{home}/.ssh/key", False, False),
        ("~/.ssh/*", "~/.ssh/key", True, True),
        ("~/.ssh/*", "{home}/.ssh/key", True, True),
        ("{home}/.ssh/*", "~/.ssh/key", False, True),
        ("~/.ssh/*", "src/out/key", False, True),
        ("~/.ssh/*", "/proc/self/root{home}/.ssh/key", False, True),
        ("~/.ssh/*", "/proc/self/cwd/src/out/key", False, True),
        ("~/.ssh/*", "src/../src/out/../.ssh/key", False, True),
        ("~/.ssh/*", "notes.txt", False, True),
        ("~/.ssh/key", "notes.txt", False, True),
        ("*.txt", "notes.txt", False, True),
        ("*.txt", "plain.txt", True, True),
        ("*/key", "notes.txt", False, True),
        ("{home}/*", "{shouted}/.SSH/key", False, True),
        ("*", "src/out/key", True, True),
        ("n*", "no path at all", True, True),
        ("/etc/*", "nothing of the kind", False, False),
        ("src/*", "src/a\\0b", True, True),
    ],
)
def test_a_path_counts_as_what_it_leads_to(folder, pattern, path, allowed, denied):
    home = os.environ["HOME"]
    names = {
        "work": folder,
        "escaped": str(folder).replace("[", "[[]"),
        "home": home,
        "shouted": home.upper(),
    }
    given = path.format(**names).replace("\\0", "\0")
    assert words(pattern.format(**names), given) == (allowed, denied)


def test_rules_are_decided_where_the_current_folder_is_gone(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    policies = {
        pattern: [Policy("default", [f"{word} path={pattern}"]) for word in ("allow", "deny")]
        for pattern in ("/etc/*", "src/*")
    }
    file = Deck().add(lambda path: path, name="file", effects="write")
    monkeypatch.chdir(gone)
    gone.rmdir()

    def words_of(pattern, path):
        return tuple(str(policy.explain(file, {"path": path}).verdict.word) for policy in policies[pattern])

    assert words_of("/etc/*", "/etc/passwd") == ("allow", "deny")
    assert words_of("src/*", "/etc/passwd") == ("ask", "ask")
    assert words_of("src/*", "src/a") == ("allow", "deny")


def test_a_text_of_any_length_is_decided(folder):
    assert words("a*", "a" * 100_000) == (True, True)
    assert words("a*", "a/" * 100_000) == (True, True)


def test_a_relative_path_is_also_that_of_the_folder_the_tools_work_in(tmp_path):
    work = tmp_path / "work [2]"
    (work / "secret").mkdir(parents=True)
    deck = Deck(workspace=work)

    @deck.tool(effects="read")
    def read(path: str) -> str:
        return path

    deck.policy.deny("read", arguments={"path": f"{tmp_path}/*/secret/*"})
    assert deck.call("read", path="secret/key").status == "denied"
    assert deck.call("read", path="public").ok
    other = tmp_path / "other"
    other.mkdir()
    deck.policy.deny("read", arguments={"path": f"{other}/*"})
    assert deck.call("read", path="sub/../x").ok
    deck.workspace = other
    assert deck.call("read", path="sub/../x").status == "denied"
    deck = Deck(workspace=work, policy=Policy("ask_everything", ["allow read path=secret/*"]))
    deck.add(read)
    assert deck.call("read", path="secret/key").ok
    assert deck.call("read", path="secret/../key").status == "denied"
