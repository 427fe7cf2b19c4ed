"""Injected parameters: callers do not see them, models cannot set them, every call gets its own."""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tooldeck import (
    BaseTool,
    CancelToken,
    Deck,
    DefinitionError,
    Injected,
    Progress,
    Run,
    ToolCall,
    ToolContext,
    calling,
    tool,
)
from tooldeck.core.events import Progressed
from tooldeck.testing import fake_deck


class Client:
    """Something that a deck has to be given."""


def everything(
    x: int,
    context: Injected,
    token: Injected[CancelToken],
    progress: Injected[Progress],
    call: Injected[ToolCall],
    deck: Injected[Deck],
    run: Injected[Run | None],
) -> dict:
    """Look at it all.

    Args:
        x: a number
        context: not for models
    """
    return {"given": (context, token, progress, call, deck, run)}


def test_a_body_is_given_what_belongs_to_its_own_call(run, auto):
    deck, _ = auto
    deck.add(everything)
    result = run(deck, "everything", x=1)
    context, token, progress, call, given_deck, given_run = result.value["given"]
    assert isinstance(context, ToolContext)
    assert (context.call, context.cancel, context.progress) == (call, token, progress)
    assert call.id == result.call.id
    assert given_deck is context.deck is deck
    assert given_run is context.run_id is context.last_user_message is None
    assert context.session_id


def test_the_context_knows_the_run_the_session_and_the_last_message(run, auto):
    deck, _ = auto
    deck.add(everything)
    mine = Run(session_id="chat-7")
    mine.last_user_message = "please"
    with calling(run=mine):
        context, *_, given_run = run(deck, "everything", x=1).value["given"]
    assert given_run is mine
    assert (context.run_id, context.session_id, context.last_user_message) == (mine.id, "chat-7", "please")


def test_two_decks_are_two_sessions(run):
    decks = [fake_deck(policy="auto")[0] for _ in range(2)]
    sessions = set()
    for deck in decks:
        deck.add(everything)
        for _ in range(2):
            sessions.add(run(deck, "everything", x=1).value["given"][0].session_id)
    assert len(sessions) == 2


def test_schema_form_signature_and_export_do_not_show_them(auto):
    deck, _ = auto
    made = deck.add(everything)
    assert list(made.parameters["properties"]) == ["x"]
    assert made.parameters["required"] == ["x"]
    assert list(inspect.signature(made).parameters) == ["x"]
    assert "not for models" not in str(deck.export("openai"))
    assert [need.name for need in made.injected] == ["context", "token", "progress", "call", "deck", "run"]


@pytest.mark.parametrize(
    "forged", [{"context": {"session_id": "ADMIN"}}, {"run": None}, {"token": 1}], ids=repr
)
def test_an_argument_of_that_name_is_refused_like_any_unknown_one(run, auto, forged):
    deck, _ = auto
    deck.add(everything)
    result = run(deck, "everything", {"x": 1, **forged})
    assert (result.status, result.attempts) == ("invalid", 0)
    name = next(iter(forged))
    assert f"{name}: is not a parameter; accepted: x" in result.error


def test_it_is_refused_as_well_where_the_function_would_take_any_name(run, auto):
    deck, _ = auto

    def loose(context: Injected, **rest: int) -> int:
        return sum(rest.values())

    deck.add(loose)
    assert run(deck, "loose", a=1, b=2).value == 3
    assert run(deck, "loose", '{"a": 1, "context": 2}').status == "invalid"


def test_a_tool_from_a_record_hides_them_too(run, auto):
    deck, _ = auto
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}}

    def body(x: int, context: Injected):
        return context.call.name, x

    deck.add({"name": "g", "parameters": schema, "function": body})
    assert run(deck, "g", x=2).value == ("g", 2)
    assert run(deck, "g", x=2, context=1).status == "invalid"
    with pytest.raises(DefinitionError, match="'context', which its function takes injected"):
        deck.add({"name": "h", "parameters": {**schema, "properties": {"context": {}}}, "function": body})


def test_classes_decorators_partials_methods_and_bare_functions_are_filled(run, auto):
    deck, _ = auto

    class Look(BaseTool):
        """Look."""

        def run(self, x: int, context: Injected[ToolContext]) -> str:
            return context.call.name

        def method(self, context: Injected, /, x: int) -> str:
            return context.call.name

    @tool(effects="none")
    def decorated(x: int, *, context: Injected = None) -> str:
        """D."""
        return context.call.name

    def bare(x: int, context: Injected) -> str:
        return context.call.name

    deck.add(Look())
    deck.add(decorated)
    deck.add(functools.partial(bare, 1), name="partial")
    deck.add(Look().method)
    assert run(deck, "look", x=1).value == "look"
    assert run(deck, "decorated", x=1).value == "decorated"
    assert run(deck, "partial").value == "partial"
    assert run(deck, "method", x=1).value == "method"
    assert run(deck, bare, x=1).value == "bare"


def test_a_tool_of_an_async_function_and_one_with_a_limit_are_filled(run):
    deck = Deck(policy="auto")

    async def later(context: Injected) -> str:
        await asyncio.sleep(0)
        return context.call.name

    def limited(context: Injected) -> str:
        return context.call.name

    deck.add(later)
    deck.add(limited, timeout=30)
    assert run(deck, "later").value == "later"
    assert run(deck, "limited").value == "limited"


def test_calling_the_tool_object_runs_it_filled_and_its_own_recursion_keeps_what_it_has(auto):
    deck, _ = auto

    @deck.tool(effects="none")
    def down(context: Injected, n: int) -> list[str]:
        """Count down."""
        return [context.call.id, *(down(n - 1) if n else [])]

    ids = down(3)
    assert len(ids) == 4
    assert len(set(ids)) == 1
    assert len(deck.history()) == 1


def test_recursion_may_hand_on_what_it_was_given(auto):
    deck, _ = auto

    @deck.tool(effects="none")
    def down(context: Injected, n: int) -> int:
        """Count down."""
        return down(context, n - 1) if n else 7

    assert down(3) == 7


def test_a_deck_is_told_what_to_provide_as_a_value_or_made_for_each_call(run, auto):
    deck, _ = auto

    def f(client: Injected[Client]) -> dict:
        return {"client": client}

    deck.add(f)
    one = Client()
    undo = deck.provide(Client, one)
    assert run(deck, "f").value["client"] is one
    again = deck.provide(Client, Client)
    made = [run(deck, "f").value["client"] for _ in range(2)]
    assert isinstance(made[0], Client)
    assert made[0] is not made[1] is not one
    again()
    assert run(deck, "f").value["client"] is one
    undo()
    assert run(deck, "f").status == "failed"


def test_a_function_that_provides_may_look_at_the_context(run, auto):
    deck, _ = auto

    def f(name: Injected[str]) -> str:
        return name

    deck.add(f)
    deck.provide(str, lambda context: context.call.name)
    assert run(deck, "f").value == "f"


def test_what_nobody_provides_is_said_in_one_sentence_and_counts_against_no_tool(run, auto):
    deck, _ = auto
    ran = []

    def f(client: Injected[Client]):
        ran.append(client)

    deck.add(f, effects="read", breaker=1)
    for _ in range(2):
        result = run(deck, "f")
        assert result.status == "failed"
        assert result.error == (
            "f takes 'client', a Client, from its deck, and this deck provides none; "
            "use deck.provide(Client, …) first."
        )
    assert ran == []
    deck.provide(Client, lambda: 1 / 0)
    assert "the function that provides Client raised ZeroDivisionError" in run(deck, "f").error


def test_a_run_is_wanted_outside_of_one_only_by_those_that_take_none(run, auto):
    deck, _ = auto

    def f(mine: Injected[Run]) -> str:
        return mine.name

    deck.add(f)
    assert "called outside of a run" in run(deck, "f").error
    with calling(run=Run("r")):
        assert run(deck, "f").value == "r"


@pytest.mark.parametrize(
    ("wanted", "given", "words"),
    [
        (Client, 5, "was given 5, which is none"),
        (ToolContext, None, "own ToolContext"),
        (CancelToken, CancelToken(), "own CancelToken"),
        (Client, asyncio.sleep, "async function"),
    ],
    ids=["another type", "context", "token", "async"],
)
def test_what_cannot_be_provided_is_refused_at_once(auto, wanted, given, words):
    deck, _ = auto
    with pytest.raises(DefinitionError, match=words):
        deck.provide(wanted, given)


def test_marks_that_cannot_be_are_refused_where_the_tool_is_made():
    def inside(x: Injected[int] | None): ...
    def star(*x: Injected[int]): ...
    def union(x: Injected[int | str]): ...
    def deep(x: list[Injected[int]]): ...

    for function, words in (
        (inside, "outermost"),
        (star, "collects arguments"),
        (union, "no one type"),
        (deep, "outermost"),
    ):
        with pytest.raises(DefinitionError, match=f"{function.__name__}.*{words}"):
            tool(function)


async def test_tasks_at_once_each_have_their_own():
    deck = Deck(policy="auto")
    both = asyncio.Barrier(8)

    async def f(n: int, context: Injected, call: Injected[ToolCall]) -> dict:
        await both.wait()
        return {
            "n": n,
            "same": context.call is call,
            "arguments": dict(call.arguments),
            "token": context.cancel,
        }

    deck.add(f)
    results = await asyncio.gather(*(deck.acall("f", n=n) for n in range(8)))
    assert [result.value["arguments"] for result in results] == [{"n": n} for n in range(8)]
    assert all(result.value["same"] for result in results)
    assert len({id(result.value["token"]) for result in results}) == 8


def test_threads_at_once_each_have_their_own():
    deck = Deck(policy="auto")
    together = threading.Barrier(8)

    def f(n: int, context: Injected, mine: Injected[Run]) -> tuple:
        together.wait(10)
        return context.call.arguments["n"], mine.name, context.run_id == mine.id

    deck.add(f)

    def one(n):
        with calling(run=Run(str(n))):
            return deck.call("f", n=n).value

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one, range(8))) == [(n, str(n), True) for n in range(8)]


def test_progress_is_told_at_a_bearable_pace_and_its_last_report_always(run, auto, events):
    deck, host = auto

    def work(progress: Injected[Progress]):
        for done in range(1000):
            progress(done, 5000, "row")
            host.clock.advance(0.001)

    deck.add(work)
    seen = events(deck)
    result = run(deck, "work")
    told = [event for event in seen if isinstance(event, Progressed)]
    assert 15 <= len(told) <= 25
    assert (told[0].done, told[-1].done, told[-1].total, told[-1].text) == (0, 999, 5000, "row")
    assert all(event.call.id == result.call.id for event in told)
    assert seen.index(told[-1]) < len(seen) - 1


def test_reaching_the_end_is_told_at_once_and_nothing_after_the_call(run, auto, events):
    deck, _ = auto
    kept = []

    def work(progress: Injected[Progress]):
        kept.append(progress)
        for done in range(1, 4):
            progress(done, 3)

    deck.add(work)
    seen = events(deck)
    run(deck, "work")
    kept[0](9, 9)
    assert [event.done for event in seen if isinstance(event, Progressed)] == [1, 3]


@pytest.mark.parametrize("wrong", [float("nan"), "half", None], ids=repr)
def test_a_report_that_is_no_number_is_a_mistake_of_the_body(run, auto, wrong):
    deck, _ = auto

    def work(progress: Injected[Progress]):
        progress(wrong)

    deck.add(work)
    assert "done must be a finite number" in run(deck, "work").error


def test_a_body_stops_itself_when_its_run_is_stopped(run):
    deck = Deck(policy="auto")
    mine, started = Run(), threading.Event()

    def work(token: Injected[CancelToken]):
        started.set()
        assert token.wait(30)
        token.raise_if_cancelled()

    deck.add(work, breaker=1, effects="read")
    stopper = threading.Thread(target=lambda: started.wait(30) and mine.stop("enough"))
    stopper.start()
    with calling(run=mine):
        result = run(deck, "work")
    stopper.join(10)
    assert (result.status, result.attempts) == ("cancelled", 1)
    assert result.error == "work gave up: enough."
    assert deck.breaker("work").state.failures == 0


def test_a_hung_body_learns_that_its_limit_passed(run):
    deck = Deck(policy="auto")
    heard = threading.Event()

    def work(token: Injected[CancelToken]):
        if token.wait(30):
            heard.set()

    deck.add(work, timeout=0.05)
    assert run(deck, "work").status == "timeout"
    assert heard.wait(10)


def test_an_inner_call_learns_that_the_call_around_it_was_given_up(run):
    deck = Deck(policy="auto")
    heard = threading.Event()

    def inner(token: Injected[CancelToken]):
        if token.wait(30):
            heard.set()

    def outer():
        deck.call("inner")

    deck.add(inner)
    deck.add(outer, timeout=0.05)
    assert run(deck, "outer").status == "timeout"
    assert heard.wait(10)


async def test_a_cancelled_task_sets_the_token_of_its_body():
    deck = Deck(policy="auto")
    tokens, started = [], asyncio.Event()

    async def work(token: Injected[CancelToken]):
        tokens.append(token)
        started.set()
        await asyncio.Event().wait()

    deck.add(work)
    call = asyncio.create_task(deck.acall("work"))
    await asyncio.wait_for(started.wait(), 10)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert tokens[0].reason == "it was cancelled"


def test_an_interrupt_sets_the_token(auto):
    deck, _ = auto
    tokens = []

    def work(token: Injected[CancelToken]):
        tokens.append(token)
        raise KeyboardInterrupt

    deck.add(work)
    with pytest.raises(KeyboardInterrupt):
        deck.call("work")
    assert tokens[0].reason == "it was interrupted"


def test_a_tool_without_injected_parameters_makes_nothing_of_all_this(run, auto):
    deck, _ = auto
    deck.add(lambda: 1, name="f")
    log = run(deck, "f").call.log
    assert log.token is log.progress is log.injected is None


def test_a_body_that_was_given_up_starts_no_further_call(run, eventually):
    deck = Deck(policy="auto")
    gate, ends = threading.Event(), []

    def inner():
        raise AssertionError("it was started")

    def outer():
        gate.wait(30)
        ends.append(deck.call("inner"))

    deck.add(inner)
    deck.add(outer, timeout=0.05)
    assert run(deck, "outer").status == "timeout"
    gate.set()
    eventually(lambda: ends, 10)
    assert ends[0].status == "cancelled"
    assert "the call around it was given up: its time limit passed" in ends[0].error
