"""States that several programs share: of all who start from one version, exactly one wins."""

from __future__ import annotations

import threading

from tooldeck.store import SqliteStore
from tooldeck.store.tables import BreakerTable


def test_a_state_is_read_with_its_version_and_swapped_by_it(tmp_path):
    here, there = (BreakerTable(SqliteStore(tmp_path / "deck.db")) for _ in range(2))
    assert here.load("git") == (0, None)
    assert here.swap("git", 0, {"failures": 1})
    assert not there.swap("git", 0, {"failures": 9})
    assert there.load("git") == (1, {"failures": 1})
    assert there.swap("git", 1, {"failures": 2})
    assert not here.swap("git", 1, {"failures": 9})
    assert here.load("git") == (2, {"failures": 2})


def test_nothing_is_lost_when_many_count_at_once(tmp_path):
    def count():
        table = BreakerTable(SqliteStore(tmp_path / "deck.db"))
        for _ in range(20):
            while True:
                version, state = table.load("x")
                if table.swap("x", version, {"n": (state or {"n": 0})["n"] + 1}):
                    break

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert BreakerTable(SqliteStore(tmp_path / "deck.db")).load("x") == (80, {"n": 80})
