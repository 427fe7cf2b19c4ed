"""What cannot stand where it stands in the arguments of a call, and the words that say so."""

from __future__ import annotations

import unicodedata

from tooldeck.core.actions.faults import Refused, short
from tooldeck.core.actions.records import ActionCode
from tooldeck.core.actions.scan import END, Token

__all__ = ["MOST_NAME", "OPERATOR_WORDS", "check_argument_name", "misplaced"]

MOST_NAME = 128
"""Characters of the name of a tool or an argument."""
OPERATOR_WORDS = {
    "and", "as", "async", "await", "else", "for", "if", "in", "is", "lambda", "not", "or", "yield",
}  # fmt: skip
_OPERATORS = {*"+-*/%@&|^<>~!.", "**", "//", "!=", "<=", ">=", "..."}


def misplaced(text: str, token: Token, before: Token) -> Refused:
    """The refusal of a token of `text` that stands behind a complete value; `before` is the one before it."""
    at = token.start
    if token is END or token.kind == "end":
        return Refused(ActionCode.SYNTAX, before.end, "Something is missing at the end.")
    if token.kind == "op":
        if token.text == ":=":
            return Refused(ActionCode.WALRUS, at, "':=' names a value in a value; write one '='.")
        if token.text in ("=", ":", "=="):
            return Refused(
                ActionCode.SYNTAX,
                at,
                f"{token.text!r} behind a value; write name=value, the name without quotes.",
            )
        if token.text in ("(", "[", "{") or token.text in _OPERATORS:
            return Refused(
                ActionCode.NON_LITERAL,
                at,
                f"{token.text!r} behind a value makes an expression; write the value.",
            )
        if token.text in (")", "]", "}", ","):
            return Refused(ActionCode.SYNTAX, at, f"{token.text!r} in the wrong place.")
        name = unicodedata.name(token.text, "")
        shown = f"U+{ord(token.text[0]):04X} {name}".strip()
        return Refused(ActionCode.SYNTAX, at, f"{token.text!r} ({shown}) has no meaning here; leave it out.")
    if token.text in OPERATOR_WORDS:
        return Refused(
            ActionCode.NON_LITERAL,
            at,
            f"{token.text!r} behind a value makes an expression; write the value.",
        )
    return Refused(
        ActionCode.SYNTAX, at,
        f"{short(text[at : token.end])} behind a value; a comma is missing, or quotes inside of a "
        'text, which are written \\".',
    )  # fmt: skip


def check_argument_name(name: str, at: int, places: dict[str, int]) -> None:
    """Refuse a name that no argument has, or that was there before; `places` has those, folded."""
    if len(name) > MOST_NAME:
        raise Refused(ActionCode.NAME, at, f"{short(name)} is too long for the name of an argument.")
    folded = unicodedata.normalize("NFKC", name)
    if folded in places:
        raise Refused(
            ActionCode.DUP_ARG, at,
            f"The argument {folded!r} is there twice, at {places[folded]} and at {at}; keep one.",
        )  # fmt: skip
    if folded.startswith("__") and folded.endswith("__"):
        raise Refused(ActionCode.NAME, at, f"{short(folded)} is no name of an argument.")
    places[folded] = at
