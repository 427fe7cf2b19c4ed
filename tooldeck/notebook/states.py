"""The one vocabulary of states on screen: which shape, sign and colour stands for which status."""

from __future__ import annotations

from tooldeck.core.vocabulary import Status

__all__ = ["coloured", "sign_of", "state_of"]

_STATES = {
    Status.OK: "ok",
    Status.DENIED: "refused",
    Status.TRIPPED: "open",
    Status.LIMITED: "refused",
    Status.CANCELLED: "off",
}
_SIGNS = {"ok": "●", "refused": "⊘", "open": "◌", "off": "–"}
_COLOURS = {"ok": "#388e3c", "waiting": "#e65100", "failed": "#d32f2f", "open": "#d32f2f"}
"""They stand out on white and on black: a stored output may be shown where no theme has variables."""
_QUIET = "#757575"


def state_of(status: Status) -> str:
    """The state that the widgets draw for a call that ended like this."""
    return _STATES.get(status, "failed")


def sign_of(status: Status) -> str:
    """The character that stands for the state in text."""
    return _SIGNS.get(state_of(status), "✕")


def coloured(sign: str, state: str) -> str:
    """HTML of a sign in the colour of a state."""
    return f'<span style="color:{_COLOURS.get(state, _QUIET)}">{sign}</span>'
