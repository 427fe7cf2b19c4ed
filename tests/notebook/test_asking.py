"""``%%ask``: a model works on the text of a cell."""

from __future__ import annotations

import pytest
from ipython_shell import Shell

from tooldeck import DefinitionError

MODELS = """
from tooldeck.loops import scripted
deck.add(lambda a, b: a + b, name="add", effects="none")
model = scripted([("add", {"a": 1, "b": 2}), "It is 3."])
async def streams(messages, tools):
    yield "word "
    yield f"{len(messages)}"
written = scripted(["Thought: add\\nAction: add(a=1, b=2)", "Final Answer: 3"])
"""


@pytest.fixture
def ready(shell: Shell) -> Shell:
    shell.run(MODELS)
    return shell


def test_a_cell_shows_the_calls_and_the_answer_and_gives_the_result(ready: Shell) -> None:
    shown = ready.shown("%%ask\nadd one and two")
    assert "→ add(a=1, b=2): ok\nIt is 3.\n" in shown
    result = ready.run("%%ask\nadd one and two")
    assert (result.ok, result.text, result.messages[0].text) == (True, "It is 3.", "add one and two")


def test_a_call_that_is_not_done_is_told_with_its_reason(ready: Shell) -> None:
    ready.run("""
from tooldeck import ModelReply, ToolRequest
asked = [("nope", {"x": "y"}), ("add", {"a": 1}), ("add", '{"a": 1, "b'), ("long", {"t": "x" * 99})]
cut = ModelReply(requests=[ToolRequest("a", "add", '{"a"', cut=True)])
deck.add(lambda t: 1 / 0, name="long", effects="none")
model = scripted([asked, cut, "done"])
""")
    shown = ready.shown("%%ask\ngo").splitlines()
    assert shown[0] == "→ nope(x='y'): unknown"
    assert shown[1].startswith("    There is no tool 'nope'; ")
    assert shown[2:4] == ["→ add(a=1): invalid", "    add: an argument does not fit: b: is required"]
    assert shown[4] == """→ add({"a": 1, "b): invalid"""
    assert "cut off" in shown[5]
    assert shown[6:8] == ["→ long(t=<99 characters>): failed", "    ZeroDivisionError: division by zero"]
    assert shown[8].startswith("(add was not run: it was cut off before its end; ")
    assert shown[9] == "done"


def test_a_reply_that_is_not_understood_is_told_with_its_reason(ready: Shell) -> None:
    ready.run(
        'model = scripted(["Thought: hm", "Action: add(a=1, b=2)\\nObservation: 9", "Final Answer: 3"])'
    )
    shown = ready.shown("%%ask --text\ngo")
    assert "Thought: hm\n(the reply could not be understood: NO_ACTION: " in shown
    assert "(left out an observation that the model wrote itself)\n→ add(a=1, b=2): ok\n" in shown


def test_calls_beside_each_other_are_told_in_the_order_of_the_reply(ready: Shell) -> None:
    ready.run("""
import threading
second = threading.Event()
deck.add(lambda: second.wait(10), name="slow", effects="read")
deck.add(lambda: second.set(), name="quick", effects="read")
model = scripted([[("slow", {}), ("quick", {})], "done"])
""")
    assert "→ slow(): ok\n→ quick(): ok\ndone\n" in ready.shown("%%ask\ngo")


def test_text_that_is_streamed_on_another_thread_lands_in_the_cell(ready: Shell) -> None:
    assert "word 1\n" in ready.shown("%%ask --model streams\nhello")


def test_a_conversation_goes_on_where_that_is_said(ready: Shell) -> None:
    assert "no conversation to go on with" in ready.fails("%%ask --more\nhello")
    ready.run("%%ask --model streams\nhello")
    assert ready.run("%%ask --model streams --more\nand now").text == "word 3"
    assert ready.run("%%ask --model streams\nafresh").text == "word 1"


def test_a_model_without_native_calls_works_by_text(ready: Shell) -> None:
    shown = ready.shown("# below a comment\n\n%%ask --text --model written\nadd")
    assert "Thought: add\nAction: add(a=1, b=2)\n→ add(a=1, b=2): ok\nFinal Answer: 3\n" in shown


def test_the_rounds_of_a_cell_are_limited(ready: Shell) -> None:
    assert ready.run("%%ask --rounds 1\nadd").status == "limit"


def test_every_limit_of_a_run_can_be_set_on_the_line(ready: Shell) -> None:
    assert ready.run("%%ask --calls 1 --tokens 9000 --seconds 60 --rounds 1\nadd").status == "limit"
    assert "tokens were used" in ready.run("%%ask --tokens 1\nadd").reason
    assert "tells no cost" in ready.run("%%ask --cost 0.5\nadd").reason


def test_the_model_of_the_deck_answers_where_no_variable_has_one(ready: Shell) -> None:
    ready.run("deck.model = model; del model")
    assert ready.run("%%ask\nadd one and two").text == "It is 3."


def test_another_cell_steers_the_run_under_way(ready: Shell) -> None:
    ready.run("""
def hears(messages, tools):
    if len(messages) == 1:
        deck.steer("in French, please")
        return ModelReply(requests=[ToolRequest("a", "add", {"a": 1, "b": 2})])
    return messages[-1].text
from tooldeck import ModelReply, ToolRequest
""")
    with pytest.raises(DefinitionError, match="No run is under way"):
        ready.deck.steer("hello")
    result = ready.run("%%ask --model hears\nadd")
    assert "in French, please" in result.messages[-2].answers[0].text
    assert result.calls[0].result.status == "cancelled"


MISTAKES = {
    "%%ask --model nobody\nhi": "no model in the variable 'nobody'",
    "%%ask say hello\nhi": "takes options only, not 'say'",
    "%%ask\n\n": "from the lines below it",
    "%%ask --rounds many\nhi": "--rounds takes a whole number",
    "%%ask --rounds 0\nhi": "--rounds takes a whole number",
    "%%ask --seconds soon\nhi": "--seconds takes a number above 0",
    "%%ask --model deck\nhi": "model must be a function",
    "%%ask --modle x\nhi": "did you mean --model?",
}


def test_a_mistake_is_one_sentence(ready: Shell) -> None:
    for cell, words in MISTAKES.items():
        assert words in ready.fails(cell)


def test_words_of_a_model_hide_nothing(ready: Shell) -> None:
    ready.run('model = scripted(["red\\x1b[31m"])')
    assert "red\\x1b[31m" in ready.shown("%%ask\ngo")


def test_the_last_run_is_drawn_on_one_axis_wherever_it_was_started(ready: Shell) -> None:
    ready.run("deck.run('add', model=scripted([('add', {'a': 1, 'b': 2}), 'three']))")
    shown = ready.shown("%trace --run")
    assert [line.split()[0] for line in shown.strip().splitlines()[1:]] == ["reply", "add", "reply"]
