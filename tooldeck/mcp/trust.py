"""What a deck was told to trust of its servers: approved commands, accepted definitions."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tooldeck.core.canonical import exact_text
from tooldeck.core.tool import Tool
from tooldeck.mcp.changes import Changes, compare
from tooldeck.mcp.consent import approve_question, start_question
from tooldeck.mcp.pins import Pins, Standing
from tooldeck.mcp.target import Command, InProcess, Target, comes_along

if TYPE_CHECKING:
    from tooldeck.mcp.connection import Connection

__all__ = ["Trust", "identity", "launch_of", "renamed"]

_COMMAND = "command"


def identity(label: str, target: Target) -> str | None:
    """Which server it is, for pins: its label and what it is reached by.

    None for servers that are the user's own objects, which change whenever their cell runs, and for the demo,
    which changes with this package.
    """
    if isinstance(target, InProcess) or comes_along(target):
        return None
    return f"{label} {target}"


def launch_of(target: Target, env: Mapping[str, str] | None, folder: str | None) -> dict[str, Any] | None:
    """What is run to start a server, as a person is shown it; None where nothing is."""
    if not isinstance(target, Command) or comes_along(target):
        return None
    words = shlex.split(target.shown) or target.words  # what was filled in is not for showing
    return {"command": list(words), "folder": folder or ".", "environment": sorted(env or {})}


class Trust:
    """Compares what servers are and say with what was accepted."""

    def __init__(self, pins: Pins) -> None:
        self.pins = pins

    # -- commands ---

    def question_to_start(self, made: Connection) -> tuple[Tool, dict[str, Any]] | None:
        """The question whether the command of a server may be started; None where that was answered."""
        if made.launch is None:
            return None
        key = f"{_COMMAND} {made.label}"
        if self.pins.standing(key, _COMMAND, self._command(made)) is Standing.PINNED and self.pins.of(key):
            return None
        return start_question(made.label, made.launch, self.pins.accepted(key, _COMMAND))

    def started(self, made: Connection) -> None:
        """The person wants this command: typed it, wrote it, or approved it."""
        if made.launch is not None:
            self.pins.accept(f"{_COMMAND} {made.label}", {_COMMAND: self._command(made)})

    @staticmethod
    def _command(made: Connection) -> dict[str, Any]:
        # Another value is another command, but none is kept.
        words = list(made.session.target.words) if isinstance(made.session.target, Command) else []
        values = exact_text([words, dict(made.given_env)])
        return {**(made.launch or {}), "values": hashlib.sha256(values.encode()).hexdigest()}

    def forget(self, made: Connection) -> None:
        """Take back whatever was accepted of a server: its command, and what it says of its tools."""
        for key in (f"{_COMMAND} {made.label}", made.identity):
            if key is not None:
                self.pins.forget(key)

    # -- definitions ---

    def standing(self, made: Connection, name: str, definition: Mapping[str, Any]) -> Standing:
        """How a definition compares to what was accepted; a server's first list is accepted with it."""
        if made.identity is None:
            return Standing.PINNED
        if not self.pins.of(made.identity):
            self.pins.accept_list(made.identity, made.session.tools)
        return self.pins.standing(made.identity, name, definition)

    def waiting(self, made: Connection, names: Iterable[str] = ()) -> Changes:
        """What waits for a person: tools whose definitions are new or others than those accepted.

        All of them, or those of `names`.
        """
        wanted = set(names)
        if made.identity is None:
            return Changes()
        now = {
            tool.name: tool.definition
            for tool in made.session.tools
            if (not wanted or tool.name in wanted)
            and self.standing(made, tool.name, tool.definition) is not Standing.PINNED
        }
        accepted = {name: self.pins.accepted(made.identity, name) for name in now}
        return compare({name: one for name, one in accepted.items() if one is not None}, now)

    def question_to_accept(
        self, made: Connection, changes: Changes, accepted: Callable[[], None]
    ) -> tuple[Tool, dict[str, Any]]:
        """The question whether what waits is accepted; `accepted` is told when it was."""
        names = {*changes.changed, *changes.added}
        # Fixed now: what is accepted is what was shown, whatever the server says meanwhile.
        shown = {tool.name: tool.definition for tool in made.session.tools if tool.name in names}
        findings = [one for one in made.findings if one.tool in names]

        def accept() -> None:
            if made.identity is not None:
                self.pins.accept(made.identity, shown)
            accepted()

        return approve_question(made.label, changes, findings, accept)


def renamed(made: Connection, pins: Pins) -> dict[str, str]:
    """New tools that are accepted ones under another name: the accepted name by the new one."""
    if made.identity is None:
        return {}
    listed = {tool.name for tool in made.session.tools}
    gone = {
        _nameless(pins.accepted(made.identity, name) or {}): name
        for name in pins.of(made.identity)
        if name and name not in listed
    }
    found = {tool.name: gone.get(_nameless(tool.definition)) for tool in made.session.tools}
    return {name: old for name, old in found.items() if old is not None}


def _nameless(definition: Mapping[str, Any]) -> str:
    return exact_text({key: value for key, value in definition.items() if key not in ("name", "title")})
