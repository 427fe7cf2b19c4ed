"""Words that are near a word that no tool has: one letter away, or sharing most of their letters.

Near by one letter is found as in SymSpell (W. Garbe, 2012): two words that differ by one letter, or by two
that changed places, are the same once a letter is left out of each. The rest is found by runs of three
letters.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

__all__ = ["Vocabulary"]

_SHORTEST = 3
"""Letters of a word that is mended; of a shorter one, anything is near."""
_LONGEST = 40
_SHARED = 0.5
"""The part of a word's runs of three letters that another must have."""
_MOST = 4


class Vocabulary:
    """All words that tools have. Words are never taken out: one that is gone matches nothing."""

    def __init__(self) -> None:
        self._words: set[str] = set()
        self._ready: set[str] = set()
        self._shortened: defaultdict[str, list[str]] = defaultdict(list)
        self._runs: defaultdict[str, list[str]] = defaultdict(list)

    def add(self, words: Iterable[str]) -> None:
        """Know these words too; what is made of them is made when it is first needed."""
        self._words.update(words)

    def near(self, word: str) -> list[str]:
        """Words one letter away, those with the same beginning first; `word` itself is not among them."""
        self._prepare()
        if not _SHORTEST <= len(word) <= _LONGEST:
            return []
        found = {
            known
            for short in (word, *_without_one(word))
            for known in self._shortened.get(short, ())
            if known != word and _one_apart(word, known)
        }
        return sorted(found, key=lambda known: (known[:1] != word[:1], known[:2] != word[:2], known))[:_MOST]

    def like(self, word: str) -> list[str]:
        """Words that contain `word`, or share most of its runs of three letters, the likest first."""
        self._prepare()
        runs = set(_runs_of(word[:_LONGEST]))
        shared = Counter(known for run in runs for known in self._runs.get(run, ()) if known != word)
        enough = max(1.0, _SHARED * len(runs))
        likest = sorted(shared.items(), key=lambda one: (-one[1], len(one[0]), one[0]))
        return [known for known, count in likest if count >= enough][:_MOST]

    def _prepare(self) -> None:
        """Take in the words that came since the last time."""
        if len(self._ready) == len(self._words):
            return
        for word in self._words - self._ready:
            if not _SHORTEST <= len(word) <= _LONGEST:
                continue
            for short in {word, *_without_one(word)}:
                self._shortened[short].append(word)
            for run in set(_runs_of(word)):
                self._runs[run].append(word)
        self._ready = set(self._words)


def _without_one(word: str) -> Iterator[str]:
    return (word[:place] + word[place + 1 :] for place in range(len(word)))


def _runs_of(word: str) -> Iterator[str]:
    return (word[place : place + 3] for place in range(len(word) - 2))


def _one_apart(one: str, other: str) -> bool:
    """Whether one letter is more, less or another, or two neighbours changed places."""
    if abs(len(one) - len(other)) > 1:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    mine, theirs = one[start:], other[start:]
    return (
        mine[1:] == theirs[1:]
        or mine[1:] == theirs
        or mine == theirs[1:]
        or (mine[:2] == theirs[1::-1] and mine[2:] == theirs[2:])
    )
