"""Checks of the wording of an answer: length, phrases, citations, language."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from tooldeck.core.vocabulary import nearest
from tooldeck.tools.answers.spec import AnswerSpec, Issue, quoted

__all__ = ["citations", "language", "lengths", "phrases"]

_MARK = re.compile(r"\[([^\[\]\n]{1,80})\](?!\()")
_QUOTE = re.compile(r"[“\"„«]([^“”\"„«»]{1,2000})[”\"“»][\s.,;]{0,3}\[([^\[\]\n]{1,80})\]")
_FEWEST_QUOTED = 3
"""Words from which on a quotation is looked up."""
_FEWEST_HITS = 3
"""Common words that must be found before a language is told from another."""


def lengths(text: str, spec: AnswerSpec) -> Iterator[Issue]:
    """Too short or too long, in characters, words or lines."""
    have = {
        "chars": (len(text), "character"),
        "words": (len(text.split()), "word"),
        "lines": (len(text.splitlines()), "line"),
    }
    for kind, (count, noun) in have.items():
        least: int | None = getattr(spec, f"min_{kind}", None)
        most: int | None = getattr(spec, f"max_{kind}", None)
        if least is not None and count < least:
            want = f"at least {_counted(least, noun)}"
            yield Issue(
                "", f"min_{kind}", _counted(count, noun), want, f"add {_counted(least - count, noun)}"
            )
        if most is not None and count > most:
            want = f"at most {_counted(most, noun)}"
            yield Issue(
                "", f"max_{kind}", _counted(count, noun), want, f"drop {_counted(count - most, noun)}"
            )


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def phrases(text: str, spec: AnswerSpec) -> Iterator[Issue]:
    """Phrases that must or must not occur."""
    folded = _folded(text)
    for phrase in spec.required:
        if _folded(phrase) not in folded:
            yield Issue("", "required", "not found", quoted(phrase), f"add {quoted(phrase)}")
    for phrase in spec.forbidden:
        if phrase.strip() and _folded(phrase) in folded:
            yield Issue(
                "", "forbidden", quoted(phrase), "an answer without it", f"leave out {quoted(phrase)}"
            )


def citations(text: str, sources: Mapping[str, str]) -> Iterator[Issue]:
    """Marks that name no source, none at all, and quotations that are not in the text they name."""
    known = False
    for found in _MARK.finditer(text):
        for name in (part.strip() for part in found[1].split(",")):
            if name in sources:
                known = True
                continue
            close = nearest(name, sources, 1)
            if name.isdecimal() or close:
                hint = f"write [{close[0]}]" if close else "cite one of the sources, or none"
                have = ", ".join(f"[{one}]" for one in list(sources)[:20])
                yield Issue("", "sources", f"[{name}]", f"one of {have}", hint)
    if not known:
        example = next(iter(sources), "name")
        yield Issue("", "sources", "no citation", "at least one", f"write [{example}] after what it says")
    for found in _QUOTE.finditer(text):
        said, name = found[1], found[2].strip()
        if len(said.split()) < _FEWEST_QUOTED or name not in sources:
            continue
        if _folded(said).strip(" .,;…") not in _folded(sources[name]):
            hint = "quote its very words, or leave out the quotation marks"
            yield Issue("", "sources", quoted(said), f"words that occur in [{name}]", hint)


_SCRIPTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "ar": ("ARABIC",),
        "el": ("GREEK",),
        "he": ("HEBREW",),
        "hi": ("DEVANAGARI",),
        "ja": ("HIRAGANA", "KATAKANA", "CJK"),
        "ko": ("HANGUL",),
        "ru": ("CYRILLIC",),
        "th": ("THAI",),
        "zh": ("CJK",),
    }
)


def _words(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


_COMMON: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "de": _words("der die das und ist nicht ein eine ich sie mit auf für von dem den sich auch wird zu"),
        "en": _words("the and is of to in that it was for on are with as this have not be you or"),
        "es": _words("el la los las y es de que en un una por con para no se del lo como más"),
        "fr": _words("le la les et est des que dans un une pour pas ce qui sur au avec du il elle"),
        "it": _words("il la gli e è di che un una per non con si del della sono le come più anche"),
        "nl": _words("de het een en is van dat niet op te met voor zijn er aan ook wordt ik die naar"),
        "pt": _words("o a os as e é de que em um uma para com não se do da no na mais"),
    }
)
# The commonest words, of which no two of the languages share many.


def language(text: str, wanted: str) -> Iterator[Issue]:
    """Another language than the wanted one.

    Told by the script, and among languages in Latin letters by their commonest words; a text with fewer
    than a handful of those passes.
    """
    letters = Counter(_script(char) for char in text if char.isalpha())
    if not letters:
        return
    scripts = _SCRIPTS.get(wanted, ("LATIN",))
    share = sum(letters[script] for script in scripts) / letters.total()
    kana = letters["HIRAGANA"] + letters["KATAKANA"]
    # Japanese cannot do without kana, Chinese has none.
    mixed = (wanted == "ja" and not kana) or (wanted == "zh" and kana * 10 > letters.total())
    if share < 0.5 or mixed:
        got = f"mostly {letters.most_common(1)[0][0].capitalize()} letters"
        yield Issue("", "language", got, wanted, f"write it in the language {wanted}")
    elif wanted in _COMMON:
        yield from _by_words(text, wanted)


def _by_words(text: str, wanted: str) -> Iterator[Issue]:
    words = [word for word in re.findall(r"\w+", text.casefold()) if not word.isdecimal()]
    hits = {code: sum(word in common for word in words) for code, common in _COMMON.items()}
    best = max(hits, key=lambda code: (hits[code], code == wanted))
    if best != wanted and hits[best] >= _FEWEST_HITS and hits[wanted] < 0.6 * hits[best]:
        yield Issue("", "language", f"probably {best}", wanted, f"write it in the language {wanted}")


def _script(char: str) -> str:
    return unicodedata.name(char, "?").partition(" ")[0].partition("-")[0]
