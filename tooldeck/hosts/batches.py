"""The part of a deck that runs many calls at once: reads them, plans them, starts each where it belongs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any, NamedTuple, Protocol

from tooldeck.core.arguments import read_arguments
from tooldeck.core.batch import Batch, Beside, check_limit
from tooldeck.core.call import ToolCall
from tooldeck.core.cancel import token_of
from tooldeck.core.claims import Claims
from tooldeck.core.errors import DefinitionError
from tooldeck.core.host import Host
from tooldeck.core.plan import Part, may_run_beside_others, plan
from tooldeck.core.result import ToolResult
from tooldeck.core.strangers import to_repr
from tooldeck.core.tool import Tool
from tooldeck.core.world import Handler
from tooldeck.hosts.blocking import step
from tooldeck.hosts.lanes import Lane

__all__ = ["Batched", "Many"]

_NAMES = ("name", "tool", "function_name")
_ARGUMENTS = ("arguments", "input", "args")


class _Deck(Protocol):
    """What a deck has besides."""

    _host: Host
    _async_host: Host

    def _call(self, target: Any, arguments: Any, kwargs: dict[str, Any], host: Host) -> ToolCall: ...

    def _found(self, call: ToolCall) -> Tool | None: ...

    def _handler(self, call: ToolCall, *, blocking: bool) -> Handler: ...

    def _batch(
        self, calls: Iterable[Any], *, parallel: bool | None = None, limit: int = 8, blocking: bool
    ) -> Many: ...


class Batched:
    """The methods of a deck for many calls at once."""

    def call_many(
        self: _Deck, calls: Iterable[Any], *, parallel: bool | None = None, limit: int = 8
    ) -> list[ToolResult]:
        """Run many calls and give their results in order; one that fails neither stops nor hides others.

        A call is a pair of name and arguments, a mapping with ``name`` and ``arguments``, or an object with
        such attributes; where it has an ``id``, the result's call has it too. At most `limit` run at once.

        By default only calls of tools that declare no effects, or to read, run beside each other, each on a
        thread of its own; all others run alone, in order, on this thread. Calls that share a declared
        resource (option ``resources``) never run at once; where a hook, a check or a person changes
        arguments, what they are in the end counts. ``parallel=True`` says that effects need no order,
        ``False`` that every call runs alone.

        An interrupt ends all calls. Raises `DefinitionError` for what is no call, before any of them runs.
        """
        batch = self._batch(calls, parallel=parallel, limit=limit, blocking=True)
        step(batch.run())
        return batch.results()

    async def acall_many(
        self: _Deck, calls: Iterable[Any], *, parallel: bool | None = None, limit: int = 8
    ) -> list[ToolResult]:
        """The same as `call_many`, to be awaited: async tools run on this loop."""
        batch = self._batch(calls, parallel=parallel, limit=limit, blocking=False)
        await batch.run()
        return batch.results()

    def _batch(
        self: _Deck, calls: Iterable[Any], *, parallel: bool | None = None, limit: int = 8, blocking: bool
    ) -> Many:
        """The calls, made but not started."""
        host = self._host if blocking else self._async_host
        doors = _Doors(self._call, self._found, self._handler)
        return Many(doors, calls, host, parallel=parallel, limit=check_limit(limit), blocking=blocking)


class _Doors(NamedTuple):
    """How a batch reaches its deck."""

    make: Callable[[Any, Any, dict[str, Any], Host], ToolCall]
    found: Callable[[ToolCall], Tool | None]
    handler: Callable[..., Handler]


class Many:
    """The calls of one batch, made but not started."""

    def __init__(
        self,
        doors: _Doors,
        calls: Iterable[Any],
        host: Host,
        *,
        parallel: bool | None,
        limit: int,
        blocking: bool,
    ) -> None:
        self._doors = doors
        self._host = host
        self._limit = limit
        self._blocking = blocking
        read = [_read(place, given) for place, given in enumerate(calls)]
        self._calls = [_identified(doors.make(one.target, one.arguments, {}, host), one.id) for one in read]
        in_order = parallel is False or limit == 1
        if not in_order:
            claims = Claims()
            for call in self._calls:
                call.log.claims = claims
        self._parts = [
            Part(alone=True) if in_order else _part(doors.found(call), call, free=parallel is True)
            for call in self._calls
        ]

    async def run(self) -> None:
        """Carry out the batch."""
        await Batch(plan(self._parts), self._limit, self._here, self._beside).run(self._host)

    def ends(self) -> list[ToolResult | None]:
        """How the calls ended, in order; None for one that was never started."""
        return [call.log.result for call in self._calls]

    def results(self) -> list[ToolResult]:
        """The same of a batch that was carried out, in which every call has ended."""
        return [result for result in self.ends() if result is not None]

    def _here(self, place: int) -> Coroutine[Any, Any, Any]:
        call = self._starting(place)
        return _one_of_many(call, self._doors.handler(call, blocking=self._blocking))

    def _beside(self, place: int) -> Beside:
        """On this loop where that leaves the loop free, else on a thread of its own, as a blocking call."""
        call = self._starting(place)
        if not self._blocking and _awaits(self._doors.found(call)):
            return _Told(call, _Task(_one_of_many(call, self._doors.handler(call, blocking=False))))
        handler = self._doors.handler(call, blocking=True)
        return _Told(call, Lane(lambda: step(_one_of_many(call, handler)), call.name))

    def _starting(self, place: int) -> ToolCall:
        """The call, whose clock starts now and not while it waited for others."""
        call = self._calls[place]
        call.log.started = self._host.now()
        return call


class _Read(NamedTuple):
    target: Any
    arguments: Any
    id: str | None = None


def _read(place: int, given: Any) -> _Read:
    """One call in any of the forms that people and providers write."""
    if isinstance(given, tuple | list) and len(given) == 2:
        return _Read(given[0], given[1])
    has: Callable[[str], Any] = given.get if isinstance(given, Mapping) else partial(_attribute, given)
    inner = has("function")
    if inner is not None and not callable(inner):  # OpenAI writes name and arguments in here
        named = _read(place, inner)
        return named._replace(id=_id(has("id")))
    target = next((has(name) for name in _NAMES if has(name) is not None), None)
    if target is None:
        raise DefinitionError(
            f"Call {place} of the batch is {to_repr(given)[:100]}; give a pair of name and arguments, or a "
            'mapping such as {"name": …, "arguments": …}.'
        )
    arguments = next((has(name) for name in _ARGUMENTS if has(name) is not None), None)
    return _Read(target, arguments, _id(has("id")))


def _attribute(given: Any, name: str) -> Any:
    return getattr(given, name, None)


def _id(given: Any) -> str | None:
    return given if isinstance(given, str) and given else None


def _identified(call: ToolCall, id: str | None) -> ToolCall:
    return call if id is None else call._replace(id=id)


def _part(tool: Tool | None, call: ToolCall, *, free: bool) -> Part:
    """What a call may do to others, by its arguments as they came; it runs alone where nobody can tell."""
    if tool is None:
        return Part()  # unknown: it will end at once
    alone = not free and not may_run_beside_others(tool)
    if not tool.actions and (alone or tool.resources is None):
        return Part(alone)
    given, _, problems = read_arguments(call.raw, tool.parameters)
    checked = tool.params.check(given)
    if problems or checked.problems:
        return Part(alone=True)  # a hook may still mend it
    tool = tool.narrowed(checked.arguments)
    alone = not free and not may_run_beside_others(tool)
    if alone or tool.resources is None:
        return Part(alone)
    try:
        return Part(resources=tool.resources(checked.values))
    except Exception:  # noqa: BLE001 - functions of the author may raise anything
        return Part(alone=True)


class _Told:
    """A call under way, whose cancel token is set before it is interrupted: its body may wait for that."""

    def __init__(self, call: ToolCall, work: Beside) -> None:
        self.future = work.future
        self.start = work.start
        self._call = call
        self._work = work

    def interrupt(self) -> None:
        token_of(self._call).cancel("it was interrupted")
        self._work.interrupt()


async def _one_of_many(call: ToolCall, handler: Handler) -> None:
    """Carry out a call of a batch. A cancellation that its body made up itself is an end like any other."""
    try:
        await handler(call)
    except asyncio.CancelledError:
        if call.log.result is None or _is_cancelled():
            raise


def _is_cancelled() -> bool:
    """Whether somebody cancels the task that this code runs in, if it runs in one."""
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no loop runs on this thread
        return False
    return task is not None and task.cancelling() > 0


class _Task:
    """The call as a task of the running loop."""

    def __init__(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        self.future: Future[Any] = Future()
        self._coroutine = coroutine
        self._task: asyncio.Task[Any] | None = None

    def start(self) -> None:
        self._task = asyncio.ensure_future(self._coroutine)
        self._task.add_done_callback(self._ended)

    def interrupt(self) -> None:
        if self._task is None:
            self._coroutine.close()
            self.future.cancel()
        else:
            self._task.cancel()

    def _ended(self, task: asyncio.Task[Any]) -> None:
        if task.cancelled():
            self.future.set_exception(asyncio.CancelledError())
        elif (error := task.exception()) is not None:
            self.future.set_exception(error)
        else:
            self.future.set_result(task.result())


def _awaits(tool: Tool | None) -> bool:
    """Whether a call of the tool leaves the loop free while its body runs."""
    if tool is not None and tool.actions:
        return all(map(_awaits, tool.actions.values()))
    return tool is None or tool.is_async or tool.executor is not None or tool.timeout is not None
