"""What a body may be, what it may return, and where it runs."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import subprocess
import sys
import threading
from dataclasses import dataclass

import pytest

from tooldeck import Deck
from tooldeck.testing import fake_deck


class Frame:
    """Stands for a table: whoever asks for its truth or equality gets an exception."""

    def __bool__(self):
        raise ValueError("the truth value of a table is ambiguous")

    def __eq__(self, other):
        raise ValueError("ambiguous")

    __hash__ = None

    def __str__(self):
        return "a b"


@dataclass
class Row:
    x: int


VALUES = [
    Frame(),
    None,
    0,
    "",
    False,
    [],
    {},
    {"error": True},
    {"error": {"code": 404}},
    b"\xff",
    Row(1),
    object(),
    {1, 2},
    float("nan"),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__ + str(value)[:20])
def test_a_value_comes_back_as_the_very_same_object(run, auto, value):
    deck, _ = auto
    deck.add(lambda: value, name="give")
    result = run(deck, "give")
    assert result.status == "ok"
    assert result.value is value
    assert isinstance(result.text, str)
    assert deck.breaker("give").state.failures == 0


def test_a_large_value_stays_whole_beside_a_short_text(run, auto):
    deck, _ = auto
    rows = [{"i": n} for n in range(5_000)]
    deck.add(lambda: rows, name="give", max_chars=500)
    result = run(deck, "give")
    assert result.value is rows
    assert len(rows) == 5_000
    assert len(result.text) <= 500


def test_a_generator_is_run_to_its_end(run, auto):
    deck, _ = auto

    def count(to: int):
        yield from range(to)

    async def acount(to: int):
        for number in range(to):
            await asyncio.sleep(0)
            yield number

    deck.add(count)
    deck.add(acount)
    assert run(deck, "count", to=3).value == [0, 1, 2]
    assert run(deck, "acount", to=3).value == [0, 1, 2]


def test_a_generator_that_fails_half_way_is_a_failure(run, auto):
    deck, _ = auto

    def count():
        yield 1
        raise ValueError("half way")

    deck.add(count)
    assert run(deck, "count").error == "ValueError: half way"


def test_an_async_body_gives_its_value(run):
    deck = Deck(policy="auto")

    async def add(a: int, b: int) -> int:
        await asyncio.sleep(0)
        return a + b

    deck.add(add)
    assert run(deck, "add", a=1, b=2).value == 3


def test_a_plain_function_may_return_something_to_await(run):
    deck = Deck(policy="auto")

    async def later(x):
        await asyncio.sleep(0)
        return x

    deck.add(lambda x: later(x), name="f")
    deck.add(functools.partial(later, 7), name="g")
    assert run(deck, "f", x=1).value == 1
    assert run(deck, "g").value == 7


def test_a_synchronous_wrapper_of_an_async_function_is_synchronous(run):
    deck = Deck(policy="auto")

    def blocking(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return f"wrapped {args} {kwargs}"

        return wrapper

    @blocking
    async def f(x: int): ...

    @blocking
    def g(x: int):
        yield x

    assert deck.add(f).is_async is False
    assert run(deck, "f", x=1).value == "wrapped () {'x': 1}"
    deck.add(g)
    assert run(deck, "g", x=1).value == "wrapped () {'x': 1}"


def test_a_callable_object_with_an_async_call_is_awaited(run):
    class Later:
        async def __call__(self, x: int) -> int:
            await asyncio.sleep(0)
            return x

    deck = Deck(policy="auto")
    assert deck.add(Later(), name="later").is_async
    assert run(deck, "later", x=3).value == 3


def test_positional_only_starred_and_keyword_parameters_arrive_where_they_belong(run, auto):
    deck, _ = auto

    def f(a: int, b: int = 5, /, c: int = 6, *rest: int, d: int = 7, **more: int):
        return a, b, c, rest, d, more

    deck.add(f)
    assert run(deck, "f", a=1).value == (1, 5, 6, (), 7, {})
    assert run(deck, "f", a=1, c=2).value == (1, 5, 2, (), 7, {})
    assert run(deck, "f", a=1, rest=[8, 9]).value == (1, 5, 6, (8, 9), 7, {})
    assert run(deck, "f", a=1, b=2, c=3, rest=[4], d=5, z=6).value == (1, 2, 3, (4,), 5, {"z": 6})
    assert deck["f"](1, 2, 3, 4, 5, d=6, z=7) == (1, 2, 3, (4, 5), 6, {"z": 7})


def test_parameters_may_be_called_name_self_and_arguments(run, auto):
    deck, _ = auto

    def f(self: int, name: str, arguments: list[int], function: int = 0, values: int = 0, call: int = 0):
        return self, name, arguments, function, values, call

    deck.add(f)
    expected = (1, "n", [2], 3, 4, 5)
    given = {"self": 1, "name": "n", "arguments": [2], "function": 3, "values": 4, "call": 5}
    assert run(deck, "f", given).value == expected
    assert run(deck, "f", **given).value == expected
    assert deck["f"](**given) == expected


def test_a_body_that_returns_a_result_ends_as_that_call_ended(run, auto):
    deck, _ = auto

    def inner(x: int):
        if x == 0:
            raise ValueError("nought")
        return x

    deck.add(inner)
    deck.add(lambda x: deck.call("inner", {"x": x}), name="outer")
    assert run(deck, "outer", x=3).value == 3
    assert run(deck, "outer", x=0).error == "ValueError: nought"
    assert run(deck, "outer", x="bad").status == "invalid"
    assert deck.breaker("outer").state.failures == 1


def test_prints_of_a_body_land_with_the_caller(run, auto, capsys):
    deck, _ = auto
    deck.add(lambda: print("hello"), name="say")
    run(deck, "say")
    assert capsys.readouterr().out == "hello\n"


def test_a_body_runs_on_the_thread_of_its_caller(run):
    deck = Deck(policy="auto")
    deck.add(lambda: threading.get_ident(), name="where")
    assert run(deck, "where").value == threading.get_ident()


def test_a_body_with_a_limit_sees_the_context_of_its_caller(run):
    deck = Deck(policy="auto")
    variable = contextvars.ContextVar("variable", default="default")
    variable.set("mine")
    deck.add(lambda: variable.get(), name="limited", timeout=5)

    async def later():
        return variable.get()

    deck.add(later)
    assert [run(deck, name).value for name in ("limited", "later")] == ["mine", "mine"]


async def test_a_blocking_call_of_an_async_tool_works_inside_a_running_loop():
    deck = Deck(policy="auto")

    async def fail(x: int):
        await asyncio.sleep(0)
        raise LookupError(x)

    deck.add(fail)
    result = deck.call("fail", x=1)
    assert isinstance(result.exception, LookupError)
    with pytest.raises(LookupError):
        result.unwrap()


def test_a_blocking_call_of_an_async_tool_works_in_a_worker_thread():
    deck = Deck(policy="auto")

    async def fail():
        await asyncio.sleep(0)
        raise LookupError

    deck.add(fail)
    results = []
    thread = threading.Thread(target=lambda: results.append(deck.call("fail")))
    thread.start()
    thread.join(10)
    assert isinstance(results[0].exception, LookupError)


def test_a_blocking_call_of_an_async_tool_works_in_a_plain_script():
    code = """
import asyncio
from tooldeck import Deck
deck = Deck(policy="auto")

@deck.tool
async def later(x: int) -> int:
    await asyncio.sleep(0.01)
    return x + 1

print(deck.call("later", x=1).unwrap())
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == ("2\n", "", 0)


async def test_awaited_calls_run_side_by_side():
    deck = Deck(policy="auto")
    together = asyncio.Barrier(3)

    async def meet(x: int):
        await asyncio.wait_for(together.wait(), 5)
        return x

    deck.add(meet)
    results = await asyncio.gather(*(deck.acall("meet", x=number) for number in range(3)))
    assert [result.value for result in results] == [0, 1, 2]


async def test_calling_an_async_tool_in_async_code_gives_something_to_await():
    deck, _ = fake_deck(policy="auto")

    @deck.tool
    async def later(x: int):
        return x

    assert await later(4) == 4


def test_a_tool_that_calls_itself_is_one_call(auto):
    deck, _ = auto

    @deck.tool
    def down(n: int) -> int:
        return n if n == 0 else down(n - 1)

    assert down(5) == 0
    assert len(deck.history()) == 1
