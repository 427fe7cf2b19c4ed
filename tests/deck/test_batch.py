"""Many calls at once: in order, beside each other where that is safe, and none hides another."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from tooldeck import Deck, DefinitionError
from tooldeck.core.cancel import CancelToken
from tooldeck.core.injection import Injected
from tooldeck.testing import fake_deck


@pytest.fixture
def many(run):
    """``many(deck, calls, ...)`` runs a batch one way or the other."""
    return run.many


class Meeting:
    """Counts how many are inside at the same time; may wait for a number of them to come together."""

    def __init__(self, size=1):
        self.most = 0
        self._inside = 0
        self._lock = threading.Lock()
        self.barrier = threading.Barrier(size)

    def __enter__(self):
        with self._lock:
            self._inside += 1
            self.most = max(self.most, self._inside)

    def __exit__(self, *_):
        with self._lock:
            self._inside -= 1


def test_results_come_in_order_with_their_names_and_one_failure_hides_no_other(many):
    deck = Deck(policy="auto")
    later = threading.Event()

    @deck.tool(effects="read")
    def slow() -> str:
        assert later.wait(10)
        return "A"

    @deck.tool(effects="read")
    def bad() -> None:
        later.set()
        raise ValueError("no")

    results = many(
        deck, [("slow", {}), ("bad", None), ("missing", {"x": 1}), ("bad", '{"y": 2}'), ("slow", "")]
    )
    assert [(result.call.name, result.status) for result in results] == [
        ("slow", "ok"),
        ("bad", "failed"),
        ("missing", "unknown"),
        ("bad", "invalid"),
        ("slow", "ok"),
    ]
    assert results[0].value == "A"
    assert "ValueError: no" in results[1].text


def test_calls_may_be_given_in_every_usual_form_with_their_ids(many):
    deck = Deck(policy="auto")

    @deck.tool(effects="none")
    def add(a: int, b: int = 1) -> int:
        return a + b

    results = many(
        deck,
        [
            ("add", {"a": 1}),
            [add, {"a": 2}],
            {"id": "c3", "name": "add", "arguments": '{"a": 3}'},
            {"type": "tool_use", "id": "c4", "name": "add", "input": {"a": 4}},
            {"id": "c5", "type": "function", "function": {"name": "add", "arguments": '{"a": 5}'}},
            SimpleNamespace(id="c6", name="add", arguments={"a": 6}),
            SimpleNamespace(id="c7", function=SimpleNamespace(name="add", arguments='{"a": 7}')),
            SimpleNamespace(function_name="add", arguments={"a": 8}),
            {"name": "add"},
        ],
    )
    assert [result.value for result in results[:8]] == [2, 3, 4, 5, 6, 7, 8, 9]
    assert [result.call.id for result in results[2:7]] == ["c3", "c4", "c5", "c6", "c7"]
    assert results[8].status == "invalid"


@pytest.mark.parametrize("wrong", [5, "add", {"arguments": {}}, ("add",), None])
def test_what_is_no_call_is_refused_before_any_call_runs(many, wrong):
    deck, ran = Deck(policy="auto"), []
    deck.add(lambda: ran.append(1), name="run", effects="none")
    with pytest.raises(DefinitionError, match="Call 1 of the batch"):
        many(deck, [("run", {}), wrong])
    assert ran == []


@pytest.mark.parametrize("wrong", [0, -1, True, 2.5, "8"])
def test_a_limit_must_be_a_number_of_calls(many, wrong):
    with pytest.raises(DefinitionError, match="limit must be"):
        many(Deck(), [], limit=wrong)


def test_no_calls_give_no_results(many):
    assert many(Deck(), []) == []


def test_reading_tools_run_at_the_same_time_up_to_the_limit(many):
    deck, meeting = Deck(policy="auto"), Meeting(size=3)

    @deck.tool(effects="read")
    def meet() -> None:
        with meeting:
            meeting.barrier.wait(10)

    results = many(deck, [("meet", {})] * 9, limit=3)
    assert [result.status for result in results] == ["ok"] * 9
    assert meeting.most == 3


def test_async_tools_run_at_the_same_time_as_well(many):
    deck, inside = Deck(policy="auto"), []

    @deck.tool(effects="read,network")
    async def meet() -> int:
        inside.append(1)
        for _ in range(5_000):
            if len(inside) == 4:
                break
            await asyncio.sleep(0.002)
        return len(inside)

    assert [result.value for result in many(deck, [("meet", {})] * 4)] == [4] * 4


@pytest.mark.parametrize("effects", [None, "write", "network", "human"])
def test_tools_that_may_change_something_run_alone_in_order_on_the_callers_thread(many, effects):
    deck, order = Deck(policy="auto"), []

    def change(n: int) -> None:
        order.append((n, threading.current_thread()))

    deck.add(change, effects=effects)
    many(deck, [("change", {"n": n}) for n in range(5)])
    assert order == [(n, threading.main_thread()) for n in range(5)]


def test_a_change_waits_for_the_reads_before_it_and_the_reads_after_it_wait_for_the_change(many):
    deck, state, seen = Deck(policy="auto"), {"x": 0}, []
    together = threading.Barrier(2)

    @deck.tool(effects="read")
    def read() -> int:
        together.wait(10)
        return state["x"]

    @deck.tool(effects="write")
    def write(x: int) -> None:
        seen.append(together.n_waiting)
        state["x"] = x

    read_it, write_it = ("read", {}), ("write", {"x": 7})
    results = many(deck, [read_it, read_it, write_it, read_it, read_it])
    assert [result.value for result in results] == [0, 0, None, 7, 7]
    assert seen == [0]


def test_calls_that_share_a_declared_resource_never_run_at_once_and_keep_their_order(many):
    deck, files = Deck(policy="auto"), {}
    order: list[int] = []

    @deck.tool(effects="read", resources="path")
    def touch(n: int, path: Path = Path("a")) -> int:
        with files.setdefault(path.name, Meeting()):
            order.append(n)
            time.sleep(0.002)
        return n

    calls = [("touch", {"n": n, "path": "./x" if n % 3 else "x"}) for n in range(6)]
    assert [result.value for result in many(deck, calls)] == list(range(6))
    assert files["x"].most == 1
    assert order == sorted(order)


def test_resources_may_be_told_by_a_function_and_by_lists(many):
    deck = Deck(policy="auto")
    inside: set[str] = set()
    clashes = []

    def use(names: list[str]) -> None:
        clashes.extend(inside.intersection(names))
        inside.update(names)
        time.sleep(0.002)
        inside.difference_update(names)

    deck.add(use, name="by_name", effects="read", resources=["names"])
    deck.add(use, name="by_function", effects="read", resources=lambda values: (n for n in values["names"]))
    calls = [(f"by_{way}", {"names": [a, b]}) for way in ("name", "function") for a in "ab" for b in "bc"]
    assert all(result.ok for result in many(deck, calls))
    assert clashes == []


def test_a_call_whose_resources_cannot_be_told_runs_alone(many):
    deck, meeting = Deck(policy="auto"), Meeting()

    @deck.tool(effects="read", resources=lambda values: 1 / 0)
    def use(n: int) -> int:
        with meeting:
            time.sleep(0.002)
        return n

    assert [result.value for result in many(deck, [("use", {"n": n}) for n in range(3)])] == [0, 1, 2]
    assert meeting.most == 1


def test_resources_must_name_parameters():
    deck = Deck()

    def use(path: str) -> None: ...

    with pytest.raises(DefinitionError, match="'paht', no parameter of it; did you mean 'path'"):
        deck.add(use, resources="paht")
    for wrong in (5, [], [1], ""):
        with pytest.raises(DefinitionError, match="The option resources must be"):
            deck.add(use, resources=wrong)


def test_parallel_may_be_forced_and_forbidden(many):
    deck, meeting = Deck(policy="auto"), Meeting(size=2)

    @deck.tool(effects="write")
    def write() -> None:
        with meeting:
            meeting.barrier.wait(10)

    assert all(result.ok for result in many(deck, [("write", {})] * 2, parallel=True))
    alone = Meeting()

    @deck.tool(effects="read")
    def read() -> str:
        with alone:
            return threading.current_thread().name

    names = [result.value for result in many(deck, [("read", {})] * 4, parallel=False)]
    assert names == [threading.main_thread().name] * 4
    assert [result.value for result in many(deck, [("read", {})] * 2, limit=1)] == names[:2]


def test_a_time_limit_counts_from_the_start_of_the_call_not_of_the_batch(many):
    deck = Deck(policy="auto")

    @deck.tool(effects="read", timeout=1.0)
    def nap() -> None:
        time.sleep(0.3)

    results = many(deck, [("nap", {})] * 6, limit=1)
    assert [result.status for result in results] == ["ok"] * 6
    assert all(result.seconds < 1.0 for result in results)


def test_hung_calls_do_not_keep_healthy_ones_from_running(many):
    deck, free = Deck(policy="auto"), threading.Event()

    @deck.tool(effects="read", timeout=0.2)
    def hang() -> None:
        free.wait(20)

    deck.add(lambda: "fine", name="healthy", effects="read")
    results = many(deck, [("hang", {})] * 6 + [("healthy", {})] * 6, limit=12)
    free.set()
    assert [result.status for result in results] == ["timeout"] * 6 + ["ok"] * 6


def test_every_call_is_approved_by_itself(many):
    deck, host = fake_deck([True, False, True])
    deck.add(lambda n: n, name="change", effects="write")
    results = many(deck, [("change", {"n": n}) for n in range(3)])
    assert [result.status for result in results] == ["ok", "denied", "ok"]
    assert [request.call.arguments["n"] for request in host.requests] == [0, 1, 2]


def test_questions_of_calls_that_run_at_once_are_all_answered(many):
    deck, host = fake_deck([True] * 5)
    deck.policy.ask("look")
    deck.add(lambda n: n, name="look", effects="read")
    results = many(deck, [("look", {"n": n}) for n in range(5)])
    assert [result.value for result in results] == list(range(5))
    assert len(host.requests) == 5


def test_a_batch_within_a_call_knows_its_parent_and_an_inner_batch_is_no_deadlock(many):
    deck = Deck(policy="auto")

    @deck.tool(effects="read")
    def leaf(n: int) -> int:
        return n

    @deck.tool(effects="read")
    def tree(n: int) -> list:
        results = deck.call_many([("leaf", {"n": n}), ("leaf", {"n": n + 1})])
        return [(result.value, result.call.parent) for result in results]

    results = many(deck, [("tree", {"n": n}) for n in (0, 10)], limit=2)
    for result, first in zip(results, (0, 10), strict=True):
        assert result.value == [(first, result.call.id), (first + 1, result.call.id)]


@pytest.mark.parametrize("kind", ["thread", "async", "listener", "waiter"])
def test_an_interrupt_ends_all_calls_and_starts_no_other(kind):
    deck, started, ended = Deck(policy="auto"), threading.Semaphore(0), []

    def spin(n: int, cancel: Injected[CancelToken]) -> None:
        try:
            started.release()
            for _ in range(2_000):
                if kind == "waiter":
                    cancel.wait(10)
                time.sleep(0.005)
                if kind == "listener":
                    cancel.raise_if_cancelled()
        finally:
            ended.append(n)

    async def spin_async(n: int) -> None:
        try:
            started.release()
            await asyncio.sleep(10)
        finally:
            ended.append(n)

    def stop(n: int) -> None:
        assert started.acquire(timeout=10)
        assert started.acquire(timeout=10)
        raise KeyboardInterrupt

    deck.add(spin_async if kind == "async" else spin, name="spin", effects="read")
    deck.add(stop, effects="read")
    calls = [("spin", {"n": 0}), ("spin", {"n": 1}), ("stop", {"n": 2}), ("spin", {"n": 3})]
    before = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        deck.call_many(calls, limit=3)
    assert time.monotonic() - before < 5
    assert sorted(ended) == [0, 1]
    assert sorted(str(result.status) for result in deck.history()) == ["cancelled"] * 3


async def test_a_cancelled_batch_cancels_its_calls():
    deck, started, ended = Deck(policy="auto"), asyncio.Event(), []

    @deck.tool(effects="read")
    async def nap(n: int) -> None:
        started.set()
        try:
            await asyncio.sleep(30)
        finally:
            ended.append(n)

    batch = asyncio.ensure_future(deck.acall_many([("nap", {"n": n}) for n in range(3)]))
    async with asyncio.timeout(10):
        await started.wait()
        batch.cancel()
        with pytest.raises(asyncio.CancelledError):
            await batch
    assert sorted(ended) == [0, 1, 2]
    assert {str(result.status) for result in deck.history()} == {"cancelled"}


async def test_the_loop_stays_alive_while_blocking_bodies_of_a_batch_run():
    deck, ticks, free = Deck(policy="auto"), [], threading.Event()

    @deck.tool(effects="read")
    def block(n: int) -> bool:
        return free.wait(10)

    async def tick():
        for _ in range(20):
            await asyncio.sleep(0.001)
            ticks.append(1)
        free.set()

    ticking = asyncio.ensure_future(tick())
    results = await deck.acall_many([("block", {"n": n}) for n in range(3)])
    await ticking
    assert [result.value for result in results] == [True] * 3
    assert len(ticks) == 20


def test_questions_typed_at_a_terminal_come_one_after_the_other(monkeypatch):
    open_questions = []
    deck = Deck()
    deck.policy.ask("look")
    deck.add(lambda n: n, name="look", effects="read")

    def typed(_seconds):
        mine = object()
        open_questions.append(mine)
        time.sleep(0.005)
        assert open_questions == [mine]
        open_questions.clear()
        return "y"

    monkeypatch.setattr("tooldeck.hosts.prompt.on_a_terminal", lambda: True)
    monkeypatch.setattr("tooldeck.hosts.prompt._line_within", typed)
    results = deck.call_many([("look", {"n": n}) for n in range(4)])
    assert [result.value for result in results] == [0, 1, 2, 3]
