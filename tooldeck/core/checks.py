"""What a check of an author says of arguments or of a value, and how that is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tooldeck.core.errors import DefinitionError
from tooldeck.core.hooks import Block, Rewrite, answer_of
from tooldeck.core.host import Host
from tooldeck.core.strangers import to_repr

__all__ = ["Check", "read_checks", "verdict_of"]

Check = Callable[[Any], Any]
"""Sees the arguments, as a mapping, or the value; plain or async.

None and True let it pass; False, a text and `Block` refuse; `Rewrite` puts something else in its place.
Whatever else it says or raises refuses.
"""


def read_checks(option: str, given: Any) -> tuple[Check, ...]:
    """The functions of an option: one, or several in a list; raises `DefinitionError` for anything else."""
    if given is None:
        return ()
    if callable(given):
        one: Check = given
        return (one,)
    found = () if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
    if not found or not all(callable(check) for check in found):
        raise DefinitionError(f"The option {option} must be a function or a list of them, got {given!r}.")
    return found


async def verdict_of(check: Check, about: Any, host: Host) -> Block | Rewrite | None:
    """What a check says, None for "pass"."""
    answer = await answer_of(check, about, host)
    if answer is None or answer is True:
        return None
    if isinstance(answer, Block | Rewrite):
        return answer
    if answer is False:
        return Block("it does not accept this")
    if isinstance(answer, str):
        return Block(answer)
    return Block(
        f"it answered {to_repr(answer)}, which is neither None, True, False, a text, Block nor Rewrite"
    )
