"""A rule: a word (allow, ask, deny; trust, distrust) and the calls it speaks of, as text and as a mapping.

Where a rule leaves room, the careful reading holds. An *allow* rule covers a call only if all of it fits:
every effect of the tool, every item of a list, the text as given and with its ``..`` resolved. An *ask* or
*deny* rule covers a call as soon as any of it fits. *Trust* reads like allow, *distrust* like deny.
"""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from tooldeck.core.action_schema import ACTION
from tooldeck.core.approval import Word
from tooldeck.core.call import ToolCall
from tooldeck.core.canonical import canonical_text
from tooldeck.core.errors import DefinitionError
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Effect, Risk, Trust, nearest, read_word
from tooldeck.policy.patterns import fits, matches

__all__ = ["CONDITIONS", "UNDECLARED", "Mark", "Rule", "read_rules"]

UNDECLARED = "undeclared"
"""Stands among the effects of a rule for tools that declare none at all."""


class Mark(StrEnum):
    """What a policy says of the output of a tool, whatever the tool declares and wherever it comes from."""

    TRUST = "trust"
    DISTRUST = "distrust"


@dataclass(frozen=True, slots=True)
class Rule:
    """What is said of some calls. A condition that is left out fits every call."""

    word: Word | Mark
    tools: str = "*"
    """The tool's name, or a pattern of names (``*``, ``?``, ``[…]``)."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """By parameter: a pattern for its text, or another JSON value that it must equal. Looks at the arguments
    as the tool understands them, defaults included; what is no text is matched by its JSON text."""
    effects: frozenset[str] | None = None
    """Effects, or ``undeclared``. Allow: the tool declares no others. Ask, deny: it declares one of them."""
    origin: str = ""
    """A pattern for where the tool comes from: ``mcp``, or ``mcp:git`` with the server's or module's name."""
    trust: Trust | None = None
    """Of the output, as the policy has it; not for rules that say it themselves."""
    risk: frozenset[Risk] | None = None
    """Any of these."""
    note: str = ""
    """Why; whoever is refused is told."""

    def __post_init__(self) -> None:
        """Read every field as people write it; raises `DefinitionError` for what cannot be meant."""
        word = _read_word(self.word)
        read: dict[str, Any] = {
            "word": word,
            "tools": _read_tools(word, self.tools),
            "arguments": _read_arguments(self.arguments),
            "effects": _read_effects(self.effects),
            "origin": _text("origin", self.origin),
            "trust": read_word(Trust, self.trust, "trust"),
            "risk": _read_risks(self.risk),
            "note": _text("note", self.note),
        }
        for name, value in read.items():
            object.__setattr__(self, name, value)
        if isinstance(word, Mark) and (self.trust is not None or self.arguments.keys() - {ACTION}):
            raise DefinitionError(
                f"The rule {str(self)!r} speaks of what tools say, so that it can name tools, their action, "
                "effects, origin and risk, but neither other arguments nor trust."
            )

    def of(self, tool: Tool) -> bool:
        """Whether it may speak of calls of `tool`, as far as that does not hang on arguments."""
        return (
            fits(tool.name, self.tools)
            and self._effects_fit(tool)
            and (not self.origin or self._from_there(tool))
            and (self.trust is None or tool.trust is self.trust)
            and (self.risk is None or tool.risk in self.risk)
            and all(_may_have(tool, name) for name in self.arguments)
            and self._action_fits(tool)
        )

    def hangs_on_arguments(self, tool: Tool) -> bool:
        """Whether it says more of the arguments than the action, which a declaration of one knows."""
        return bool(self.arguments.keys() - ({ACTION} if tool.action else set()))

    def covers(self, call: ToolCall) -> bool:
        """Whether the arguments of a call fit; to be asked of calls whose tool does."""
        every = self.word is Word.ALLOW
        return all(matches(call, name, wanted, every=every) for name, wanted in self.arguments.items())

    def _action_fits(self, tool: Tool) -> bool:
        wanted = self.arguments.get(ACTION)
        return not tool.action or not isinstance(wanted, str) or fits(tool.action, wanted)

    def _effects_fit(self, tool: Tool) -> bool:
        if self.effects is None:
            return True
        if tool.effects is None:
            return UNDECLARED in self.effects
        if self.word in {Word.ALLOW, Mark.TRUST} or not self.effects:
            return tool.effects <= self.effects
        return not tool.effects.isdisjoint(self.effects)

    def _from_there(self, tool: Tool) -> bool:
        kind, label = tool.origin.kind, tool.origin.label
        return fits(kind, self.origin) or fits(f"{kind}:{label}", self.origin)

    def __str__(self) -> str:
        given = {
            "effects": None if self.effects is None else ",".join(sorted(self.effects)) or "none",
            "origin": self.origin or None,
            "trust": self.trust,
            "risk": None if self.risk is None else ",".join(sorted(self.risk)),
            "note": self.note or None,
        }
        words = [f"{_as_key(name)}={_quoted(_as_text(value))}" for name, value in self.arguments.items()]
        words += [f"{name}={_quoted(str(value))}" for name, value in given.items() if value is not None]
        tools = [] if self.tools == "*" and words else [_quoted(self.tools)]
        return " ".join([str(self.word), *tools, *words])


CONDITIONS = ("effects", "origin", "trust", "risk", "note")
"""What a rule may ask of a tool beside its name and arguments."""
_KEYS = ("word", "tools", "arguments", *CONDITIONS)
_ARGUMENT = "arguments."
"""In the text form, before the name of a parameter that is called like a condition."""


def read_rules(given: Any) -> tuple[Rule, ...]:
    """Rules from a `Rule`, from text (``ask file path=/etc/*``) or from a mapping of the fields of `Rule`.

    Text and mapping may name several tools, which gives a rule for each. Raises `DefinitionError` naming what
    is not understood and the nearest known word.
    """
    if isinstance(given, Rule):
        return (given,)
    if isinstance(given, str):
        return _from_text(given)
    if isinstance(given, Mapping):
        return _from_mapping(given)
    raise DefinitionError(f"A rule must be text such as 'deny git__*', a mapping or a Rule, got {given!r}.")


def _from_text(text: str) -> tuple[Rule, ...]:
    try:
        words = shlex.split(text)
    except ValueError:
        raise DefinitionError(f"The rule {text!r} has a quote that is never closed.") from None
    if not words:
        raise DefinitionError("A rule is empty; write for example 'deny git__*'.")
    found: dict[str, Any] = {"word": words[0], "tools": [], "arguments": {}}
    for word in words[1:]:
        key, equals, value = word.partition("=")
        if not equals:
            found["tools"].append(word)
            continue
        is_argument = _names_an_argument(text, key)
        place = found["arguments"] if is_argument else found
        key = key.removeprefix(_ARGUMENT)
        if not key:
            raise DefinitionError(f"The rule {text!r} has no name before an equals sign.")
        if key in place:
            raise DefinitionError(f"The rule {text!r} says {key} twice.")
        place[key] = value
    if not found["tools"]:
        if not found["arguments"] and len(found) == 3:
            raise DefinitionError(f"The rule {text!r} names no tool; write for example '{words[0]} git__*'.")
        del found["tools"]
    return _from_mapping(found)


def _names_an_argument(text: str, key: str) -> bool:
    """Whether a key of the text form is a parameter's name; a misspelt condition is never taken for one."""
    if key.startswith(_ARGUMENT):
        return True
    if key in CONDITIONS:
        return False
    close = difflib.get_close_matches(key.casefold(), CONDITIONS, 1, 0.8)
    if close:
        raise DefinitionError(
            f"Unknown condition {key!r} in the rule {text!r}; did you mean {close[0]!r}? "
            f"For a parameter of that name write {_ARGUMENT}{key}=…"
        )
    return True


def _from_mapping(given: Mapping[Any, Any]) -> tuple[Rule, ...]:
    for key in given:
        if key not in _KEYS:
            close = nearest(key, _KEYS, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(_KEYS)}."
            raise DefinitionError(f"Unknown key {key!r} in a rule; {hint}")
    tools = given.get("tools", "*")
    several = [tools] if isinstance(tools, str) or not isinstance(tools, Iterable) else list(tools)
    if not several:
        raise DefinitionError("The tools of a rule are an empty list, so that it would speak of nothing.")
    rest: dict[str, Any] = {
        key: value for key, value in given.items() if key != "tools" and value is not None
    }
    fields: dict[str, Any] = {"word": None, **rest}
    return tuple(Rule(tools=one, **fields) for one in several)


def _read_word(given: Any) -> Word | Mark:
    close = nearest(given, [*Word, *Mark], 1) if isinstance(given, str) else []
    word = read_word(Mark if close and close[0] in [*Mark] else Word, given, "word of a rule")
    if word is None:
        raise DefinitionError(f"A rule needs a word, one of {', '.join([*Word, *Mark])}.")
    return word


def _read_tools(word: Word | Mark, given: Any) -> str:
    if not isinstance(given, str) or not given:
        raise DefinitionError(
            f"policy.{word}() takes names of tools and patterns such as 'git__*' as text, got {given!r}."
        )
    return given


def _read_arguments(given: Any) -> Mapping[str, Any]:
    if not isinstance(given, Mapping) or not all(isinstance(name, str) and name for name in given):
        raise DefinitionError(f"The arguments of a rule must be patterns by parameter name, got {given!r}.")
    return MappingProxyType(dict(given))


def _read_effects(given: Any) -> frozenset[str] | None:
    if given is None or (isinstance(given, frozenset) and not given):
        return given
    words = _words("effects", given)
    if words == ["none"]:
        return frozenset()
    known = [*(effect.value for effect in Effect), UNDECLARED]
    for word in words:
        if word not in known:
            close = nearest(word, known, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}."
            raise DefinitionError(f"Unknown effect {word!r} in a rule; {hint}")
    return frozenset(words)


def _read_risks(given: Any) -> frozenset[Risk] | None:
    if given is None:
        return None
    read = (read_word(Risk, word, "risk") for word in _words("risk", given))
    return frozenset(risk for risk in read if risk is not None)


def _words(key: str, given: Any) -> list[str]:
    if isinstance(given, str):
        words = given.replace(",", " ").split()
    elif isinstance(given, Iterable):
        words = [str(word) for word in given]
    else:
        words = []
    if not words:
        raise DefinitionError(f"The {key} of a rule must be words, got {given!r}.")
    return [word.casefold() for word in words]


def _text(key: str, given: Any) -> str:
    if given is not None and not isinstance(given, str):
        raise DefinitionError(f"The {key} of a rule must be text, got {given!r}.")
    return given or ""


def _may_have(tool: Tool, name: str) -> bool:
    """Whether `tool` has such a parameter, or takes any."""
    schema = tool.parameters
    return name in schema.get("properties", {}) or schema.get("additionalProperties", True) is not False


def _as_key(name: str) -> str:
    plain = name not in CONDITIONS and not difflib.get_close_matches(name.casefold(), CONDITIONS, 1, 0.8)
    return name if plain and not name.startswith(_ARGUMENT) else f"{_ARGUMENT}{name}"


def _as_text(wanted: Any) -> str:
    return wanted if isinstance(wanted, str) else canonical_text(wanted)


def _quoted(word: str) -> str:
    """A word as `shlex` reads it back; the marks of patterns need no quotes there."""
    return shlex.quote(word) if any(char in "'\"\\" or char.isspace() for char in word) else word
