"""What a run of a model costs, against the very same calls made one by one in a run without a model."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.measure import Figure, in_turns
from tooldeck import Deck, Run, calling
from tooldeck.loops import RunLimits, scripted

ROUNDS = 20


def figures() -> Iterator[Figure]:
    """Microseconds of processor time per round: one reply with one call in it."""
    deck = Deck()
    deck.add(lambda a: a, name="same", effects="none")
    limits = RunLimits(rounds=ROUNDS + 1)
    native = scripted([*(("same", {"a": place}) for place in range(ROUNDS)), "done"])
    text = scripted([*(f"Action: same(a={place})" for place in range(ROUNDS)), "Final Answer: done"])

    def calls() -> None:
        with calling("model", run=Run()):
            for place in range(ROUNDS):
                deck.call("same", {"a": place})

    for what, model, actions in (("native calls", native, "native"), ("text actions", text, "text")):
        result = deck.run("go", model=model, actions=actions, limits=limits)
        assert len(result.calls) == ROUNDS, result

        def run(model: object = model, actions: str = actions) -> None:
            deck.run("go", model=model, actions=actions, limits=limits)

        ours, theirs = (seconds * 1e6 / ROUNDS for seconds in in_turns(run, calls, calls=2, rounds=11))
        yield Figure(f"a round of a model: {what}", ours, theirs, "us")
