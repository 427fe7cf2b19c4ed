"""Approvals for always: kept in the store of a deck, for the same tool in later programs, until revoked."""

from __future__ import annotations

from tooldeck import Decision, Policy
from tooldeck.core.approval import KeptGrant, Scope
from tooldeck.store import SqliteStore
from tooldeck.store.tables import GrantTable
from tooldeck.testing import fake_deck


def push(branch: str) -> str:
    return f"pushed {branch}"


def test_a_grant_is_kept_once_and_dropped_for_good(tmp_path):
    one, other = KeptGrant("push", "python m", "f1"), KeptGrant("push", "python m", "f2")
    here, there = (GrantTable(SqliteStore(tmp_path / "deck.db")) for _ in range(2))
    for grant in (one, one, other):
        here.save(grant)
    assert there.load() == [one, other]
    there.drop(one)
    there.drop(one)
    assert here.load() == [other]


def test_an_approval_for_always_holds_in_the_next_program_and_can_be_revoked_there(tmp_path):
    def program(answers):
        deck, host = fake_deck(answers, store=tmp_path / "deck.db")
        deck.add(push, effects="repository")
        return deck, host

    deck, host = program([Decision(True, scope="always")])
    assert deck.call("push", branch="a").ok
    assert len(host.requests) == 1
    deck, host = program([])
    assert deck.call("push", branch="b").ok
    assert host.requests == []
    assert deck.policy.revoke("push") == 1
    assert deck.call("push", branch="c").status == "denied"


def test_a_policy_with_a_store_of_its_own_keeps_it(tmp_path):
    store = GrantTable(SqliteStore())
    deck, _ = fake_deck(policy=Policy(store=store), store=tmp_path / "deck.db")
    assert deck.policy.store is store
    deck.policy = "auto"
    assert isinstance(deck.policy.store, GrantTable)


def test_a_store_in_memory_offers_nothing_for_always_and_says_so_to_who_grants_it_all_the_same():
    deck, host = fake_deck([Decision(True, scope="always")], store=":memory:")
    deck.add(lambda: 1, name="run")
    result = deck.call("run")
    assert Scope.ALWAYS not in host.requests[0].scopes
    assert "holds for this session only" in str(result.notes[0])
    assert [str(grant) for grant in deck.policy.grants] == ["run for this session"]


def test_a_store_in_a_file_offers_it(tmp_path):
    deck, host = fake_deck([Decision(True, scope="always")], store=tmp_path / "deck.db")
    deck.add(lambda: 1, name="run")
    deck.call("run")
    deck.close()
    assert Scope.ALWAYS in host.requests[0].scopes
