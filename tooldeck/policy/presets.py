"""What is said of tools that no rule of the user names: by preset, ordered rules over declared effects.

Here the last rule that fits decides, also over a deny before it. The note of a rule is the name it goes by.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tooldeck.core.approval import Word
from tooldeck.core.errors import DefinitionError
from tooldeck.core.vocabulary import Effect, nearest
from tooldeck.policy.rules import UNDECLARED, Rule

__all__ = ["PRESETS", "check_preset"]


def _rule(word: Word, note: str, *effects: str) -> Rule:
    return Rule(word, effects=frozenset(effects), note=note)


_HARMLESS = (
    _rule(Word.ALLOW, "reads-only", Effect.READ, Effect.HUMAN),
    _rule(Word.ALLOW, "no-effects"),
)
_GRAVE_LAST = (Effect.MODEL, Effect.NETWORK, Effect.WRITE, Effect.REPOSITORY, Effect.EXECUTE)
_ASK = (
    *(_rule(Word.ASK, effect, effect) for effect in _GRAVE_LAST),
    _rule(Word.ASK, "undeclared-effects", UNDECLARED),
)
_DENY_THE_REST = Rule(Word.DENY, note="anything-else")

PRESETS: Mapping[str, tuple[Rule, ...]] = MappingProxyType(
    {
        "default": (*_ASK, *_HARMLESS),
        "read_only": (_DENY_THE_REST, *_HARMLESS),
        "plan": (
            _DENY_THE_REST,
            _rule(Word.ASK, "looks-things-up", Effect.NETWORK, Effect.MODEL),
            _rule(Word.DENY, "changes-something", Effect.WRITE, Effect.REPOSITORY, Effect.EXECUTE),
            *_HARMLESS,
        ),
        "accept_edits": (
            *_ASK,
            _rule(Word.ALLOW, "edits", Effect.READ, Effect.WRITE, Effect.HUMAN),
            *_HARMLESS,
        ),
        "ask_everything": (Rule(Word.ASK, note="everything"),),
        "auto": (Rule(Word.ALLOW, note="everything"),),
    }
)
"""``default`` allows tools that declare no effects or only read, and asks for everything else; ``read_only``
denies everything else; ``plan`` does so too, but asks for what only looks things up over the network or by a
model; ``accept_edits`` is the default and lets files be written; ``ask_everything`` asks always; ``auto``
never asks.
"""


def check_preset(name: Any) -> str:
    """`name`, if it is one of `PRESETS`; else `DefinitionError` with the nearest."""
    if isinstance(name, str) and name in PRESETS:
        return name
    close = nearest(name, PRESETS, 1)
    hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(PRESETS)}."
    raise DefinitionError(f"Unknown policy {name!r}; {hint}")
