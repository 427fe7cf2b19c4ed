"""What calls of a batch use at the same time."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from tooldeck.core.claims import Claim, Claims

KEYS = st.none() | st.frozensets(st.sampled_from("abc"), max_size=2)


class ClaimsMachine(RuleBasedStateMachine):
    """Claims made, given back and given up in any order."""

    claims_made = Bundle("claims_made")

    def __init__(self) -> None:
        super().__init__()
        self.claims = Claims()
        self.alive: list[Claim] = []

    @rule(target=claims_made, keys=KEYS)
    def make(self, keys):
        claim = self.claims.make(keys)
        self.alive.append(claim)
        return claim

    @rule(claim=consumes(claims_made))
    def release(self, claim):
        self.claims.release(claim)
        self.alive.remove(claim)

    @rule(claim=consumes(claims_made))
    def interrupt(self, claim):
        claim.free.cancel()
        self.claims.release(claim)
        self.alive.remove(claim)

    @invariant()
    def no_two_that_clash_are_free_at_once_and_whoever_can_be_free_is(self):
        for place, claim in enumerate(self.alive):
            assert claim.free.done() is not any(claim.clashes(earlier) for earlier in self.alive[:place])


TestClaims = ClaimsMachine.TestCase
