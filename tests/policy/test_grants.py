"""Approvals that reach further than one call: how far, for what, and how they end."""

from __future__ import annotations

import functools
import subprocess
import sys
import textwrap

import pytest

from tooldeck import Decision, Deck, Policy, Scope, TooldeckError
from tooldeck.core.approval import KeptGrant
from tooldeck.policy.fingerprint import fingerprint
from tooldeck.testing import fake_deck


class Shelf:
    """A store in memory, as a database would be."""

    def __init__(self):
        self.kept = []
        self.broken = False

    def _works(self):
        if self.broken:
            raise OSError("the disk is full")

    def load(self):
        self._works()
        return list(self.kept)

    def save(self, grant):
        self._works()
        if grant not in self.kept:
            self.kept.append(grant)

    def drop(self, grant):
        self._works()
        self.kept.remove(grant)


def act(x: int = 0):
    """Do it."""
    return x


def always(store, function=act, answers=None, **options):
    given = [Decision(True, scope=Scope.ALWAYS)] if answers is None else answers
    deck, host = fake_deck(given, policy=Policy(store=store))
    deck.add(function, name="act", **options)
    return deck, host


def test_always_is_offered_only_where_it_can_be_kept(run):
    deck, host = always(None, answers=[True, True])
    run(deck, "act")
    deck.policy.store = Shelf()
    run(deck, "act")
    assert [request.scopes for request in host.requests] == [tuple(Scope)[:3], tuple(Scope)]


def test_an_approval_for_always_holds_in_a_later_session_for_the_same_tool(run):
    store = Shelf()
    deck, _ = always(store)
    assert run(deck, "act").ok
    later, host = always(store, answers=())
    assert run(later, "act", x=5).ok
    assert host.requests == []
    assert [str(grant) for grant in later.policy.grants] == ["act always"]


def changed_code(x: int = 0):
    """Do it."""
    return x + 1


def changed_schema(x: int = 1):
    """Do it."""
    return x


def changed_description(x: int = 0):
    """Do that."""
    return x


@pytest.mark.parametrize(
    "function", [changed_code, changed_schema, changed_description], ids=lambda f: f.__name__
)
def test_a_changed_tool_asks_again_although_it_was_approved_for_always(run, function):
    store = Shelf()
    run(always(store)[0], "act")
    later, host = always(store, function, answers=())
    assert run(later, "act").status == "denied"
    assert len(host.requests) == 1


def test_other_effects_or_another_origin_ask_again(run):
    store = Shelf()
    run(always(store, effects="write")[0], "act")
    assert run(always(store, answers=(), effects="write")[0], "act").ok
    assert run(always(store, answers=(), effects="write,execute")[0], "act").status == "denied"
    other = KeptGrant("act", "mcp evil", store.kept[0].fingerprint)
    store.kept = [other]
    assert run(always(store, answers=(), effects="write")[0], "act").status == "denied"


def test_a_tool_that_is_run_again_unchanged_stays_approved(run):
    deck, host = always(Shelf())
    assert run(deck, "act").ok
    deck.add(act, name="act")
    assert run(deck, "act").ok
    assert len(host.requests) == 1


def test_what_another_kernel_revokes_is_revoked_here(run):
    store = Shelf()
    here, _ = always(store)
    assert run(here, "act").ok
    there, _ = always(store)
    assert there.policy.revoke("a*") == 1
    assert run(here, "act").status == "denied"


def test_a_deny_rule_wins_over_every_grant(run):
    deck, host = always(Shelf())
    run(deck, "act")
    deck.policy.deny("act")
    assert run(deck, "act").status == "denied"
    assert len(host.requests) == 1


def test_a_store_that_fails_keeps_nothing_and_the_call_goes_on(run, caplog):
    store = Shelf()
    store.broken = True
    deck, host = always(store, answers=[Decision(True, scope="always"), True])
    result = run(deck, "act")
    assert result.ok
    assert "holds for this session only" in str(result.notes[-1])
    assert run(deck, "act").ok
    assert len(host.requests) == 1
    assert "the disk is full" in caplog.text


def test_a_grant_that_cannot_be_revoked_does_not_look_gone(run):
    store = Shelf()
    deck, _ = always(store)
    run(deck, "act")
    store.drop = lambda grant: (_ for _ in ()).throw(OSError("read-only"))
    with pytest.raises(TooldeckError, match="could not be revoked: read-only"):
        deck.policy.revoke()
    assert [str(grant) for grant in deck.policy.grants] == ["act always"]


def test_without_a_word_on_the_scope_every_call_asks(run):
    deck, host = fake_deck([True, True, True])
    deck.add(act)
    for _ in range(3):
        assert run(deck, "act", x=1).ok
    assert len(host.requests) == 3
    assert deck.policy.grants == ()


def test_an_explanation_says_what_was_granted(run):
    deck, _ = fake_deck([Decision(True, scope="exact")])
    tool = deck.add(act)
    run(deck, "act", x=1)
    assert deck.policy.explain(tool, {"x": 1}).granted == 'act{"x":1}'
    assert deck.policy.explain(tool, {"x": 2}).granted is None


PROGRAM = """
import functools
from tooldeck import Deck
from tooldeck.policy.fingerprint import fingerprint

def around(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)
    return wrapper

@around
def act(x: int, kind: str = "a") -> bool:
    "Do it."
    return kind in {"a", "b", "c", "d"} and all(y for y in [x])

print(fingerprint(Deck().add(act, effects="write,read")))
"""


def fingerprint_in_a_new_process(program, seed):
    done = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONHASHSEED": str(seed)}, capture_output=True, text=True,
        timeout=60, check=True,
    )  # fmt: skip
    return done.stdout


def test_the_fingerprint_is_the_same_in_every_process_and_wherever_the_code_stands():
    first = fingerprint_in_a_new_process(PROGRAM, 1)
    assert fingerprint_in_a_new_process("\n\n# moved\n" + PROGRAM, 2) == first
    assert fingerprint_in_a_new_process(PROGRAM.replace('"d"', '"e"'), 1) != first
    assert fingerprint_in_a_new_process(PROGRAM.replace("for y in [x]", "for y in [x, x]"), 1) != first


def of(function):
    return fingerprint(Deck().add(function, name="f"))


def maker(secret):
    def f(x: int):
        """Do it."""
        return f"{x}{secret}"

    return f


class Counter:
    def __call__(self, x: int):
        """Do it."""
        return x

    def method(self, x: int):
        """Do it."""
        return -x


def test_what_a_function_closes_over_is_part_of_it():
    assert of(maker("a")) == of(maker("a"))
    assert of(maker("a")) != of(maker("b"))
    assert of(functools.partial(maker("a"))) != of(functools.partial(maker("b")))


def test_callable_objects_methods_and_builtins_have_fingerprints_too():
    assert of(Counter()) == of(Counter())
    assert of(Counter().method) == of(Counter().method)
    assert of(Counter()) != of(Counter().method)
    assert of(textwrap.dedent) != of(textwrap.shorten)
