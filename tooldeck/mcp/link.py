"""What a session is made of: a process or an HTTP connection, the tap on its streams, the client on top."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, cast

from tooldeck import __version__
from tooldeck.mcp import faults, raw
from tooldeck.mcp.frames import FrameLog
from tooldeck.mcp.http import TRANSPORTS, HttpDoor
from tooldeck.mcp.stdio import StdioServer
from tooldeck.mcp.tap import Tap
from tooldeck.mcp.target import Command, InProcess, Target, Url

if TYPE_CHECKING:
    from tooldeck.mcp.oauth.signing import Signing

__all__ = ["Link"]

_SETTLE = 1.0
# Seconds until it is known how a process ended that has closed its output.

_UNAUTHORIZED = 401
_NEVER_RAN = (
    "Its work was done before it said anything; perhaps the script only defines a server and never calls "
    "mcp.run()."
)


class Link:
    """The way to one server. `enter` it once, in the task that will leave it too."""

    def __init__(
        self,
        label: str,
        target: Target,
        *,
        env: dict[str, str],
        cwd: str | None,
        headers: dict[str, str],
        log: FrameLog,
        transport: str = "auto",
        signing: Signing | None = None,
    ) -> None:
        self.label = label
        self.target = target
        self.process: StdioServer | None = None
        """The run of the server's program; None for other kinds of target, and before it is started."""
        self.tap = Tap(log)
        self.client: Any = None
        """The library's client while the connection stands."""
        self.door = HttpDoor(target.url, headers, signing) if isinstance(target, Url) else None
        """The way to a URL; None for other kinds of target."""
        self.transport = "stdio" if isinstance(target, Command) else "" if self.door is None else "http"
        """How messages go: ``stdio``, ``http`` or ``sse``; empty within this process."""
        self._env, self._cwd, self._transport = env, cwd, transport

    @property
    def broken(self) -> bool:
        """Whether nothing more will be read from the server."""
        return self.tap.ended.is_set()

    async def enter(self, stack: AsyncExitStack, mode: str, callbacks: dict[str, Any]) -> Any:
        """Connect; leaving `stack` takes everything down. `callbacks` are options of the library's client."""
        if self.door is None:
            return await self._entered(stack, self._streams(), mode, callbacks)
        *others, last = TRANSPORTS[self._transport]
        for self.transport in others:
            try:
                return await self._entered(stack, self._through(self.transport), mode, callbacks)
            except Exception:
                if not self.door.may_be_older:
                    raise
                self.tap.ended.clear()
        self.transport = last
        return await self._entered(stack, self._through(last), mode, callbacks)

    async def _entered(self, stack: AsyncExitStack, way: Any, mode: str, callbacks: dict[str, Any]) -> Any:
        import mcp
        from mcp import types

        self.tap.log.hang_up()
        client: Any = mcp.Client(
            way,
            mode=mode,
            cache=None,
            client_info=types.Implementation(name="tooldeck", version=__version__),
            log_level="info",
            **callbacks,
        )
        await stack.enter_async_context(client)
        self.tap.version = lambda: client.protocol_version
        # The library would throw away results that do not fit the tool's output schema; we keep them and say
        # what does not fit.
        client.session.validate_tool_result = _anything_goes
        if isinstance(self.target, InProcess):
            raw.watch(client, self.tap.log)
        self.client = client
        return client

    def _streams(self) -> Any:
        if isinstance(self.target, Command):
            self.process = StdioServer(self.target, self._env, self._cwd)
            return self.tap.through(self.process.streams())
        return cast("InProcess", self.target).server

    def _through(self, transport: str) -> Any:
        assert self.door is not None  # noqa: S101 - asked for URLs only
        return self.tap.through(self.door.streams(transport))

    async def why_ended(self) -> str:
        """Why the server went, with what the program printed."""
        if self.process is None:
            return "the connection ended"
        await self.process.settled(_SETTLE)
        ending, told = self.process.ending() or "it closed its output", self.process.told()
        return f"{ending}.\n{told}" if told else ending

    async def connect_error(self, error: BaseException) -> BaseException:
        """Why no session came about, with what the program printed."""
        if self.process is None:
            refused = self.door.refused if self.door is not None else None
            ending = "" if refused is None else f"answered with the HTTP status {refused}"
            if self.door is not None and refused == _UNAUTHORIZED:
                ending += f", so it wants to know who asks; {self.door.why_unknown}"
            return faults.of_connect(error, self.label, self.target, ending)
        await self.process.settled(_SETTLE)
        told = [self.process.told()] if self.process.told() else []
        if self.process.exit_code == 0 and not self.process.junk and not self.tap.heard:
            told.append(_NEVER_RAN)
        # How it ended is no reason where it was ended by us, because of what it said.
        ending = self.process.ending() if self._went(error) else ""
        return faults.of_connect(error, self.label, self.target, ending, "\n".join(told))

    def _went(self, error: BaseException) -> bool:
        """Whether the server went first, and the error is only what came of that."""
        import anyio

        inner = faults.single(error)
        return self.tap.hung_up or isinstance(inner, anyio.BrokenResourceError | anyio.ClosedResourceError)


async def _anything_goes(name: str, result: object) -> None:
    """Stands in for the client library's check of results."""
