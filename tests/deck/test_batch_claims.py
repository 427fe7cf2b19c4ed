"""Calls of a batch whose arguments change after the batch was planned."""

from __future__ import annotations

import threading

import pytest

from tooldeck import Decision, Deck, Rewrite, Run, calling
from tooldeck.testing import fake_deck

ELSEWHERE = {"n": 0, "path": "b"}
CALLS = [("use", {"n": 0, "path": "a"}), ("use", {"n": 1, "path": "b"})]
"""They may run at once; the first is sent to where the second is, which is inside by then."""


class Desk:
    """A tool that uses a path. Call 1 stays inside until call 0 waits for it, or has come in as well."""

    def __init__(self, deck, eventually, **options):
        self.busy = threading.Event()
        self.inside: list[str] = []
        self.clashes: list[str] = []
        self.order: list[int] = []
        self.log = None
        self._eventually = eventually
        deck.add(self.use, effects="read", **{"resources": "path", **options})
        deck.before_tool(self.noted)

    def noted(self, call):
        """Know how far call 0 is."""
        if call.raw["n"] == 0:
            self.log = call.log

    def use(self, n: int, path: str) -> str:
        """Use a path."""
        self.clashes += [path] if path in self.inside else []
        self.inside.append(path)
        if n == 1:
            self.busy.set()
            self._eventually(lambda: "claim" in self.log.decisions or len(self.inside) == 2, 10)
        self.order.append(n)
        self.inside.remove(path)
        return path

    def moved(self, n):
        """Where call `n` goes after all: call 0 to the path of call 1, once that one is inside."""
        if n != 0:
            return None
        assert self.busy.wait(10)
        return Rewrite(ELSEWHERE)

    def kept_apart(self, results):
        """The results are those of two calls of which one waited for the other."""
        assert [result.value for result in results] == ["b", "b"], [result.error for result in results]
        assert (self.clashes, self.order) == ([], [1, 0])


def test_a_hook_that_rewrites_arguments_makes_the_call_wait_for_what_it_uses_then(run, eventually):
    deck = Deck(policy="auto")
    desk = Desk(deck, eventually)
    deck.before_tool(lambda call: desk.moved(call.raw["n"]))
    desk.kept_apart(run.many(deck, CALLS))


def test_a_check_of_the_author_that_replaces_arguments_does_so_too(run, eventually):
    deck = Deck(policy="auto")
    desk = Desk(deck, eventually, check_input=lambda given: desk.moved(given["n"]))
    desk.kept_apart(run.many(deck, CALLS))


def test_a_person_who_edits_arguments_does_so_too(run, eventually):
    def edited(request):
        moved = desk.moved(request.call.arguments["n"])
        return Decision(True, arguments=moved and moved.to)

    deck, _ = fake_deck([edited, edited])
    desk = Desk(deck, eventually)
    deck.policy.ask("use")
    desk.kept_apart(run.many(deck, CALLS))


def test_what_cannot_be_told_any_more_waits_for_everything_declared(run, eventually):
    def resources(values):
        if values == ELSEWHERE:
            raise ValueError("no idea")
        return values["path"]

    deck = Deck(policy="auto")
    desk = Desk(deck, eventually, resources=resources)
    deck.before_tool(lambda call: desk.moved(call.raw["n"]))
    desk.kept_apart(run.many(deck, CALLS))


def test_a_run_that_is_stopped_starts_no_call_that_still_waits(run, eventually):
    deck, turn = Deck(policy="auto"), Run()
    desk = Desk(deck, eventually)

    @deck.before_tool
    def stopped(call):
        moved = desk.moved(call.raw["n"])
        if moved:
            turn.stop("enough")
        return moved

    with calling(run=turn):
        results = run.many(deck, CALLS)
    assert [str(result.status) for result in results] == ["cancelled", "ok"]
    assert "enough" in results[0].error
    assert desk.order == [1]


@pytest.mark.parametrize("parallel", [False, None])
def test_calls_that_stand_alone_wait_for_nobody(run, parallel):
    deck = Deck(policy="auto")
    deck.add(lambda path: path, name="use", effects="read", resources="path")
    results = run.many(deck, [("use", {"path": "a"})], parallel=parallel)
    assert [result.value for result in results] == ["a"]
