"""What a server wants in the middle of a call: questions, progress and log lines are in the calling cell."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from notebook_kernel import NotebookKernel

SERVERS = Path(__file__).resolve().parents[1] / "mcp" / "servers"
LIBRARY = shlex.join([sys.executable, str(SERVERS / "sdk.py")])
RAW = shlex.join([sys.executable, "-S", str(SERVERS / "raw.py")])
CALL = {"blocking": "deck.call({!r})", "awaited": "await deck.acall({!r})"}
form = pytest.mark.parametrize("form", CALL)
era = pytest.mark.parametrize("era", ["auto", "legacy"])
ASK = "r = {}; print(r.status, r.value and r.value.text)"


def connect(notebook: NotebookKernel, command: str, era: str = "auto", label: str = "server") -> None:
    notebook.run(f"deck.mcp.connect({command!r}, label={label!r}, reads='*', mode={era!r})", timeout=60)


@era
def test_questions_are_asked_in_the_cell_that_waits(notebook: NotebookKernel, era: str) -> None:
    connect(notebook, LIBRARY, era)
    for call in CALL.values():
        cell = notebook.send(ASK.format(call.format("two_questions")))
        queued = notebook.send("print('next')")
        notebook.fill(cell, "Your name?", "Ada")
        notebook.fill(cell, "Your colour?", "green")
        assert notebook.finish(cell).text == "ok Ada likes green\n"
        assert notebook.finish(queued).text == "next\n"


@form
def test_a_click_on_a_subshell_answers_too(installed: NotebookKernel, form: str) -> None:
    connect(installed, RAW)
    cell = installed.send(ASK.format(CALL[form].format("question")))
    installed.fill(cell, "Who are you?", "Ada", shell="subshell")
    assert installed.finish(cell).text == 'ok {"action": "accept", "content": {"name": "Ada"}}\n'


def test_a_declined_question_reaches_the_server(notebook: NotebookKernel) -> None:
    connect(notebook, RAW)
    cell = notebook.send(ASK.format(CALL["blocking"].format("question")))
    card = notebook.question(cell, "Who are you?")
    buttons = notebook.children(notebook.children(card)[2])
    notebook.click(buttons[0])
    assert notebook.finish(cell).text == 'ok {"action": "decline"}\n'


@era
def test_where_nobody_can_answer_a_question_is_declined_at_once(installed: NotebookKernel, era: str) -> None:
    connect(installed, LIBRARY, era)
    for call in CALL.values():
        cell = installed.run(f"r = {call.format('two_questions')}; print(r.status)", allow_stdin=False)
        assert cell.text == "failed\n"
        assert not cell.widgets


@form
def test_a_front_end_that_draws_no_card_is_asked_by_prompts(notebook: NotebookKernel, form: str) -> None:
    connect(notebook, RAW)
    notebook.run("get_ipython()._tooldeck.desk.render_within = 0.3")
    cell = notebook.send(ASK.format(CALL[form].format("question")))
    assert "name" in notebook.prompt(cell)
    assert "server asks: Who are you?" in cell.text
    notebook.type("Ada")
    assert notebook.finish(cell).text.endswith('ok {"action": "accept", "content": {"name": "Ada"}}\n')


@form
def test_an_interrupt_while_a_question_is_open_ends_the_call_and_marks_the_card(
    notebook: NotebookKernel, form: str
) -> None:
    connect(notebook, RAW)
    cell = notebook.send(CALL[form].format("question"))
    card = notebook.question(cell, "Who are you?")
    head = notebook.children(card)[0]
    notebook.interrupt()
    assert notebook.finish(cell).error == "KeyboardInterrupt"
    notebook.becomes(head, "interrupted")
    assert notebook.run("print(deck.mcp['server'].state, deck.call('echo').status)").text == "ready ok\n"


@form
def test_progress_and_log_lines_are_shown_in_the_cell_that_calls(notebook: NotebookKernel, form: str) -> None:
    connect(notebook, RAW)
    cell = notebook.run(f"print(({CALL[form].format('talk')}).value.text)")
    assert cell.text == "[server raw warning] watch out\ntold\n"
    (bar,) = cell.widgets
    notebook.until(
        lambda: notebook.models[bar]["progress"]["share"] == 1.0, 5, lambda: str(notebook.models[bar])
    )


TASKS = shlex.join([sys.executable, "-S", str(SERVERS / "tasks.py")])
ENDLESS = {"call": (RAW, "sleep", ", report='<b>hm'"), "task": (TASKS, "endless", "")}


@pytest.mark.parametrize(
    ("kind", "era", "form"),
    [
        ("call", "auto", "awaited"),
        ("call", "legacy", "blocking"),
        ("task", "auto", "blocking"),
        ("task", "legacy", "awaited"),
    ],
)
def test_a_press_on_cancel_ends_the_call_and_its_server_is_told_once(
    installed: NotebookKernel, kind: str, era: str, form: str
) -> None:
    notebook = installed
    command, tool, arguments = ENDLESS[kind]
    label = f"{kind}-{era}"  # in the other era its definitions differ, and would be asked about
    connect(notebook, command, era, label)
    called = CALL[form].format(tool).replace("')", f"'{arguments})")
    cell = notebook.send(f"r = {called}; print(r.status, r.error)")
    queued = notebook.send("print('next')")

    def offered() -> list[str]:
        return [one for one in cell.widgets if notebook.models[one]["progress"]["cancel"] == "offered"]

    notebook.until(lambda: bool(offered()) or cell.done, 30, lambda: f"no button came: {cell}")
    (bar,) = offered()
    for _ in range(2):
        notebook.say(bar, type="cancel")
    assert notebook.finish(cell).text == f"cancelled {tool} gave up: a person cancelled it.\n"
    assert notebook.finish(queued).text == "next\n"
    line = "".join(text for text, _ in notebook.models[bar]["progress"]["line"])
    assert (line.split(" · ")[-1], notebook.models[bar]["progress"]["cancel"]) == ("cancelled", "")
    sent = "tasks/cancel" if kind == "task" else "notifications/cancelled"
    counted = f"print(sum(e.method == {sent!r} for e in deck.mcp[{label!r}].log.exchanges()))"
    notebook.until(lambda: notebook.run(counted).text == "1\n", 10, lambda: f"no {sent} was sent")
    assert notebook.run(f"print(deck.mcp[{label!r}].state)").text == "ready\n"
    notebook.heard(notebook.say(bar, type="cancel"))  # of a page that is late: nothing is there to cancel


def test_progress_moves_before_the_call_ends(notebook: NotebookKernel) -> None:
    connect(notebook, "demo")
    cell = notebook.send("deck.call('count_slowly', steps=3, pause=0.4).value.text")

    def half_way() -> bool:
        return any(0 < (notebook.models[bar]["progress"]["share"] or 0) < 1 for bar in cell.widgets)

    notebook.until(half_way, 20, lambda: f"no bar moved: {cell}")
    assert not cell.done
    notebook.finish(cell)


@form
def test_a_model_asks_in_the_cell_that_waits_and_nowhere_when_nobody_can_answer(
    installed: NotebookKernel, form: str
) -> None:
    installed.run("_ = deck.add_builtins('system')")
    asked = {
        "blocking": "deck.call('system', action='ask', question='Which one?')",
        "awaited": "await deck.acall('system', action='ask', question='Which one?')",
    }[form]
    cell = installed.send(f"r = {asked}; print(r.status, r.value)")
    queued = installed.send("print('next')")
    installed.fill(cell, "Which one?", "the blue one")
    assert installed.finish(cell).text == "ok {'answered': True, 'answer': 'the blue one'}\n"
    assert installed.finish(queued).text == "next\n"
    cell = installed.run(f"r = {asked}; print(r.status, r.error)", allow_stdin=False)
    assert cell.text.startswith("failed")
    assert "nobody is there to ask: this notebook is run by a program that takes no input" in cell.text
    assert not cell.widgets


@form
def test_an_interrupted_question_with_choices_ends_its_cell_and_the_next_one_runs(
    installed: NotebookKernel, form: str
) -> None:
    installed.run("_ = deck.add_builtins('system')")
    given = "'system', action='ask', question='Which one?', choices=['red', 'blue'], default='red'"
    cell = installed.send({"blocking": f"deck.call({given})", "awaited": f"await deck.acall({given})"}[form])
    card = installed.question(cell, "Which one?")
    head = installed.children(card)[0]
    installed.interrupt()
    assert installed.finish(cell).error == "KeyboardInterrupt"
    installed.becomes(head, "interrupted")
    assert installed.run("print('next')").text == "next\n"
