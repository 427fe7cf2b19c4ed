"""The arguments of a tool of several actions: ``action`` chooses, the rest is that action's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tooldeck.core.action_schema import ACTION, needs_text
from tooldeck.core.parameters import Checked, Note, Parameters, Problem
from tooldeck.core.strangers import shortened
from tooldeck.core.vocabulary import nearest

__all__ = ["ChosenParameters", "OwnParameters"]


@dataclass(frozen=True, slots=True)
class OwnParameters:
    """The parameters of one action, with ``action`` before them."""

    action: str
    inner: Parameters
    schema: dict[str, Any]
    """The schema of `inner`, with ``action`` as a constant."""
    example: Mapping[str, Any] | None = None
    """Arguments that fit."""

    def check(self, arguments: Mapping[str, Any], /) -> Checked:
        """See `Parameters.check`; another action is refused."""
        given = arguments.get(ACTION)
        if given != self.action:
            said = f"is {self.action!r} in this call and stays so"
            return Checked({}, arguments, (), (Problem(ACTION, said, shortened(given)),))
        checked = self.inner.check({name: one for name, one in arguments.items() if name != ACTION})
        return checked._replace(arguments={ACTION: self.action, **checked.arguments})

    @property
    def needs(self) -> str:
        """What the action requires, in words, with an example where there is one."""
        required = needs_text(self.schema) or "nothing else"
        shown = f", for example {json.dumps(self.example, ensure_ascii=False)}" if self.example else ""
        return f"{required}{shown}"


@dataclass(frozen=True, slots=True)
class ChosenParameters:
    """The parameters of the whole tool: those of the action that the arguments name."""

    own: Mapping[str, OwnParameters]
    """By action."""
    schema: dict[str, Any]
    """The flat schema."""

    def check(self, arguments: Mapping[str, Any], /) -> Checked:
        """See `Parameters.check`. The values are those of the action, without ``action`` itself."""
        given = arguments.get(ACTION)
        name = self._meant(given)
        if name is None:
            return Checked({}, arguments, (), (self._unknown(given, missing=ACTION not in arguments),))
        notes = () if name == given else (Note("arguments", f"{ACTION}: read {given!r} as {name!r}"),)
        own = self.own[name]
        mine = own.schema["properties"]
        # Models that fill in all parameters of a flat schema write null for those of other actions.
        idle = [one for one in arguments if one not in mine and one in self.schema["properties"]]
        idle = [one for one in idle if arguments[one] is None]
        if idle:
            notes = (*notes, Note("arguments", f"left out {', '.join(idle)}, null and no part of {name}"))
        kept = {key: value for key, value in arguments.items() if key not in idle}
        checked = own.check({**kept, ACTION: name})
        return checked._replace(notes=notes + checked.notes)

    def _meant(self, given: Any) -> str | None:
        """The action of this name, letter case and separators aside."""
        if not isinstance(given, str):
            return None
        if given in self.own:
            return given
        same = [name for name in self.own if _folded(name) == _folded(given)]
        return same[0] if len(same) == 1 else None

    def _unknown(self, given: Any, *, missing: bool) -> Problem:
        listed = "; ".join(f"{name} ({needs_text(own.schema)})" for name, own in self.own.items())
        if missing:
            return Problem(ACTION, f"is required, one of: {listed}")
        close = nearest(given, self.own, 1)
        if close:
            said = f"must be an action; did you mean {close[0]!r}? It needs {self.own[close[0]].needs}"
        else:
            said = f"must be one of: {listed}"
        return Problem(ACTION, said, shortened(given))


def _folded(word: str) -> str:
    return word.casefold().replace("-", "_").replace(" ", "_")
