"""Keys of providers: held so that nothing shows or stores them by accident."""

from __future__ import annotations

import getpass
import os
import warnings
from collections.abc import Sequence
from typing import NoReturn

from tooldeck.core.errors import DefinitionError, SetupError

__all__ = ["Key", "find_key"]


class Key:
    """A key. Neither its text form nor a pickle has it."""

    def __init__(self, value: str, hint: str) -> None:
        self.value = value
        self.hint = hint
        """Where to look when it is refused."""

    def __repr__(self) -> str:
        return "<Key •••>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("A key is not pickled; make the model anew where it is needed.")


ASK = "ask"
"""In place of a key: ask for it."""


def find_key(given: str | None, names: Sequence[str], *, needed: bool, whose: str = "") -> Key | None:
    """The key that was given, or of the first of these environment variables that is set.

    For ``"ask"`` a person types it where that can be done without showing it, unless the environment has it.
    None where there is none and none is `needed`; else raises `SetupError`. Raises `DefinitionError` for what
    cannot be sent as a header.
    """
    if given == ASK:
        for name in names:
            if os.environ.get(name, "").strip():
                return find_key(None, names, needed=needed)
        return Key(_checked(_typed(whose), "What was typed"), "Check the key that was typed.")
    if given is not None:
        return Key(_checked(given, "api_key"), "Check the key that was given as api_key.")
    for name in names:
        if os.environ.get(name, "").strip():
            return Key(_checked(os.environ[name], name), f"Check the key in {name}.")
    if not needed:
        return None
    raise SetupError(
        f'There is no key: set {" or ".join(names)} in the environment, or give api_key=… or api_key="ask".'
    )


def _typed(whose: str) -> str:
    """The key that a person types; raises `SetupError` where nobody can type without being seen."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", getpass.GetPassWarning)
            return getpass.getpass(f"Key for {whose} (kept in memory only): ")
    except Exception:  # noqa: BLE001 - front ends without input each raise something else
        raise SetupError(
            "Nobody can type a key here; set it in the environment, or give api_key=… from a variable."
        ) from None


def _checked(value: object, where: str) -> str:
    text = value.strip() if isinstance(value, str) else ""
    if not text or not text.isascii() or not text.isprintable():
        raise DefinitionError(f"{where} is no key: it must be one line of plain characters.")
    return text
