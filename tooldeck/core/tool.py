"""What a tool is: one frozen record."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from tooldeck.core.current import CURRENT
from tooldeck.core.errors import TooldeckError
from tooldeck.core.help import help_text
from tooldeck.core.parameters import Parameters
from tooldeck.core.rate import RateSettings
from tooldeck.core.resources import Resources
from tooldeck.core.settings import BreakerSettings, RetrySettings
from tooldeck.core.targets import SharedTarget, Target
from tooldeck.core.vocabulary import Effect, Risk, Trust

if TYPE_CHECKING:
    from tooldeck.core.injection import Need
    from tooldeck.core.result import ToolResult

__all__ = ["Executor", "Origin", "Tool"]

# Bound once: reading a member off its Enum costs 0.1 µs on Python 3.11, and this is asked for every call.
_UNTRUSTED = Trust.UNTRUSTED


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a tool comes from."""

    kind: str = "python"
    """``python``, ``notebook``, ``builtin``, ``plugin``, ``mcp`` or ``openapi``."""
    label: str = ""
    """The server, module or package; empty for the notebook itself."""

    @property
    def remote(self) -> bool:
        """Whether the tool's words and outputs come from another program."""
        return self.kind in {"mcp", "openapi"}

    def __str__(self) -> str:
        return f"{self.kind} {self.label}".strip()


class Executor(Protocol):
    """Where a body runs when not on the caller: the session loop, a pool, a cluster."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Start `function` and return its future; cancelling the future cancels the work."""
        ...


class Binding(Protocol):
    """The deck that a tool belongs to, as far as the tool knows it."""

    def call(self, tool: Tool, arguments: Mapping[str, Any], /) -> ToolResult:
        """Run the tool through the deck's pipeline."""
        ...

    async def acall(self, tool: Tool, arguments: Mapping[str, Any], /) -> ToolResult:
        """The same, awaited."""
        ...


_NO_ACTIONS: Mapping[str, Any] = MappingProxyType({})


class _OnInstances:
    """A property of instances that leaves the class alone, so that ``inspect`` understands the class."""

    def __init__(self, read: Callable[[Tool], Any]) -> None:
        self._read = read

    def __get__(self, instance: Tool | None, owner: type[Tool]) -> Any:
        return None if instance is None else self._read(instance)


@dataclass(frozen=True, slots=True, repr=False, eq=False, weakref_slot=True)
class Tool:
    """A function or remote call with everything the pipeline needs to know about it.

    Calling a tool that belongs to a deck runs it through that deck's pipeline and returns the value, or
    raises the `CallError` of a call that did not end well; one made from an async function is awaited. Within
    its own body a tool is the plain function, so that recursion is one call. Calling a tool that belongs to
    no deck is a plain call of the function it was made from.
    """

    name: str
    """Letters, digits, ``_`` and ``-``; 1 to 64 characters."""
    description: str
    """What the tool does, for a model and for a person."""
    params: Parameters
    """Its parameters; `parameters` is their JSON Schema."""
    invoke: Callable[[Mapping[str, Any]], Any]
    """Runs the body with validated values."""
    function: Callable[..., Any] | None = None
    """The Python function it was made from, or None."""
    is_async: bool = False
    """Whether `invoke` returns an awaitable."""
    effects: frozenset[Effect] | None = None
    """What the body may do. None: undeclared. Empty: nothing but compute."""
    risk: Risk = Risk.HIGH
    """How much a call can do, for the person who approves."""
    trust: Trust = Trust.UNTRUSTED
    """Provenance of the output."""
    ignore_unknown: bool | None = None
    """Whether arguments that no parameter has are left out; None: as the deck says."""
    idempotent: bool = False
    """Whether running it twice does no more than running it once."""
    origin: Origin = Origin()
    """Where the tool comes from."""
    ask: bool | None = None
    """True: always ask before a call. False: the author says that none needs to. None: policy decides."""
    timeout: float | None = None
    """Seconds for one attempt, or None for no limit."""
    call_timeout: float | None = None
    """Seconds for a whole call, waits for people not counted, or None for no limit."""
    max_chars: int = 20_000
    """Characters of output that a model is given at most."""
    retry: RetrySettings = field(default_factory=RetrySettings)
    breaker: BreakerSettings = field(default_factory=BreakerSettings)
    rate: RateSettings | None = None
    """How often it is called; None: no limit of its own."""
    target: Target | None = None
    """What a call is aimed at, by its checked values; each target has a breaker of its own."""
    shared: SharedTarget | None = None
    """What the tool goes through together with others, such as the connection to their server."""
    preview: Callable[[Mapping[str, Any]], Any] | None = None
    """Tells from validated values what a call would change, without changing it; None where it cannot."""
    preview_within: float | None = None
    """Seconds in which there must be a preview for anybody to be asked; None: people decide without one."""
    resources: Resources | None = None
    """What a call uses, by its checked values; calls of a batch that share a resource never run at once."""
    available: Callable[[], Any] | None = None
    """Says whether it can be used now; None: always."""
    schema_override: Callable[[dict[str, Any]], Any] | None = None
    """Makes the schema that models are shown of the schema of the parameters."""
    check_input: tuple[Callable[[Any], Any], ...] = ()
    """Functions of the author that see the arguments before the body runs."""
    check_output: tuple[Callable[[Any], Any], ...] = ()
    """Functions of the author that see the value before anybody else."""
    output_schema: dict[str, Any] | None = None
    """JSON Schema of the value, where it is known."""
    executor: Executor | None = None
    """Where the body runs; None is the thread or loop of the caller."""
    signature: inspect.Signature | None = None
    """How Python code may call it."""
    injected: tuple[Need, ...] = ()
    """The parameters that the deck fills; callers do not see them."""
    for_models: bool = True
    """Whether models, and clients of the deck, are shown it and may call it; people always may."""
    page: str = ""
    """The address of the page that shows its results, at the server that it comes from; empty for none."""
    title: str = ""
    """A name for people, where the origin gives one."""
    examples: tuple[Mapping[str, Any], ...] = ()
    """Arguments that a call may have as they stand."""
    actions: Mapping[str, Tool] = field(default_factory=lambda: _NO_ACTIONS)
    """The declarations of its actions, where the argument ``action`` chooses one; empty for other tools."""
    action: str = ""
    """The action that this is the declaration of; empty for a whole tool."""
    choices: dict[str, Any] | None = None
    """The schema with one alternative for each action; None for a tool without actions."""
    binding: Binding | None = field(default=None, kw_only=True)
    """The deck it belongs to, or None."""

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON Schema of the arguments."""
        return self.params.schema

    @property
    def label(self) -> str:
        """The name, with that of the action."""
        return f"{self.name} {self.action}" if self.action else self.name

    def narrowed(self, arguments: Mapping[str, Any]) -> Tool:
        """What a call with these checked arguments is a call of: an action, or the tool itself."""
        return self.actions[arguments["action"]] if self.actions else self

    def bound(self, binding: Binding) -> Tool:
        """The same, with its actions, as a tool of this deck."""
        if not self.actions:
            return replace(self, binding=binding)
        actions = {name: replace(one, binding=binding) for name, one in self.actions.items()}
        return replace(self, binding=binding, actions=MappingProxyType(actions))

    @property
    def read_only(self) -> bool:
        """Whether it is declared to change nothing."""
        return self.effects is not None and self.effects <= {Effect.READ}

    @property
    def from_outside(self) -> bool:
        """Whether its output is untrusted by itself: so declared, or another program's, whatever that claims.

        A policy may say otherwise; see `Policy.trust_of`.
        """
        return self.trust is _UNTRUSTED or self.origin.remote

    @property
    def repeatable(self) -> bool:
        """Whether a failed attempt may be repeated: declared idempotent, or read-only."""
        return self.idempotent or self.read_only

    @property
    def __name__(self) -> str:
        """The name, where Python asks a function for it."""
        return self.name

    __signature__ = _OnInstances(lambda tool: tool.signature)

    def getdoc(self) -> str:
        """The description and the parameters, for IPython's ``tool?``."""
        return help_text(self.description, self.parameters)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Run it, as the class says."""
        if self.binding is None:
            if self.function is None:
                raise TooldeckError(
                    f"Tool {self.name!r} belongs to no deck; add it with deck.add(tool) first."
                )
            return self.function(*args, **kwargs)
        if self.function is not None and _runs_now(self):
            return self._again(args, kwargs) if self.injected else self.function(*args, **kwargs)
        if args:
            kwargs = self._named(args, kwargs)
        if self.is_async and self.function is not None:
            return self._awaited(self.binding, kwargs)
        return self.binding.call(self, kwargs).unwrap()

    def _again(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The body called from within itself: it is given what it was given before, unless it says so."""
        call = CURRENT.get()
        filled = (call.log.injected if call is not None else None) or {}
        given = [*args, *kwargs.values()]
        if self.function is None or any(mine is thing for mine in given for thing in filled.values()):
            return self.function(*args, **kwargs) if self.function is not None else None
        return self.invoke({**(self._named(args, {}) if args else {}), **kwargs, **filled})

    async def _awaited(self, binding: Binding, kwargs: dict[str, Any]) -> Any:
        return (await binding.acall(self, kwargs)).unwrap()

    def _named(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Positional arguments by their parameter names."""
        if self.signature is None:
            raise TypeError(f"{self.name}() takes keyword arguments only.")
        bound = self.signature.bind_partial(*args, **kwargs)
        named: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            if self.signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
                named.update(value)
            else:
                named[name] = (
                    list(value) if isinstance(value, tuple) and name == _var_positional(self) else value
                )
        return named

    def __repr__(self) -> str:
        effects = "undeclared" if self.effects is None else ",".join(sorted(self.effects)) or "none"
        return f"<Tool {self.name} from {self.origin}, effects {effects}>"


def _runs_now(tool: Tool) -> bool:
    """Whether this code runs in the body of `tool` itself."""
    call = CURRENT.get()
    return call is not None and call.tool is not None and call.tool.function is tool.function


def _var_positional(tool: Tool) -> str:
    for name, parameter in (tool.signature.parameters if tool.signature else {}).items():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            return name
    return ""
