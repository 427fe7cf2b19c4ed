"""A server's tool as a tool of the deck: the server's schema, the user's declarations, our rules."""

from __future__ import annotations

import fnmatch
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from tooldeck.core.call import current_call
from tooldeck.core.errors import DefinitionError
from tooldeck.core.host import LimitPassed
from tooldeck.core.rate import RateSettings, read_rate
from tooldeck.core.settings import BreakerSettings
from tooldeck.core.targets import SharedTarget
from tooldeck.core.tool import Origin, Tool
from tooldeck.core.vocabulary import Effect, Trust, default_risk, nearest, read_effects
from tooldeck.mcp.apps import App, ui_of
from tooldeck.mcp.errors import McpClosed, McpConnectError, McpTimeout
from tooldeck.mcp.giving_up import unless_given_up
from tooldeck.mcp.listing import RemoteTool
from tooldeck.mcp.pins import Standing
from tooldeck.mcp.promises import Promise
from tooldeck.mcp.results import McpValue
from tooldeck.mcp.session import Session, State
from tooldeck.registry.json_schema import JsonSchemaParameters, signature_for

__all__ = ["Declarations", "Revive", "make_tool"]

Revive = Callable[[RemoteTool], Awaitable[Session | None]]


class Declarations:
    """What the *user* says of a server's tools; what the server says of itself counts only with `trust`.

    `reads` names the tools that only read, patterns such as ``get_*`` included; `effects` gives other tools
    their effects by name or pattern. Names are the server's own. With `trust` the server's hints that a tool
    only reads, or may be repeated, are believed where the user says nothing else. `only` and `without` choose
    the tools that come into the deck. `rate` says how often all of them together are called, `rates` how
    often each one by name or pattern.
    """

    def __init__(
        self,
        reads: Iterable[str] | str = (),
        effects: Mapping[str, str | Iterable[str]] | None = None,
        breaker: BreakerSettings | int | None = None,
        *,
        trust: bool = False,
        only: Iterable[str] | str | None = None,
        without: Iterable[str] | str = (),
        rate: RateSettings | str | None = None,
        rates: Mapping[str, RateSettings | str] | None = None,
    ) -> None:
        self._only = None if only is None else _names("only", only)
        self._without = _names("without", without)
        self.breaker = (
            BreakerSettings(threshold=breaker) if isinstance(breaker, int) else breaker or BreakerSettings()
        )
        self.rate = read_rate("rate", rate)
        self._rates = {name: read_rate(f"rates[{name!r}]", given) for name, given in (rates or {}).items()}
        self.trust = trust
        self._rules: list[tuple[str, frozenset[Effect]]] = [
            (name, frozenset({Effect.READ})) for name in _names("reads", reads)
        ]
        for name, words in (effects or {}).items():
            read = read_effects(words)
            self._rules.append((name, frozenset() if read is None else read))

    def wants(self, name: str) -> bool:
        """Whether a tool comes into the deck at all."""
        chosen = self._only is None or any(fnmatch.fnmatchcase(name, one) for one in self._only)
        return chosen and not any(fnmatch.fnmatchcase(name, one) for one in self._without)

    def of(self, remote: RemoteTool, standing: Standing = Standing.PINNED) -> frozenset[Effect] | None:
        """The effects of a tool; None when nobody declared any. The last rule that fits wins.

        A tool whose definition nobody accepted yet has those that the user declared by its full name only.
        """
        accepted = standing is Standing.PINNED
        fitting = [
            effects
            for pattern, effects in self._rules
            if pattern == remote.name or (accepted and fnmatch.fnmatchcase(remote.name, pattern))
        ]
        if fitting:
            return fitting[-1]
        return frozenset({Effect.READ}) if accepted and self._hints(remote, "readOnlyHint") else None

    def rate_of(self, remote: RemoteTool) -> RateSettings | None:
        """How often a tool is called; the last rule that fits holds."""
        fitting = [rate for name, rate in self._rates.items() if fnmatch.fnmatchcase(remote.name, name)]
        return fitting[-1] if fitting else None

    def idempotent(self, remote: RemoteTool, standing: Standing) -> bool:
        """Whether a call may be repeated, as a trusted server says."""
        return standing is Standing.PINNED and self._hints(remote, "idempotentHint")

    def _hints(self, remote: RemoteTool, hint: str) -> bool:
        return self.trust and (remote.annotations or {}).get(hint) is True

    def unused(self, names: Iterable[str]) -> list[str]:
        """A sentence for every declared name that no tool has."""
        offered = list(names)
        rules = dict.fromkeys(
            [(rule, "effects") for rule, _ in self._rules] + [(r, "a rate") for r in self._rates]
        )
        sentences: list[str] = []
        for rule, what in rules:
            if any(fnmatch.fnmatchcase(name, rule) for name in offered):
                continue
            close = nearest(rule, offered, 1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            sentences.append(f"The server has no tool {rule!r} to declare {what} of{hint}")
        return sentences


def _names(option: str, given: Iterable[str] | str) -> tuple[str, ...]:
    """Names or patterns, one by itself included."""
    names = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(name, str) for name in names):
        raise DefinitionError(f"The option {option} must be names or patterns, got {given!r}.")
    return names


def make_tool(
    session: Session,
    remote: RemoteTool,
    name: str,
    declared: Declarations,
    *,
    standing: Standing = Standing.PINNED,
    revive: Revive | None = None,
) -> Tool:
    """The deck's tool for a server's one. Raises `DefinitionError` when its schema is none.

    `revive` gives another session in place of one whose server went, or None where there shall be none yet.
    """
    try:
        parameters = JsonSchemaParameters(remote.input_schema)
    except DefinitionError as error:
        raise DefinitionError(f"inputSchema: {error}") from None
    effects, ui = declared.of(remote, standing), ui_of(remote.definition)
    promised = None if remote.output_schema is None else Promise(remote.output_schema)
    return Tool(
        name=name,
        description=remote.description,
        params=parameters,
        invoke=partial(_invoke, session, remote, promised, revive),
        is_async=True,
        effects=effects,
        risk=default_risk(effects),
        trust=Trust.UNTRUSTED,
        idempotent=declared.idempotent(remote, standing),
        available=partial(_blocked, session.label, remote.name) if standing is Standing.CHANGED else None,
        origin=Origin("mcp", session.label),
        breaker=declared.breaker,
        rate=_within(declared.rate_of(remote), session),
        shared=SharedTarget(
            session.label, (McpClosed, McpConnectError), rate=_within(declared.rate, session)
        ),
        output_schema=remote.output_schema,
        executor=session.executor,
        signature=signature_for(parameters.schema),
        title=remote.title,
        for_models=ui.for_models,
        page=ui.uri,
    )


def _within(rate: RateSettings | None, session: Session) -> RateSettings | None:
    """A limit under which no call waits longer for its turn than it may take."""
    return None if rate is None else replace(rate, wait=min(rate.wait, session.timeout))


def _blocked(label: str, name: str) -> str:
    """Why a tool cannot be used whose definition is another one than that which was accepted."""
    return (
        f"the server {label!r} has changed its definition since it was accepted; see what changed and accept "
        f"it with %mcp approve {label} {name}, or deck.mcp.approve({label!r}, {name!r})"
    )


async def _invoke(
    session: Session,
    remote: RemoteTool,
    promised: Promise | None,
    revive: Revive | None,
    values: Mapping[str, Any],
) -> McpValue:
    """The body: a call on the session's loop, in the context of whoever called."""
    if revive is not None and session.state is not State.READY:
        session = await revive(remote) or session
    try:
        value = await unless_given_up(session.acall(remote.name, values))
    except McpTimeout as late:
        raise LimitPassed(session.timeout, still_running=False, told=str(late)) from late
    value.schema = remote.output_schema
    uri = ui_of(remote.definition).uri
    if uri and value.answer is not None:
        value.app = App(session.label, str(session.target), remote.name, uri, dict(values), value.answer)
    call = current_call()
    if call is not None and promised is not None and (note := promised.note(value.structured)):
        call.log.note("mcp", note)
    return value
