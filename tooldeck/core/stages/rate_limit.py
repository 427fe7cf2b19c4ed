"""in_turn, rate_limit: what may be called only so often waits for its turn, or is refused where that is late.

`in_turn` refuses before anybody is asked for a call whose turn would come too late; `rate_limit` takes the
turn, for each attempt one, and waits for it. A tool of a server has its own limit and that of its server.
"""

from __future__ import annotations

from collections.abc import Iterable

from tooldeck.core.call import Outcome, ToolCall
from tooldeck.core.pausing import paused
from tooldeck.core.rate import Bucket
from tooldeck.core.stages.approve import never_asks
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Status
from tooldeck.core.world import Handler, World

_Found = tuple[Bucket, str]
"""A bucket and the server whose limit it is; an empty text for the tool itself."""


def in_turn(next: Handler, tool: Tool, world: World) -> Handler:
    """Refuse a call whose turn comes too late; not needed where nothing is asked before `rate_limit`."""
    if not _limited(tool) or never_asks(tool, world):
        return next
    rates = world.rates

    async def run(call: ToolCall) -> Outcome:
        for bucket, server in rates.of(tool):
            wait = bucket.wait()
            if wait > _patience(tool, call, bucket):
                call.log.decide("in_turn", f"refused: {bucket.settings}")
                return _late(tool, bucket, server, wait)
        return await next(call)

    return run


def rate_limit(next: Handler, tool: Tool, world: World) -> Handler:
    """Wait for a turn under every limit that there is, or refuse; cannot act on tools without one."""
    if not _limited(tool):
        return next
    rates = world.rates

    async def run(call: ToolCall) -> Outcome:
        taken: list[_Found] = []
        longest, slowest = 0.0, ""
        try:
            for bucket, server in rates.of(tool):
                has_turn, wait = bucket.take(_patience(tool, call, bucket))
                if not has_turn:
                    _give_back(taken)
                    call.log.decide("rate_limit", f"refused: {bucket.settings}")
                    return _late(tool, bucket, server, wait)
                taken.append((bucket, server))
                if wait > longest:
                    longest, slowest = wait, f"{bucket.settings}{f' of {server!r}' if server else ''}"
            if longest:
                call.log.decide("rate_limit", f"waited {longest:.2f} s for its turn, {slowest}")
                stopped = await paused(call, world, longest)
                if stopped is not None:
                    _give_back(taken)
                    return Outcome(Status.CANCELLED, error=f"{tool.label} did not get its turn: {stopped}.")
        except BaseException:
            _give_back(taken)
            raise
        return await next(call)

    return run


def _limited(tool: Tool) -> bool:
    return tool.rate is not None or (tool.shared is not None and tool.shared.rate is not None)


def _give_back(taken: Iterable[_Found]) -> None:
    for bucket, _ in taken:
        bucket.give_back()


def _patience(tool: Tool, call: ToolCall, bucket: Bucket) -> float:
    """Seconds that the call may wait for its turn."""
    limits = [bucket.settings.wait]
    if tool.timeout is not None:
        limits.append(tool.timeout)
    if call.log.clock is not None:
        limits.append(max(0.0, call.log.clock.left()))
    elif tool.call_timeout is not None:
        limits.append(tool.call_timeout)
    return min(limits)


def _late(tool: Tool, bucket: Bucket, server: str, wait: float) -> Outcome:
    whose = f"its server {server!r}" if server else "it"
    said = (
        f"{tool.label} was not called: {whose} may be called {bucket.settings.words} and that is used up; "
        f"try again in {_seconds(wait)}."
    )
    return Outcome(Status.LIMITED, error=said, retry_after=wait)


def _seconds(wait: float) -> str:
    """A time to wait, rounded up, so that who waits as long does get a turn."""
    return f"{-(-wait // 1):.0f} s" if wait < 600 else f"{-(-wait // 60):.0f} min"
