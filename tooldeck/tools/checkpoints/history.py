"""The messages of a run taken back to a checkpoint, or a stretch of them told in one; the host keeps them.

A conversation is only cut where every call in it has its answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from tooldeck.core.errors import ExpectedError
from tooldeck.core.messages import Message
from tooldeck.core.run import Run
from tooldeck.store.checkpoints import Checkpoint
from tooldeck.store.conversations import conversation_of
from tooldeck.store.masked_messages import without_secrets

__all__ = ["check_mine", "collapsed", "taken_back", "the_run"]


def the_run(run: Run | None) -> Run:
    """The run whose messages this deck keeps; raises `ExpectedError` where there is none."""
    if run is None or not run.messages:
        raise ExpectedError(
            "Messages are taken back inside of a run of deck.run, by its model. Elsewhere take back the "
            'files (scope="files"); Checkpoints(deck.store).messages(id) has the messages to go on with.'
        )
    return run


def check_mine(run: Run, checkpoint: Checkpoint, messages: Sequence[Message]) -> None:
    """Raise `ExpectedError` for a checkpoint of another conversation, or one without messages."""
    if not messages:
        raise ExpectedError(f"{checkpoint.id} has no messages: it was made outside of a run.")
    same = checkpoint.conversation == conversation_of(run)
    if not same and not _begins_with(run, messages):
        raise ExpectedError(
            f"{checkpoint.id} is of another conversation; `list` tells which are of this one."
        )


def taken_back(run: Run, checkpoint: Checkpoint, messages: tuple[Message, ...], report: str) -> None:
    """Put the messages of the checkpoint in the place of all, once the calls under way are answered."""
    said = f"[The conversation was taken back to the checkpoint {checkpoint.id} ({checkpoint.label!r})."
    told = f"{said} What was learnt since: {report}]" if report else f"{said} What came after is gone.]"
    whole = run.messages[: len(messages)] if _begins_with(run, messages) else messages
    run.rewrite(lambda _now: (*whole, Message("user", told)))


def collapsed(run: Run, start: Sequence[Message], end: Sequence[Message] | None, told: str) -> int:
    """Put one message in the place of those from `start` on, up to `end` or to those of this moment.

    Gives how many go. Raises `ExpectedError` where the conversation does not begin with them any more.
    """
    first = len(start)
    last = len(run.messages) if end is None else len(end)
    stretches = (start, () if end is None else end)
    if not all(_begins_with(run, one) for one in stretches):
        raise ExpectedError(
            "The conversation was rewritten since that checkpoint; it cannot be collapsed by it."
        )
    if last <= first:
        raise ExpectedError("There is no message between the two moments.")
    summary = Message("user", told)
    run.rewrite(lambda now: (*now[:first], summary, *now[last:]))
    return last - first


def _begins_with(run: Run, messages: Sequence[Message]) -> bool:
    """Whether the conversation begins with messages that were kept, which are without secrets."""
    ours = [without_secrets(one) for one in run.messages[: len(messages)]]
    return ours == list(messages)
