"""Exact counts of tokens by a real vocabulary, with the optional package toktok-rs (extra ``tokens``).

Estimates need no package and are what cards show; `tooldeck.core.tokens` has them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from tooldeck.core.errors import DefinitionError, SetupError
from tooldeck.core.messages import Message, words_of
from tooldeck.core.strangers import to_repr
from tooldeck.core.tool import Tool

__all__ = ["VOCABULARY", "exact_tokens"]

VOCABULARY = "o200k_base"
"""That of GPT-4o and later; also known: ``cl100k_base``, ``o200k_harmony``, ``qwen3.5``."""


def exact_tokens(thing: str | Tool | Message | Iterable[Tool | Message], vocabulary: str = VOCABULARY) -> int:
    """Tokens of a text, a tool's declaration, messages, or several of them, by this vocabulary.

    Of a declaration the name, the description and the JSON Schema are counted, of messages their text and
    calls; what a provider puts around them is its own. Nothing is downloaded; the first count takes about a
    second. Raises `SetupError` without the package, `DefinitionError` for what has no tokens.
    """
    try:
        import toktok
    except ImportError:
        raise SetupError(
            "Exact counts need toktok-rs, which is not installed: pip install 'tooldeck[tokens]'."
        ) from None
    texts = [thing] if isinstance(thing, str) else [_text(one) for one in _several(thing)]
    try:
        return sum(toktok.batch_count([_sound(text) for text in texts], vocabulary))
    except KeyError:
        raise DefinitionError(f"There is no vocabulary {vocabulary!r}; usual is {VOCABULARY!r}.") from None


def _several(thing: object) -> list[object]:
    if isinstance(thing, Tool | Message):
        return [thing]
    if isinstance(thing, Iterable):
        return list(thing)
    raise DefinitionError(f"Tokens are counted of text, tools and messages, not of {to_repr(thing)[:100]}.")


def _text(one: object) -> str:
    if isinstance(one, Message):
        return words_of([one])
    if isinstance(one, Tool):
        declared = {"name": one.name, "description": one.description, "parameters": one.parameters}
        return json.dumps(declared, ensure_ascii=False, separators=(",", ":"), default=str)
    if isinstance(one, str):
        return one
    raise DefinitionError(f"Tokens are counted of text, tools and messages, not of {to_repr(one)[:100]}.")


def _sound(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
