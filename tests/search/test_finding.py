"""Tools are found by their names, by what they do, in other words and scripts, and misspelled."""

from __future__ import annotations

import pytest

from benchmarks.search import AIMS
from benchmarks.tool_corpus import KINDS, corpus, queries
from tooldeck import Deck, DefinitionError
from tooldeck.search.index import ToolIndex
from tooldeck.search.names import split_name, squeezed
from tooldeck.search.spelling import Vocabulary


def make(*tools: tuple[str, str]) -> Deck:
    deck = Deck(policy="auto")
    for name, said in tools:
        deck.add(lambda: 1, name=name, description=said, effects="read")
    return deck


@pytest.fixture(scope="module")
def deck():
    names = [
        ("file_read", "Read a file."),
        ("file_hash_edit", "Change lines by their anchors."),
        ("git_log", "Show the history of a repository."),
        ("web_fetch", "Get a page."),
        ("plan", "予定表から日程を検索して表示する。"),
        ("weather", "查询某地天气。"),
        ("createIssue", "Open one at the tracker."),
        ("send_email", "Mail it to somebody."),
        ("street", "Find a Straße by its name."),
    ]
    others = [(f"other_{place}", f"Do the thing of number {place} to a file.") for place in range(51)]
    return make(*names, *others)


def found(deck, query, limit=5):
    return [tool.name for tool in deck.search_tools(query, limit)]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("file_hash_edit", "file_hash_edit"),
        ("gitlog", "git_log"),
        ("FILE-READ", "file_read"),
        ("please run `git_log`, then stop", "git_log"),
        ("create issue", "createIssue"),
        ("creating issues", "createIssue"),
        ("send email", "send_email"),
        ("sending emails", "send_email"),
        ("file_hahs_edit", "file_hash_edit"),
        ("日程を検索", "plan"),
        ("天气", "weather"),
        ("查询天气", "weather"),
        ("strasse", "street"),
        ("repositry history", "git_log"),
        ("anchor", "file_hash_edit"),
    ],
)
def test_the_tool_that_is_meant_comes_first(deck, query, first):
    assert found(deck, query)[0] == first


def test_every_tool_that_is_named_is_found_also_beyond_the_limit(deck):
    assert set(found(deck, "git_log and web_fetch")[:2]) == {"git_log", "web_fetch"}
    assert set(found(deck, "git_log web_fetch file_read", limit=1)) == {"git_log", "web_fetch", "file_read"}


def test_common_words_and_words_in_every_tool_still_find_something(deck):
    assert "file_read" in found(deck, "read a file", limit=3)
    assert found(make(("only", "Send a mail.")), "a mail") == ["only"]
    assert found(make(("only", "What it is for.")), "for it") == ["only"]


@pytest.mark.parametrize(
    "query", ["", "?!", '"', "a* OR (b", "NEAR(x y)", "name : x", "\0", "\ud800", "x" * 9_000]
)
def test_no_sign_in_a_query_means_anything_to_the_index(deck, query):
    assert isinstance(found(deck, query), list)


def test_parameters_and_what_is_said_of_them_are_searched():
    deck = Deck()

    @deck.tool(effects="read")
    def lookup(postalCode: str, unit: str = "metric") -> str:
        """Look it up.

        Args:
            postalCode: Of the town.
            unit: Kelvin or not.
        """
        return postalCode

    assert found(deck, "postal code") == found(deck, "kelvin") == ["lookup"]


def test_the_index_follows_the_deck():
    deck = make(("one", "Feed the cat."))
    assert found(deck, "cat") == ["one"]
    deck.add(lambda: 1, name="one", description="Feed the dog.", effects="read", origin=deck["one"].origin)
    assert (found(deck, "cat"), found(deck, "dog")) == ([], ["one"])
    deck.remove("one")
    assert found(deck, "dog") == found(deck, "one") == []


def test_what_never_runs_is_not_found(deck):
    closed = make(("one", "Feed the cat."), ("two", "Feed the cat."))
    closed.policy.deny("one")
    assert found(closed, "one cat") == ["two"]
    closed.disable("two")
    assert found(closed, "cat") == []


@pytest.mark.parametrize("wrong", [None, 7, b"x"])
def test_a_query_that_is_no_text_is_refused(deck, wrong):
    with pytest.raises(DefinitionError, match="takes text"):
        deck.search_tools(wrong)
    with pytest.raises(DefinitionError, match="limit of 1"):
        deck.search_tools("x", 0)


def test_names_are_split_at_case_and_separators():
    assert split_name("createIssue_for-GitHubHTTPServer2.now") == "create Issue for Git Hub HTTP Server2 now"
    assert squeezed("Create-Issue_ü") == "createissueu"


def test_words_one_letter_away_are_near_and_others_only_alike():
    known = Vocabulary()
    known.add(["create", "issue", "weatherforecast", "at"])
    for typo in ("crate", "creat", "xcreate", "craete", "crevte", "createx"):
        assert known.near(typo) == ["create"], typo
    assert known.near("craetx") == known.near("ab") == []
    assert known.like("forecast") == ["weatherforecast"]
    assert known.like("xyz") == []


def test_of_ten_thousand_tools_the_right_one_is_among_the_first_five():
    index = ToolIndex()
    index.update({tool.name: tool for tool in corpus()})
    hits = {kind: list[bool]() for kind in KINDS}
    for query in queries():
        hits[query.kind].append(query.right in index.find(query.text, 5, lambda _name: True))
    assert {len(ends) for ends in hits.values()} == {60}
    rates = {kind: sum(ends) / len(ends) for kind, ends in hits.items()}
    assert all(rates[kind] >= AIMS[kind] for kind in KINDS), rates
