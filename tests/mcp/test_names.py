from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tooldeck.mcp.names import deck_names

raw_names = st.lists(
    st.text(min_size=0, max_size=80) | st.sampled_from(["a.b", "a_b", "a-b", "a/b", "x" * 140]), max_size=8
)


def named(label, raw, taken=(), known=None):
    return deck_names(label, raw, lambda name: name not in taken, known or {})


def test_a_name_that_nobody_has_is_kept():
    assert named("git", ["status", "get-user"]) == {"status": "status", "get-user": "get-user"}


def test_a_name_that_somebody_has_gets_the_server_s_label_in_front():
    assert named("git", ["status", "log"], taken={"status"}) == {"status": "git__status", "log": "log"}


def test_a_name_given_before_is_kept_while_it_is_free():
    known = {"status": "git__status"}
    assert named("git", ["status"], known=known) == {"status": "git__status"}
    assert named("git", ["status"], taken={"git__status"}, known=known) == {"status": "status"}


def test_characters_that_names_may_not_have_are_replaced():
    assert (
        named("s", ["name.with/dots and-spaces"])["name.with/dots and-spaces"] == "name_with_dots_and-spaces"
    )


def test_names_that_would_fall_together_are_told_apart_whatever_their_order():
    one, other = named("s", ["a.b", "a_b", "a/b"]), named("s", ["a/b", "a_b", "a.b"])
    assert one == other
    assert one["a_b"] == "a_b"
    assert len(set(one.values())) == 3


@given(raw_names, st.sets(st.sampled_from(["a_b", "s__a_b", "a-b"])))
def test_names_are_always_permitted_distinct_and_free(raw, taken):
    names = named("s", raw, taken)
    assert set(names) == set(raw)
    assert len(set(names.values())) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names.values())
    assert not set(names.values()) & taken


@given(raw_names)
def test_names_do_not_depend_on_the_order_of_the_list(raw):
    assert named("s", raw) == named("s", raw[::-1])
