"""The part of a deck that makes calls, and says which tool each of them means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tooldeck.core.arguments import merged
from tooldeck.core.call import Outcome, ToolCall, current_call, new_id
from tooldeck.core.call_log import CallLog
from tooldeck.core.caller import Caller, current_caller
from tooldeck.core.host import Host
from tooldeck.core.lines import Door, Kind, Lines
from tooldeck.core.loose import LooseTools
from tooldeck.core.result import ToolResult
from tooldeck.core.runs import Runs
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import BRIDGE_NAMES, Source, Status
from tooldeck.core.world import Handler
from tooldeck.hosts.blocking import step
from tooldeck.registry.toolset import ToolSet
from tooldeck.search.searched import bridge_of, unwrapped

__all__ = ["Calling"]

# The kinds of pipelines, by whether the caller belongs to a run.
_BLOCKING = (Kind(blocking=True, in_run=False), Kind(blocking=True, in_run=True))
_AWAITED = (Kind(blocking=False, in_run=False), Kind(blocking=False, in_run=True))


class Calling(ToolSet):
    """The methods of a deck for single calls."""

    _host: Host
    _async_host: Host
    _lines: Lines
    _loose: LooseTools
    _runs: Runs
    _trace: bool
    _caller: Caller | None = None
    """Who makes the calls that come from no tool and of which nobody says otherwise."""

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
        found = self._shelf.meant(call.name, given, ours=given is not None and self._mine(given))
        if isinstance(found, Tool) and not found.for_models and call.caller.source is Source.MODEL:
            return Outcome(Status.UNKNOWN, error=f"There is no tool {call.name!r}.")
        return found

    def _found(self, call: ToolCall) -> Tool | None:
        found = self._find(call)
        return found if isinstance(found, Tool) else None


def _ended(call: ToolCall) -> ToolResult:
    result = call.log.result
    if result is None:
        raise AssertionError(f"{call.id} left the pipeline without a result")
    return result
