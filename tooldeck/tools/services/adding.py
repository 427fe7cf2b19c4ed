"""From a document to tools: one for each operation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, NamedTuple

from tooldeck.core.errors import DefinitionError
from tooldeck.core.injection import Need
from tooldeck.core.tool import Origin, Tool
from tooldeck.core.vocabulary import Effect, Risk, Trust, nearest
from tooldeck.guards.paths import Workspace
from tooldeck.guards.text import visible
from tooldeck.guards.urls import UrlGuard
from tooldeck.registry.json_schema import JsonSchemaParameters
from tooldeck.tools.services.calling import WORKSPACE, Service
from tooldeck.tools.services.reading import Operation, Spec, read_spec

__all__ = ["Operations", "operations"]

MOST = 200
"""Operations that become tools without being chosen."""
_READS = frozenset({"get", "head", "options"})
_SAFE_TWICE = _READS | {"put", "delete"}


class Operations(NamedTuple):
    """What became of a document; shown as its tools, what is missing and the secrets that they need."""

    tools: tuple[Tool, ...]
    skipped: dict[str, str]
    """Operations that are no tools, and why."""
    secrets: dict[str, str]
    """The environment variable that each security scheme is read from."""

    def __repr__(self) -> str:
        lines = [f"<added: {', '.join(tool.name for tool in self.tools) or 'no tools'}>"]
        lines += [f"  {name} is no tool: {why}." for name, why in self.skipped.items()]
        lines += [f"  {name}: the secret is read from {variable}" for name, variable in self.secrets.items()]
        return visible("\n".join(lines))


def operations(
    given: Any,
    *,
    only: Iterable[str] | None = None,
    prefix: str = "",
    base_url: str = "",
    auth: Mapping[str, str] | None = None,
    guard: UrlGuard | None = None,
    transport: Any = None,
) -> Operations:
    """The tools of a document, not yet in any deck; see `Deck.add_openapi`."""
    spec = read_spec(given, base_url)
    base = (base_url or spec.server).rstrip("/")
    if not base:
        raise DefinitionError(f"The document of {spec.title} names no whole address; give base_url=….")
    chosen = [one for one in spec.operations if _is_chosen(one, only)]
    _check_chosen(spec, chosen, only)
    label = re.sub(r"\W+", "_", spec.title).strip("_") or "service"
    secrets = _secrets(spec, label, auth or {})
    service = Service(spec.title, base, spec.schemes, secrets, guard or UrlGuard(), transport=transport)
    made: list[Tool] = []
    skipped = dict(spec.skipped)
    for one in chosen:
        try:
            made.append(_tool(service, one, prefix, label))
        except DefinitionError as error:
            skipped[one.name] = str(error)
    return Operations(tuple(made), skipped, secrets)


def _is_chosen(one: Operation, only: Iterable[str] | None) -> bool:
    return only is None or any(fnmatchcase(one.name, pattern) for pattern in only)


def _check_chosen(spec: Spec, chosen: list[Operation], only: Iterable[str] | None) -> None:
    names = [one.name for one in spec.operations]
    for pattern in only or ():
        if not any(fnmatchcase(name, pattern) for name in names):
            close = nearest(pattern, names, 1)
            hint = f"; did you mean {close[0]!r}?" if close else f"; it has {', '.join(names[:20])}."
            raise DefinitionError(f"{spec.title} has no operation {pattern!r}{hint}")
    if only is None and len(chosen) > MOST:
        raise DefinitionError(
            f"{spec.title} has {len(chosen)} operations, too many for a deck; choose with only=['part*', …]."
        )


def _secrets(spec: Spec, label: str, given: Mapping[str, str]) -> dict[str, str]:
    for name in given:
        if name not in spec.schemes:
            have = ", ".join(spec.schemes) or "none"
            raise DefinitionError(f"{spec.title} has no security scheme {name!r}; it has {have}.")
    usual = {name: re.sub(r"\W", "_", f"{label}_{name}").upper() for name in spec.schemes}
    return {**usual, **given}


def _tool(service: Service, one: Operation, prefix: str, label: str) -> Tool:
    reads, files = one.method in _READS, one.body is not None and one.body.reads
    params = JsonSchemaParameters(one.schema)
    return Tool(
        f"{prefix}{one.name}"[:64],
        one.description,
        params,
        partial(service.call, one),
        is_async=True,
        effects=frozenset(
            {Effect.NETWORK, *([] if reads else [Effect.WRITE]), *([Effect.READ] if files else [])}
        ),
        injected=(Need(WORKSPACE, Workspace),) if files else (),
        risk=Risk.HIGH if one.method == "delete" else Risk.MEDIUM,
        trust=Trust.UNTRUSTED,
        idempotent=one.method in _SAFE_TWICE,
        origin=Origin("openapi", label),
    )
