"""%%tool: from a cell to a tool."""

from __future__ import annotations

import pytest

from tests.notebook.conftest import Shell

AREA = '''%%tool --effects none
import math

def area(radius: float) -> float:
    """Area of a circle.

    Args:
        radius: in metres
    """
    return math.pi * radius**2
'''


def test_a_cell_with_one_function_makes_a_tool_and_shows_its_card(shell: Shell) -> None:
    said = shell.shown(AREA)
    tool = shell.deck["area"]
    assert tool.origin.kind == "notebook"
    assert tool.parameters["properties"]["radius"]["description"] == "in metres"
    assert "Area of a circle." in said
    assert "radius" in said


def test_imports_of_the_cell_are_there_afterwards(shell: Shell) -> None:
    shell.run(AREA)
    assert shell.run("math.floor(2.5)") == 2


def test_the_name_in_the_notebook_calls_the_tool_through_the_deck(shell: Shell) -> None:
    shell.run(AREA)
    assert shell.run("area(1)") == pytest.approx(3.14159, rel=1e-4)
    assert [result.call.name for result in shell.deck.history()] == ["area"]


def test_a_comment_or_blank_line_above_the_magic_is_fine(shell: Shell) -> None:
    shell.run("# my tool\n\n%%tool --effects none\ndef add(a: int, b: int) -> int:\n    return a + b")
    assert shell.deck.call("add", a=1, b=2).value == 3


def test_running_a_cell_again_replaces_the_tool_everywhere(shell: Shell) -> None:
    shell.run("%%tool --effects none\ndef f() -> int:\n    return 1")
    old = shell.deck["f"]
    shell.run("%%tool --effects none\ndef f() -> int:\n    return 2")
    assert old() == 2
    assert shell.deck.call(old).value == 2
    assert len(shell.deck) == 1


def test_a_redefinition_that_fails_keeps_the_old_tool(shell: Shell) -> None:
    shell.run("%%tool --effects none\ndef f() -> int:\n    return 1")
    assert "Nowhere" in shell.fails("%%tool --effects none\ndef f(x: 'Nowhere') -> int:\n    return 2")
    assert shell.deck.call("f").value == 1


def test_marked_functions_are_taken_with_their_own_options_and_helpers_are_left_alone(shell: Shell) -> None:
    shell.run(
        "%%tool\ndef helper(x):\n    return x\n\n"
        "@tool(effects='read')\ndef one() -> int:\n    return helper(1)\n\n"
        "@tool\ndef two() -> int:\n    return 2"
    )
    assert list(shell.deck.tools) == ["one", "two"]
    assert shell.deck["one"].effects == {"read"}
    assert shell.deck["two"].effects is None
    assert shell.run("helper(5)") == 5


def test_two_unmarked_functions_both_become_tools_and_it_is_said(shell: Shell) -> None:
    said = shell.shown("%%tool --effects none\ndef a() -> int: return 1\ndef b() -> int: return 2")
    assert list(shell.deck.tools) == ["a", "b"]
    assert "Made 2 tools: a, b" in said


def test_a_decorator_and_an_import_before_the_function_are_fine(shell: Shell) -> None:
    shell.run("import functools")
    shell.run(
        "%%tool --effects none\nimport math\n\n@functools.cache\n"
        'def root(x: float) -> float:\n    "Root."\n    return math.sqrt(x)'
    )
    assert shell.deck.call("root", x=9).value == 3


def test_a_recursive_tool_is_one_call(shell: Shell) -> None:
    shell.run("%%tool --effects none\ndef fact(n: int) -> int:\n    return 1 if n < 2 else n * fact(n - 1)")
    assert shell.deck.call("fact", n=5).value == 120
    assert len(shell.deck.history()) == 1


def test_what_a_model_would_miss_is_said_where_the_tool_is_made_and_only_there(shell: Shell) -> None:
    made = shell.shown("%%tool --effects none\ndef f(x, n=3, m: int = 1, *rest, **more):\n    return x")
    assert made.count("note: ") == 2
    assert "note: no type is given for x, n, so that any value fits; write it as in x: str" in made
    assert "note: there is no docstring" in made
    assert "note: " not in shell.shown("%tool f")
    assert "note: " not in shell.shown(
        '%%tool --effects none\ndef f(x: int):\n    "Doubles."\n    return 2 * x'
    )


def test_a_traceback_of_a_tool_shows_the_line_of_its_cell(shell: Shell) -> None:
    import traceback

    shell.run("%%tool --effects none\ndef f() -> int:\n    return 1 / 0")
    error = shell.deck.call("f").exception
    assert error is not None
    assert "return 1 / 0" in "".join(traceback.format_exception(error))


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("%%tool --efects read\ndef f(): ...", "did you mean --effects"),
        ("%%tool read\ndef f(): ...", "options start with --"),
        ("%%tool --effects\ndef f(): ...", "needs a value"),
        ("%%tool --effects wrte\ndef f(): ...", "did you mean 'write'"),
        ("%%tool --timeout soon\ndef f(): ...", "must be a number of seconds"),
        ("%%tool --timeout 0\ndef f(): ...", "above 0"),
        ("%%tool --max_chars 0\ndef f(): ...", "--max-chars must be a whole number, 100 or more"),
        ("%mcp connect --connect_timeout -1 demo", "--connect-timeout must be a number of seconds above 0"),
        ("%%tool --name 'my tool'\ndef f(): ...", "name='my_tool'"),
        ("%%tool --name x\ndef f(): ...\ndef g(): ...", "fits one tool"),
        ("%%tool 'unclosed\ndef f(): ...", "never closed"),
        ("%%tool\nx = 1", "found no function"),
        ("%%tool\n", "the cell body is empty"),
        ("%%tool\nf = lambda x: x", "a lambda has no name"),
        ("%%tool\nclass A: ...", "found a class but no function"),
        ("%%tool\ndef f(:\n    pass", "line 1"),
        ("%%tool\ndef f(): ...\nreturn 1", "'return' outside function"),
        ("%%tool\nawait x\ndef f(): ...", "'await' outside function"),
        ("%%tool\ndef f(x: Missing): ...", "'Missing' is not defined"),
        ("%%tool\ndef f(x: 'Missing'): ...", "'Missing' is not defined"),
        ("%%tool\ndef _a(): ...\ndef _b(): ...", "mark the one meant"),
        ("%%tool\ndef f(): ...\ndel f", "the cell deletes it"),
        ("%%tool\ndef f(): ...\nf = 3", "3 cannot be a tool"),
        ("%%tool\n@tool('x')\ndef f(): ...", "takes its options by name"),
        ("%%tool --ask --no-ask\ndef f(): ...", "not both"),
        ("%%tool\nx = 1\x00\ndef f(): ...", "null bytes"),
        (
            "%%tool\nfrom collections.abc import Callable\ndef f(g: Callable[[int], int]): ...",
            "parameter 'g'",
        ),
    ],
)
def test_a_mistake_is_one_sentence_and_no_tool_is_made(shell: Shell, cell: str, expected: str) -> None:
    assert expected in shell.fails(cell)
    assert len(shell.deck) == 0


def test_an_error_raised_by_the_cell_itself_is_shown_as_usual(shell: Shell) -> None:
    done = shell.ip.run_cell("%%tool\n1 / 0\ndef f(): ...")
    assert isinstance(done.error_in_exec, ZeroDivisionError)


def test_loading_twice_keeps_the_deck(shell: Shell) -> None:
    deck = shell.deck
    shell.run("%reload_ext tooldeck")
    assert shell.deck is deck


def test_a_decorator_below_the_mark_takes_neither_name_nor_options_away(shell: Shell) -> None:
    shell.run(
        "%%tool\nimport functools\n"
        "def other(g):\n    def wrapper(*a): return g(*a)\n    return wrapper\n"
        "@tool(effects='read')\n@other\ndef f(x: int): ...\n"
        "@tool(effects='read')\n@functools.partial\ndef g(x: int): ..."
    )
    assert list(shell.deck) == ["f", "g"]
    assert {tool.read_only for tool in shell.deck.tools.values()} == {True}
    assert shell.ip.user_ns["f"] is shell.deck["f"]


@pytest.mark.parametrize("second", ["def g(x: 'Nowhere'): ...", "def taken(): ..."])
def test_of_a_cell_with_one_tool_that_cannot_be_made_none_is_made(shell: Shell, second: str) -> None:
    shell.run("@deck.tool(effects='none')\ndef taken() -> int:\n    return 1")
    shell.fails(f"%%tool --effects none\ndef f() -> int: return 1\n{second}")
    assert list(shell.deck.tools) == ["taken"]
    assert shell.deck.call("taken").value == 1


def test_a_function_of_a_cell_may_have_parameters_that_the_deck_fills(shell: Shell) -> None:
    said = shell.shown(
        "%%tool --effects none\nfrom tooldeck import Injected\n\n"
        "def who(x: int, context: Injected) -> str:\n    return context.call.id"
    )
    assert "context" not in said
    assert shell.run("who(1)") == shell.deck.history()[-1].call.id
