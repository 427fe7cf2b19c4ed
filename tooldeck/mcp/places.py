"""Placeholders in files of servers: which there are, and filling them without writing a secret anywhere."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tooldeck.core.errors import DefinitionError

__all__ = ["Asked", "Wanted", "filled", "wanted_in"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A value that a server needs and a file does not have."""

    name: str
    """The environment variable, or the id of an input."""
    about: str = ""
    """What it is, in the words of the file."""
    default: str = ""
    options: tuple[str, ...] = ()
    """What it may be; empty for anything."""
    secret: bool = True
    """Whether it must not be shown."""
    variable: bool = False
    """Whether the environment is looked at first."""


Asked = Callable[[Wanted], str]
"""Asks a person for a value."""

_PLACE = re.compile(r"\$\{([^{}]*)\}")
_FOLDERS = {"workspaceFolder", "workspaceRoot", "userHome", "pathSeparator", "/"}


def wanted_in(texts: Iterable[str], inputs: Mapping[Any, Any]) -> Iterator[Wanted]:
    """What the placeholders in some texts want, each once; `inputs` describes those with an id."""
    seen: set[str] = set()
    for text in texts:
        for place in _PLACE.findall(text):
            name, default = _parts(place)
            if place in _FOLDERS or name in seen:
                continue
            seen.add(name)
            if place.startswith("input:"):
                yield _input(name, inputs.get(name) or {})
            else:
                yield Wanted(name, default=default, variable=True)


def _input(name: str, given: Mapping[str, Any]) -> Wanted:
    options = given.get("options")
    return Wanted(
        name,
        str(given.get("description") or ""),
        str(given.get("default") or ""),
        tuple(map(str, options)) if isinstance(options, list) else (),
        secret=given.get("password") is True,
    )


def _parts(place: str) -> tuple[str, str]:
    """The name in a placeholder, and its default."""
    bare = place.removeprefix("input:").removeprefix("env:")
    name, _, default = bare.partition(":-")
    return name, default


def filled(wants: Iterable[Wanted], ask: Asked, folder: str) -> Callable[[str], str]:
    """What fills the placeholders of texts; each value is looked up, or asked for, once and at once."""
    values = {"userHome": str(Path.home()), "pathSeparator": os.sep, "/": os.sep}
    values |= dict.fromkeys(("workspaceFolder", "workspaceRoot"), folder)
    for want in wants:
        values[want.name] = _value(want, ask)

    def fill(text: str) -> str:
        return _PLACE.sub(lambda place: values.get(_parts(place[1])[0], place[0]), text)

    return fill


def _value(want: Wanted, ask: Asked) -> str:
    if want.variable and os.environ.get(want.name):
        return os.environ[want.name]
    if want.variable and want.default:
        return want.default
    value = ask(want) or want.default
    if want.options and value not in want.options:
        raise DefinitionError(f"{want.name} must be one of {', '.join(want.options)}.")
    if not value:
        raise DefinitionError(f"{want.name} is needed and was not given.")
    return value
