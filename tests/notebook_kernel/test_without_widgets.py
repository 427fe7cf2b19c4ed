"""Where no card can be clicked: programs that run notebooks, scripts without input, consoles that type."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from notebook_kernel import NotebookKernel

ROOT = Path(__file__).resolve().parents[2]
CALLS = {"blocking": "deck.call('note', text='tea')", "awaited": "await deck.acall('note', text='tea')"}
form = pytest.mark.parametrize("form", CALLS)

DEFINE = """
ran = []
@deck.tool(effects="write")
def note(text: str) -> str:
    "Write a note."
    ran.append(text)
    return text
"""
PRE_APPROVE = "deck.policy.allow('note'), %policy allow note in a notebook, or declare what the tool does"


def test_a_program_that_runs_the_notebook_gets_a_refusal_at_once_and_the_notebook_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    cells = [
        "%load_ext tooldeck\n" + DEFINE,
        *(f"r = {call}\nprint(r.status, ran, r.error)" for call in CALLS.values()),
        "deck.policy.allow('note')\nprint(deck.call('note', text='tea').value)",
    ]
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in cells])
    start = time.monotonic()
    NotebookClient(made, timeout=50, kernel_name="python3").execute()
    assert time.monotonic() - start < 40
    said = [cell["outputs"][0]["text"] for cell in made.cells[1:]]
    for refusal in said[:2]:
        assert refusal.startswith(
            "denied [] note needs approval and nobody could be asked: this notebook is run"
        )
        assert PRE_APPROVE in refusal
        assert "Stdin" not in refusal
    assert said[2] == "tea\n"


@pytest.mark.parametrize("closing", ["", "import sys; sys.stdin.close()", "import os; os.close(0)"])
def test_a_script_without_input_gets_a_refusal_at_once(closing: str) -> None:
    code = (
        f"{closing}\nfrom tooldeck import Deck\ndeck = Deck()\n{DEFINE}"
        "r = deck.call('note', text='tea'); print(r.status, ran, r.error)\n"
        "import asyncio\n"
        "r = asyncio.run(deck.acall('note', text='tea')); print(r.status, ran, r.error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL,
        timeout=30, check=False, env={k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert line.startswith("denied [] note needs approval and nobody could be asked: this program has no")
        assert PRE_APPROVE in line


@form
def test_a_front_end_that_draws_no_card_is_asked_by_a_prompt_in_the_end(
    notebook: NotebookKernel, form: str
) -> None:
    notebook.run("get_ipython()._tooldeck.desk.render_within = 0.3")
    cell = notebook.send(f"r = {CALLS[form]}; print(r.status, ran)")
    prompt = notebook.prompt(cell)
    assert "note" in prompt
    assert 'text = "tea"' in prompt
    notebook.type("y")
    assert notebook.finish(cell).text == "ok ['tea']\n"
    (card,) = cell.widgets
    notebook.becomes(card, "approved")


@form
def test_anything_but_a_clear_yes_at_the_prompt_is_a_no(notebook: NotebookKernel, form: str) -> None:
    notebook.run("get_ipython()._tooldeck.desk.render_within = 0.3")
    cell = notebook.send(f"r = {CALLS[form]}; print(r.status, ran)")
    notebook.prompt(cell)
    notebook.type("")
    assert notebook.finish(cell).text == "denied []\n"
    (card,) = cell.widgets
    notebook.becomes(card, "denied")


def test_the_end_of_the_input_at_the_prompt_is_a_no(notebook: NotebookKernel) -> None:
    notebook.run("get_ipython()._tooldeck.desk.render_within = 0.3")
    cell = notebook.send(f"r = {CALLS['blocking']}; print(r.status, ran, r.error)")
    notebook.prompt(cell)
    notebook.type("\x04")
    said = notebook.finish(cell).text
    assert said.startswith("denied [] note needs approval and nobody could be asked: the input has ended")


@form
def test_an_interrupt_at_the_prompt_ends_the_call(notebook: NotebookKernel, form: str) -> None:
    notebook.run("get_ipython()._tooldeck.desk.render_within = 0.3")
    cell = notebook.send(CALLS[form])
    notebook.prompt(cell)
    notebook.interrupt()
    assert notebook.finish(cell).error == "KeyboardInterrupt"
    (card,) = cell.widgets
    notebook.becomes(card, "interrupted")
    assert notebook.run("print(ran)").text == "[]\n"


@form
def test_an_interrupt_at_the_prompt_of_a_call_in_an_awaited_body_ends_the_outer_call(
    notebook: NotebookKernel, form: str
) -> None:
    notebook.run(
        "get_ipython()._tooldeck.desk.render_within = 0.3\n"
        "@deck.tool(effects='none')\n"
        "async def outer() -> str: return (await deck.acall('note', text='tea')).unwrap()"
    )
    cell = notebook.send({"blocking": "deck.call('outer')", "awaited": "await deck.acall('outer')"}[form])
    notebook.prompt(cell)
    notebook.interrupt()
    assert notebook.finish(cell).error == "KeyboardInterrupt"
    assert notebook.run("print(ran)").text == "[]\n"


def test_an_interrupt_at_the_prompt_of_one_of_several_calls_ends_the_cell(notebook: NotebookKernel) -> None:
    notebook.run("get_ipython()._tooldeck.desk.render_within = 0.3")
    call = "deck.acall('note', text='tea')"
    cell = notebook.send(f"await asyncio.gather({call}, {call})")
    notebook.prompt(cell)
    notebook.interrupt()
    assert notebook.finish(cell).error in {"KeyboardInterrupt", "CancelledError"}
    assert notebook.run("print(ran)").text == "[]\n"


@form
def test_a_cell_sent_without_a_prompt_is_refused_at_once_even_in_a_notebook_that_has_widgets(
    notebook: NotebookKernel, form: str
) -> None:
    cell = notebook.run(f"r = {CALLS[form]}; print(r.status, r.error)", allow_stdin=False)
    assert "nobody could be asked: this notebook is run by a program that takes no input" in cell.text
    assert not cell.widgets
