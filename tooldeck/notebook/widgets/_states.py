"""The one vocabulary of states on screen: which shape and colour stands for which status."""

from __future__ import annotations

from tooldeck.core.vocabulary import Status

__all__ = ["state_of"]

_STATES = {
    Status.OK: "ok",
    Status.DENIED: "refused",
    Status.TRIPPED: "open",
    Status.LIMITED: "refused",
    Status.CANCELLED: "off",
}


def state_of(status: Status) -> str:
    """The state that the widgets draw for a call that ended like this."""
    return _STATES.get(status, "failed")
