"""Keys of providers: held so that nothing shows or stores them by accident."""

from __future__ import annotations

import os
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


def find_key(given: str | None, names: Sequence[str], *, needed: bool) -> Key | None:
    """The key that was given, or of the first of these environment variables that is set.

    None where there is none and none is `needed`; else raises `SetupError`. Raises `DefinitionError` for what
    cannot be sent as a header.
    """
    if given is not None:
        return Key(_checked(given, "api_key"), "Check the key that was given as api_key.")
    for name in names:
        if os.environ.get(name, "").strip():
            return Key(_checked(os.environ[name], name), f"Check the key in {name}.")
    if not needed:
        return None
    raise SetupError(f"There is no key: set {' or '.join(names)} in the environment, or give api_key=….")


def _checked(value: object, where: str) -> str:
    text = value.strip() if isinstance(value, str) else ""
    if not text or not text.isascii() or not text.isprintable():
        raise DefinitionError(f"{where} is no key: it must be one line of plain characters.")
    return text
