"""Breakers that several programs share through a store: one opens it, all leave the tool alone."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
import time

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tooldeck import BreakerSettings, Deck, DefinitionError
from tooldeck.core.breaker import Admission, Breaker, Phase
from tooldeck.core.errors import StoreError
from tooldeck.core.events import BreakerMoved
from tooldeck.core.shared_breaker import LOST_AFTER, SharedBreaker
from tooldeck.testing import ManualClock, fake_deck

SHARED = BreakerSettings(threshold=2, cooldown=10.0, shared=True)


class Dictionary:
    """A store in this program's memory; `broken` makes it fail, `rival` comes in between."""

    def __init__(self):
        self.kept, self.broken, self.rival = {}, False, None
        self.lock = threading.Lock()

    def load(self, key):
        if self.broken:
            raise StoreError("The database is locked.")
        return self.kept.get(key, (0, None))

    def swap(self, key, version, state):
        rival, self.rival = self.rival, None
        if rival is not None:
            rival()
        with self.lock:
            if self.kept.get(key, (0, None))[0] != version:
                return False
            self.kept[key] = (version + 1, dict(state))
            return True


def pair(given=SHARED):
    clock, store = ManualClock(), Dictionary()
    made = [SharedBreaker(given, store, "f", now=lambda: clock.seconds) for _ in range(2)]
    return *made, clock, store


def fail(breaker, times=1):
    for _ in range(times):
        admission = breaker.admit()
        assert admission is not Admission.REFUSED
        breaker.settle(ok=False, probe=admission is Admission.PROBE, error="down")


def test_failures_here_and_there_add_up_and_open_both():
    here, there, _, _ = pair()
    fail(here)
    assert there.state.failures == 1
    fail(there)
    assert here.would_refuse()
    assert here.admit() is Admission.REFUSED
    assert here.state.last_error == "down"


def test_of_all_programs_one_gets_the_probe():
    here, there, clock, _ = pair()
    fail(here, 2)
    clock.advance(10)
    assert [there.admit(), here.admit(), there.admit()] == [Admission.PROBE, *[Admission.REFUSED] * 2]
    there.settle(ok=True, probe=True)
    assert here.admit() is Admission.CALL
    assert here.quiet


def test_a_program_that_was_faster_is_not_overwritten():
    here, there, _, store = pair()
    fail(there)
    store.rival = lambda: fail(there)
    here.settle(ok=False, error="late")
    assert here.state.phase is there.state.phase is Phase.OPEN
    assert here.state.failures == 3


def test_a_probe_that_was_lost_with_its_program_is_given_up_in_the_end():
    here, there, clock, _ = pair()
    fail(here, 2)
    clock.advance(10)
    assert there.admit() is Admission.PROBE  # and then it is killed
    clock.advance(LOST_AFTER - 1)
    assert here.admit() is Admission.REFUSED
    clock.advance(1)
    assert not here.would_refuse()
    assert here.admit() is Admission.PROBE
    here.settle(ok=True, probe=True)
    assert here.quiet


def test_a_reset_by_hand_reaches_everybody():
    here, there, _, _ = pair()
    fail(here, 2)
    there.reset()
    assert here.admit() is Admission.CALL


def test_a_good_call_of_a_quiet_breaker_writes_nothing():
    here, _, _, store = pair()
    for _ in range(3):
        assert here.admit() is Admission.CALL
        here.settle(ok=True)
    assert store.kept == {}
    assert list(here.recent) == ["ok"] * 3


def test_a_failing_store_is_told_once_and_the_breaker_goes_on_by_itself(caplog):
    here, there, _, store = pair()
    store.broken = True
    with caplog.at_level(logging.WARNING, "tooldeck"):
        fail(here, 2)
        assert here.admit() is Admission.REFUSED
    assert [record.message for record in caplog.records] == [
        "The database is locked. The breaker goes on without the other programs."
    ]
    store.broken = False
    assert there.admit() is Admission.CALL


@pytest.mark.parametrize("rubbish", [{}, {"phase": "ajar"}, {"phase": "open", "failures": None}], ids=repr)
def test_a_state_that_cannot_be_read_counts_as_none(rubbish):
    here, _, _, store = pair()
    store.kept["f"] = (7, rubbish)
    assert here.quiet
    fail(here)
    assert here.state.failures == 1


def test_a_change_that_another_program_made_is_told_with_the_next_step():
    clock, store, told = ManualClock(), Dictionary(), []
    here = SharedBreaker(SHARED, store, "f", told.append, lambda: clock.seconds)
    there = SharedBreaker(SHARED, store, "f", None, lambda: clock.seconds)
    fail(there, 2)
    here.admit()
    assert [state.phase for state in told] == [Phase.OPEN]


class SharedMachine(RuleBasedStateMachine):
    """Two programs taking turns on one state are like one program with one breaker."""

    def __init__(self):
        super().__init__()
        *self.shared, self.clock, _ = pair()
        self.single = Breaker(SHARED, lambda: self.clock.seconds)
        self.running = []

    @rule(which=st.integers(0, 1))
    def begin(self, which):
        admission = self.shared[which].admit()
        assert admission is self.single.admit()
        if admission is not Admission.REFUSED:
            self.running.append(admission is Admission.PROBE)

    @precondition(lambda self: self.running)
    @rule(which=st.integers(0, 1), data=st.data(), ok=st.sampled_from([False, None, True]))
    def end(self, which, data, ok):
        probe = self.running.pop(data.draw(st.integers(0, len(self.running) - 1)))
        assert self.shared[which].state == self.single.state  # as after the admission that came before
        self.shared[which].settle(ok=ok, probe=probe)
        self.single.settle(ok=ok, probe=probe)

    @rule(seconds=st.floats(0, 8))
    def wait(self, seconds):
        self.clock.advance(seconds)

    @invariant()
    def all_see_the_same(self):
        if not any(self.running):
            assert self.shared[0].state == self.shared[1].state == self.single.state


TestSharedMachine = SharedMachine.TestCase
TestSharedMachine.settings = settings(max_examples=50, stateful_step_count=15, deadline=None)


def boom(x: int = 0) -> int:
    """Fail."""
    raise ConnectionError("down")


def test_two_decks_with_one_store_leave_the_tool_alone_together(run, tmp_path, events):
    decks = [fake_deck(policy="auto", store=tmp_path / "deck.db")[0] for _ in range(2)]
    for deck in decks:
        deck.add(boom, breaker=BreakerSettings(threshold=3, shared=True))
    seen = events(decks[1])
    statuses = [run(decks[turn % 2], "boom").status for turn in range(5)]
    assert statuses == ["failed"] * 3 + ["tripped"] * 2
    assert any(event.state.phase is Phase.OPEN for event in seen if isinstance(event, BreakerMoved))
    decks[0].breaker("boom").reset()
    assert run(decks[1], "boom").status == "failed"
    for deck in decks:
        deck.close()


def test_targets_are_shared_one_by_one_and_a_changed_tool_starts_afresh(run, tmp_path):
    decks = [fake_deck(policy="auto", store=tmp_path / "deck.db")[0] for _ in range(2)]
    given = BreakerSettings(threshold=1, shared=True)
    for deck in decks:
        deck.add(boom, breaker=given, target="x")
    run(decks[0], "boom", x=1)
    assert [run(decks[1], "boom", x=x).status for x in (1, 2)] == ["tripped", "failed"]

    def changed(x: int = 0) -> int:
        """Fail otherwise."""
        raise OSError

    decks[1].add(changed, name="boom", breaker=given, target="x")
    assert run(decks[1], "boom", x=1).status == "failed"
    for deck in decks:
        deck.close()


def test_breakers_that_are_not_declared_shared_stay_apart(run, tmp_path):
    decks = [fake_deck(policy="auto", store=tmp_path / "deck.db")[0] for _ in range(2)]
    for deck in decks:
        deck.add(boom, breaker=1)
    assert [run(deck, "boom").status for deck in decks] == ["failed", "failed"]
    for deck in decks:
        deck.close()


def test_another_program_sees_it_open(tmp_path):
    code = f"""
from tooldeck import BreakerSettings, Deck
from tests.deck.test_shared_breakers import boom
deck = Deck(policy="auto", store={str(tmp_path / "deck.db")!r})
deck.add(boom, breaker=BreakerSettings(threshold=2, shared=True))
print(*[deck.call("boom").status for _ in range(2)])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["failed", "failed"]
    deck = Deck(policy="auto", store=tmp_path / "deck.db")
    deck.add(boom, breaker=BreakerSettings(threshold=2, shared=True))
    result = deck.call("boom")
    assert result.status == "tripped"
    assert "one probe may run in" in result.error
    assert 0 < result.retry_after <= 30
    assert deck.breaker("boom").state.opened_at <= time.time()
    deck.close()


def test_without_a_store_it_says_so_and_watches_alone(run, auto, caplog):
    deck, _ = auto
    with caplog.at_level(logging.WARNING, "tooldeck"):
        deck.add(boom, breaker=BreakerSettings(threshold=1, shared=True))
        assert [run(deck, "boom").status for _ in range(2)] == ["failed", "tripped"]
    assert [record.message for record in caplog.records if "no store to share it in" in record.message]


def test_a_store_that_cannot_be_used_disturbs_no_call(run, tmp_path):
    path = tmp_path / "deck.db"
    path.write_bytes(b"this is no database" * 100)
    deck, _ = fake_deck(policy="auto", store=path)
    deck.add(boom, breaker=BreakerSettings(threshold=1, shared=True))
    assert [run(deck, "boom").status for _ in range(2)] == ["failed", "tripped"]
    deck.close()


def test_shared_is_yes_or_no():
    with pytest.raises(DefinitionError, match="breaker shared must be True or False"):
        BreakerSettings(shared="yes")


def test_the_store_itself_may_be_injected(run, tmp_path):
    from tooldeck import Injected
    from tooldeck.store import Store

    deck, _ = fake_deck(policy="auto", store=tmp_path / "deck.db")

    def f(store: Injected[Store], context: Injected) -> bool:
        return store is context.store is deck.store

    deck.add(f)
    assert run(deck, "f").value is True
    bare, _ = fake_deck(policy="auto")

    def g(store: Injected[Store | None]) -> bool:
        return store is None

    bare.add(f)
    bare.add(g)
    assert run(bare, "g").value is True
    assert run(bare, "f").status == "failed"


@pytest.mark.parametrize("phase", ["open", "half-open"])
def test_a_clock_that_is_set_back_does_not_keep_a_tool_closed(phase):
    first, second, clock, _store = pair()
    clock.advance(100_000)
    fail(first, 2)
    if phase == "half-open":
        clock.advance(11)
        assert first.admit() is Admission.PROBE
    clock.seconds = 0.0
    assert not second.would_refuse()
    assert second.admit() is Admission.PROBE
    assert second.admit() is Admission.REFUSED


@pytest.mark.parametrize(
    "text",
    ["garbage", "[]", "5", '{"phase": "open", "failures": 1e999}', '{"phase": "open", "opened_at": NaN}', ""],
)
def test_a_state_that_somebody_spoilt_counts_as_none_and_is_replaced(run, tmp_path, text):
    deck = Deck(policy="auto", store=tmp_path / "deck.db")

    def flaky(*, fail: bool = False) -> str:
        if fail:
            raise ConnectionError("down")
        return "up"

    deck.add(flaky, effects="none", breaker=SHARED)
    run(deck, "flaky", fail=True)
    whole = {"failures": 1, "opened_at": 0.0, "last_error": "", "window": [], "probe_at": 0.0}
    state = text if not text.startswith("{") else json.dumps({**whole, **json.loads(text)})
    assert deck.store.run("UPDATE breakers SET state = ?", (state,)).changed == 1
    assert run(deck, "flaky").ok
    for _ in range(2):
        run(deck, "flaky", fail=True)
    assert run(deck, "flaky").status == "tripped"
    deck.close()
