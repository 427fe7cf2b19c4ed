"""%tools on and off, and %deck plugins: which tools are there, changed and shown in a notebook."""

from __future__ import annotations

from pathlib import Path

import pytest
from IPython.core.error import UsageError

from tests.notebook.conftest import Shell

TOOLS = """
from tooldeck import ToolResult
@deck.tool(effects="read")
def look(path: str) -> str:
    "Look."
    return path
@deck.tool(effects="write")
def save(path: str) -> str:
    "Save."
    return path
@deck.tool(effects="read", available=lambda: (False, "no <key> is set"))
def search(text: str) -> str:
    "Search."
    return text
"""


@pytest.fixture
def tools(shell: Shell) -> Shell:
    shell.run(TOOLS)
    return shell


def row(table: str, tool: str) -> str:
    return next(line for line in table.splitlines() if line.lstrip().startswith(tool))


def test_a_tool_that_cannot_be_used_is_listed_with_the_reason(tools: Shell) -> None:
    tools.run("%tools off look")
    for magic in ("%tools", "%deck"):
        shown = tools.run(magic)
        text, html = repr(shown), shown._repr_html_()
        assert "off: it is switched off" in row(text, "look")
        assert "off: it is not available: no <key> is set" in row(text, "search")
        assert "off:" not in row(text, "save")
        assert "it is switched off" in html
        assert "no &lt;key&gt; is set" in html


def test_tools_are_switched_by_name_pattern_and_effect(tools: Shell) -> None:
    tools.run("%tools off effects=write,execute")
    assert [tools.deck.why_not(name) for name in ("look", "save")] == [None, "write is switched off"]
    tools.run("%tools on effects=write")
    assert tools.deck.why_not("save") is None
    assert tools.shown("%tools off look sa*").strip() == "Switched off look, sa*: 0 of 3 tools can be used."
    assert tools.run("str(deck.call('look', path='a').status)") == "denied"
    assert tools.shown("%tools on sa* look").strip() == "Switched on sa*, look: 2 of 3 tools can be used."
    assert tools.run("deck.call('look', path='a').ok")


def test_a_tool_is_still_found_by_words(tools: Shell) -> None:
    assert "look" not in repr(tools.run("%tools save"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%tools off", "needs names, patterns or effects="),
        ("%tools off look lok", "did you mean 'look'?"),
        ("%tools on lok", "did you mean 'look'?"),
        ("%tools off look effects=wirte", "did you mean 'write'?"),
        ("%tools off look effects=", "name effects"),
        ("%tools off look origin=mcp", "takes names, patterns or effects="),
        ("%deck plugins laod", "did you mean load?"),
        ("%deck plugins load nowhere", "There is no plug-in 'nowhere'"),
    ],
)
def test_a_mistake_is_one_sentence_and_switches_nothing(tools: Shell, line: str, expected: str) -> None:
    assert expected in tools.fails(line)
    assert tools.deck.why_not("look") is None


def test_plug_ins_are_listed_and_loaded(
    tools: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "entry point in the group tooldeck.tools" in repr(tools.run("%deck plugins"))
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "plugged_notebook.py").write_text("def shout(text: str) -> str:\n    return text.upper()\n")
    info = tmp_path / "Plugged-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: Plugged\nVersion: 1.2\n")
    points = "[tooldeck.tools]\nbroken = plugged_gone:x\nloud = plugged_notebook:shout\n"
    (info / "entry_points.txt").write_text(points)
    shown = tools.run("%deck plugins")
    assert row(repr(shown), "loud").split() == ["loud", "Plugged", "1.2", "plugged_notebook:shout"]
    assert "Plugged" in shown._repr_html_()
    said = tools.shown("%deck plugins load")
    assert said.startswith("loaded shout")
    assert "broken: cannot be loaded from Plugged" in said
    assert "shout" in tools.deck
    assert tools.shown("%deck plugins load loud").strip() == "loaded shout"


def test_built_in_tools_are_added_by_name(shell: Shell) -> None:
    shell.run("%tools add file apply_patch")
    assert list(shell.deck.tools) == ["file", "apply_patch"]
    with pytest.raises(UsageError, match="did you mean 'file'"):
        shell.run("%tools add fiel")
