"""%call, %tools, %tool, %trace, %deck, %policy: lines that people type."""

from __future__ import annotations

import pytest

from tests.notebook.conftest import Shell

ADD = (
    "%%tool --effects none\ndef add(a: int, b: int = 2, tag: str = '') -> int:\n    'Add.'\n    return a + b"
)


@pytest.fixture
def added(shell: Shell) -> Shell:
    shell.run(ADD)
    return shell


@pytest.mark.parametrize("line", ["add a=1 b=3", 'add {"a": 1, "b": 3}', "  add   a=1   b=3 "])
def test_call_runs_a_tool_and_gives_the_result(added: Shell, line: str) -> None:
    result = added.run(f"%call {line}")
    assert result.ok
    assert result.value == 4
    assert result.call.caller.source == "cell"


def test_call_leaves_text_alone_where_the_tool_takes_text(added: Shell) -> None:
    added.run("%call add a=1 tag=123")
    assert added.deck.history()[-1].call.arguments["tag"] == "123"


def test_a_result_in_the_notebook_says_how_it_ended_without_times(added: Shell) -> None:
    assert added.shown("%call add a=1 b=3").strip().endswith("add: ok\n4")


def test_a_name_that_does_not_exist_is_a_result_with_the_nearest_one(added: Shell) -> None:
    result = added.run("%call ad a=1")
    assert result.status == "unknown"
    assert "'add'" in result.error


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%call", "%call needs a tool"),
        ("%call add 1", "is no argument"),
        ("%call add a=1 a=2", "given twice"),
        ("%call add(a=1, b=2)", "written without brackets: %call add key=value"),
        ("%call add 'a=1", "never closed"),
        ("%tool", "needs the name"),
        ("%tool ad", "did you mean 'add'"),
        ("%trace", "No call has been made"),
        ("%trace --run", "No model has run yet"),
        ("%trace --run add", "takes no more words"),
        ("%tools --wrong", "has no option"),
        ("%deck lgo", "did you mean log"),
        ("%policy alow add", "did you mean allow"),
        ("%policy allow", "needs the name of a tool"),
        ("%policy preset defalt", "did you mean 'default'"),
        ("%policy preset", "needs the name of a preset"),
        ("%policy explain nothing", "no tool 'nothing'"),
    ],
)
def test_a_mistake_is_one_sentence(added: Shell, line: str, expected: str) -> None:
    assert expected in added.fails(line)


def test_tools_lists_tools_with_what_policy_says_of_them(added: Shell) -> None:
    said = added.shown("%tools")
    assert "add" in said
    assert "only computes" in said
    assert said.startswith("1 tool, about ")
    assert "allow" in said
    assert "No tool has 'zzz' in it; %tools lists all." in added.shown("%tools zzz")


def test_tools_that_one_line_adds_are_a_table_and_no_heap_of_cards(shell: Shell) -> None:
    said = shell.shown("deck.add_builtins('todo', 'schedule')")
    assert [line.split()[0] for line in said.strip().splitlines()[-3:]] == ["tool", "todo", "schedule"]
    assert "action:" not in said
    assert repr(shell.deck.add_builtins("todo")) == "<added: todo>"


def test_the_deck_at_a_glance_writes_its_own_numbers_plainly(shell: Shell) -> None:
    shell.run("deck.add_builtins('file', 'code');")
    for line in ("%deck", "%tools"):
        shown = shell.shown(line)
        assert "\u2009" in shown
        assert r"\u2009" not in shown


def test_a_line_of_serve_that_is_refused_leaves_the_server_alone(shell: Shell) -> None:
    shell.run("%mcp serve")
    (before,) = shell.deck.servings
    shell.fails("%mcp serve --port 70000")
    assert shell.deck.servings == [before]
    assert before.running
    shell.run(f"%mcp serve --port {before.port}")
    (after,) = shell.deck.servings
    assert after.port == before.port
    assert not before.running
    shell.run("%mcp serve stop")


@pytest.mark.parametrize("words", ["stop", "--stop", "off", "--off"])
def test_serving_ends_however_that_is_written(shell: Shell, words: str) -> None:
    shell.run("%mcp serve")
    assert shell.shown(f"%mcp serve {words}") == "Nothing is served any more.\n"
    assert shell.deck.servings == []


def test_trace_shows_the_stages_of_the_last_call(added: Shell) -> None:
    added.run("add(1)")
    said = added.shown("%trace")
    assert "arguments" in said
    assert "attempt 1" in said
    assert "default/no-effects" in said


def test_deck_tells_of_everything_at_a_glance(added: Shell) -> None:
    added.run("add(1)")
    said = added.shown("%deck")
    assert "1 tool" in said
    assert "policy default" in said
    assert "add(a=1)" in added.shown("%deck log")


def test_policy_rules_decide_and_can_be_explained_and_forgotten(added: Shell) -> None:
    added.run("%policy deny add")
    assert added.deck.call("add", a=1).status == "denied"
    assert "deny add" in added.shown("%policy explain add")
    added.run("%policy forget add")
    assert added.deck.call("add", a=1).ok
    assert "No tool is called late" in added.shown("%policy allow late")


def test_a_call_that_must_ask_is_refused_at_once_where_nobody_can_answer(shell: Shell) -> None:
    shell.run("%%tool --effects write\ndef w() -> int:\n    return 1")
    result = shell.run("%call w")
    assert result.status == "denied"
    assert "%policy allow w" in result.error
    shell.run("%policy allow w")
    assert shell.run("%call w").ok


def test_a_deck_that_is_served_from_python_says_how_to_reach_it_and_keeps_its_token(shell: Shell) -> None:
    shell.run("served = deck.serve()")
    html = shell.ip.display_formatter.format(shell.ip.user_ns["served"])[0]["text/html"]
    assert "mcpServers" in html
    assert "claude mcp add" in html
    assert shell.ip.user_ns["served"].token not in html
    shell.run("served.stop()")
    html = shell.ip.display_formatter.format(shell.ip.user_ns["served"])[0]["text/html"]
    assert "stopped" in html
    assert "mcpServers" not in html
