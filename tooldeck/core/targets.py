"""What a call is aimed at: the host, account or server that a breaker watches apart from the others."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tooldeck.core.errors import DefinitionError
from tooldeck.core.rate import RateSettings
from tooldeck.core.strangers import to_text
from tooldeck.core.vocabulary import nearest

__all__ = ["SharedTarget", "Target", "read_target", "target_of"]

Target = Callable[[Mapping[str, Any]], Any]
"""From the checked values of a call to what it is aimed at; None or empty: to nothing in particular."""

_MOST_CHARS = 200
_DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


@dataclass(frozen=True, slots=True)
class SharedTarget:
    """What all tools of one origin go through, such as the connection to their server."""

    name: str
    """The server's label."""
    faults: tuple[type[BaseException], ...]
    """Failures of these types speak against the target, and not against the tool."""
    rate: RateSettings | None = None
    """How often all of the tools together are called; None: no limit."""


def read_target(
    tool: str, given: Any, schema: Mapping[str, Any], signature: inspect.Signature
) -> Target | None:
    """The option ``target`` of a tool as a function of its values.

    Raises `DefinitionError` for the name of a parameter that the tool does not have.
    """
    if given is None or callable(given):
        return given
    parameters = schema.get("properties", {})
    if given not in parameters:
        close = nearest(given, parameters, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"it has: {', '.join(parameters) or 'none'}."
        raise DefinitionError(f"The option target of {tool!r} names {given!r}, no parameter of it; {hint}")
    parameter = signature.parameters.get(given)
    default = None if parameter is None or parameter.default is parameter.empty else parameter.default
    return lambda values: values.get(given, default)


def target_of(found: Any) -> str:
    """A target as text: of a URL its host, with the port where that is not the usual one."""
    text = "" if found is None else to_text(found).strip()
    if "://" in text:
        text = _host(text) or text
    return text[:_MOST_CHARS]


def _host(url: str) -> str | None:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:  # no URL after all
        return None
    if host is None:
        return None
    usual = port is None or port == _DEFAULT_PORTS.get(parts.scheme)
    return host.rstrip(".") if usual else f"{host.rstrip('.')}:{port}"
