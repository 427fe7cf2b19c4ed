"""Results of built-in tools as a cell shows them: what they say, not how Python writes their records."""

from __future__ import annotations

from pathlib import Path

from offline_web import offline_web

from tests.notebook.conftest import Shell
from tooldeck.tools.pages.fetching import Web


def test_a_call_of_a_built_in_shows_its_text_and_so_does_its_value(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = '<b>\u202e'\n")
    shell.deck.workspace = tmp_path
    shell.run("deck.add_builtins('file')")
    result = shell.run("deck.call('file', action='read', path='a.py')")
    for shown in (result, result.value):
        forms, _ = shell.ip.display_formatter.format(shown)
        assert "|x = '<b>\\u202e'" in forms["text/plain"]
        assert "a.py: 1 line, utf-8" in forms["text/plain"]
        assert "FileText(" not in forms["text/plain"]
        assert "&lt;b&gt;" in forms["text/html"]
        assert "<b>" not in forms["text/html"]
        assert "FileText(" not in forms["text/html"]


def test_a_page_is_shown_as_it_is_told_and_plain_data_as_data(shell: Shell) -> None:
    shell.deck.add_builtins("web", "memory")
    shell.deck.provide(Web, offline_web())
    shell.run("deck.policy.allow('web'); deck.policy.allow('memory')")
    page = shell.run("deck.call('web', action='fetch', url='https://example.org/moon')")
    forms, _ = shell.ip.display_formatter.format(page)
    assert "# The Moon\nhttps://example.org/moon\n\n" in forms["text/plain"]
    assert "outside" not in forms["text/plain"].partition("\n")[2]
    assert "untrusted" in forms["text/html"]
    assert '"title"' not in forms["text/html"]
    found = shell.run("deck.call('memory', action='search', query='nothing')")
    assert '"count": 0' in shell.ip.display_formatter.format(found)[0]["text/plain"]


def test_what_others_call_an_answer_changes_nothing_for_their_values(shell: Shell) -> None:
    shell.run("""
from tooldeck import Answer
class Odd:
    def _tool_answer_(self):
        return Answer(self, "for models")
    def __repr__(self):
        return "odd"
@deck.tool(effects="none")
def make() -> object:
    "Make."
    return Odd()
""")
    result = shell.run("deck.call('make')")
    assert result.text == "for models"
    forms, _ = shell.ip.display_formatter.format(result)
    assert forms["text/plain"] == "make: ok\nodd"
