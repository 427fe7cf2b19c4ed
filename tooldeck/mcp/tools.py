"""A server's tool as a tool of the deck: the server's schema, the user's declarations, our rules."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, cast

from tooldeck.core.call import current_call
from tooldeck.core.errors import DefinitionError
from tooldeck.core.host import LimitPassed
from tooldeck.core.settings import BreakerSettings
from tooldeck.core.targets import SharedTarget
from tooldeck.core.tool import Origin, Tool
from tooldeck.core.vocabulary import Effect, Trust, default_risk, nearest, read_effects
from tooldeck.mcp.errors import McpClosed, McpConnectError, McpTimeout
from tooldeck.mcp.listing import RemoteTool
from tooldeck.mcp.results import McpValue
from tooldeck.mcp.session import Session
from tooldeck.registry.json_schema import JsonSchemaParameters, signature_for

__all__ = ["Declarations", "make_tool"]


class Declarations:
    """What the *user* says of a server's tools; what the server says of itself counts for nothing here.

    `reads` names the tools that only read, patterns such as ``get_*`` included; `effects` gives other tools
    their effects by name or pattern. Names are the server's own.
    """

    def __init__(
        self,
        reads: Iterable[str] | str = (),
        effects: Mapping[str, str | Iterable[str]] | None = None,
        breaker: BreakerSettings | None = None,
    ) -> None:
        self.breaker = breaker or BreakerSettings()
        names = [reads] if isinstance(reads, str) else list(reads)
        self._rules: list[tuple[str, frozenset[Effect]]] = [
            (name, frozenset({Effect.READ})) for name in names
        ]
        for name, words in (effects or {}).items():
            read = read_effects(words)
            self._rules.append((name, frozenset() if read is None else read))

    def of(self, name: str) -> frozenset[Effect] | None:
        """The declared effects of a tool; None when nobody declared any. The last rule that fits wins."""
        fitting = [effects for pattern, effects in self._rules if fnmatch.fnmatchcase(name, pattern)]
        return fitting[-1] if fitting else None

    def unused(self, names: Iterable[str]) -> list[str]:
        """A sentence for every declared name that no tool has."""
        offered = list(names)
        missing = [
            rule for rule, _ in self._rules if not any(fnmatch.fnmatchcase(name, rule) for name in offered)
        ]
        sentences: list[str] = []
        for rule in dict.fromkeys(missing):
            close = nearest(rule, offered, 1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            sentences.append(f"The server has no tool {rule!r} to declare effects of{hint}")
        return sentences


def make_tool(session: Session, remote: RemoteTool, name: str, declared: Declarations) -> Tool:
    """The deck's tool for a server's one. Raises `DefinitionError` when its schema is none."""
    try:
        parameters = JsonSchemaParameters(remote.input_schema)
    except DefinitionError as error:
        raise DefinitionError(f"inputSchema: {error}") from None
    effects = declared.of(remote.name)
    return Tool(
        name=name,
        description=remote.description,
        params=parameters,
        invoke=partial(_invoke, session, remote, _output_of(remote)),
        is_async=True,
        effects=effects,
        risk=default_risk(effects),
        trust=Trust.UNTRUSTED,
        origin=Origin("mcp", session.label),
        breaker=declared.breaker,
        shared=SharedTarget(session.label, (McpClosed, McpConnectError)),
        output_schema=remote.output_schema,
        executor=session.executor,
        signature=signature_for(parameters.schema),
        title=remote.title,
    )


def _output_of(remote: RemoteTool) -> JsonSchemaParameters | None:
    """What the tool promises to give, where that is an object and can be checked here."""
    if remote.output_schema is None:
        return None
    try:
        return JsonSchemaParameters(remote.output_schema)
    except DefinitionError:
        return None


async def _invoke(
    session: Session, remote: RemoteTool, promised: JsonSchemaParameters | None, values: Mapping[str, Any]
) -> McpValue:
    """The body: a call on the session's loop, in the context of whoever called."""
    try:
        value = await session.acall(remote.name, values)
    except McpTimeout as late:
        raise LimitPassed(session.timeout, still_running=False, told=str(late)) from late
    call = current_call()
    if call is not None and promised is not None:
        broken = _broken_promise(promised, value.structured)
        if broken:
            call.log.note("mcp", f"The result does not fit the tool's own output schema: {broken}")
    return value


def _broken_promise(promised: JsonSchemaParameters, structured: Any) -> str:
    if not isinstance(structured, Mapping):
        return "there is no structured content" if structured is None else "it is no object"
    problems = promised.check(cast("Mapping[str, Any]", structured)).problems
    known = promised.schema.get("properties", {})
    # Without anything that the server sent, since notes stand outside of the fence.
    return "; ".join(f"{_declared(problem.path, known)}: {problem.wanted}" for problem in problems[:5])


def _declared(path: str, known: Mapping[str, Any]) -> str:
    """The property that a path leads into, if the tool declared it."""
    name = re.split(r"[.\[]", path, maxsplit=1)[0]
    return name if name in known else "something in it"
