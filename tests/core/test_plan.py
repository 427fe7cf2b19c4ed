"""Who waits for whom in a batch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tooldeck import tool
from tooldeck.core.plan import Part, may_run_beside_others, plan

PARTS = st.lists(
    st.builds(Part, st.booleans(), st.frozensets(st.sampled_from("abc"), max_size=2)), max_size=12
)


def after(waits):
    """All that a call comes after, through others as well."""
    found = []
    for before in waits:
        found.append(set(before).union(*(found[place] for place in before)))
    return found


@given(PARTS)
def test_calls_wait_for_earlier_ones_only_so_that_a_plan_always_ends(parts):
    assert all(before < place for place, waits in enumerate(plan(parts)) for before in waits)


@given(PARTS)
def test_two_calls_are_ordered_exactly_when_one_runs_alone_or_they_share_a_resource(parts):
    order = after(plan(parts))
    for later, part in enumerate(parts):
        for earlier in range(later):
            other = parts[earlier]
            conflict = part.alone or other.alone or part.resources & other.resources
            between = any(parts[place].alone for place in range(earlier, later + 1))
            linked = earlier in order[later]
            assert linked if conflict else linked <= (between or _chained(parts, earlier, later))


def _chained(parts, earlier, later):
    """Whether resources lead from one call to the other through those in between."""
    reached = set(parts[earlier].resources)
    for place in range(earlier + 1, later + 1):
        if parts[place].resources & reached:
            reached |= parts[place].resources
            if place == later:
                return True
    return False


@given(PARTS)
def test_without_conflicts_nobody_waits(parts):
    free = [Part(resources=frozenset({str(place)})) for place, _ in enumerate(parts)]
    assert plan(free) == (frozenset(),) * len(parts)


@pytest.mark.parametrize(
    ("effects", "beside"),
    [
        (None, False),
        ("none", True),
        ("read", True),
        ("read,network", True),
        ("network", False),
        ("write", False),
        ("read,write", False),
        ("human", False),
        ("execute", False),
        ("model", False),
    ],
)
def test_only_tools_that_declare_to_do_nothing_or_to_read_run_beside_others(effects, beside):
    assert may_run_beside_others(tool(effects=effects)(lambda_named())) == beside


def lambda_named():
    def body() -> None:
        return None

    return body
