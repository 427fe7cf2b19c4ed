"""The schemas of 1,000 functions, against the least that pydantic needs for each; and the memory of tools."""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NotRequired

from pydantic import TypeAdapter, create_model
from typing_extensions import TypedDict

from benchmarks.calls import book
from benchmarks.measure import Figure, in_turns
from tooldeck import Deck
from tooldeck.core.arguments import read_arguments

FUNCTIONS = 1_000
TOOLS = 10_000
ROUNDS = 3


class _Arguments(TypedDict):
    city: str
    seats: NotRequired[int]
    price: NotRequired[float]


SOURCE = '''
def f{n}(city: str, seats: int = {n}, tags: list[str] | None = None, ratio: float = 0.5) -> str:
    """Book seats.

    Args:
        city: where to
        seats: how many
        tags: words to find it by
    """
    return city
'''


def functions(count: int) -> list[Callable[..., Any]]:
    """As many functions as asked for, each with its own name and default."""
    space: dict[str, Any] = {"__name__": "benchmarks.made"}
    exec("".join(SOURCE.format(n=number) for number in range(count)), space)  # noqa: S102 - our own text
    return [space[f"f{number}"] for number in range(count)]


def checks() -> Iterator[Figure]:
    """A typical call checked, from what a client has parsed and from text, against the validator alone."""
    tool = Deck().add(book, effects="none")
    text = '{"city": "Rome", "seats": 2, "price": 3.5}'
    given, schema = json.loads(text), tool.parameters
    adapter = TypeAdapter(create_model("Book", city=(str, ...), seats=(int, 1), price=(float, 9.5)))
    typed = TypeAdapter(_Arguments)
    for name, against in (("a model", adapter), ("a TypedDict", typed)):
        ours, theirs = in_turns(
            lambda: tool.params.check(given), partial(against.validate_json, text), calls=300
        )
        yield Figure(f"check, against validate_json of {name}", ours * 1e6, theirs * 1e6, "us", "1.3")
    read = in_turns(
        lambda: tool.params.check(read_arguments(text, schema).arguments),
        lambda: typed.validate_json(text),
        calls=300,
    )
    yield Figure("check of a text, against the same", read[0] * 1e6, read[1] * 1e6, "us")


def figures() -> Iterator[Figure]:
    """Seconds of processor time for all of them, the least of a few rounds taken in turns."""
    made = functions(FUNCTIONS)
    ways = {"ours": _by_deck, "model": _by_model, "adapter": _by_adapter}
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(ROUNDS):
        for name, way in ways.items():
            start = time.process_time()
            way(made)
            best[name] = min(best[name], time.process_time() - start)
    yield Figure(f"{FUNCTIONS:,} schemas, against create_model", best["ours"], best["model"], "s ")
    yield Figure(f"{FUNCTIONS:,} schemas, against TypeAdapter(function)", best["ours"], best["adapter"], "s ")


def _by_deck(made: list[Callable[..., Any]]) -> None:
    deck = Deck()
    for function in made:
        assert deck.add(function, effects="none").parameters["required"] == ["city"]


def _by_model(made: list[Callable[..., Any]]) -> None:
    for function in made:
        hints = function.__annotations__
        defaults = dict(zip(reversed(hints), [0.5, None, 1], strict=False))
        fields: dict[str, Any] = {
            name: (hint, defaults.get(name, ...)) for name, hint in hints.items() if name != "return"
        }
        create_model(function.__name__, **fields).model_json_schema()


def _by_adapter(made: list[Callable[..., Any]]) -> None:
    for function in made:
        TypeAdapter(function).json_schema()


def memory() -> str:
    """What Python's own objects of so many tools weigh; what pydantic keeps beside them is not traced."""
    made = functions(TOOLS)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        deck = Deck()
        for function in made:
            deck.add(function, effects="none")
        taken = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    return f"{TOOLS:,} tools weigh {taken / 1e6:.0f} MB, {taken / TOOLS / 1e3:.1f} kB each"
