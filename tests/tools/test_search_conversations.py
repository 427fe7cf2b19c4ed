"""What models were told and said is recorded as it happens, and found by its words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tooldeck import Deck
from tooldeck.core.errors import StoreError
from tooldeck.loops import scripted
from tooldeck.store import SqliteStore
from tooldeck.store.conversations import HALF_LIFE, Conversations
from tooldeck.store.searching import terms


@pytest.fixture
def deck(tmp_path):
    deck = Deck(policy="auto", store=tmp_path / "deck.db")
    deck.add_builtins("search_conversations")
    yield deck
    deck.close()


def search(deck, query="", /, **options):
    return deck.call("search_conversations", query=query, **options).unwrap()


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def test_a_conversation_is_recorded_word_for_word(deck):
    deck.add(add, effects="none")
    deck.run(
        "How many apples are 3 and 4?", model=scripted([("add", {"a": 3, "b": 4}), "There are 7 apples."])
    )
    (talk,) = search(deck)["conversations"]
    assert (talk["messages"], talk["first"]["text"]) == (3, "How many apples are 3 and 4?")
    said = search(deck, around=talk["first"]["id"])["messages"]
    assert [(one["role"], one.get("tool"), one["text"]) for one in said] == [
        ("user", None, "How many apples are 3 and 4?"),
        ("tool", "add", "7"),
        ("assistant", None, "There are 7 apples."),
    ]


def test_what_a_person_says_meanwhile_is_recorded_too(deck):
    from tooldeck import Run

    run = Run()

    def steer(a: int) -> int:
        """Steer."""
        run.steer("And pears?")
        return a

    deck.add(steer, effects="none")
    deck.run("Apples?", model=scripted([("steer", {"a": 1}), "Both."]), run=run)
    texts = [one["text"] for one in search(deck, around=1, window=20)["messages"]]
    assert texts.count("And pears?") == 1
    assert texts[0] == "Apples?"


def test_a_model_does_not_find_its_own_conversation(deck):
    deck.run("The budget is 40 pears", model=scripted(["Noted."]))
    heard = []

    def model(messages):
        if messages[-1].role == "tool":
            heard.append(messages[-1].answers[0].text)
            return "done"
        return ("search_conversations", {"query": "budget"})

    deck.run("What was the budget?", model=scripted(model))
    assert "40 pears" in heard[0]
    assert "What was" not in heard[0]
    assert heard[0].startswith("«outside")


def test_runs_of_one_session_are_one_conversation(deck):
    from tooldeck import Run

    for prompt in ("one", "two"):
        deck.run(prompt, model=scripted(["yes"]), run=Run(session_id="s"))
    (talk,) = search(deck)["conversations"]
    assert talk["messages"] == 4


def test_secrets_and_fences_are_not_recorded(deck):
    def page() -> str:
        """Read a page."""
        return "words of outside"

    deck.add(page, effects="network")
    deck.run(f"my key is ghp_{'a' * 36}", model=scripted([("page", {}), "ok"]))
    texts = [one["text"] for one in search(deck, around=1)["messages"]]
    assert texts[0] == "my key is •••"
    assert texts[1].strip() == "words of outside"


def test_a_database_that_fails_disturbs_no_run(caplog):
    class Broken(SqliteStore):
        def run(self, sql, values=(), /):
            if "messages" in sql:
                raise StoreError("The database is gone.")
            return super().run(sql, values)

    deck = Deck(policy="auto", store=Broken())
    assert deck.run("hello", model=scripted(["hi"])).text == "hi"
    (record,) = caplog.records
    assert record.message == "The database is gone. Conversations go on, and are not recorded."


def test_hits_lead_to_what_was_said_around_them():
    kept = Conversations(SqliteStore())
    ids = [kept.record("a", "user", f"message number {n}") for n in range(10)]
    kept.record("b", "user", "of another conversation")
    _, (hit,) = kept.search("number 4")
    assert [one.id for one in kept.around(hit.said.id, 2)] == ids[2:7]
    assert [one.id for one in kept.around(ids[0], 3)] == ids[:4]
    assert kept.around(999, 3) == []


def test_the_tool_says_where_ids_come_from(deck):
    assert "There is no message 7" in deck.call("search_conversations", around=7).error


def test_filters_and_orders():
    now = [0.0]
    kept = Conversations(SqliteStore(), lambda: now[0])
    for number, (role, tool, place) in enumerate(
        [("user", "", "a.ipynb"), ("tool", "web", ""), ("assistant", "", "")]
    ):
        now[0] = number * 100.0
        kept.record("c", role, "apples", tool=tool, place=place)

    def ids(**chosen):
        return [one.said.id for one in kept.search("apples", **chosen)[1]]

    assert ids(role="tool") == ids(tool="web") == [2]
    assert ids(place="a.ipynb") == [1]
    assert ids(since=100, until=150) == [2]
    assert ids(order="oldest") == [1, 2, 3]
    assert ids(order="newest") == [3, 2, 1]
    assert ids(without="c") == []
    assert ids(n=1) == [3]


def test_relevance_comes_first_and_of_equals_the_later():
    now = [0.0]
    kept = Conversations(SqliteStore(), lambda: now[0])
    kept.record("c", "user", "apples apples")
    kept.record("c", "user", "apples and a lot of other words that have nothing to do with it at all, really")
    now[0] = 3 * HALF_LIFE
    kept.record("c", "user", "apples apples")
    found = kept.search("apples")[1]
    assert [one.said.id for one in found] == [3, 1, 2]
    assert found[0].recency == 1.0
    assert found[1].recency == pytest.approx(0.5625)
    assert found[0].score == pytest.approx(found[0].relevance * found[0].recency)


def test_dates_may_be_days_or_moments(deck):
    deck.run("apples", model=scripted(["pears"]))
    assert search(deck, "apples", since="2020-01-31")["count"] == 1
    assert search(deck, "apples", until="2020-01-31T10:00:00Z")["count"] == 0
    assert not deck.call("search_conversations", query="apples", since="soon").ok


TEXTS = st.lists(
    st.text(
        st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("会議火曜日회의ไทย'\"*-")),
        max_size=30,
    ),
    min_size=1,
    max_size=4,
)


@settings(deadline=None, max_examples=30)
@given(TEXTS)
def test_whatever_was_said_is_found_by_each_of_its_words(texts):
    kept = Conversations(SqliteStore())
    ids = [kept.record("c", "user", text) for text in texts]
    for number, text in zip(ids, texts, strict=True):
        for word in re.findall(r"\w+", text):
            if terms(word):
                assert number in [one.said.id for one in kept.search(word, n=50)[1]], word


def test_a_deck_without_a_store_says_how_to_give_it_one():
    deck = Deck(policy="auto")
    deck.add_builtins("search_conversations")
    assert "Deck(store=" in deck.call("search_conversations").error


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("red AND Äpfel", ["Red äpfel and pears"]),
        ("apfel NOT red", ["Äpfel alone"]),
        ('"pears and"', []),
        ('"and pears"', ["Red äpfel and pears"]),
        ("pea*", ["Red äpfel and pears"]),
        ("NEAR(red pears, 3)", ["Red äpfel and pears"]),
    ],
)
def test_an_expression_of_fts_is_asked_as_it_is_written(deck, query, found):
    for text in ("Red äpfel and pears", "Äpfel alone"):
        Conversations(deck.store).record("one", "user", text)
    hits = search(deck, query, syntax="fts")["messages"]
    assert [re.sub(r"[*]", "", one["snippet"]) for one in hits] == found


@pytest.mark.parametrize(
    "query", ['"open', "AND", "a AND", "title:x", "NEAR(", "^", "*", "'; DROP TABLE messages;--"]
)
def test_what_is_no_expression_is_answered_with_the_reason(deck, query):
    Conversations(deck.store).record("one", "user", "a text")
    result = deck.call("search_conversations", query=query, syntax="fts")
    assert result.status == "failed"
    assert "This is no FTS5 expression: " in result.error
    assert search(deck, "text")["count"] == 1


def test_signs_alone_are_looked_for_as_they_stand(deck):
    for text in ("x -> y", "50% off", "nothing"):
        Conversations(deck.store).record("one", "user", text)
    assert [one["text"] if "text" in one else one["snippet"] for one in search(deck, "->")["messages"]] == [
        "x -> y"
    ]
    assert search(deck, "%")["count"] == 1
    assert search(deck, "=>")["count"] == 0
