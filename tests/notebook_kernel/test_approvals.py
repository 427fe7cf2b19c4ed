"""Approval cards in real kernels: clicked, denied, interrupted, queued, several at once, too late."""

from __future__ import annotations

import time

import pytest
from notebook_kernel import NotebookKernel

CALLS = {"blocking": "deck.call('note', text={!r})", "awaited": "await deck.acall('note', text={!r})"}
form = pytest.mark.parametrize("form", CALLS)


def call(form: str, text: str = "tea") -> str:
    return CALLS[form].format(text)


@form
def test_an_approval_by_click_runs_the_call_in_the_waiting_cell(
    notebook: NotebookKernel, route: str, form: str
) -> None:
    cell = notebook.send(f"r = {call(form)}; print(r.status, r.value, ran)")
    (card,) = notebook.cards(cell)
    assert not cell.done
    notebook.answer(card, route)
    assert notebook.finish(cell).text == "ok noted tea ['tea']\n"
    notebook.becomes(card, "approved")


@form
def test_a_denied_call_does_not_run_and_its_note_is_passed_on(notebook: NotebookKernel, form: str) -> None:
    cell = notebook.send(f"r = {call(form)}; print(r.status, ran, r.error)")
    (card,) = notebook.cards(cell)
    notebook.answer(card, approve=False, note="not today")
    assert notebook.finish(cell).text == "denied [] note was refused by you: not today\n"
    notebook.becomes(card, "denied")


def test_a_deck_call_in_a_cell_is_said_to_be_made_in_a_cell(notebook: NotebookKernel) -> None:
    cell = notebook.send("r = deck.call('note', text='x')")
    (card,) = notebook.cards(cell)
    asked = "".join(text for text, _ in notebook.models[card]["question"]["asked"])
    assert asked == "called in a cell"
    notebook.answer(card)
    notebook.finish(cell)


def test_an_answer_to_another_question_is_ignored(notebook: NotebookKernel) -> None:
    cell = notebook.send(call("blocking"))
    (card,) = notebook.cards(cell)
    for request in ("call-0", None):
        notebook.heard(notebook.say(card, type="answer", request=request, approve=True, scope="once"))
    assert notebook.phase(card) == "waiting"
    notebook.answer(card, approve=False)
    notebook.finish(cell)
    assert notebook.run("print(ran)").text == "[]\n"


@form
def test_an_interrupt_ends_the_wait_and_the_card_says_so(notebook: NotebookKernel, form: str) -> None:
    cell = notebook.send(f"r = {call(form)}; print(r)")
    (card,) = notebook.cards(cell)
    start = time.monotonic()
    notebook.interrupt()
    assert notebook.finish(cell).error == "KeyboardInterrupt"
    assert cell.replied_at - start < 15
    notebook.becomes(card, "interrupted")
    notebook.answer(card)
    assert notebook.run("print('next', ran)").text == "next []\n", "a late click runs nothing"


INTERRUPTED_BETWEEN = """
import os, signal, tooldeck.notebook.approvals as desk
plain = desk.wait_async
async def wait_async(*args):
    desk.wait_async = plain
    await plain(*args)
    os.kill(os.getpid(), signal.SIGINT)
desk.wait_async = wait_async
await deck.acall('note', text='tea')
"""


def test_an_interrupt_between_the_drawing_of_a_card_and_its_answer_is_one_all_the_same(
    notebook: NotebookKernel,
) -> None:
    cell = notebook.send(INTERRUPTED_BETWEEN)
    (card,) = notebook.cards(cell)
    assert notebook.finish(cell).error == "KeyboardInterrupt"
    notebook.becomes(card, "interrupted")


@form
def test_cells_queued_behind_a_question_run_after_it_in_order(
    notebook: NotebookKernel, route: str, form: str
) -> None:
    cells = [notebook.send(call(form)), *(notebook.send(f"print({n}, ran)") for n in range(3))]
    (card,) = notebook.cards(cells[0])
    notebook.listen(0.1)
    assert not any(later.messages or later.reply for later in cells[1:]), "none may start early"
    notebook.answer(card, route)
    for cell in cells:
        notebook.finish(cell)
    assert [cell.text for cell in cells[1:]] == [f"{n} ['tea']\n" for n in range(3)]
    ids = [cell.id for cell in cells]
    assert [one for one in notebook.order if one in ids] == ids


def test_run_all_with_two_questions_asks_one_after_the_other(notebook: NotebookKernel) -> None:
    cells = [notebook.send(code) for code in (call("blocking", "a"), "print(ran)", call("blocking", "b"))]
    for cell in (cells[0], cells[2]):
        (card,) = notebook.cards(cell)
        notebook.answer(card)
        notebook.finish(cell)
    assert notebook.finish(cells[1]).text == "['a']\n"
    assert notebook.run("print(ran)").text == "['a', 'b']\n"


GATHER = (
    "results = await asyncio.gather(*(deck.acall('note', text=t) for t in {}))\n"
    "print(*(r.status for r in results), ran)"
)


def test_of_two_questions_at_once_each_gets_its_own_answer(notebook: NotebookKernel, route: str) -> None:
    cell = notebook.send(GATHER.format(["one", "two"]))
    cards = by_text(notebook, notebook.cards(cell, 2))
    notebook.answer(cards["two"], route)
    notebook.becomes(cards["two"], "approved")
    assert notebook.phase(cards["one"]) == "waiting"
    notebook.answer(cards["one"], route, approve=False)
    assert notebook.finish(cell).text == "denied ok ['two']\n"


def test_of_three_questions_one_is_approved_twice_one_refused_and_one_answered_too_late(
    notebook: NotebookKernel, route: str
) -> None:
    notebook.run("deck.approval_timeout = 3.0")
    cell = notebook.send(GATHER.format(["one", "two", "three"]))
    cards = by_text(notebook, notebook.cards(cell, 3))
    notebook.answer(cards["two"], route)
    notebook.answer(cards["two"], route)
    notebook.answer(cards["one"], route, approve=False)
    assert notebook.finish(cell, 15).text == "denied ok denied ['two']\n"
    notebook.becomes(cards["three"], "timed out")
    notebook.answer(cards["three"], route)
    for late in ("two", "three"):
        notebook.until(
            lambda late=late: any(one["type"] == "late" for one in notebook.told[cards[late]]),
            10,
            lambda: "nobody said that it was too late",
        )
    assert notebook.run("print(ran)").text == "['two']\n"
    phases = {name: notebook.phase(card) for name, card in cards.items()}
    assert phases == {"one": "denied", "two": "approved", "three": "timed out"}


@form
def test_a_question_that_nobody_answers_in_time_is_a_refusal(notebook: NotebookKernel, form: str) -> None:
    notebook.run("deck.approval_timeout = 0.4")
    cell = notebook.send(f"r = {call(form)}; print(r.status, ran, r.error)")
    (card,) = notebook.cards(cell)
    text = notebook.finish(cell).text
    assert text.startswith("denied [] note needs approval and nobody answered in time")
    notebook.becomes(card, "timed out")


def test_an_approval_for_the_session_is_not_asked_again(notebook: NotebookKernel) -> None:
    cell = notebook.send(call("blocking", "a"))
    (card,) = notebook.cards(cell)
    notebook.answer(card, scope="session")
    notebook.finish(cell)
    again = notebook.run(f"{call('blocking', 'b')}\nprint(ran)")
    assert again.text == "['a', 'b']\n"
    assert not again.widgets


def test_a_question_from_a_worker_thread_appears_in_the_cell_that_waits_for_it(
    notebook: NotebookKernel,
) -> None:
    notebook.run(
        "@deck.tool(effects='read', timeout=60)\n"
        "def outer() -> str:\n"
        "    'Calls another tool, in a worker thread because of its limit.'\n"
        "    return deck.call('note', text='inner').unwrap()"
    )
    cell = notebook.send("print(deck.call('outer').value)")
    (card,) = notebook.cards(cell)
    notebook.answer(card)
    assert notebook.finish(cell).text == "noted inner\n"


def by_text(notebook: NotebookKernel, cards: list[str]) -> dict[str, str]:
    """Cards by the argument of their call."""
    found = {}
    for card in cards:
        (argument,) = notebook.models[card]["question"]["arguments"]
        found["".join(text for text, _ in argument["value"])] = card
    return found
