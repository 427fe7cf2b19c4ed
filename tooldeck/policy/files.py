"""Policies in TOML: ``[tool.tooldeck]`` in pyproject.toml, or a ``policy.toml``, with a preset and rules."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tooldeck.core.approval import Word
from tooldeck.core.errors import DefinitionError
from tooldeck.core.strangers import file_fault
from tooldeck.core.vocabulary import nearest
from tooldeck.policy.presets import check_preset
from tooldeck.policy.rules import Mark, Rule, read_rules
from tooldeck.policy.running import check_command_lines, check_isolation
from tooldeck.policy.weighing import Ruling

__all__ = ["PolicyFile", "find_file", "read_file"]

_OWN = Path(".tooldeck") / "policy.toml"
_PROJECT = "pyproject.toml"
_KEYS = ("preset", "rules", "isolation", "command_lines")
_LARGEST = 1_000_000
"""Bytes; a larger file is refused unread."""


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """What a policy file states."""

    path: Path
    ruling: Ruling

    @property
    def allowing(self) -> tuple[Rule, ...]:
        """The rules that allow or trust something."""
        return tuple(rule for rule in self.ruling.rules if rule.word in {Word.ALLOW, Mark.TRUST})


def find_file(folder: Path) -> Path | None:
    """The policy file of a folder, or of the nearest one above that has one."""
    start = folder.resolve()
    for place in (start, *start.parents):
        if _is_there(place / _OWN):
            return place / _OWN
        if _is_there(place / _PROJECT) and _section(place / _PROJECT) is not None:
            return place / _PROJECT
    return None


def _is_there(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a folder that may not be looked into
        return False


def read_file(path: Path) -> PolicyFile:
    """What a file states; raises `DefinitionError` naming the file and what is wrong with it."""
    path = path.resolve()
    stated = _section(path)
    if stated is None:
        raise DefinitionError(f"{path} has no [tool.tooldeck] section; write preset=… and rules=[…] there.")
    try:
        return PolicyFile(path, _ruling(stated))
    except DefinitionError as error:
        raise DefinitionError(f"{path}: {error}") from None


def _section(path: Path) -> Any:
    """The part of a file that is a policy; None where a project says nothing of it."""
    try:
        if path.stat().st_size > _LARGEST:
            raise DefinitionError(f"{path} has more than {_LARGEST} bytes, which is too large for a policy.")
        stated = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(f"The policy file {path} cannot be read: {file_fault(error)}.") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise DefinitionError(f"{path} is no TOML: {error}") from None
    if path.name != _PROJECT:
        return stated
    tools = stated.get("tool")
    return tools.get("tooldeck") if isinstance(tools, Mapping) else None


def _ruling(stated: Any) -> Ruling:
    if not isinstance(stated, Mapping):
        raise DefinitionError(f"a policy must be a table with preset and rules, got {stated!r}.")
    for key in stated:
        if key not in _KEYS:
            close = nearest(key, _KEYS, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(_KEYS)}."
            raise DefinitionError(f"Unknown key {key!r} of a policy; {hint}")
    rules = stated.get("rules", [])
    if not isinstance(rules, list):
        raise DefinitionError(f"rules must be a list of rules, got {rules!r}.")
    preset = stated.get("preset")
    read = tuple(rule for given in rules for rule in read_rules(given))
    isolation, command_lines = stated.get("isolation"), stated.get("command_lines")
    return Ruling(
        None if preset is None else check_preset(preset),
        read,
        None if isolation is None else check_isolation(isolation),
        None if command_lines is None else check_command_lines(command_lines),
    )
