"""The deck: holds tools and runs every call through one pipeline. The only place that wires the parts."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from tooldeck.core.action_tool import read_style, shown_tool
from tooldeck.core.added import AddedTools
from tooldeck.core.approval import ApprovalRequest, Approver, Decision, Word
from tooldeck.core.arguments import merged
from tooldeck.core.asking import answered, ask_in_turn, check_approvers
from tooldeck.core.breaker import Breaker, BreakerState
from tooldeck.core.call import Caller, CallLog, Outcome, Run, ToolCall, current_call, current_caller, new_id
from tooldeck.core.circuits import Circuits
from tooldeck.core.errors import DefinitionError
from tooldeck.core.events import BreakerMoved, Event
from tooldeck.core.gates import Gates, read_allowed
from tooldeck.core.history import History
from tooldeck.core.hooks import Hooked, Hooks
from tooldeck.core.host import Host
from tooldeck.core.lines import Door, Kind, Lines
from tooldeck.core.loose import LooseTools
from tooldeck.core.model import Model
from tooldeck.core.observers import Observers
from tooldeck.core.questions import Answer, Answerer, AskPerson, Question
from tooldeck.core.result import ToolResult
from tooldeck.core.runs import Runs
from tooldeck.core.services import Services
from tooldeck.core.settings import LoopSettings, loop_settings
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import BRIDGE_NAMES
from tooldeck.core.world import Handler, World
from tooldeck.guards.fence import fence
from tooldeck.guards.paths import Workspace
from tooldeck.hosts.asynchronous import AsyncHost
from tooldeck.hosts.batches import Batched
from tooldeck.hosts.blocking import BlockingHost, step
from tooldeck.hosts.questions import ask_on_terminal
from tooldeck.hosts.resuming import Resuming
from tooldeck.hosts.running import Running
from tooldeck.hosts.serving import Served
from tooldeck.policy import Policy
from tooldeck.policy.fingerprint import fingerprint
from tooldeck.registry.export import export
from tooldeck.registry.gated import Gated
from tooldeck.registry.prompt import system_prompt as told_of
from tooldeck.registry.toolset import ToolSet
from tooldeck.search.searched import Searched, bridge_of, unwrapped
from tooldeck.search.settings import ToolSearch
from tooldeck.store.kept import Journal, Kept
from tooldeck.store.ledger import Ledger
from tooldeck.store.protocol import Store
from tooldeck.store.sqlite import open_store
from tooldeck.store.tapes import Taped, Tapes

if TYPE_CHECKING:
    from tooldeck.mcp.connections import Connection, Connections
    from tooldeck.plugins import LoadedPlugins
    from tooldeck.serve.serving import Serving
    from tooldeck.tools.services.adding import Operations

__all__ = ["Deck"]

# The kinds of pipelines, by whether the caller belongs to a run.
_BLOCKING = (Kind(blocking=True, in_run=False), Kind(blocking=True, in_run=True))
_AWAITED = (Kind(blocking=False, in_run=False), Kind(blocking=False, in_run=True))


class Deck(ToolSet, Gated, Searched, Hooked, Batched, Running, Resuming, Served, Taped, Kept):
    """A set of tools and everything that guards their calls.

    `policy` names a preset (see `tooldeck.policy.PRESETS`) or is a `Policy`; `approver`, a function or a
    list of them, is asked before the person at the host, and `answerer` is given their questions first;
    `history` is how many ends of calls are kept;
    `trace` notes the times of all stages; `approval_timeout` is in seconds, None waits for ever;
    `ignore_unknown` leaves arguments out that no parameter has, with a note, where a tool does not say;
    `loop_guard` holds for runs that bring no settings of their own; `store` is the path of a database for the
    log of calls and for what shall outlive the deck, ``":memory:"`` or a `Store`, None keeps nothing.
    `workspace` is the folder that the built-in tools work in, by default the one that is current now, in a
    notebook its own. `action_schemas` says how models are shown a tool of several actions: ``"flat"``, one
    object with all parameters, or ``"union"``, one alternative for each action, which some providers refuse.
    `model` answers in runs that name no other, and to tools and servers that ask for one. `tool_search` says
    when a model is shown few tools and finds the others: ``"auto"``, ``"on"``, ``"off"`` or `ToolSearch`.
    Hosts are replaced by notebooks and tests.
    """

    def __init__(
        self,
        *,
        policy: str | Policy = "default",
        approver: Approver | Iterable[Approver] | None = None,
        answerer: Answerer | None = None,
        history: int = 200,
        trace: bool = False,
        approval_timeout: float | None = None,
        ignore_unknown: bool = False,
        loop_guard: LoopSettings | None = None,
        store: str | os.PathLike[str] | Store | None = None,
        workspace: str | os.PathLike[str] | None = None,
        action_schemas: str = "flat",
        model: Model | None = None,
        tool_search: str | ToolSearch = "auto",
        host: Host | None = None,
        async_host: Host | None = None,
    ) -> None:
        _check_settings(history, ignore_unknown)
        self._lines = Lines(self._world)
        self._observers = Observers(self._lines.renew)
        super().__init__(_Binding(self), self._observers.tell, self._forget)
        self._loose = LooseTools(self._forget)
        self._services = Services(self)
        self.hooks = Hooks(self._lines.renew)
        self._tapes = Tapes(self._lines.renew)
        self._gates = Gates(read_allowed(os.environ), self._now, self._lines.renew)
        self._journal = Journal(open_store(store), self._found)
        self._circuits = Circuits(self._now, self._moved, self._journal.breakers, _shared_name)
        self._services.provide(Store, lambda: self.store)
        self._ledger = Ledger(self._journal.store, self.history)
        self._workspace = Workspace(workspace)
        self._workspace.watcher = self._ledger.watcher(self._workspace.folder)
        self._services.provide(Workspace, lambda: self.workspace)
        self.action_schemas = read_style(action_schemas)
        self.model = model
        self._search_by(tool_search)
        self.policy = policy
        self.approvers: list[Approver] = [] if approver is None else list(check_approvers(approver))
        self.answerer = answerer
        self._history = History(history)
        self._trace = trace
        self.approval_timeout = approval_timeout
        self._ignore_unknown = ignore_unknown
        self._loop_guard = loop_settings(loop_guard) or LoopSettings()
        self._runs = Runs()
        self._host: Host = host or BlockingHost()
        self._async_host: Host = async_host or AsyncHost()
        self._ask_person: AskPerson = ask_on_terminal
        self._mcp: Connections | None = None
        self._mcp_lock = threading.RLock()
        self._prepare_mcp: Callable[[Connections], None] | None = None
        self._caller: Caller | None = None
        self._closing: list[Callable[[], object]] = []
        self._servings: list[Serving] = []
        if self._journal.observe is not None:
            self.subscribe(self._journal.observe)

    # -- tools

    def export(
        self, dialect: str, *, names: Iterable[str] | None = None, context: int | None = None
    ) -> list[dict[str, Any]]:
        """The tools that can be used, without those that policy denies, as `dialect` wants them.

        It is ``openai``, ``anthropic``, ``gemini`` or ``mcp``. With `names`, only those of them. For a model
        with `context` tokens of context, only what it is shown at once, with the tools by which it finds the
        others, as `tool_search` says; all of them by default.
        """
        self._check_allowed(self.tools)
        if names is None and context is not None:
            return export(self._offer(context).shown, dialect)
        return export(self._usable(names), dialect)

    def system_prompt(self, *, context: int | None = None) -> str:
        """What a model has to be told about what `export` gives, for the system prompt; may be empty."""
        return self._told(self._usable() if context is None else self._offer(context).shown)

    def _told(self, tools: Iterable[Tool]) -> str:
        return told_of(tools, self.policy.trust_of)

    def _usable(self, names: Iterable[str] | None = None) -> list[Tool]:
        """The tools as models are shown them, without those that never run; all, or those of `names`."""
        tools = self._shelf.all()
        if names is not None:
            known = self._shelf.view
            tools = [known[name] for name in names if name in known]
        return [self._shown(tool) for tool in tools if not self._never_runs(tool)]

    def _shown(self, tool: Tool) -> Tool:
        """A tool as models are shown it: without the actions that never run."""
        if not tool.actions:
            return tool
        left = {name: one for name, one in tool.actions.items() if not self._never_runs(one)}
        return shown_tool(tool, left, self.action_schemas)

    def _never_runs(self, tool: Tool) -> bool:
        run = current_caller().run
        if run is not None and run.tools is not None and tool.name not in run.tools:
            return True
        if self._gates.why_not(tool) is not None:
            return True
        verdict = self.policy.static(tool)
        return verdict is not None and verdict.word is Word.DENY

    def add_builtins(self, *names: str) -> tuple[Tool, ...]:
        """Add tools that come with tooldeck: all, or those of `names`; `tooldeck.tools.names` lists them.

        The name ``meta`` adds the tools that are made of calls of others, and the tools that those call; they
        are not among all. Raises `DefinitionError` for a name that none has.
        """
        from tooldeck.tools import META, load, load_meta

        wanted = [name for name in names if name != META]
        made = load(wanted) if wanted or not names else []
        if META in names:
            made += load_meta({**self.tools, **{tool.name: tool for tool in made}})
        return AddedTools(self.add(tool) for tool in made)

    def add_openapi(self, document: Any, **options: Any) -> Operations:
        """Add the operations of an HTTP service as tools, from its OpenAPI 3 document; tells what was added.

        `document` is a mapping, JSON or YAML text, or the path of a file. Options: `only`, names or patterns
        of operations; `prefix` of the names; `base_url` in place of the document's server; `auth`, the
        environment variable that the secret of each security scheme is read from, by default the title and
        the name of the scheme in capitals; `guard`, another rule for addresses; `transport`, what answers in
        place of the network. Effects follow from the method. Raises `DefinitionError`.
        """
        from tooldeck.tools.services.adding import operations

        made = operations(document, **options)
        return made._replace(tools=tuple(self.add(tool) for tool in made.tools))

    def load_plugins(self, *names: str) -> LoadedPlugins:
        """Add the tools of installed packages (entry points ``tooldeck.tools``): all, or those of `names`.

        One that is broken stops no other and is among the `problems` of what is returned. The names are in
        `tooldeck.plugins.plugins()`, which imports none. Raises `DefinitionError` for a name that none has.
        """
        from tooldeck.plugins import load_plugins

        return load_plugins(self.add, names)

    @property
    def mcp(self) -> Connections:
        """The deck's MCP servers. Raises `SetupError` where the mcp package is missing."""
        with self._mcp_lock:  # two threads must not make two sets of servers, one of which nobody closes
            if self._mcp is None:
                from tooldeck.mcp.connections import Connections

                made = Connections(
                    self,
                    wait=lambda future: step(self._host.wait(future)),
                    wait_async=self._awaited,
                    call=self.call,
                    acall=self.acall,
                    complete=self.complete,
                    model=lambda: self.model,
                    pins=self._journal.pins,
                )
                made.handlers.on_elicit = self.ask_person
                if self._prepare_mcp is not None:
                    self._prepare_mcp(made)
                self._mcp = made
        return self._mcp

    async def _awaited(self, future: Future[Any]) -> Any:
        return await self._async_host.wait(future)

    def _open_serving(self, **settings: Any) -> tuple[Serving, Future[None]]:
        from tooldeck.serve import open_serving

        made, started = open_serving(
            self,
            self._served_host,
            lambda future: step(self._host.wait(future)),
            self._servings.remove,
            **settings,
        )
        self._servings.append(made)
        return made, started

    def servers(self) -> list[Connection]:
        """The MCP servers in use; loads nothing when there are none."""
        return [] if self._mcp is None else self._mcp.values()

    def close(self) -> None:
        """Stop serving, close all sessions of servers and tools, let go of the database.

        The deck can go on being used.
        """
        for serving in list(self._servings):
            serving.stop()
        if self._mcp is not None:
            self._mcp.close_all()
        for function in list(self._closing):
            function()
        self._journal.close()

    def on_close(self, function: Callable[[], object]) -> Callable[[], None]:
        """Call `function` whenever the deck is closed; returns the function that undoes it."""
        self._closing.append(function)
        return lambda: self._closing.remove(function) if function in self._closing else None

    @property
    def workspace(self) -> Workspace:
        """The folder that the built-in tools work in; set it to a path."""
        return self._workspace

    @workspace.setter
    def workspace(self, folder: str | os.PathLike[str] | Workspace) -> None:
        self._workspace = folder if isinstance(folder, Workspace) else Workspace(folder)
        self._workspace.watcher = self._ledger.watcher(self._workspace.folder)
        self._policy.work_in(self._workspace.folder)

    @property
    def ledger(self) -> Ledger:
        """Which files the deck's tools wrote, and which of them hold text from elsewhere."""
        return self._ledger

    # -- calls

    def call(
        self,
        name_or_tool: str | Tool | Callable[..., Any],
        arguments: Mapping[str, Any] | str | None = None,
        /,
        **kwargs: Any,
    ) -> ToolResult:
        """Run a tool and return how it ended. Never raises for what happens in the call, except interrupts.

        `arguments` is a mapping, JSON text or None; keyword arguments are added to it. Raises
        `DefinitionError` for what is no tool, and TypeError for an argument that is given twice.
        """
        call = self._call(name_or_tool, arguments, kwargs, self._host)
        step(self._handler(call, blocking=True)(call))
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
        await self._handler(call, blocking=False)(call)
        return _ended(call)

    async def acall_through(
        self, door: Door, name: str, arguments: Mapping[str, Any] | str | None = None
    ) -> ToolResult:
        """The same as `acall` for a call from elsewhere; `door` says where it runs and what it may find."""
        call = self._call(name, arguments, {}, door.host)
        await self._lines.of(Kind(blocking=False, in_run=True, door=door))(call)
        return _ended(call)

    def _handler(self, call: ToolCall, *, blocking: bool) -> Handler:
        can_be_held = call.parent is not None or call.caller.run is not None
        return self._lines.of((_BLOCKING if blocking else _AWAITED)[can_be_held])

    def _call(self, target: Any, arguments: Any, kwargs: dict[str, Any], host: Host) -> ToolCall:
        given = None if isinstance(target, str) else self._given(target)
        named, raw = target if given is None else given.name, merged(arguments, kwargs)
        if given is None:
            named, raw = unwrapped(named, raw)
        outer = current_call()
        caller = current_caller(self._caller if outer is None else None)
        if caller.run is not None:
            self._runs.saw(caller.run)
        return ToolCall(
            new_id(),
            named,
            given,
            raw,
            caller,
            CallLog(
                host.now(), spans=[] if self._trace else None, outer=None if outer is None else outer.log
            ),
            None if outer is None else outer.id,
        )

    def _given(self, target: Any) -> Tool:
        return target if isinstance(target, Tool) and self._mine(target) else self._loose.of(target)

    def _find(self, call: ToolCall) -> Tool | Outcome:
        given = call.given
        if given is None and call.name in BRIDGE_NAMES:
            return bridge_of(call.name)
        return self._shelf.meant(call.name, given, ours=given is not None and self._mine(given))

    def _found(self, call: ToolCall) -> Tool | None:
        found = self._find(call)
        return found if isinstance(found, Tool) else None

    def _world(self, kind: Kind, chain: Callable[[Tool], Handler]) -> World:
        door = kind.door
        return World(
            host=door.host if door is not None else self._host if kind.blocking else self._async_host,
            find=self._find if door is None else lambda call: door.admit(call, self._find(call)),
            away=door is not None,
            chain=chain,
            policy=self.policy,
            present_policy=lambda: self._policy,
            ask=self._ask,
            fence=fence,
            circuits=self._circuits,
            services=self._services,
            hooks=self.hooks,
            gates=self._gates,
            tape=self._tapes.current,
            emit=self._observers.tell_all,
            keep=self._history.keep,
            weigh=self._history.weigh,
            tracing=self._trace,
            in_run=kind.in_run,
            loop_guard=self._loop_guard,
            ignore_unknown=self._ignore_unknown,
            approval_timeout=self._approval_timeout,
        )

    def _now(self) -> float:
        return self._host.now()

    def _forget(self, tool: Tool) -> None:
        self._lines.forget(tool)
        self._circuits.forget(tool)

    # -- guarding

    @property
    def policy(self) -> Policy:
        """Who may run what; set it to a `Policy` or to the name of a preset."""
        return self._policy

    @policy.setter
    def policy(self, policy: str | Policy) -> None:
        if not isinstance(policy, str | Policy):
            raise DefinitionError(f"policy must be the name of a preset or a Policy, got {policy!r}.")
        self._policy = Policy(policy) if isinstance(policy, str) else policy
        if self._policy.store is None:
            self._policy.store = self._journal.grants
        self._policy.work_in(self._workspace.folder)
        self._policy.watch(self._lines.renew)
        self._lines.renew()

    async def _ask(self, host: Host, request: ApprovalRequest) -> Decision:
        return await ask_in_turn(self.approvers, host, request)

    async def ask_person(self, question: Question) -> Answer:
        """What the person says to a question of a server or a model; never waits where nobody is there.

        The deck's `answerer` may say it first. May be awaited on any loop.
        """
        return await answered(question, self.answerer, self._ask_person)

    def breaker(self, name: str, target: str | None = None) -> Breaker:
        """The breaker of a tool, or of one of its targets: its state, recent outcomes and `reset`.

        The target of an MCP tool is its server. Raises `DefinitionError` for a target that was never called.
        """
        return self._circuits.named(self[name], target)

    def breaker_targets(self, name: str) -> Mapping[str, Breaker]:
        """The breakers of a tool's targets and of its server, by name, as far as calls needed them."""
        return self._circuits.targets(self[name])

    def _moved(self, tool: Tool, state: BreakerState, target: str) -> None:
        self._observers.tell(BreakerMoved(tool, state, target))

    @property
    def approval_timeout(self) -> float | None:
        """Seconds after which an unanswered approval counts as refused; None waits for ever."""
        return self._approval_timeout

    @approval_timeout.setter
    def approval_timeout(self, seconds: float | None) -> None:
        if seconds is not None and not (isinstance(seconds, int | float) and seconds > 0):
            raise DefinitionError(f"approval_timeout must be seconds above 0 or None, got {seconds!r}.")
        self._approval_timeout = seconds
        self._lines.renew()

    def provide(self, wanted: Any, given: Any) -> Callable[[], None]:
        """Fill parameters ``Injected[wanted]`` with `given`; see `Services.provide`."""
        return self._services.provide(wanted, given)

    # -- watching

    def subscribe(self, observer: Callable[[Event], None]) -> Callable[[], None]:
        """Tell `observer` about every event, on the thread where it happens; returns the undoing function.

        An observer that raises is removed, and the log says so; it never disturbs a call.
        """
        return self._observers.add(observer)

    @property
    def runs(self) -> list[Run]:
        """The runs under way, oldest first: with a call here, neither ended nor stopped."""
        return self._runs.active()

    def history(self) -> list[ToolResult]:
        """The last ends of calls, oldest first."""
        return self._history.all()

    def result(self, handle: str) -> ToolResult:
        """The result of a call by its id, as a text that was cut names it; KeyError when it is not kept."""
        found = self._history.find(handle)
        if found is None:
            raise KeyError(f"No result {handle!r} is kept; deck.history() has those that are.")
        return found

    @property
    def trace(self) -> bool:
        """Whether the times of all stages are noted; may be switched at any time."""
        return self._trace

    @trace.setter
    def trace(self, on: bool) -> None:
        self._trace = on
        self._lines.renew()

    def use_hosts(
        self,
        host: Host,
        async_host: Host,
        *,
        ask_person: AskPerson | None = None,
        served_host: Host | None = None,
        caller: Caller | None = None,
        prepare_mcp: Callable[[Connections], None] | None = None,
    ) -> None:
        """Put other hosts in place, as a notebook does; `served_host` is that of calls of MCP clients.

        `ask_person` puts questions before the person there, by default on the terminal; `caller` is who makes
        the calls that come from no tool and of which nobody says otherwise (see
        `calling`); `prepare_mcp` is given the deck's MCP servers before they are first used.
        """
        self._ask_person = ask_person or ask_on_terminal
        self._host, self._async_host, self._served_host = host, async_host, served_host
        self._caller = caller
        self._prepare_mcp = prepare_mcp
        if self._mcp is not None and prepare_mcp is not None:
            prepare_mcp(self._mcp)
        self._lines.renew()

    def __repr__(self) -> str:
        names = ", ".join(list(self.tools)) or "no tools yet"
        return f"<Deck: {names}>"


class _Binding:
    """Ties a tool to its deck, so that calling the tool runs the deck's pipeline."""

    def __init__(self, deck: Deck) -> None:
        self.deck = deck

    def call(self, tool: Tool, arguments: Mapping[str, Any], /) -> ToolResult:
        return self.deck.call(tool, arguments)

    async def acall(self, tool: Tool, arguments: Mapping[str, Any], /) -> ToolResult:
        return await self.deck.acall(tool, arguments)


def _shared_name(tool: Tool) -> str:
    """What a tool is called where programs share its breaker; a tool that was changed is another one."""
    return f"{tool.name} ({tool.origin}) {fingerprint(tool)[:16]}"


def _ended(call: ToolCall) -> ToolResult:
    result = call.log.result
    if result is None:
        raise AssertionError(f"{call.id} left the pipeline without a result")
    return result


def _check_settings(history: Any, ignore_unknown: Any) -> None:
    if not isinstance(ignore_unknown, bool):
        raise DefinitionError(f"ignore_unknown must be True or False, got {ignore_unknown!r}.")
    if isinstance(history, bool) or not isinstance(history, int) or history < 0:
        raise DefinitionError(f"history must be a number of calls, 0 or more, got {history!r}.")
