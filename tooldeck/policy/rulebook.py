"""The rules that a person states, in the order in which they were said, and who is told when they change."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any

from tooldeck.core.approval import Word
from tooldeck.core.errors import DefinitionError
from tooldeck.policy.presets import check_preset
from tooldeck.policy.rules import Mark, Rule, read_rules
from tooldeck.policy.weighing import Ruling

__all__ = ["Rulebook", "read_all", "with_rules"]


class Rulebook:
    """The preset and the rules of a policy, to be added to and taken back."""

    def __init__(self, ruling: Ruling) -> None:
        self._ruling = ruling
        self._watchers: list[weakref.WeakMethod[Callable[[], None]]] = []

    # -- who is told

    def watch(self, changed: Callable[[], None]) -> None:
        """Call a method, held weakly, whenever the rules change; each deck that uses the policy does so."""
        self._watchers.append(weakref.WeakMethod(changed))

    def _changed(self) -> None:
        self._watchers = [watcher for watcher in self._watchers if watcher() is not None]
        for watcher in self._watchers:
            changed = watcher()
            if changed is not None:
                changed()

    # -- rules

    @property
    def preset(self) -> str:
        """The name of the preset; one of `PRESETS`."""
        return self._ruling.preset or "default"

    @preset.setter
    def preset(self, name: str) -> None:
        self._rule(self._ruling._replace(preset=check_preset(name)))

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The user's rules in the order given."""
        return self._ruling.rules

    def add(self, *rules: Any) -> None:
        """Add rules: `Rule` objects, text such as ``ask file path=/etc/*``, or mappings.

        A rule that is there already is not listed twice: it counts as said last.
        """
        self._rule(self._ruling._replace(rules=with_rules(self.rules, read_all(rules))))

    def allow(self, *tools: str, **conditions: Any) -> None:
        """Let calls run without a question: of tools of these names or patterns, under all `conditions`.

        Conditions are the fields of `Rule`: ``arguments``, ``effects``, ``origin``, ``trust``, ``risk`` and
        ``note``.
        """
        self._say(Word.ALLOW, tools, conditions)

    def ask(self, *tools: str, **conditions: Any) -> None:
        """Ask before every such call; see `allow`."""
        self._say(Word.ASK, tools, conditions)

    def deny(self, *tools: str, **conditions: Any) -> None:
        """Never run such calls, whatever is allowed; models see no tool that never runs. See `allow`."""
        self._say(Word.DENY, tools, conditions)

    def trust(self, *tools: str, **conditions: Any) -> None:
        """Trust what tools of these names or patterns say, whatever they declare and wherever they come from.

        The output is no longer fenced, except for text from elsewhere that passes through. One action is
        meant with ``arguments={"action": "recall"}``; other conditions are ``effects``, ``origin``, ``risk``
        and ``note``. The last rule that trusts or distrusts a tool decides.
        """
        self._say(Mark.TRUST, tools, conditions)

    def distrust(self, *tools: str, **conditions: Any) -> None:
        """Take what such tools say for text from elsewhere, also where it goes from there. See `trust`."""
        self._say(Mark.DISTRUST, tools, conditions)

    def _say(self, word: Word | Mark, tools: tuple[str, ...], conditions: dict[str, Any]) -> None:
        if not tools and not conditions:
            raise DefinitionError(f"policy.{word}() needs the name of a tool, or a pattern such as 'git__*'.")
        self.add({"word": word, "tools": tools or ("*",), **conditions})

    def forget(self, what: str) -> bool:
        """Take rules back: those about exactly this tool or pattern, or the one with this text."""
        kept = tuple(rule for rule in self.rules if what not in {rule.tools, str(rule)})
        found = len(kept) != len(self.rules)
        self._rule(self._ruling._replace(rules=kept))
        return found

    def _rule(self, ruling: Ruling) -> None:
        self._ruling = ruling  # as a whole, since calls on other threads read it meanwhile
        self._changed()


def read_all(rules: Iterable[Any]) -> tuple[Rule, ...]:
    """The rules that are meant: `Rule` objects, texts or mappings."""
    return tuple(rule for given in rules for rule in read_rules(given))


def with_rules(rules: tuple[Rule, ...], more: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Rules and those said after them; what is said again drops out where it stood."""
    return (*(rule for rule in rules if rule not in more), *more)
