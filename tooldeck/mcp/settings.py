"""The options of a session, and the checks of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypedDict

from tooldeck.core.errors import DefinitionError
from tooldeck.core.tool import Executor
from tooldeck.mcp.handlers import Handlers
from tooldeck.mcp.oauth.signin import SignIn

__all__ = ["SessionSettings", "above_zero", "folders", "one_of"]


class SessionSettings(TypedDict, total=False):
    """The options of a `Session`."""

    timeout: float
    connect_timeout: float
    mode: str
    transport: str
    env: Mapping[str, str] | None
    cwd: str | None
    headers: Mapping[str, str] | None
    handlers: Handlers | None
    executor: Executor | None
    sign_in: SignIn | None
    roots: Iterable[str | os.PathLike[str]]


def one_of(name: str, given: str, known: Iterable[str]) -> str:
    """`given` if it is one of `known`; else `DefinitionError`."""
    if given not in known:
        raise DefinitionError(f"{name} must be {', '.join(known)}, got {given!r}.")
    return given


def folders(given: Iterable[str | os.PathLike[str]]) -> tuple[Path, ...]:
    """Folders as whole paths. Raises `DefinitionError` for what is none."""
    try:
        paths = [Path(given)] if isinstance(given, str | os.PathLike) else [Path(one) for one in given]
    except TypeError:
        raise DefinitionError(f"roots must be folders, got {given!r}.") from None
    found = [one.expanduser().resolve() for one in paths]
    for one in found:
        if not one.is_dir():
            raise DefinitionError(f"There is no folder {str(one)!r}, which roots names.")
    return tuple(dict.fromkeys(found))


def above_zero(name: str, seconds: float) -> float:
    """`seconds` if there are any; else `DefinitionError`."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        raise DefinitionError(f"{name} must be more than 0 seconds, got {seconds!r}.")
    return float(seconds)
