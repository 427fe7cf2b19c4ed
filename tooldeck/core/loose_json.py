"""Reading JSON as models write it, where only one reading is possible.

Beyond JSON it takes: comments, trailing commas, single and typographic quotes, bare names as keys, the words
``True``, ``False`` and ``None``, line breaks and tabs inside of strings, backslashes that start no escape,
numbers like ``.5`` and ``+1``. Every such liberty is named. Text that ends too early, keys that contradict
each other and anything with two readings are refused.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

from pydantic_core import from_json

__all__ = ["CutOff", "NoJson", "read_json", "read_plain"]

MAX_DEPTH = 64
"""Objects and lists inside of each other; deeper text is refused."""

_MOST_PLAIN = 4_000
"""Characters that are read in the quick way; Python refuses whole numbers of more digits."""
_INFINITE = (math.inf, -math.inf)
_NO_FLOATS = frozenset({str, int, bool, type(None)})

_SPACE = re.compile(r"(?:[\s\ufeff]+|//[^\n]*|/\*.*?\*/|\#[^\n]*)+", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
_TOKEN = re.compile(r"[\w.+-]+")
_STRICT_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\Z")
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")
_WORDS: dict[str, Any] = {
    "true": True, "false": False, "null": None, "True": True, "False": False, "None": None,
}  # fmt: skip
_PYTHON_WORDS = {"True", "False", "None"}
_CLOSING = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HEX4 = re.compile(r"[0-9a-fA-F]{4}")


class NoJson(ValueError):
    """The text has no reading, or more than one; the message says where."""


class CutOff(NoJson):
    """The text ends before it is complete."""


def read_plain(text: str) -> dict[str, Any] | None:
    """The quick way for an ordinary object: JSON to the letter without objects in it; None for all else.

    As many colons as keys say that no key is there twice, which the parser would not say.
    """
    if len(text) > _MOST_PLAIN or not text.startswith("{"):
        return None
    try:
        value = from_json(text, allow_inf_nan=False)
    except ValueError:
        return None
    if text.count(":") != len(value):
        return None
    for one in value.values():  # a number beyond all floats is read as infinite, also in a list
        kind = type(one)
        if (kind is float and one in _INFINITE) or (
            kind is list and not _NO_FLOATS.issuperset(map(type, one))
        ):
            return None
    return value


def read_json(text: str) -> tuple[Any, tuple[str, ...]]:
    """The value that `text` means and the liberties that were taken, each in a few words.

    Raises `NoJson`, and `CutOff` where the text ends too early.
    """
    try:
        return json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite
        ), ()
    except json.JSONDecodeError:
        return _read_loose(text)
    except RecursionError:
        raise NoJson("is nested too deeply") from None
    except NoJson:
        raise
    except ValueError as error:  # a number with more digits than Python reads
        raise NoJson(f"cannot be read: {error}") from None


def _read_loose(text: str) -> tuple[Any, tuple[str, ...]]:
    reader = _Reader(text)
    reader.space()
    value = reader.value(0)
    reader.space()
    if reader.at < len(text):
        raise NoJson(f"has more text after its end, at {reader.place()}")
    return value, tuple(dict.fromkeys(reader.liberties))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The pairs as a dict; raises `NoJson` where one key has two different values."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found and not _same(found[key], value):
            raise NoJson(f"has the key {key!r} twice with different values")
        found[key] = value
    return found


def _no_constant(word: str) -> Any:
    raise NoJson(f"has {word}, which is no JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise NoJson(f"has the number {digits[:30]}, which is too large")
    return number


def _same(one: Any, other: Any) -> bool:
    """Equal as JSON, where true is no number."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


class _Reader:
    """One pass from left to right; every character is looked at a bounded number of times."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.liberties: list[str] = []

    def place(self) -> str:
        before = self.text[: self.at]
        line = before.count("\n") + 1
        column = self.at - (before.rfind("\n") + 1) + 1
        near = self.text[max(0, self.at - 20) : self.at + 20]
        return f"line {line}, column {column}, near {near!r}"

    def space(self) -> None:
        found = _SPACE.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
            if not found[0].isspace():
                odd = "a byte order mark" if not found[0].strip("\ufeff \t\r\n") else "comments"
                self.liberties.append(f"left out {odd}")
        if self.text.startswith("/*", self.at):
            raise CutOff(f"is cut off inside a comment at {self.place()}")

    def peek(self) -> str:
        if self.at >= len(self.text):
            raise CutOff(f"is cut off before its end, at {self.place()}")
        return self.text[self.at]

    def value(self, depth: int) -> Any:
        first = self.peek()
        if first in "{[":
            if depth >= MAX_DEPTH:
                raise NoJson("is nested too deeply")
            return self._object(depth) if first == "{" else self._list(depth)
        if first in _CLOSING:
            return self._string()
        if first in "+-.0123456789":
            return self._number()
        return self._word()

    def _object(self, depth: int) -> dict[str, Any]:
        pairs: list[tuple[str, Any]] = []

        def member() -> None:
            key = self._key()
            self.space()
            if self.peek() != ":":
                raise NoJson(f"has no colon after the key {key!r}, at {self.place()}")
            self.at += 1
            self.space()
            pairs.append((key, self.value(depth + 1)))

        self._members("}", member)
        return _unique(pairs)

    def _list(self, depth: int) -> list[Any]:
        items: list[Any] = []
        self._members("]", lambda: items.append(self.value(depth + 1)))
        return items

    def _members(self, closing: str, member: Callable[[], None]) -> None:
        self.at += 1
        self.space()
        first = True
        while self.peek() != closing:
            if not first:
                if self.peek() != ",":
                    raise NoJson(f"lacks a comma at {self.place()}")
                self.at += 1
                self.space()
                if self.peek() == closing:
                    self.liberties.append("left out a trailing comma")
                    break
            member()
            self.space()
            first = False
        self.at += 1

    def _key(self) -> str:
        if self.peek() in _CLOSING:
            return self._string()
        found = _NAME.match(self.text, self.at)
        if found is None:
            raise NoJson(f"has no key at {self.place()}")
        self.at = found.end()
        self.liberties.append("read keys without quotes")
        return found[0]

    def _string(self) -> str:
        opening = self.peek()
        closing = _CLOSING[opening]
        if opening != '"':
            self.liberties.append("read other quotes as JSON's")
        stop = re.compile(rf"[{closing}\\\x00-\x1f]")
        start = self.at + 1
        parts: list[str] = []
        odd = plain = False
        while True:
            found = stop.search(self.text, start)
            if found is None:
                raise CutOff(f"is cut off inside the text that starts at {self.place()}")
            parts.append(self.text[start : found.start()])
            start = found.end()
            if found[0] == closing:
                break
            if found[0] != "\\":
                self.liberties.append("kept line breaks and tabs inside of texts")
                parts.append(found[0])
                continue
            made, start = self._escape(start, opening)
            odd = odd or made is None
            plain = plain or (made is not None and made not in "\"'/\\")
            parts.append("\\" if made is None else made)
        if odd and plain:  # \n in a path with \U in it: a line break, or a backslash and an n
            raise NoJson(f"has backslashes with two readings in the text that starts at {self.place()}")
        if odd:
            self.liberties.append("read backslashes that start no escape as themselves")
        self.at = start
        text = "".join(parts)
        if plain and not text.isascii():  # two escapes may make one character together
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        return text

    def _escape(self, start: int, opening: str) -> tuple[str | None, int]:
        """What the escape after a backslash means (None: nothing), and where the text goes on."""
        if start >= len(self.text):
            raise CutOff(f"is cut off inside the text that starts at {self.place()}")
        letter = self.text[start]
        if letter in _ESCAPES:
            return _ESCAPES[letter], start + 1
        if letter in '"\\/' or (letter == "'" and opening == "'"):
            return letter, start + 1
        digits = _HEX4.match(self.text, start + 1) if letter == "u" else None
        return (chr(int(digits[0], 16)), digits.end()) if digits else (None, start)

    def _number(self) -> int | float:
        token = _TOKEN.match(self.text, self.at)
        digits = token[0] if token is not None else ""
        after = self.at + len(digits)
        if after >= len(self.text):
            raise CutOff(f"is cut off before its end, at {self.place()}")
        if not _NUMBER.match(digits):
            raise NoJson(f"has no JSON number at {self.place()}")
        if not _STRICT_NUMBER.match(digits):
            if re.match(r"[+-]?0[0-9]", digits):
                raise NoJson(f"has a number with leading zeros at {self.place()}")
            self.liberties.append("read a number that JSON would write otherwise")
        self.at = after
        if not any(c in digits for c in ".eE"):
            try:
                return int(digits)
            except ValueError as error:  # more digits than Python reads
                raise NoJson(f"cannot be read: {error}") from None
        return _finite(digits)

    def _word(self) -> Any:
        found = _NAME.match(self.text, self.at)
        word = found[0] if found is not None else ""
        if found is not None and found.end() >= len(self.text) and word not in _WORDS:
            raise CutOff(f"is cut off before its end, at {self.place()}")
        if word in ("NaN", "Infinity"):
            return _no_constant(word)
        if word not in _WORDS:
            raise NoJson(f"is not valid JSON at {self.place()}")
        if word in _PYTHON_WORDS:
            self.liberties.append("read Python's words for true, false and null")
        self.at += len(word)
        return _WORDS[word]
