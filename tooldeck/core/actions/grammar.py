"""Values and argument lists made of tokens: JSON's value space in Python's or JSON's spelling, nothing else.

One loop with a list of open levels; no recursion, so that no text can exhaust a stack.
"""

from __future__ import annotations

import unicodedata
from typing import Any

from tooldeck.core.actions.faults import Findings, Refused, short
from tooldeck.core.actions.literals import read_number, read_string
from tooldeck.core.actions.misplaced import OPERATOR_WORDS, check_argument_name, misplaced
from tooldeck.core.actions.records import ActionCode, ActionLimits
from tooldeck.core.actions.scan import CLOSING, CURLY, WORDS, Token

__all__ = ["Grammar"]

_NOT_FINITE = {"nan", "inf", "infinity"}
_MAKERS = {"set", "frozenset", "bytes", "bytearray", "complex"}


class _Level:
    """An open list, tuple or object."""

    __slots__ = ("commas", "key", "kind", "list", "object")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.list: list[Any] = []
        self.object: dict[str, Any] = {}
        self.key = ""
        self.commas = 0

    def add(self, value: Any) -> None:
        if self.kind == "{":
            self.object[self.key] = value
        else:
            self.list.append(value)

    def made(self) -> Any:
        if self.kind == "{":
            return self.object
        if self.kind == "(" and len(self.list) == 1 and not self.commas:
            return self.list[0]
        return self.list


class Grammar:
    """Reads the tokens of one bracket, from left to right."""

    def __init__(
        self,
        text: str,
        tokens: list[Token],
        limits: ActionLimits,
        found: Findings,
        *,
        strict: bool,
        json: bool,
    ) -> None:
        self.text = text
        self.tokens = tokens
        self.limits = limits
        self.found = found
        self.strict = strict
        self.json = json
        self.at = 0
        self.unnamed_at = -1
        """Where the first argument without a name stands."""
        self.result: Any = None

    @property
    def now(self) -> Token:
        """The token that is read next."""
        return self.tokens[self.at]

    def is_op(self, mark: str, ahead: int = 0) -> bool:
        """Whether a mark is next, or that many tokens further."""
        return self.tokens[self.at + ahead].text == mark

    # -- arguments

    def arguments(self) -> tuple[dict[str, Any], list[Any]]:
        """The named and the unnamed arguments between the brackets of a call; raises `Refused`."""
        named: dict[str, Any] = {}
        unnamed: list[Any] = []
        places: dict[str, int] = {}
        self.at += 1
        while not self.is_op(")"):
            token = self.now
            if token.kind == "name" and self.tokens[self.at + 1].text in ("=", ":", ":=", "=="):
                name = self.argument_name(places)
                named[name] = self.value()
            else:
                self.unnamed_at = token.start if self.unnamed_at < 0 else self.unnamed_at
                unnamed.append(self.value())
            if not self.is_op(","):
                break
            self.at += 1
        if not self.is_op(")"):
            raise self.unexpected()
        return named, unnamed

    def argument_name(self, places: dict[str, int]) -> str:
        """The name before an equals sign, or before what was written for one."""
        token, mark = self.now, self.tokens[self.at + 1]
        check_argument_name(token.text, token.start, places)
        folded = unicodedata.normalize("NFKC", token.text)
        if folded != token.text:
            self.found.fault(
                ActionCode.NAME,
                token.start,
                f"{short(token.text)} has other letters than {folded!r}; write that.",
            )
        if mark.text != "=":
            code = ActionCode.WALRUS if mark.text == ":=" else ActionCode.SYNTAX
            self.found.fault(code, mark.start, f"{mark.text!r} after {short(folded)}; write one '='.")
        self.at += 2
        return folded

    # -- values

    def value(self) -> Any:
        """The value that starts here, with all that lies in it; raises `Refused`."""
        levels: list[_Level] = []
        while True:
            token = self.tokens[self.at]
            if token.kind == "number":
                self.at += 1
                made: Any = read_number(token, "", self.limits, self.found)
            elif levels and token.text == CLOSING[levels[-1].kind]:
                self.at += 1
                made = levels.pop().made()
            elif token.text in CLOSING:
                self.at += 1
                levels.append(_Level(token.text))
                self.key(levels[-1])
                continue
            else:
                made = self.scalar()
            if self.attached(made, levels):
                return self.result

    def attached(self, made: Any, levels: list[_Level]) -> bool:
        """Put a complete value where it belongs, closing what ends with it; True when nothing is open."""
        while levels:
            level = levels[-1]
            level.add(made)
            mark = self.tokens[self.at].text
            if mark == ",":
                self.at += 1
                level.commas += 1
                if level.kind == "{":
                    self.key(level)
                return False
            if mark != CLOSING[level.kind]:
                raise self.unexpected()
            self.at += 1
            made = levels.pop().made()
        self.result = made
        return True

    def key(self, level: _Level) -> None:
        """The key of an object's next member and its colon, unless the object ends here."""
        if level.kind != "{" or self.is_op("}"):
            return
        token = self.now
        if token.kind == "string":
            key = self.strings()
        elif token.kind == "name" and token.text not in WORDS and self.is_op(":", 1):
            self.found.fault(ActionCode.UNQUOTED, token.start, f"Write the key {token.text!r} in quotes.")
            key = token.text
            self.at += 1
        elif token.text in ("*", "**"):
            raise Refused(ActionCode.STAR, token.start, f"{token.text!r} unpacks; write each member out.")
        else:
            raise Refused(
                ActionCode.VALUE_KIND, token.start, "The key of an object must be a text in quotes."
            )
        if not self.is_op(":"):
            if self.is_op(",") or self.is_op("}"):
                raise Refused(
                    ActionCode.VALUE_KIND, token.start, "A set is no JSON value; write a list: [ ]."
                )
            raise self.unexpected()
        if key in level.object:
            raise Refused(ActionCode.DUP_KEY, token.start, f"The key {short(key)} is there twice; keep one.")
        self.at += 1
        level.key = key

    def scalar(self) -> Any:
        """A text, a signed number, or a word that is a value."""
        token = self.now
        if token.kind == "string":
            return self.strings()
        if token.kind == "name":
            return self.word()
        return self.mark()

    def strings(self) -> str:
        """One string, or several side by side, which are one."""
        first = self.tokens[self.at]
        if self.tokens[self.at + 1].kind != "string":
            self.at += 1
            return read_string(self.text, first, self.found, strict=self.strict)
        parts: list[str] = []
        while self.now.kind == "string":
            parts.append(read_string(self.text, self.now, self.found, strict=self.strict))
            self.at += 1
        if any(token.quote in CURLY for token in self.tokens[self.at - len(parts) : self.at]):
            raise Refused(ActionCode.SYNTAX, first.start, "Quotes of two kinds; write the text in one pair.")
        self.found.note("joined texts that stand side by side")
        return "".join(parts)

    def mark(self) -> Any:
        """A value that starts with a mark: a signed number, or none at all."""
        token = self.now
        if token.text in ("+", "-"):
            following = self.tokens[self.at + 1]
            if following.start == token.end:
                if following.kind == "number":
                    self.at += 2
                    return read_number(following, token.text, self.limits, self.found)
                if following.text.lower() in _NOT_FINITE:
                    raise Refused(
                        ActionCode.NOT_FINITE, token.start, f"{following.text!r} is no JSON number."
                    )
            raise Refused(
                ActionCode.NON_LITERAL,
                token.start,
                f"{token.text!r} stands directly before a number or nowhere.",
            )
        if token.text in ("*", "**"):
            raise Refused(ActionCode.STAR, token.start, f"{token.text!r} unpacks; write name=value for each.")
        if token.text in ("...", "…"):
            raise Refused(
                ActionCode.VALUE_KIND, token.start, "An ellipsis is no value; write the value itself."
            )
        if token.text in (",", ")", "]", "}", "=", ":"):
            raise Refused(ActionCode.SYNTAX, token.start, f"A value is missing before {token.text!r}.")
        raise self.unexpected()

    def word(self) -> Any:
        """A bare word: true, false, null, or something that is no value."""
        token, following = self.now, self.tokens[self.at + 1]
        if token.text in WORDS and not (self.strict and not self.json and token.text.islower()):
            self.at += 1
            if token.text.islower() != self.json:
                self.found.note(f"read {token.text} as {WORDS[token.text]}")
            return WORDS[token.text]
        if token.text.lower() in _NOT_FINITE:
            raise Refused(ActionCode.NOT_FINITE, token.start, f"{token.text!r} is no JSON number.")
        if following.text == "(" and following.kind == "op":
            raise self.nested(token)
        if following.text == ":=":
            raise Refused(
                ActionCode.WALRUS, following.start, "':=' names a value in a value; write the value alone."
            )
        return self.unquoted()

    def nested(self, token: Token) -> Refused:
        """The refusal of a call inside of a call."""
        if token.text in _MAKERS:
            return Refused(
                ActionCode.VALUE_KIND, token.start, f"{token.text}() makes no JSON value; write a list: [ ]."
            )
        return Refused(
            ActionCode.NESTED_CALL, token.start,
            f"{short(token.text)} is called inside of another call; call it alone, before this one.",
        )  # fmt: skip

    def unquoted(self) -> Any:
        """Words without quotes: the text that they are, and a fault."""
        start = self.now
        expression = start.text.startswith("__")
        while self.now.kind in ("name", "number"):
            expression = expression or self.now.text in OPERATOR_WORDS
            self.at += 1
        if expression or (self.now.kind == "op" and self.now.text not in (",", ")", "]", "}")):
            raise Refused(
                ActionCode.NON_LITERAL, start.start,
                f"{short(start.text)} begins an expression; write the value itself, a text in quotes.",
            )  # fmt: skip
        text = self.text[start.start : self.tokens[self.at - 1].end]
        wanted = WORDS.get(text, f'"{text}"')
        self.found.fault(ActionCode.UNQUOTED, start.start, f"{short(text)} has no quotes; write {wanted}.")
        return WORDS.get(text, text)

    def unexpected(self) -> Refused:
        """The refusal of what stands behind a complete value."""
        return misplaced(self.text, self.now, self.tokens[self.at - 1])
