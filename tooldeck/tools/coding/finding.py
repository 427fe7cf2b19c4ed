"""Finding code: symbols by what a person would call them, and pieces of code by a pattern of code."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

from tooldeck.core.errors import ExpectedError, SetupError
from tooldeck.tools.coding.languages import tree_of
from tooldeck.tools.coding.records import CodeHit, FoundSymbol
from tooldeck.tools.coding.symbols import NamePath, Symbol
from tooldeck.tools.coding.units import Source, Unit, symbols_of

__all__ = ["Unread", "matching", "ranked"]

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\dA-Za-z_]+")
_LEAST = 0.05


class Unread:
    """What could not be read, and why; told once a reason."""

    def __init__(self) -> None:
        self._why: Counter[str] = Counter()

    def symbols(self, unit: Unit) -> list[Symbol]:
        """The symbols of a piece, none where it cannot be read."""
        try:
            return symbols_of(unit)
        except (SetupError, ExpectedError) as error:
            self._why[str(error)] += 1
            return []

    @property
    def reasons(self) -> str:
        """Why, in words."""
        return " ".join(self._why)

    @property
    def notes(self) -> tuple[str, ...]:
        """What and why, in words."""
        return tuple(f"[left out: {count} pieces of code. {why}]" for why, count in self._why.items())


def ranked(sources: Iterator[Source], query: str, kind: str, most: int, unread: Unread) -> list[FoundSymbol]:
    """Symbols for a query, best first: by name, then by parts of names, then by words of docstrings.

    A name path with slashes asks for what it names, also by the beginning of its last name.
    """
    found = [
        (unit, symbol)
        for source in sources
        for unit in source.units
        for symbol in unread.symbols(unit)
        if not kind or symbol.kind == kind
    ]
    if "/" in query.strip("/ ") or query.startswith("/"):
        return [FoundSymbol.of(unit, one) for unit, one in found if _under(query, one)][:most]
    words = _words(query)
    documents = [Counter(_words(f"{one.doc} {' '.join(one.scope)}")) for _, one in found]
    weights = _weights(documents, words)
    scored = [
        (_score(query, words, one) + _relevance(document, weights), place)
        for place, ((_, one), document) in enumerate(zip(found, documents, strict=True))
    ]
    best = sorted((-score, place) for score, place in scored if score > _LEAST)
    return [FoundSymbol.of(*found[place]) for _, place in best[:most]]


def matching(units: Iterator[Unit], pattern: str, language: str, most: int) -> list[CodeHit]:
    """The pieces of code that fit a pattern of ast-grep, in order; ``$NAME`` stands for any one node.

    Raises `ExpectedError` for what is no pattern, `SetupError` without ast-grep.
    """
    _check_pattern(pattern, language)
    hits: list[CodeHit] = []
    names = list(dict.fromkeys(re.findall(r"\$\$?\$?([A-Z_][A-Z0-9_]*)", pattern)))
    for unit in units:
        for node in tree_of(unit.text, unit.language).find_all(pattern=pattern):
            captured: list[tuple[str, str]] = []
            for name in names:
                one = node.get_match(name)
                text = one.text() if one is not None else "".join(
                    each.text() for each in node.get_multiple_matches(name)
                )  # fmt: skip
                captured.append((name, text))
            span = node.range()
            hits.append(
                CodeHit(
                    unit.path, span.start.line + 1, span.end.line + 1, node.text(), tuple(captured), unit.cell
                )
            )
            if len(hits) >= most:
                return hits
    return hits


def _check_pattern(pattern: str, language: str) -> None:
    try:
        tree_of("", language).find_all(pattern=pattern)
    except RuntimeError as error:
        why = [
            line.partition(":")[2].strip() for line in str(error).splitlines() if re.match(r"\s+\d+:", line)
        ]
        reason = next(
            (line for line in why[1:] if line and "::" not in line), "it is empty or has several roots"
        )
        raise ExpectedError(f"{pattern!r} is no pattern of {language}: {reason.rstrip('.')}.") from None


def _under(query: str, symbol: Symbol) -> bool:
    if NamePath(query).fits(symbol):
        return True
    names = [name.casefold() for name in query.strip("/ ").split("/")]
    own = [name.casefold() for name in (*symbol.scope, symbol.name)][-len(names) :]
    return len(own) == len(names) and own[:-1] == names[:-1] and own[-1].startswith(names[-1])


def _words(text: str) -> list[str]:
    return [part.casefold() for part in _PART.findall(text)]


def _score(query: str, words: list[str], symbol: Symbol) -> float:
    """How well the name fits: 100 for the name itself, less for its parts."""
    name, plain = symbol.name, query.strip()
    if name == plain:
        return 100.0
    if name.casefold() == plain.casefold():
        return 90.0
    own = _words(name)
    if words and own == words:
        return 80.0
    shared = sum((Counter(own) & Counter(words)).values())
    close = sum(1 for word in words if any(part.startswith(word) for part in own))
    score = 40.0 * max(shared, close * 0.7) / max(len(words), 1) if words else 0.0
    if len(plain) > 2 and plain.casefold() in name.casefold():
        score = max(score, 50.0 * len(plain) / len(name))
    return score - 0.1 * len(own) if score else 0.0


def _weights(documents: list[Counter[str]], words: list[str]) -> dict[str, float]:
    """How much a word says: the rarer, the more (the weight of BM25)."""
    count = len(documents)
    inside = {word: sum(word in document for document in documents) for word in set(words)}
    return {word: math.log(1 + (count - one + 0.5) / (one + 0.5)) for word, one in inside.items() if one}


def _relevance(document: Counter[str], weights: dict[str, float]) -> float:
    """BM25 with its usual constants, without a length of documents, for docstrings are short."""
    return sum(
        weight * document[word] * 2.2 / (document[word] + 1.2)
        for word, weight in weights.items()
        if document[word]
    )
