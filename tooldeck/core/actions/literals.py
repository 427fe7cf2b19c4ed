"""What a string or number literal means: strict escapes, finite numbers, nothing that JSON cannot carry."""

from __future__ import annotations

import math
import re
import unicodedata

from tooldeck.core.actions.faults import Findings, Refused, short
from tooldeck.core.actions.records import ActionCode, ActionLimits
from tooldeck.core.actions.scan import CURLY, Token, control_refused

__all__ = ["CONTROL", "SURROGATE", "is_drive", "read_bare", "read_number", "read_string"]

CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""Control characters that no value may have; line breaks and tabs are allowed."""
SURROGATE = re.compile(r"[\ud800-\udfff]")
_WATCHED = re.compile(r"[\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]")
_SIMPLE = {"\\": "\\", "'": "'", '"': '"', "/": "/", "n": "\n", "t": "\t", "r": "\r", "\n": ""}
_CONTROLS = {"a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_DIGITS = {"x": 2, "u": 4, "U": 8}
_HEX = re.compile(r"[0-9a-fA-F]*")
_OCTAL = re.compile(r"[0-7]{1,3}")
_NAMED = re.compile(r"\{([^{}\\]{1,80})\}")

_SHORT = 15
"""Digits of a whole number that needs no closer look."""
_DECIMAL = re.compile(r"(?:0|[1-9][0-9]*)(?:_[0-9]+)*")
_BASES = re.compile(r"0(?:x[0-9a-f]+|o[0-7]+|b[01]+)(?:_[0-9a-f]+)*", re.IGNORECASE)
_FLOAT = re.compile(r"(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:e[+-]?[0-9]+)?", re.IGNORECASE)
_ZEROS = re.compile(r"0[0-9_]+")
# The texts these see have at most `ActionLimits.number` characters.


def read_string(text: str, token: Token, found: Findings, *, strict: bool) -> str:
    """The text that the literal `token` of `text` stands for; raises `Refused`.

    `strict` refuses backslashes that start no escape.
    """
    prefix = token.text.lower()
    start = token.start + len(prefix) + len(token.quote)
    end = token.end - len(token.quote)
    if not prefix:  # most texts need no closer look
        value = text[start:end]
        if value.isascii() and value.isprintable() and "\\" not in value:
            return value
    if "b" in prefix:
        raise Refused(ActionCode.VALUE_KIND, token.start, "Bytes are no JSON value; write a text without b.")
    if "f" in prefix or "t" in prefix:
        raise Refused(
            ActionCode.FSTRING,
            token.start,
            "Nothing is filled in or evaluated; write the text itself without f.",
        )
    control = CONTROL.search(text, start, end)
    if control is not None:
        raise control_refused(text, control.start())
    if "r" in prefix or token.quote in CURLY or text.find("\\", start, end) < 0:
        value = text[start:end].replace("\r\n", "\n")
    else:
        value = _Escapes(text, start, end, found, strict=strict).read()
    return _watched(value, found)


def read_bare(text: str, start: int, found: Findings) -> str:
    """The text that a value without quotes is, from `start` to the end of `text`; raises `Refused`."""
    control = CONTROL.search(text, start)
    if control is not None:
        raise control_refused(text, control.start())
    return _watched(text[start:].replace("\r\n", "\n"), found)


def _watched(value: str, found: Findings) -> str:
    watched = _WATCHED.search(value)
    if watched is not None:
        found.note(f"a text has the character U+{ord(watched[0]):04X}, which changes how it is shown")
    return value


class _Escapes:
    """One text with backslashes, from left to right."""

    def __init__(self, text: str, start: int, end: int, found: Findings, *, strict: bool) -> None:
        self.text = text
        self.start = start
        self.at = start
        self.end = end
        self.found = found
        self.strict = strict
        self.odd = self.plain = False

    def read(self) -> str:
        text, end = self.text, self.end
        if is_drive(text[self.start : self.start + 4]):
            self.found.fault(
                ActionCode.PATH_ESCAPE, self.start,
                'The backslashes of this path would be read as escapes; write r"…" or \\\\.',
            )  # fmt: skip
            return text[self.start : end].replace("\\\\", "\\")
        parts: list[str] = []
        while True:
            back = text.find("\\", self.at, end)
            if back < 0:
                break
            if back > self.at:
                parts.append(text[self.at : back].replace("\r\n", "\n"))
            letter = text[back + 1]
            plain = _SIMPLE.get(letter)
            if plain is not None:
                self.at = back + 2
                self.plain = self.plain or letter in "ntr"
                parts.append(plain)
            else:
                self.at = back + 1
                parts.append(self.escape(back))
        parts.append(text[self.at : end].replace("\r\n", "\n"))
        if self.odd and self.plain:
            raise Refused(
                ActionCode.ESCAPE, self.start, 'Backslashes with two readings; write r"…" or \\\\ for each.'
            )
        if self.odd and self.strict:
            raise Refused(
                ActionCode.ESCAPE, self.start, 'A backslash that starts no escape; write r"…" or \\\\.'
            )
        if self.odd:
            self.found.note('kept backslashes that start no escape; r"…" or \\\\ says so')
        return "".join(parts)

    def escape(self, back: int) -> str:
        """What a longer escape stands for; its backslash is at `back`, its letter at `self.at`."""
        if self.text.startswith("\r\n", self.at):
            self.at += 2
            return ""
        letter = self.text[self.at]
        if letter in _CONTROLS:
            raise self.control(back, _CONTROLS[letter])
        if letter in _DIGITS:
            return self.code(back, letter)
        if letter == "N":
            return self.named(back)
        octal = _OCTAL.match(self.text, self.at, self.end)
        if octal is not None:
            char = chr(int(octal[0], 8))
            if CONTROL.match(char):
                raise self.control(back, char)
            raise Refused(ActionCode.ESCAPE, back, f'"\\{octal[0]}" is an octal escape; write r"…" or \\\\.')
        self.odd = True
        return "\\"

    def control(self, back: int, char: str) -> Refused:
        return Refused(
            ActionCode.CONTROL_CHAR, back,
            f'An escape for the control character U+{ord(char):04X}; for a backslash write r"…" or \\\\.',
        )  # fmt: skip

    def code(self, back: int, letter: str) -> str:
        """A character by its number; two halves of a pair are joined, as JSON does."""
        number = self.hex(back, letter)
        if 0xD800 <= number < 0xDC00 and self.text.startswith("\\u", self.at):
            self.at += 1
            low = self.hex(self.at - 1, "u")
            if 0xDC00 <= low < 0xE000:
                return chr(0x10000 + ((number - 0xD800) << 10) + (low - 0xDC00))
        if 0xD800 <= number < 0xE000:
            raise Refused(ActionCode.SURROGATE, back, f"Half of a character, U+{number:04X}.")
        char = chr(number)
        if CONTROL.match(char):
            raise self.control(back, char)
        return char

    def hex(self, back: int, letter: str) -> int:
        """The number of an escape whose letter is at `self.at`."""
        count = _DIGITS[letter]
        digits = self.text[self.at + 1 : min(self.at + 1 + count, self.end)]
        match = _HEX.match(digits)
        if match is None or match.end() != count or int(digits, 16) > 0x10FFFF:
            raise Refused(
                ActionCode.ESCAPE, back,
                f'"\\{letter}" wants {count} hexadecimal digits; for a backslash write r"…" or \\\\.',
            )  # fmt: skip
        self.at += 1 + count
        return int(digits, 16)

    def named(self, back: int) -> str:
        match = _NAMED.match(self.text, self.at + 1, self.end)
        try:
            char = unicodedata.lookup(match[1]) if match else ""
        except KeyError:
            char = ""
        if not match or len(char) != 1 or CONTROL.match(char):
            raise Refused(ActionCode.ESCAPE, back, '"\\N" wants the name of a character in braces.')
        self.at = match.end()
        return char


def is_drive(head: str) -> bool:
    r"""Whether a text starts like ``C:\x`` with one backslash, which makes an escape of the letter."""
    return len(head) == 4 and head[0].isalpha() and head[1:3] == ":\\" and head[3] not in "\\/"


def read_number(token: Token, sign: str, limits: ActionLimits, found: Findings) -> int | float | str:
    """The number that `token` stands for; what only looks like one is a fault, and stays text.

    Raises `Refused`.
    """
    digits = token.text
    if (
        len(digits) <= _SHORT
        and digits.isascii()
        and digits.isdigit()
        and (digits[0] != "0" or digits == "0")
    ):
        number = int(digits)
        if number <= limits.integer:
            return -number if sign == "-" else number
    if len(digits) > limits.number:
        raise Refused(
            ActionCode.INT_RANGE,
            token.start,
            f"A number of {len(digits)} characters; write an id as text in quotes.",
        )
    if (
        digits[0] in "123456789"
        and "." in digits
        and digits.isascii()
        and digits.replace(".", "", 1).isdigit()
    ):
        return float(sign + digits)
    if not digits.isascii():
        digits = _folded(token, found)
    if digits[-1] in "jJ" and _FLOAT.fullmatch(digits[:-1]):
        raise Refused(ActionCode.VALUE_KIND, token.start, "A complex number is no JSON value.")
    base = _BASES.fullmatch(digits)
    if base or _DECIMAL.fullmatch(digits):
        return _whole(digits, sign, token.start, limits, found)
    if _ZEROS.fullmatch(digits):
        found.fault(
            ActionCode.SYNTAX, token.start, f"{short(digits)} starts with 0; write an id or a code in quotes."
        )
        return sign + token.text
    if _FLOAT.fullmatch(digits) and not (digits[0] == "0" and digits[1:2].isdigit()):
        return _decimal(digits, sign, token.start, found)
    found.fault(ActionCode.UNQUOTED, token.start, f"{short(token.text)} is no number; write text in quotes.")
    return sign + token.text


def _folded(token: Token, found: Findings) -> str:
    """Digits of other scripts as ASCII digits, which is a fault; anything else as it is."""
    digits = "".join(str(unicodedata.decimal(c, c)) for c in token.text)
    if digits.isascii():
        found.fault(
            ActionCode.FULLWIDTH, token.start, f"{short(token.text)} has other digits; write {digits}."
        )
    return digits


def _whole(digits: str, sign: str, at: int, limits: ActionLimits, found: Findings) -> int:
    try:
        number = int(sign + digits, 0)
    except ValueError:
        raise Refused(ActionCode.SYNTAX, at, f"{short(digits)} is no number.") from None
    if abs(number) > limits.integer:
        raise Refused(
            ActionCode.INT_RANGE, at, f"{digits} is beyond {limits.integer}; write an id as text in quotes."
        )
    if not digits.isdigit():
        found.note(f"read {digits} as {number}")
    return number


def _decimal(digits: str, sign: str, at: int, found: Findings) -> float:
    try:
        number = float(sign + digits)
    except ValueError:
        raise Refused(ActionCode.SYNTAX, at, f"{short(digits)} is no number.") from None
    if math.isinf(number):
        raise Refused(ActionCode.NOT_FINITE, at, f"{digits} is too large for a number.")
    if number == 0 and digits.lower().partition("e")[0].strip("0._"):
        found.note(f"{digits} is too small for a number and became 0")
    if "_" in digits:
        found.note(f"read {digits} as {number}")
    return number
