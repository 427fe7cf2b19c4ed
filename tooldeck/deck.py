"""The deck: holds tools and runs every call through one pipeline. The only place that wires the parts."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tooldeck.core.approval import ApprovalRequest, Approver, Decision
from tooldeck.core.breaker import Breaker, BreakerState
from tooldeck.core.call import CallLog, Outcome, ToolCall, current_call, current_caller, new_id
from tooldeck.core.define import Options, check_options, define
from tooldeck.core.errors import DefinitionError
from tooldeck.core.events import BreakerMoved, Event, ToolAdded, ToolRemoved
from tooldeck.core.hooks import AfterTool, BeforeTool, Hooks
from tooldeck.core.host import Host
from tooldeck.core.pipeline import compose_for, compose_outer
from tooldeck.core.result import ToolResult
from tooldeck.core.tool import Origin, Tool
from tooldeck.core.vocabulary import Status, nearest
from tooldeck.core.world import Handler, World
from tooldeck.guards.fence import fence
from tooldeck.hosts.asynchronous import AsyncHost
from tooldeck.hosts.blocking import BlockingHost, step
from tooldeck.policy import Policy
from tooldeck.registry.export import export
from tooldeck.registry.records import from_record

if TYPE_CHECKING:
    from tooldeck.mcp.connections import Connections

__all__ = ["Deck"]

_turns = itertools.count(1)


class Deck:
    """A set of tools and everything that guards their calls.

    `policy` names a preset (see `tooldeck.policy.PRESETS`) or is a `Policy`; `approver` is asked before the
    person at the host; `workspace` is the folder that file tools stay in (default: the current one);
    `history` is how many ends of calls are kept; `trace` notes the times of all stages; `approval_timeout` is
    in seconds, None waits for ever. Hosts are replaced by notebooks and tests.
    """

    def __init__(
        self,
        *,
        policy: str | Policy = "default",
        approver: Approver | None = None,
        workspace: str | Path | None = None,
        history: int = 200,
        trace: bool = False,
        approval_timeout: float | None = None,
        host: Host | None = None,
        async_host: Host | None = None,
    ) -> None:
        self.policy = Policy(policy) if isinstance(policy, str) else policy
        self.policy._changed = self._recompose  # noqa: SLF001 - the deck is the policy's one listener
        self.workspace = Path(workspace or ".").resolve()
        self.approvers: list[Approver] = [approver] if approver is not None else []
        self.hooks = Hooks(self._recompose)
        self._tools: dict[str, Tool] = {}
        self._view = MappingProxyType(self._tools)
        self._breakers: dict[str, tuple[Tool, Breaker]] = {}
        self._observers: tuple[Callable[[Event], None], ...] = ()
        self._history: deque[ToolResult] = deque(maxlen=history)
        self._trace = trace
        self._approval_timeout = approval_timeout
        self._host: Host = host or BlockingHost()
        self._async_host: Host = async_host or AsyncHost()
        self._lines: dict[tuple[bool, bool], tuple[World, Handler, dict[Tool, Handler]]] = {}
        self._mcp: Connections | None = None

    # -- tools

    @property
    def tools(self) -> Mapping[str, Tool]:
        """All tools by name, in the order in which they came."""
        return self._view

    def __getitem__(self, name: str) -> Tool:
        try:
            return self._tools[name]
        except KeyError:
            raise KeyError(_no_such(name, self._tools)) from None

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._tools)

    def add(self, thing: Any, /, **options: Any) -> Tool:
        """Add a function, partial, method, callable object, `BaseTool` object, `Tool` or tool record.

        Options as in `Options`, beside ``origin``. A tool of the same name from the same place is replaced;
        one from another place is refused. Raises `DefinitionError` naming what is wrong and what to do.
        """
        origin = options.pop("origin", None)
        made = self._make(thing, check_options(options), origin)
        made = replace(made, binding=_Binding(self))
        known = self._tools.get(made.name)
        if known is not None and known.origin != made.origin:
            raise DefinitionError(
                f"There is a tool {made.name!r} from {known.origin} already; this one is from {made.origin}. "
                f"Give it another name (name=…), or remove the other first: deck.remove({made.name!r})."
            )
        self._tools[made.name] = made
        self._forget_chains()
        self._emit(ToolAdded(made, known))
        return made

    def _make(self, thing: Any, options: Options, origin: Origin | None) -> Tool:
        if isinstance(thing, Tool):
            if options != Options():
                raise DefinitionError(
                    f"{thing.name!r} is a finished tool; set its options where it is defined."
                )
            return thing
        if isinstance(thing, Mapping):
            return from_record(thing, options, origin)
        return define(thing, options, origin=origin)

    def tool(self, function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
        """Decorator that adds a function to this deck, bare or with `Options`; gives the `Tool`."""
        if function is not None:
            return self.add(function, **options)
        check_options(options)
        return lambda later: self.add(later, **options)

    def remove(self, name: str) -> None:
        """Take a tool out of the deck; raises KeyError with the nearest names when there is none."""
        gone = self[name]
        del self._tools[name]
        self._breakers.pop(name, None)
        self._forget_chains()
        self._emit(ToolRemoved(gone))

    def export(self, dialect: str) -> list[dict[str, Any]]:
        """The tools that policy does not deny, for ``openai``, ``anthropic``, ``gemini`` or ``mcp``."""
        shown = [tool for tool in self._tools.values() if self.policy.static(tool).word != "deny"]
        return export(shown, dialect)

    @property
    def mcp(self) -> Connections:
        """The deck's MCP servers. Raises `SetupError` where the mcp package is missing."""
        if self._mcp is None:
            from tooldeck.mcp.connections import Connections

            self._mcp = Connections(self)
        return self._mcp

    def close(self) -> None:
        """Close all MCP sessions; the deck can go on being used."""
        if self._mcp is not None:
            self._mcp.close_all()

    # -- calls

    def call(
        self,
        name_or_tool: str | Tool | Callable[..., Any],
        arguments: Mapping[str, Any] | str | None = None,
        /,
        **kwargs: Any,
    ) -> ToolResult:
        """Run a tool and return how it ended. Never raises for what happens in the call, except interrupts.

        `arguments` is a mapping, JSON text or None; keyword arguments are added to it.
        """
        call = self._call(name_or_tool, arguments, kwargs, self._host)
        step(self._line(call, blocking=True)(call))
        return _ended(call)

    async def acall(
        self,
        name_or_tool: str | Tool | Callable[..., Any],
        arguments: Mapping[str, Any] | str | None = None,
        /,
        **kwargs: Any,
    ) -> ToolResult:
        """The same as `call`, to be awaited."""
        call = self._call(name_or_tool, arguments, kwargs, self._async_host)
        await self._line(call, blocking=False)(call)
        return _ended(call)

    def _call(self, target: Any, arguments: Any, kwargs: dict[str, Any], host: Host) -> ToolCall:
        given = None if isinstance(target, str) else target if isinstance(target, Tool) else define(target)
        name = target if isinstance(target, str) else given.name if given is not None else ""
        caller = current_caller()
        outer = current_call()
        log = CallLog(host.now(), spans=[] if self._trace else None)
        raw = kwargs if arguments is None else _Both(arguments, kwargs).merged() if kwargs else arguments
        return ToolCall(new_id(), name, given, raw, caller, log, outer.id if outer is not None else None)

    def _line(self, call: ToolCall, *, blocking: bool) -> Handler:
        """The composed outer stages for this kind of host and caller."""
        key = (blocking, call.caller.run is not None)
        line = self._lines.get(key)
        if line is None:
            line = self._lines[key] = self._lay(*key)
        return line[1]

    def _lay(self, blocking: bool, in_run: bool) -> tuple[World, Handler, dict[Tool, Handler]]:
        chains: dict[Tool, Handler] = {}

        def chain(tool: Tool) -> Handler:
            found = chains.get(tool)
            if found is None:
                found = chains[tool] = compose_for(tool, world)
            return found

        world = World(
            host=self._host if blocking else self._async_host,
            find=self._find,
            chain=chain,
            policy=self.policy,
            ask=self._ask,
            fence=fence,
            breaker=self._breaker_of,
            hooks=self.hooks,
            emit=self._emit if self._observers else None,
            keep=self._history.append,
            tracing=self._trace,
            in_run=in_run,
            approval_timeout=self._approval_timeout,
        )
        return world, compose_outer(world), chains

    def _find(self, call: ToolCall) -> Tool | Outcome:
        """The tool a call means. A tool object that was replaced since means its successor."""
        found = self._tools.get(call.name)
        if call.given is None:
            if found is None:
                return Outcome(Status.UNKNOWN, error=_no_such(call.name, self._tools))
            return found
        given = call.given
        if isinstance(given.binding, _Binding) and given.binding.deck is self:
            if found is not None and found.origin == given.origin:
                return found
            return Outcome(
                Status.UNKNOWN, error=f"{given.name} was removed from this deck; add it again to call it."
            )
        return found if found is not None and found.function is given.function is not None else given

    def _forget_chains(self) -> None:
        for _, _, chains in list(self._lines.values()):
            chains.clear()

    def _recompose(self) -> None:
        self._lines = {}

    # -- what the stages reach through the world

    async def _ask(self, host: Host, request: ApprovalRequest) -> Decision:
        for approver in self.approvers:
            decision = await approver(request)
            if decision is not None:
                return decision
        return await host.ask(request)

    def breaker(self, name: str) -> Breaker:
        """The breaker of a tool: its state, recent outcomes and `reset`."""
        return self._breaker_of(self[name])

    def _breaker_of(self, tool: Tool) -> Breaker:
        known = self._breakers.get(tool.name)
        if known is not None and (known[0] is tool or known[0].binding is None):
            return known[1]
        made = Breaker(tool.breaker, self._host.now, lambda state: self._moved(tool, state))
        self._breakers[tool.name] = (tool, made)
        return made

    def _moved(self, tool: Tool, state: BreakerState) -> None:
        if self._observers:
            self._emit(BreakerMoved(tool, state))

    # -- watching

    def subscribe(self, observer: Callable[[Event], None]) -> Callable[[], None]:
        """Tell `observer` about every event, on the thread where it happens; returns the undoing function.

        An observer that raises is removed, with a warning; it never disturbs a call.
        """
        self._observers = (*self._observers, observer)
        self._recompose()

        def undo() -> None:
            self._observers = tuple(known for known in self._observers if known is not observer)
            self._recompose()

        return undo

    def _emit(self, event: Event) -> None:
        for observer in self._observers:
            try:
                observer(event)
            except Exception as error:  # noqa: BLE001 - a watcher must not decide over a call
                import warnings

                self._observers = tuple(known for known in self._observers if known is not observer)
                warnings.warn(
                    f"An observer of the deck failed and was removed: {error!r}", RuntimeWarning, stacklevel=2
                )

    def history(self) -> list[ToolResult]:
        """The last ends of calls, oldest first."""
        return list(self._history)

    @property
    def trace(self) -> bool:
        """Whether the times of all stages are noted; may be switched at any time."""
        return self._trace

    @trace.setter
    def trace(self, on: bool) -> None:
        self._trace = on
        self._recompose()

    def before_tool(self, hook: BeforeTool) -> Callable[[], None]:
        """Run `hook` before every call; returns the function that removes it."""
        return self.hooks.before_tool(hook)

    def after_tool(self, hook: AfterTool) -> Callable[[], None]:
        """Run `hook` after every call; returns the function that removes it."""
        return self.hooks.after_tool(hook)

    def use_hosts(self, host: Host, async_host: Host) -> None:
        """Put other hosts in place, as a notebook does."""
        self._host, self._async_host = host, async_host
        self._recompose()

    def __repr__(self) -> str:
        names = ", ".join(self._tools) or "no tools yet"
        return f"<Deck: {names}>"


class _Binding:
    """Ties a tool to its deck, so that calling the tool runs the deck's pipeline."""

    def __init__(self, deck: Deck) -> None:
        self.deck = deck

    def call(self, tool: Tool, arguments: Mapping[str, Any], /) -> ToolResult:
        return self.deck.call(tool, arguments)

    async def acall(self, tool: Tool, arguments: Mapping[str, Any], /) -> ToolResult:
        return await self.deck.acall(tool, arguments)


class _Both:
    """Arguments given twice: as one object and as keywords."""

    def __init__(self, arguments: Mapping[str, Any] | str, kwargs: dict[str, Any]) -> None:
        self._arguments, self._kwargs = arguments, kwargs

    def merged(self) -> Any:
        """Both together; the raw arguments alone where they are no object, so that the check can say so."""
        from tooldeck.core.arguments import read_arguments

        given, _, problems = read_arguments(self._arguments)
        twice = sorted(set(given) & set(self._kwargs))
        if twice:
            raise TypeError(f"the argument {twice[0]!r} is given twice: in the object and as a keyword")
        return self._arguments if problems else {**given, **self._kwargs}


def _no_such(name: str, tools: Mapping[str, Tool]) -> str:
    close = nearest(name, tools)
    hint = (
        f"did you mean {' or '.join(map(repr, close))}?"
        if close
        else f"there are: {', '.join(tools) or 'no tools yet'}."
    )
    return f"There is no tool {name!r}; {hint}"


def _ended(call: ToolCall) -> ToolResult:
    result = call.log.result
    assert result is not None, "record always leaves a result"
    return result
