"""Whatever is typed after ``%mcp``, a mistake is one sentence that says what to do."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from ipython_shell import Shell, open_shell

from tooldeck.notebook.magics.servers import WORDS

RAW = Path(__file__).parents[1] / "mcp" / "servers" / "raw.py"
WRONG = (
    *("", "nothere", "nothere x y", "demo nothere", "demo x=1 y", "demo 'open", "demo --nope 1"),
    *("demo \u202e {]", "--", "--label", "12", "demo 999999", "😀" * 50),
)
DOES_SOMETHING = {"close": {""}, "connect": {"--"}, "serve": {""}}
"""Lines that are no mistakes and change what the other lines find."""


@pytest.fixture(scope="module")
def started():
    """One shell for all tests; it holds two servers."""
    with open_shell(None) as shell:
        shell.run("%mcp connect demo")
        shell.run(f"%mcp connect --label raw {shlex.join([sys.executable, '-S', str(RAW)])}")
        yield shell


@pytest.fixture
def shell(started: Shell, capsys: pytest.CaptureFixture[str]) -> Shell:
    started.capture = capsys
    return started


@pytest.mark.parametrize("word", WORDS)
def test_wrong_input_is_answered_with_one_clear_sentence_whatever_the_word(shell: Shell, word: str) -> None:
    for rest in WRONG:
        if rest in DOES_SOMETHING.get(word, ()) or (word == "connect" and rest.startswith("demo")):
            continue
        line = f"%mcp {word} {rest}".rstrip()
        shell.capture.readouterr()
        done = shell.ip.run_cell(line)
        read = shell.capture.readouterr()
        said = (read.out + read.err).strip()
        assert "Traceback" not in said, line
        assert "\u202e" not in said, line
        if done.success:
            continue
        assert said.startswith("UsageError: "), (line, said)
        told = said.removeprefix("UsageError: ")
        assert len(told.splitlines()) == 1, (line, told)
        assert told[0].isupper() or told[0] in "%-'\"", (line, told)
        assert len(told) < 700, (line, told)
    assert set(shell.deck.mcp) == {"demo", "raw"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("disconnect demo", "%mcp does not know 'disconnect'; did you mean close?"),
        ("restart demo", "did you mean reconnect?"),
        ("stop", "did you mean close, which ends a connection, or serve stop?"),
        ("serve stop now", "%mcp serve stop ends the serving and takes nothing else."),
        ("serve --port 0 stop", "%mcp serve stop ends the serving and takes nothing else."),
        ("servers", "did you mean list?"),
        ("lst", "did you mean list?"),
        ("list demo", "%mcp list takes nothing after it"),
        (
            "read demo nope://x",
            "The MCP server 'demo' refused the resource 'nope://x': Unknown resource: nope://x",
        ),
        ("read demo nothere", "'nothere' is no address such as demo://cities; %mcp resources lists them."),
        ("subscribe demo 'open", "is no address such as demo://cities"),
        ("prompt demo nothere", "The MCP server 'demo' has no prompt 'nothere'; it has 1."),
        ("approve demo nothere", "The MCP server 'demo' has no tool 'nothere'; it has 8."),
        ("approve demo ad", "did you mean 'add'?"),
        ("login demo raw", "%mcp login takes one label of a server"),
        ("show nothere", "needs the label of a server first: demo, raw, and 'nothere' is none."),
        (
            "request demo no/such",
            "The request 'no/such' of the MCP server 'demo' was answered with error",
        ),
        ("serve --tools nothere", "tools= names 'nothere', and this deck has no such tool; it has: add, "),
        ("serve --tools cty", "did you mean 'city'?"),
        (
            "serve --allow write_notes",
            "allow= names 'write_notes', and this deck has no such tool; did",
        ),
        ("connect --rate x demo", "such as '10/s'"),
        ("close nothere", "There is no MCP server 'nothere'; connected: demo, raw."),
    ],
)
def test_the_sentence_names_the_thing_and_what_to_do(shell: Shell, line: str, said: str) -> None:
    assert said in shell.fails(f"%mcp {line}")
    assert not shell.deck.servings
