"""The deck itself: its settings, and the only place that wires the parts."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from tooldeck.core.action_tool import read_style
from tooldeck.core.approval import Approver
from tooldeck.core.asking import check_approvers
from tooldeck.core.caller import Caller
from tooldeck.core.circuits import Circuits
from tooldeck.core.errors import DefinitionError
from tooldeck.core.gates import Gates, read_allowed
from tooldeck.core.history import History
from tooldeck.core.hooks import Hooked, Hooks
from tooldeck.core.host import Host
from tooldeck.core.lines import Kind, Lines
from tooldeck.core.loose import LooseTools
from tooldeck.core.model import Model
from tooldeck.core.observers import Observers
from tooldeck.core.questions import Answerer, AskPerson
from tooldeck.core.rate import Rates
from tooldeck.core.result import ToolResult
from tooldeck.core.runs import Runs
from tooldeck.core.services import Services
from tooldeck.core.settings import LoopSettings, loop_settings
from tooldeck.core.tool import Tool
from tooldeck.core.world import Handler, World
from tooldeck.deck.adding import Adding
from tooldeck.deck.calling import Calling
from tooldeck.deck.guarding import Guarded
from tooldeck.deck.offering import Offering
from tooldeck.deck.watching import Watched
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
from tooldeck.search.settings import ToolSearch
from tooldeck.store.kept import Journal, Kept
from tooldeck.store.ledger import Ledger
from tooldeck.store.protocol import Store
from tooldeck.store.sqlite import open_store
from tooldeck.store.tapes import Taped, Tapes

if TYPE_CHECKING:
    from tooldeck.mcp.connections import Connection, Connections
    from tooldeck.serve.serving import Serving

__all__ = ["Deck"]


class Deck(
    Adding, Offering, Calling, Guarded, Watched, Hooked, Batched, Running, Resuming, Served, Taped, Kept
):
    """A set of tools and everything that guards their calls.

    - `policy`: who may run what; a `Policy`, or the name of a preset (``tooldeck.policy.PRESETS``).
    - `approver`: a function or a list of them, asked before the person at the host whether a call may run.
    - `answerer`: a function that is given the questions of servers and models before the person is.
    - `history`: how many ends of calls are kept.
    - `trace`: whether the times of all stages are noted.
    - `approval_timeout`: seconds after which an unanswered approval counts as refused; None waits for ever.
    - `ignore_unknown`: whether arguments that no parameter has are left out, with a note, where a tool does
      not say.
    - `loop_guard`: when repetitions are refused in runs that bring no settings of their own.
    - `store`: where calls are logged and kept what shall outlive the deck: the path of a database,
      ``":memory:"`` or a `Store`; None keeps nothing.
    - `workspace`: the folder that the built-in tools work in, by default the current one, in a notebook its
      own.
    - `action_schemas`: how models are shown a tool of several actions: ``"flat"``, one object with all
      parameters, or ``"union"``, one alternative for each action, which some providers refuse.
    - `model`: answers in runs that name no other, and to tools and servers that ask for one.
    - `tool_search`: when a model is shown few tools and finds the others: ``"auto"``, ``"on"``, ``"off"`` or
      `ToolSearch`.
    - `host`, `async_host`: where bodies run and people are asked; notebooks and tests bring their own.

    Raises `DefinitionError` naming a setting that cannot be meant.
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
        _check_settings(history, trace, ignore_unknown, answerer, workspace)
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
        self._rates = Rates(self._now)
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
        self._closing: list[Callable[[], object]] = []
        self._servings: list[Serving] = []
        if self._journal.observe is not None:
            self.subscribe(self._journal.observe)

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

    def _world(self, kind: Kind, chain: Callable[[Tool], Handler]) -> World:
        door = kind.door
        return World(
            host=door.host if door is not None else self._host if kind.blocking else self._async_host,
            find=self._find if door is None else lambda call: door.admit(call, self._find(call)),
            away=door is not None,
            chain=chain,
            policy=self._policy,
            present_policy=lambda: self._policy,
            ask=self._ask,
            fence=fence,
            circuits=self._circuits,
            rates=self._rates,
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
        self._rates.forget(tool)

    def provide(self, wanted: Any, given: Any) -> Callable[[], None]:
        """Fill parameters ``Injected[wanted]`` with `given`; see `Services.provide`."""
        return self._services.provide(wanted, given)

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


def _check_settings(history: Any, trace: Any, ignore_unknown: Any, answerer: Any, workspace: Any) -> None:
    for name, given in (("trace", trace), ("ignore_unknown", ignore_unknown)):
        if not isinstance(given, bool):
            raise DefinitionError(f"{name} must be True or False, got {given!r}.")
    if isinstance(history, bool) or not isinstance(history, int) or history < 0:
        raise DefinitionError(f"history must be a number of calls, 0 or more, got {history!r}.")
    if answerer is not None and not callable(answerer):
        raise DefinitionError(f"answerer must be a function that takes a question, got {answerer!r}.")
    if workspace is not None and not isinstance(workspace, str | os.PathLike):
        raise DefinitionError(f"workspace must be the path of a folder, got {workspace!r}.")
