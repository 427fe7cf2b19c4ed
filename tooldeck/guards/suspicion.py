"""Words from outside that are meant to mislead a model or a person; found without the network.

What is found is a reason to look, no proof: the severity says how rarely an honest text has such a thing.
"""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Iterator
from enum import StrEnum

from tooldeck.guards.phrases import PHRASES
from tooldeck.guards.text import one_line

__all__ = ["ADDRESS", "EXCERPT", "Severity", "around", "hidden", "host_in", "misleading"]

EXCERPT = 90
"""Characters of a text that a finding quotes."""


class Severity(StrEnum):
    """How rarely an honest text has such a thing."""

    DANGER = "danger"
    """Hardly ever by accident."""
    WARNING = "warning"
    """Honest ones have it now and then; read it."""
    INFO = "info"
    """Worth knowing."""


_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064"
    "\u2066-\u206f\ufeff\U000e0000-\U000e007f]+|[\ufe00-\ufe0e\U000e0100-\U000e01ef]{2,}"
)
_TAGS = range(0xE0020, 0xE007F)
_JOINERS = "\u200c\u200d"


def misleading(text: str) -> Iterator[tuple[Severity, str, str]]:
    """What in the words of a text is to mislead: severity, what it is, and the text around it."""
    for severity, what, pattern in PHRASES:
        found = pattern.search(text)
        if found is not None:
            yield Severity(severity), what, around(text, found.start(), found.end())
    yield from _encoded(text)
    for address in ADDRESS.findall(text):
        what = _disguise(address)
        if what:
            yield Severity.WARNING, what, one_line(address)[:EXCERPT]


_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{24,400}")


def _encoded(text: str) -> Iterator[tuple[Severity, str, str]]:
    """The first run of letters that is ASCII text in base64; hashes and keys give no text."""
    for run in _ENCODED.finditer(text):
        whole = run[0][: len(run[0]) // 4 * 4]
        said = base64.b64decode(whole, altchars=b"-_" if {"-", "_"} & set(whole) else None)
        if said.isascii() and (words := one_line(said.decode().strip())).isprintable() and " " in words:
            yield (
                Severity.WARNING,
                f"encoded text that reads “{words[:EXCERPT]}”",
                around(text, *run.span()),
            )
            return


ADDRESS = re.compile(r"https?://[^\s\"'<>)\]}`,;]+", re.IGNORECASE)


def hidden(text: str) -> Iterator[tuple[str, str]]:
    """What is hidden in a text, and the text around it; at most one for all of it."""
    spots = [found for found in _HIDDEN.finditer(text) if not _joins(text, found)]
    if not spots:
        return
    kinds = sorted({f"U+{ord(char):04X}" for found in spots for char in found[0]})
    smuggled = "".join(chr(ord(char) - 0xE0000) for char in text if ord(char) in _TAGS)
    what = f"hidden characters ({', '.join(kinds[:4])}{'…' if len(kinds) > 4 else ''})"
    if smuggled:
        what += f" that spell “{one_line(smuggled)[:EXCERPT]}”"
    yield what, around(text, spots[0].start(), spots[0].end())


def _joins(text: str, found: re.Match[str]) -> bool:
    """Whether a joiner does its honest work: within an emoji, or in a script that needs it."""
    if found[0] not in _JOINERS or not 0 < found.start() < len(text) - 1:
        return False
    before = text[found.start() - 1]
    if before == "\ufe0f" or unicodedata.category(before) == "So":
        return True
    return unicodedata.name(before, "").split(" ", 1)[0] in {
        *("ARABIC", "BENGALI", "DEVANAGARI", "GUJARATI", "GURMUKHI", "KANNADA", "MALAYALAM", "ORIYA"),
        *("SINHALA", "TAMIL", "TELUGU"),
    }


def host_in(address: str) -> str:
    """The host of an address as it is written."""
    return re.split(r"[/?#]", address.split("://", 1)[1], maxsplit=1)[0].rstrip(".:")


def _disguise(address: str) -> str:
    """How an address hides where it leads, or an empty text."""
    host = host_in(address)
    if "@" in host:
        return "an address with a user name in it, which hides its true host"
    if "xn--" in host.lower() or not host.isascii():
        return "an address whose host only looks like Latin letters"
    bare = re.fullmatch(r"[\d.]+(:\d+)?", host) and not host.startswith(("127.", "0."))
    return "an address that is a bare number" if bare else ""


def around(text: str, start: int, end: int) -> str:
    """The text around a place, with nothing hidden, `EXCERPT` characters at most."""
    room = max(0, (EXCERPT - (end - start)) // 2)
    left, right = max(0, start - room), min(len(text), max(start + EXCERPT, end))
    cut = text[left : min(right, left + EXCERPT)]
    return ("…" if left else "") + one_line(cut.strip()) + ("…" if left + EXCERPT < len(text) else "")
