"""Approvals that reach beyond one call: of exactly these arguments, for the session, or kept in a store."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from tooldeck.core.approval import BRIEF_SCOPES, GrantStore, KeptGrant, Scope
from tooldeck.core.call import ToolCall
from tooldeck.core.canonical import exact_text
from tooldeck.core.errors import TooldeckError
from tooldeck.core.tool import Tool
from tooldeck.policy.fingerprint import fingerprint
from tooldeck.policy.patterns import fits

__all__ = ["Grant", "Grants"]

GRANTS_KEPT = 1_000
"""Grants of a session that are remembered; beyond that the oldest is forgotten: its call asks again."""

_log = logging.getLogger("tooldeck")


@dataclass(frozen=True, slots=True)
class Grant:
    """An approval that a person gave beyond one call."""

    tool: str
    """The tool's name, with that of the action."""
    origin: str
    """Where the tool came from."""
    scope: Scope
    arguments: str = ""
    """The canonical arguments it covers; empty for a whole tool."""

    def __str__(self) -> str:
        if self.scope is Scope.EXACT:
            return f"{self.tool}{self.arguments}"
        return f"{self.tool} for this session" if self.scope is Scope.SESSION else f"{self.tool} always"


class Grants:
    """What people have granted.

    A grant of the session holds for the very tool object it was given for, a kept one for every tool of the
    same name, origin and fingerprint. Either way a redefined tool asks again.

    The store is asked anew each time, so that what another kernel revokes is revoked here as well.
    """

    def __init__(self) -> None:
        self.store: GrantStore | None = None
        self._brief: dict[tuple[int, str], tuple[Tool, Grant]] = {}
        self._prints: WeakKeyDictionary[Tool, KeptGrant] = WeakKeyDictionary()

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """How far an approval can reach here."""
        return BRIEF_SCOPES if self.store is None else (*BRIEF_SCOPES, Scope.ALWAYS)

    def covering(self, call: ToolCall) -> Grant | None:
        """The grant that covers a call. Arguments that JSON cannot carry are never taken for the same."""
        tool = call.tool
        if tool is None:
            return None
        for arguments in ("", exact_text(call.arguments)):
            held = self._brief.get((id(tool), arguments))
            if held is not None and held[0] is tool:
                return held[1]
        if self.store is not None and self._kept_form(tool) in self._kept():
            return Grant(tool.label, str(tool.origin), Scope.ALWAYS)
        return None

    def add(self, call: ToolCall, scope: Scope) -> bool:
        """Remember an approval; False when it was to be kept and could be remembered for the session only."""
        tool = call.tool
        if tool is None or scope is Scope.ONCE:
            return True
        if scope is Scope.ALWAYS:
            if self._saved(self._kept_form(tool)):
                return True
            self._remember(tool, Scope.SESSION, "")
            return False
        self._remember(tool, scope, "" if scope is Scope.SESSION else exact_text(call.arguments))
        return True

    def _remember(self, tool: Tool, scope: Scope, arguments: str) -> None:
        self._brief[id(tool), arguments] = (tool, Grant(tool.label, str(tool.origin), scope, arguments))
        while len(self._brief) > GRANTS_KEPT:
            self._brief.pop(next(iter(list(self._brief))), None)

    def all(self) -> tuple[Grant, ...]:
        """Every grant, those of the session first."""
        kept = (Grant(grant.tool, grant.origin, Scope.ALWAYS) for grant in self._kept())
        return (*(grant for _, grant in list(self._brief.values())), *kept)

    def revoke(self, pattern: str) -> int:
        """Take grants for tools of this name or pattern back; returns how many there were.

        Raises `TooldeckError` when the store keeps one all the same: it must not look gone.
        """
        gone = [key for key, (tool, _) in list(self._brief.items()) if fits(tool.name, pattern)]
        for key in gone:
            self._brief.pop(key, None)
        dropped = [grant for grant in self._kept() if fits(grant.tool.partition(" ")[0], pattern)]
        for grant in dropped:
            self._drop(grant)
        return len(gone) + len(dropped)

    def _drop(self, grant: KeptGrant) -> None:
        if self.store is None:
            return
        try:
            self.store.drop(grant)
        except Exception as error:
            raise TooldeckError(f"The approval of {grant.tool!r} could not be revoked: {error}") from error

    def _kept(self) -> list[KeptGrant]:
        """What the store has; nothing where it fails, so that its tools ask."""
        if self.store is None:
            return []
        try:
            return list(self.store.load())
        except Exception as error:  # noqa: BLE001 - a store of strangers may raise anything
            _log.warning("The kept approvals cannot be read, so that their tools ask: %s", error)
            return []

    def _saved(self, grant: KeptGrant) -> bool:
        if self.store is None:
            return False
        try:
            self.store.save(grant)
        except Exception as error:  # noqa: BLE001 - as above
            _log.warning("The approval of %s could not be kept: %s", grant.tool, error)
            return False
        return True

    def _kept_form(self, tool: Tool) -> KeptGrant:
        found = self._prints.get(tool)
        if found is None:
            found = self._prints[tool] = KeptGrant(tool.label, str(tool.origin), fingerprint(tool))
        return found
