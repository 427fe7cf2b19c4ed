"""Where a text stands that somebody wants to replace: exactly, else by a few stated liberties.

The liberties are tried one after the other, and each must leave one place only. They look at whole lines;
lines that the replacement does not change stay as they are in the file.
"""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Callable
from typing import NamedTuple

from tooldeck.core.errors import ExpectedError

__all__ = ["Match", "NoMatch", "find_all", "folded", "indented", "line_of", "replacements"]

_LISTED = 5
"""Places that a refusal names."""
_TELLING = 8
# Characters of a new text that is not there by chance.
_MOST_COMPARED = 20_000
# Characters of changed lines that are compared one by one.
_FOLDED = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys("\u00a0\u2002\u2003\u2007\u2009\u202f\u3000", " "),
        "\u2026": "...",
    }
)
_ESCAPES = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\'": "'", "\\\\": "\\"}
_WORD = re.compile(r"\w+|\s+|.")
_ESCAPED = re.compile(r"\\[nt\"'\\]")


class NoMatch(ExpectedError):
    """The text is not there, or at more places than was said."""


class Match(NamedTuple):
    """One place to be replaced."""

    start: int
    stop: int
    new: str
    """What is put there."""
    liberty: str = ""
    """What was not looked at, in words; empty for an exact match."""


def replacements(text: str, old: str, new: str, count: int, path: str) -> list[Match]:
    """The places of `old` in `text`, as many as `count` says (0: one or more), with what is put there.

    Raises `NoMatch` naming the lines where that is another number, or what is near where there is none.
    """
    if not old:
        raise NoMatch("There is no text to look for: old is empty. To add to a file, use append or write.")
    if old == new:
        raise NoMatch("Nothing changes: old and new are the same text.")
    step = 1 if count == 1 else len(old)  # one place only: not even one that overlaps it
    exact = [Match(at, at + len(old), new) for at in find_all(text, old, step)]
    if exact:
        if count not in {0, len(exact)}:
            raise _miscounted(text, exact, count, path)
        return exact
    for liberty, look in _LIBERTIES:
        found = [match._replace(liberty=liberty) for match in look(text, old, new)]
        if len(found) > 1:
            raise _miscounted(text, found, 1, path)
        if found:
            return found
    there = text.find(new) if len(new.strip()) >= _TELLING else -1
    if there >= 0:
        raise NoMatch(
            f"The text to replace is not in {path!r}, and the new one stands there already, from line "
            f"{line_of(text, there)} on: this edit seems to have been made before. Nothing was changed."
        )
    raise NoMatch(f"The text to replace is not in {path!r}{_nearest(text, old)}")


def find_all(text: str, wanted: str, step: int) -> list[int]:
    """Where `wanted` begins in `text`, each place at least `step` characters after the one before."""
    found: list[int] = []
    at = text.find(wanted)
    while at >= 0:
        found.append(at)
        at = text.find(wanted, at + step)
    return found


def line_of(text: str, at: int) -> int:
    """The number of the line, from 1, that a character stands in."""
    return text.count("\n", 0, at) + 1


def _miscounted(text: str, found: list[Match], count: int, path: str) -> NoMatch:
    numbers = [line_of(text, match.start) for match in found]
    lines = text.split("\n")
    shown = [f"line {number}: {lines[number - 1].strip()[:80]}" for number in numbers[:_LISTED]]
    more = f" and {len(numbers) - _LISTED} more" if len(numbers) > _LISTED else ""
    how = f" ({found[0].liberty})" if found[0].liberty else ""
    wanted = "one place is" if count == 1 else f"{count} are"
    said = f"The text to replace is at {len(found)} places in {path!r}{how}, and {wanted} expected"
    advice = "give more of the lines around it" + ("" if how else ", or count")
    return NoMatch(f"{said}; {advice}. {'; '.join(shown)}{more}")


def _nearest(text: str, old: str) -> str:
    """What in the text is like the first telling line of `old`."""
    first = max(old.split("\n")[:5], key=lambda line: len(line.strip())).strip()
    lines = text.split("\n")
    close = (
        difflib.get_close_matches(first, [line.strip() for line in lines[:20_000]], 1, 0.6) if first else []
    )
    if not close:
        return "; read it again."
    number = next(place for place, line in enumerate(lines, 1) if line.strip() == close[0])
    return f"; line {number} is the nearest: {close[0][:120]!r}."


class _Block(NamedTuple):
    """Lines of the file that fit the lines of `old`."""

    first: int
    lines: list[str]


def _blocks(text: str, old: str, key: Callable[[str], str]) -> tuple[list[_Block], list[str]]:
    """The stretches of whole lines that are those of `old` by `key`, and the lines of `old`."""
    wanted = old.removesuffix("\n").split("\n")
    lines = text.split("\n")
    keys, sought = [key(line) for line in lines], [key(line) for line in wanted]
    if not any(sought):
        return [], wanted
    size = len(wanted)
    found = [
        at for at in range(len(lines) - size + 1) if keys[at] == sought[0] and keys[at : at + size] == sought
    ]
    return [_Block(at, lines[at : at + size]) for at in found], wanted


def _by_lines(
    text: str,
    old: str,
    new: str,
    key: Callable[[str], str],
    shift: Callable[[list[str], list[str], list[str]], list[str] | None],
) -> list[Match]:
    """The matches by `key`; `shift` makes the new lines fit the lines of the file, None where it cannot."""
    blocks, wanted = _blocks(text, old, key)
    given = new.removesuffix("\n").split("\n") if new else []
    matches: list[Match] = []
    for block in blocks:
        shifted = shift(given, wanted, block.lines)
        if shifted is None:
            if len(blocks) == 1:
                return []
            shifted = given  # counted all the same, so that the other place is not taken for the only one
        made = _kept(wanted, given, block.lines, shifted)
        start = sum(len(line) + 1 for line in text.split("\n")[: block.first])
        stop = start + sum(len(line) + 1 for line in block.lines) - 1
        if not new and stop < len(text):
            stop += 1  # the lines go with the end of the last one
        matches.append(Match(start, stop, "\n".join(made)))
    return matches


def _kept(old: list[str], new: list[str], there: list[str], shifted: list[str]) -> list[str]:
    """The new lines, those that were in `old` already as the file has them."""
    made = list(shifted)
    for block in difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        made[block.b : block.b + block.size] = there[block.a : block.a + block.size]
    return made


def _as_given(new: list[str], old: list[str], there: list[str]) -> list[str]:
    return new


def indented(new: list[str], old: list[str], there: list[str]) -> list[str] | None:
    """The new lines moved as far as the lines of the file are; None where these are not all moved alike."""
    pairs = [
        (_indent(ours), _indent(theirs)) for ours, theirs in zip(old, there, strict=True) if ours.strip()
    ]
    added = {theirs[: len(theirs) - len(ours)] for ours, theirs in pairs if theirs.endswith(ours)}
    if len(added) == 1 and all(theirs.endswith(ours) for ours, theirs in pairs):
        more = added.pop()
        return [more + line if line.strip() else line for line in new]
    dropped = {ours[: len(ours) - len(theirs)] for ours, theirs in pairs if ours.endswith(theirs)}
    if len(dropped) != 1 or not all(ours.endswith(theirs) for ours, theirs in pairs):
        return None
    less = dropped.pop()
    if not all(line.startswith(less) for line in new if line.strip()):
        return None
    return [line.removeprefix(less) for line in new]


def _in_own_type(new: list[str], old: list[str], there: list[str]) -> list[str]:
    """The new lines; what they take over of the old ones stands in them as the file has it."""
    made = list(new)
    lines = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for tag, first, last, begin, end in lines:
        if tag == "replace":
            ours, given = "\n".join(old[first:last]), "\n".join(new[begin:end])
            if max(len(ours), len(given)) <= _MOST_COMPARED:
                made[begin:end] = _taken_over(given, old[first:last], there[first:last]).split("\n")
    return made


def _taken_over(new: str, old: list[str], there: list[str]) -> str:
    """`new` with the characters that it has from `old` as they are in `there`, line by line."""
    place = _places("\n".join(old), new)
    changes: list[tuple[int, int, str]] = []
    begin = 0
    for ours, theirs in zip(old, there, strict=True):
        for where, text in _typed_otherwise(ours, theirs):
            first = place.get(begin + where.start, -1)
            if first >= 0 and all(place.get(begin + at) == first + at - where.start for at in where):
                changes.append((first, first + len(where), text))
        begin += len(ours) + 1
    for first, last, text in reversed(changes):
        new = new[:first] + text + new[last:]
    return new


def _places(old: str, new: str) -> dict[int, int]:
    """Where the characters of `old` are in `new`, word by word."""
    ours, theirs = _WORD.findall(old), _WORD.findall(new)
    starts = [list(itertools.accumulate(map(len, words), initial=0)) for words in (ours, theirs)]
    place = dict[int, int]()
    for block in difflib.SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks():
        first, last = starts[0][block.a], starts[0][block.a + block.size]
        place |= {at: at - first + starts[1][block.b] for at in range(first, last)}
    return place


def _typed_otherwise(old: str, there: str) -> list[tuple[range, str]]:
    """Where a line has the same text in other characters than `there`, and in which."""
    found: list[tuple[range, str]] = []
    left = right = begin_left = begin_right = ahead = 0
    while (left < len(old) and right < len(there)) or ahead:
        if ahead <= 0 and left < len(old):
            ahead += len(old[left].translate(_FOLDED))
            left += 1
        elif right < len(there):
            ahead -= len(there[right].translate(_FOLDED))
            right += 1
        else:
            break
        if not ahead:
            if old[begin_left:left] != there[begin_right:right]:
                found.append((range(begin_left, left), there[begin_right:right]))
            begin_left, begin_right = left, right
    return found


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def folded(line: str) -> str:
    """A line with typographic characters as plain ones, and without blanks at its end."""
    return line.translate(_FOLDED).rstrip()


def _unescaped(text: str, old: str, new: str) -> list[Match]:
    """Where `old` stands once its escapes are read, as of a text that was escaped twice."""
    plain = _ESCAPED.sub(lambda escape: _ESCAPES[escape[0]], old)
    if plain == old or not plain.strip():
        return []
    made = _ESCAPED.sub(lambda escape: _ESCAPES[escape[0]], new)
    return [Match(at, at + len(plain), made) for at in find_all(text, plain, 1)]


_LIBERTIES: tuple[tuple[str, Callable[[str, str, str], list[Match]]], ...] = (
    ("blanks at line ends aside", lambda text, old, new: _by_lines(text, old, new, str.rstrip, _as_given)),
    ("indentation aside", lambda text, old, new: _by_lines(text, old, new, str.strip, indented)),
    ("typographic characters aside", lambda text, old, new: _by_lines(text, old, new, folded, _in_own_type)),
    ("escapes read", _unescaped),
)
