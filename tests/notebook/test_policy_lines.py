"""%policy: whole rules typed in a line, explained for a call, and files that wait until they are loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.notebook.conftest import Shell
from tests.support.ipython_shell import open_shell
from tooldeck.notebook.completion import complete

SAVE = """%%tool --effects write --preview before
def save(path: str, depth: int = 1) -> str:
    'Save.'
    return path

def before(path):
    return f'{path} is written anew'
"""


@pytest.fixture
def saved(shell: Shell) -> Shell:
    shell.run(SAVE)
    return shell


def test_a_rule_is_typed_with_its_conditions(saved: Shell) -> None:
    said = saved.shown("%policy allow save path=src/* effects=write note='mine'")
    assert said.strip() == "Policy: allow save path=src/* effects=write note=mine."
    assert saved.run('deck.call("save", path="src/a").ok')
    assert saved.run('str(deck.call("save", path="src/../a").status)') == "denied"
    assert saved.shown("%policy deny save other*").strip() == "Policy: deny save, other*."
    assert "No tool is called later yet" in saved.shown("%policy ask later")


def test_policy_shows_everything_that_decides(saved: Shell) -> None:
    saved.run("%policy deny git__* origin=mcp")
    saved.run("%policy preset accept_edits")
    shown = saved.run("%policy")
    assert repr(shown).splitlines() == ["Policy: accept_edits", "  deny git__* origin=mcp"]
    assert "<div>&nbsp;&nbsp;<code" in shown._repr_html_()


def test_explain_tells_of_a_tool_and_of_a_call(saved: Shell) -> None:
    saved.run("%policy deny path=/etc/*")
    assert "hangs on the arguments" in saved.shown("%policy explain save")
    assert saved.shown("%policy explain save path=/etc/x").startswith(
        "save: deny, by the rule deny path=/etc/*."
    )
    assert saved.shown('%policy explain save {"path": "/x"}').startswith(
        "save: ask, by the rule default/write."
    )
    assert "does not fit: depth" in saved.shown("%policy explain save path=x depth=much")
    assert "by arguments" in saved.shown("%tools")
    assert "asks or not by its arguments" in saved.shown("%tool save")


def test_grants_are_listed_and_taken_back(saved: Shell) -> None:
    assert "Nothing was granted" in saved.shown("%policy grants")
    saved.run("deck.approvers = [lambda request: __import__('tooldeck').Decision(True, scope='session')]")
    assert saved.run('deck.call("save", path="a").ok')
    assert repr(saved.run("%policy grants")) == "save for this session  from notebook"
    assert saved.shown("%policy revoke").strip() == "Took back 1 grant."
    assert saved.shown("%policy revoke save").strip() == "Took back 0 grants."


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%policy deny save efects=read", "did you mean 'effects'"),
        ("%policy deny save effects=raed", "did you mean 'read'"),
        ("%policy deny 'save", "never closed"),
        ("%policy explain save 5", "%policy explain save: '5' is no argument"),
        ("%policy explain save {", "cut off"),
        ("%policy explain", "needs the name of a tool"),
        ("%policy forget", "needs a name or pattern"),
        ("%policy preset plann", "did you mean 'plan'"),
        ("%policy load a b", "takes one file"),
        ("%policy load nothing.toml", "cannot be read"),
        ("%policy lod", "did you mean load"),
    ],
)
def test_a_mistake_is_one_sentence(saved: Shell, line: str, expected: str) -> None:
    assert expected in saved.fails(line)


def test_a_preview_named_on_the_line_is_no_tool_and_is_asked_for(saved: Shell) -> None:
    assert "before" not in saved.deck
    saved.run("seen = []\ndeck.approvers = [lambda request: seen.append(request.preview)]")
    saved.run('deck.call("save", path="a")')
    assert saved.run("seen") == ["a is written anew"]
    said = saved.fails("%%tool --preview nothing\ndef f():\n    return 1")
    assert said.startswith("--preview nothing: there is no function of that name")


def test_a_policy_file_found_on_loading_is_told_and_only_tightens_until_it_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".tooldeck").mkdir()
    path = tmp_path / ".tooldeck" / "policy.toml"
    path.write_text("rules = ['allow save', 'deny push']\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    with open_shell(capsys) as shell:
        assert capsys.readouterr().out.strip() == (
            f"Found {path}: what it denies or asks for is in force; what it allows waits for %policy load."
        )
        shell.run(SAVE)
        shell.run("%%tool\ndef push():\n    return 1")
        assert shell.deck.call("save", path="a").status == "denied"
        assert "deny push" in shell.deck.call("push").error
        assert "allow save (waits for %policy load)" in shell.shown("%policy")
        assert f"2 rules of {path} in force" in shell.shown("%policy load")
        assert shell.deck.call("save", path="a").ok
        assert repr(shell.run("%policy")).splitlines() == ["Policy: default", "  allow save", "  deny push"]


def test_a_broken_policy_file_is_told_and_loading_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.tooldeck]\nrules = ['dny x']\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    with open_shell(capsys) as shell:
        said = capsys.readouterr().out
        assert "nothing of it is in force" in said
        assert "did you mean 'deny'" in said
        assert shell.deck.policy.found is None


def test_the_line_is_completed(saved: Shell) -> None:
    deck = saved.deck
    assert "load" in complete(deck, "%policy lo").words
    assert complete(deck, "%policy allow save pa").words == ["path="]
    assert complete(deck, "%policy ask save ef").words == ["effects="]
    assert complete(deck, "%policy explain save de").words == ["depth="]
    assert complete(deck, "%policy preset pl").words == ["plan"]
    assert "--preview" in complete(deck, "%%tool --pre").words


def test_trust_in_what_a_tool_says_is_typed_and_shown_on_its_card(saved: Shell) -> None:
    assert saved.shown("%policy distrust save").strip() == "Policy: distrust save."
    assert "output untrusted, by the rule distrust save" in saved.shown("%policy explain save")
    assert "untrusted output (rule: distrust save)" in saved.shown("%tool save")
    saved.run("%policy trust save")
    assert "· trusted output (rule: trust save)" in saved.shown("%tool save")
