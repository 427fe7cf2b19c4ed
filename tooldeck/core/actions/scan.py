"""One linear pass that cuts an action into tokens and enforces every limit, before anything is made of it.

Each regular expression here is a run of one class of characters or a choice of single marks, so none can go
back and try again.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tooldeck.core.actions.faults import Findings, Refused, short
from tooldeck.core.actions.records import ActionCode, ActionLimits

__all__ = ["CLOSING", "CURLY", "END", "PLAIN", "WORDS", "ZERO_WIDTH", "Token", "scan"]

CLOSING = {"(": ")", "[": "]", "{": "}"}
CURLY = {"“": "”", "‘": "’", "＂": "＂", "＇": "＇"}
"""Typographic quotes, which have a meaning only as a pair."""
QUOTES = {"'", '"', *CURLY}
PLAIN = {
    "（": "(", "）": ")", "［": "[", "］": "]", "｛": "{", "｝": "}", "【": "[", "】": "]",
    "，": ",", "＝": "=", "：": ":",
}  # fmt: skip
"""Full-width marks and the plain ones that they stand for."""
WORDS = {"True": True, "False": False, "None": None, "true": True, "false": False, "null": None}
ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
PREFIXES = {"r", "b", "f", "u", "t", "br", "rb", "fr", "rf", "tr", "rt"}
MOST_ODD = 64
"""Operators and bare names; a call has none, and a text full of them is refused without a closer look."""

_TOKEN = re.compile(
    r"[ \t\r\n]*(?:(?P<space>\s+)|(?P<comment>\#[^\n]*)|(?P<name>[^\W\d][\w＿]*)|(?P<number>\.?\d[\w.]*)"
    r"|(?P<op>==|:=|\*\*|[!<>]=|//|\.\.\.|[^ \t\r\n]))",
    re.DOTALL,
)
_CLOSES = re.compile(r"\s*[)\]}]")
_EXPONENT = re.compile(r"[+-][0-9_]+")
_STOPS = {
    '"': re.compile(r'(?:\\[^\r\n])+|["\\\n]'),
    "'": re.compile(r"(?:\\[^\r\n])+|['\\\n]"),
    '"""': re.compile(r'(?:\\[^\r\n])+|\\|"""'),
    "'''": re.compile(r"(?:\\[^\r\n])+|\\|'''"),
}
"""What ends a text, by its quote, or has to be looked at; many escapes in a row are one step."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_OPENERS = {"(", "[", "{", ",", "=", ":"}
_NAMING = {"=", ":", "==", ":="}
_CLOSERS = {*CLOSING.values()}


class Token(NamedTuple):
    """A piece of an action."""

    kind: str
    """``name``, ``number``, ``string``, ``op`` or ``end``."""
    text: str
    """As written, with full-width marks made plain; the prefix of a string."""
    start: int
    end: int
    quote: str = ""
    """The opening quote of a string."""


END = Token("end", "", -1, -1)
_token = tuple.__new__
"""Makes a token of all of its parts in half the time of the class, which is a function of Python."""


def scan(
    text: str, at: int, limits: ActionLimits, found: Findings, *, call: bool = False
) -> tuple[list[Token], int]:
    """The tokens from the bracket at `at` to the one that closes it, then `END`; and the place behind it.

    `call` says that the first bracket is that of a call, which is no value and adds no depth.
    Raises `Refused`.
    """
    return _Scan(text, at, limits, found, call=call).run()


class _Scan:
    def __init__(self, text: str, at: int, limits: ActionLimits, found: Findings, *, call: bool) -> None:
        self.text = text
        self.at = self.start = at
        self.end = min(len(text), at + limits.chars)
        self.limits = limits
        self.found = found
        self.call = call
        self.tokens: list[Token] = []
        self.open: list[tuple[str, int]] = []
        """The bracket that closes each open one, and where that was opened."""
        self.items: list[int] = []
        """Commas in each open bracket."""
        self.odd = self.keywords = 0

    def run(self) -> tuple[list[Token], int]:
        text, end, tokens, most = self.text, self.end, self.tokens, self.limits.tokens
        next_token, add = _TOKEN.match, tokens.append
        while True:
            match = next_token(text, self.at, end)
            if match is None:
                raise self.ended(self.open[-1][1], "is not closed")
            kind = match.lastgroup or ""
            start, self.at = match.span(match.lastindex or 0)
            if kind == "op":
                mark = text[start : self.at]
                if mark == ",":  # the shortest way for what a long action consists of
                    self.comma(start)
                    add(_token(Token, ("op", ",", start, self.at, "")))
                elif self.op(mark, start):
                    add(END)
                    return tokens, self.at
            elif kind == "number" and text[self.at - 1] not in "eE":
                add(_token(Token, (kind, text[start : self.at], start, self.at, "")))
            elif kind == "space":
                self.blanks(start)
            elif kind == "comment":
                self.found.note("left out a comment")
            else:
                self.word(kind, text[start : self.at], start)
            if len(tokens) > most:
                raise Refused(ActionCode.TOO_MANY, start, f"More than {most} parts.")

    def blanks(self, start: int) -> None:
        control = _CONTROL.search(self.text, start, self.at)
        if control is not None:
            raise control_refused(self.text, control.start())
        self.found.note("read unusual blanks as spaces")

    def word(self, kind: str, word: str, start: int) -> None:
        """A name or a number; a name may turn out to be the prefix of a string."""
        if kind == "name":
            following = self.text[self.at : self.at + 1]
            if following in ("'", '"') and following and word.lower() in PREFIXES:
                self.string(word, start)
                return
            last = self.tokens[-1]
            if last.kind == "string" and last.end == start and last.quote not in CURLY:
                raise Refused(
                    ActionCode.SYNTAX, start,
                    f'A quote ends the text before {short(word)}; write quotes inside of a text as \\" or '
                    "use the other kind around it.",
                )  # fmt: skip
            if word not in WORDS:
                self.count_odd(start)
        elif word[-1] in "eE" and not word.startswith(("0x", "0X")):
            exponent = _EXPONENT.match(self.text, self.at, self.end)
            self.at = exponent.end() if exponent else self.at
        self.tokens.append(Token(kind, self.text[start : self.at], start, self.at))

    def count_odd(self, start: int) -> None:
        self.odd += 1
        if self.odd > MOST_ODD:
            raise Refused(
                ActionCode.COMPLEXITY,
                start,
                "An expression, and a long one; write arguments as plain values.",
            )

    def op(self, mark: str, start: int) -> bool:
        """A mark; True when it closes the whole."""
        if mark in PLAIN:
            self.found.fault(
                ActionCode.FULLWIDTH, start, f"{mark!r} is full-width; write {PLAIN[mark]!r}.",
                repair="read full-width marks and quotes as plain ones",
            )  # fmt: skip
            mark = PLAIN[mark]
        if mark == ",":
            self.comma(start)
        elif mark in QUOTES:
            self.string("", start)
            return False
        elif mark in _NAMING:
            self.named(mark)
        elif mark in CLOSING:
            self.push(mark, start)
        elif mark in _CLOSERS:
            self.pop(mark, start)
        elif not self.is_sign(mark):
            self.check_char(mark, start)
            self.count_odd(start)
        self.tokens.append(Token("op", mark, start, self.at))
        return not self.open

    def push(self, mark: str, start: int) -> None:
        self.open.append((CLOSING[mark], start))
        self.items.append(0)
        if len(self.open) - self.call > self.limits.depth:
            raise Refused(ActionCode.DEPTH, start, f"Nested deeper than {self.limits.depth} levels.")

    def pop(self, mark: str, start: int) -> None:
        closing, opened = self.open.pop()
        self.items.pop()
        if mark != closing:
            opening = self.text[opened]
            raise Refused(ActionCode.SYNTAX, start, f"{mark!r} does not close {opening!r}; {closing!r} does.")

    def comma(self, start: int) -> None:
        self.items[-1] += 1
        most = self.limits.keywords if self.call and len(self.open) == 1 else self.limits.items
        if self.items[-1] >= most and not _CLOSES.match(self.text, self.at):
            raise Refused(ActionCode.TOO_MANY, start, f"More than {most} members.")

    def named(self, mark: str) -> None:
        """What stands before an equals sign or a colon is the name of something, and no bare name."""
        last = self.tokens[-1]
        in_object = self.open[-1][0] == "}"
        if last.kind == "name" and last.text not in WORDS and (in_object or mark != ":"):
            self.odd -= 1
        if self.call and len(self.open) == 1 and mark != ":":
            self.keywords += 1
            if self.keywords > self.limits.keywords:
                raise Refused(ActionCode.TOO_MANY, last.start, f"More than {self.limits.keywords} arguments.")

    def is_sign(self, mark: str) -> bool:
        """Whether a plus or minus belongs to the number behind it."""
        last = self.tokens[-1] if self.tokens else END
        return mark in "+-" and last.text in _OPENERS and last.kind == "op"

    def check_char(self, char: str, start: int) -> None:
        if _CONTROL.match(char):
            raise control_refused(self.text, start)
        if char in ZERO_WIDTH:
            beside = self.tokens[-1].kind == "name" and self.tokens[-1].end == start
            code = ActionCode.NAME if beside else ActionCode.SYNTAX
            raise Refused(code, start, f"The invisible character U+{ord(char):04X}; leave it out.")

    # -- strings

    def string(self, prefix: str, start: int) -> None:
        """The string whose prefix, or whose quote where it has none, is at `start`."""
        begin = start + len(prefix)
        quote = self.text[begin]
        if quote in CURLY:
            end = self.curly(quote, start)
        else:
            if self.text.startswith(quote * 3, begin):
                quote *= 3
            end = self.quoted(quote, start, begin + len(quote))
        if end - start > self.limits.string:
            raise Refused(ActionCode.TOO_LONG, start, f"A text of more than {self.limits.string} characters.")
        self.at = end
        self.tokens.append(Token("string", prefix, start, end, quote))

    def curly(self, quote: str, start: int) -> int:
        closed = self.text.find(CURLY[quote], start + 1, self.end)
        if closed < 0:
            raise Refused(
                ActionCode.FULLWIDTH,
                start,
                f"{quote!r} has no {CURLY[quote]!r} behind it; write '\"' on both sides.",
            )
        self.found.fault(
            ActionCode.FULLWIDTH, start, f"{quote!r} is typographic; write '\"'.",
            repair="read full-width marks and quotes as plain ones",
        )  # fmt: skip
        return closed + 1

    def quoted(self, quote: str, start: int, at: int) -> int:
        stop = _STOPS[quote]
        while True:
            match = stop.search(self.text, at, self.end)
            if match is None:
                raise self.ended(start, 'has no closing quote; a quote inside of a text is written \\"')
            at = match.end()
            if match[0] == quote:
                return at
            if match[0] == "\\":
                at += 2 if self.text.startswith("\r\n", at) else 1
            elif match[0] == "\n":
                self.found.fault(
                    ActionCode.LINE_BREAK, match.start(),
                    "A line break inside of quotes; write \\n, or put three quotes around the text.",
                    repair="kept line breaks inside of plain quotes", firm=True,
                )  # fmt: skip

    def ended(self, opened: int, words: str) -> Refused:
        """The refusal of a text that ends, or reaches its limit, too early."""
        if self.end < len(self.text):
            return Refused(
                ActionCode.TOO_LONG, self.start, f"An action of more than {self.limits.chars} characters."
            )
        return Refused(ActionCode.CUT_OFF, opened, f"{short(self.text[opened : opened + 20])} {words}.")


def control_refused(text: str, at: int) -> Refused:
    """The refusal of a control character in the text itself."""
    return Refused(ActionCode.CONTROL_CHAR, at, f"The control character U+{ord(text[at]):04X}; leave it out.")
