"""Any text at all: read or refused, in time that grows with its length, on the smallest of stacks."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tooldeck import Action, ActionLimits, Refusal, Reply, format_action, parse_action, read_reply

PIECES = st.sampled_from(
    [
        "f(", "f", "x=", "y", "=", "==", ":=", ":", ",", "(", ")", "[", "]", "{", "}", '"', "'", '"""',
        "'''", "\\", "\n", "\r\n", " ", "\t", "#", "1", "-", "+", "1e9", "0x", "_", ".", "...", "True",
        "null", "r", "f'", 'b"', "（", "）", "，", "“", "”", "‘", "\u200b", "\ufeff", "\0", "\ud800", "\\u",
        "\\ud83d", "\\x", "\\N{", "Action:", "\nAction: ", "\nAction Input: ", "\nObservation:",
        "Thought: ", "\nFinal Answer: ", "Finish[", "finish(answer=", "```", "```py\n", "`",
        '{"name": "f", "arguments": ', '"name"', "await ", "lambda", "**", "é", "北京", "ｆ", "C:\\", ";",
        "。", "or ",
    ]
)  # fmt: skip
SOUND = [
    'f(x="a", y=[1, -2.5, {"k": None}])',
    'Thought: t\nAction: f(x=1, y=("a",))\nObservation: o\nFinal Answer: a',
    'Action: f\nAction Input: {"x": {"y": [1, "a\\n"]}} and\nThought: b',
    '```python\n[f(x=1), f(x=r"\\d")]\n```',
    'Action: {"name": "f", "arguments": "{\\"x\\": 1}"}\nAction: f[a]',
    'Action: finish(answer="""a\n"b" """)',
]


@st.composite
def spoiled(draw):
    """A sound text with pieces put in at some places, over what stands there."""
    text = draw(st.sampled_from(SOUND))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(PIECES) + text[at + draw(st.integers(0, 4)) :]
    return text


HOSTILE = st.lists(PIECES, max_size=40).map("".join) | spoiled()
NAMES = {"f": ["x", "y"], "g-h": ["a"], "search": ["q"]}
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "tools": st.sampled_from([NAMES, list(NAMES), []]),
        "lone": st.just({"f": "x"}),
        "aliases": st.just({"a.b": "f"}),
        "repair": st.sampled_from([True, False, {"f"}]),
        "strict": st.booleans(),
    },
)
CHARS = st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\t\r\"'\\{}[](),:")
TEXTS = st.text(CHARS, max_size=12)
SAFE_INTS = st.integers(-(2**53), 2**53)
VALUES = st.recursive(
    st.none() | st.booleans() | SAFE_INTS | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=15,
)
TOOL_NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,20}", fullmatch=True)


def is_dunder(name):
    return name.startswith("__") and name.endswith("__")


@given(
    HOSTILE | st.text(max_size=60), OPTIONS, st.sampled_from(["refuse", "first", "sequential"]), st.booleans()
)
@example('f(x="\\', {}, "refuse", True)
@example("Action: f\nAction Input: ```", {}, "first", True)
@example("Action: [", {}, "sequential", True)
@example("finish(", {}, "refuse", False)
@example("f\u200b", {}, "refuse", False)
@example("f(x=1...)", {}, "refuse", True)
@example('f(x="a"\\', {}, "refuse", True)
def test_any_text_is_read_or_refused_and_nothing_else(text, options, several, plain):
    action = parse_action(text, **options)
    assert isinstance(action, Action | Refusal)
    if isinstance(action, Action):
        assert text[slice(*action.span)] == action.raw
        assert parse_action(format_action(action.name, action.arguments)).arguments == action.arguments
    else:
        assert 0 <= action.position <= len(text)
        assert action.code in str(action)
        assert action.corrected is None or parse_action(action.corrected).ok
    reply = read_reply(text, several=several, plain_answer=plain, **options)
    assert isinstance(reply, Reply)
    assert (reply.refusal is not None) + bool(reply.actions) + (reply.answer is not None) == 1
    assert reply.text + reply.invented == text or text.startswith(reply.text)
    assert text.endswith(reply.invented)


@given(TOOL_NAMES, st.dictionaries(TEXTS.filter(bool) | TOOL_NAMES, VALUES, max_size=4))
@example("f", {"x": "C:\nx", "y": 'D:"', "z": "C:\\new", "r\n": "a\r\nb"})
def test_what_is_written_is_read_back_the_same(name, arguments):
    try:
        text = format_action(name, arguments)
    except ValueError:
        assert name.casefold() in ("finish", "none", "na", "null", "nothing", "final_answer") or any(
            map(is_dunder, arguments)
        )
        return
    action = parse_action(text)
    if isinstance(action, Refusal):  # keys that are one after folding, or a name that no tool has
        assert action.code == "DUP_ARG" or is_dunder(name)
        return
    assert (action.name, action.notes, action.repairs) == (name, action.notes, ())
    assert repr(dict(action.arguments)) == repr(arguments)
    assert parse_action(f"Thought: t\nAction: ```\n{text}\n```").arguments == arguments


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("finish", {}, "no name of a tool"),
        ("", {}, "no name of a tool"),
        ("f", {"x": float("nan")}, "no JSON number"),
        ("f", {"x": 2**53 + 1}, "beyond"),
        ("f", {"x": {1: 2}}, "no text"),
        ("f", {"x": {1, 2}}, "a set"),
        ("f", {"x": "\0"}, "control characters"),
        ("f", {"__class__": 1}, "no name of an argument"),
    ],
)
def test_what_could_not_be_read_back_is_not_written(name, arguments, words):
    with pytest.raises(ValueError, match=words):
        format_action(name, arguments)


def test_nothing_deeper_than_is_read_is_written():
    deep = []
    for _ in range(16):
        deep = [deep]
    with pytest.raises(ValueError, match="deeper than 16"):
        format_action("f", {"x": deep})
    assert parse_action(format_action("f", {"x": deep[0]})).arguments == {"x": deep[0]}


SMALL_STACK = """
import sys, threading
from tooldeck import ActionLimits, format_action, parse_action, read_reply

wide = ActionLimits(chars=2**20, tokens=10**9, items=10**9, keywords=10**9, depth=64)
heads = ["", "Action: f(x=", '{"name": "f", "arguments": {"x": ']
known = {"tools": {"f": ["x"]}, "lone": {"f": "x"}}

def work():
    try:
        for unit in eval(sys.stdin.read()):
            for head in heads:
                text = head + unit * (30_000 // len(unit))
                parse_action(text, **known)
                parse_action(text[:16_384] + ")", **known)
                parse_action(text, limits=wide, **known)
                read_reply(text, several="sequential", **known)
        value = 1
        for _ in range(16):
            value = [value]
        assert parse_action(format_action("f", {"x": value})).arguments == {"x": value}
        done.append("all read")
    except BaseException as error:
        done.append(repr(error))

done = []
threading.stack_size(64 * 1024)
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(*done)
"""
NESTING = [
    "{1:",
    '{"a":',
    "1+",
    "x.",
    "1**",
    "lambda:",
    "1 if 1 else ",
    "f(a=",
    "(a:=",
    "not ",
    "[f(x=1),",
    "（",
    "\ud83d",
]


def test_a_thread_with_64_kib_of_stack_reads_anything():
    ran = subprocess.run(
        [sys.executable, "-c", SMALL_STACK],
        input=ascii([*NESTING, *UNITS]), capture_output=True, text=True, timeout=110, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout.strip()) == (0, "all read"), ran.stderr


UNITS = [
    "[1,", "-", "not ", "a ", "'", '"', "\\", "`", "f()\n", "Action:\n", "Action: f(x=1)\n", "Finish[",
    "#\n", "a", "(", "f(", '"a" ', "Thought:\n", " ", "\n", "f(x=1), ", "[f(x=1),", "```\n", "é", "\u0301",
    "\\u12", "1", ".", "{'a':1},", '{"name":"f"}\n', "Action: f\nAction Input: {}\n", "]", ")", "=",
    "Final Answer: a\n", "“", "Action: f[", "Action: finish(",
]  # fmt: skip


@pytest.mark.serial
@pytest.mark.parametrize("unit", UNITS)
def test_time_grows_with_the_length(unit):
    """A text sixteen times as long may take forty times as long; by its square it would be 256."""
    limits = ActionLimits(chars=2**20, string=2**20, tokens=10**8, items=10**8, keywords=10**8, actions=10**8)

    def seconds(head, length):
        text = head + unit * (length // len(unit))
        start = time.process_time()
        read_reply(text, limits=limits, tools=NAMES, several="sequential")
        parse_action(text, limits=limits)
        return time.process_time() - start

    for head in ("", "f(x=", "Action: f(x='", "Action: [", "Action: f\nAction Input: ", "finish("):
        short = min(seconds(head, 2_000) for _ in range(3))
        assert min(seconds(head, 32_000) for _ in range(2)) < 40 * max(short, 0.001)
