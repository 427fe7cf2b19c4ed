"""One connection to one server: who opens it, who calls through it, how it ends.

Calls are tasks of their own: they run side by side, and cancelling one sends the cancellation to the server
and leaves the session alone.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from contextlib import AsyncExitStack
from typing import Any, TypeVar

from tooldeck.core.tool import Executor
from tooldeck.guards.environment import environment
from tooldeck.hosts.background import background
from tooldeck.mcp import sdk
from tooldeck.mcp.apps import extension
from tooldeck.mcp.asking import Asking
from tooldeck.mcp.calls import CallsInFlight
from tooldeck.mcp.clock import Clock
from tooldeck.mcp.errors import McpConnectError, McpError
from tooldeck.mcp.frames import FrameLog
from tooldeck.mcp.handlers import Handlers
from tooldeck.mcp.http import TRANSPORTS
from tooldeck.mcp.life import Life, State
from tooldeck.mcp.link import Link
from tooldeck.mcp.listing import Listing, RemoteTool, read_tools
from tooldeck.mcp.news import News
from tooldeck.mcp.oauth.signin import SignIn
from tooldeck.mcp.oauth.signing import Signing
from tooldeck.mcp.offers import Offer, Offered
from tooldeck.mcp.settings import SessionSettings, above_zero, folders, one_of
from tooldeck.mcp.subscriptions import Subscription
from tooldeck.mcp.tap import Malformed
from tooldeck.mcp.target import Target, read_target
from tooldeck.mcp.tasks import Tasks
from tooldeck.mcp.wishes import Wishes

__all__ = ["Session", "SessionSettings", "State"]

T = TypeVar("T")


class Session(Asking):
    """A connection to a server; `open` it once, then `call` its tools by the server's own names.

    `target` as in `read_target`. `timeout` is in seconds for every call, not counting the time a question to
    the person is open; `connect_timeout` for everything from the start of the program to the list of tools.
    `mode` is ``auto``, ``legacy`` (protocol versions up to 2025-11-25) or a newer version. `transport` is how
    a URL is spoken to: ``http`` (Streamable HTTP), ``sse`` (its predecessor) or ``auto``, which tries the one
    and, where the server refuses it as older ones do, the other. `env` is added to the safe part of the
    environment, `headers` to HTTP requests. `sign_in` is how to sign in where a server wants that, and who is
    signed in. `roots` are the folders that the server is told of when it asks where to work: none that are
    not named here. `executor` is where everything runs. `log` takes the messages, where one of an earlier
    session shall go on.

    Raises `DefinitionError` for a target that cannot be read and for times that are not above 0, `SetupError`
    where the mcp package is missing.
    """

    def __init__(
        self,
        label: str,
        target: object,
        *,
        timeout: float = 60.0,
        connect_timeout: float = 30.0,
        mode: str = "auto",
        transport: str = "auto",
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        headers: Mapping[str, str] | None = None,
        handlers: Handlers | None = None,
        executor: Executor | None = None,
        sign_in: SignIn | None = None,
        roots: Iterable[str | os.PathLike[str]] = (),
        log: FrameLog | None = None,
    ) -> None:
        sdk.require()
        self.label = label
        self.target: Target = read_target(target)
        self.timeout = above_zero("timeout", timeout)
        self.connect_timeout = above_zero("connect_timeout", connect_timeout)
        self.mode = mode
        self.handlers = handlers or Handlers()
        self.executor: Executor = executor or background()
        self.sign_in = sign_in or SignIn()
        self.listing = Listing()
        self.on_change: Callable[[], None] | None = None
        """Called on a thread of its own after the list of tools was read again."""
        self.server_name = ""
        self.server_version = ""
        self.protocol = ""
        """The protocol version both sides agreed on."""
        self.instructions = ""
        self.log = FrameLog() if log is None else log
        """The messages both ways, with their times."""
        self._calls = CallsInFlight(self)
        self._link = Link(
            label,
            self.target,
            env=environment(env),
            cwd=cwd,
            headers=dict(headers or {}),
            log=self.log,
            transport=one_of("transport", transport, TRANSPORTS),
            signing=Signing(self, self._calls, self.sign_in),
        )
        self._life = Life(self._link, self._enter)
        self.opening: Clock | None = None
        """The time in which it has to be connected; None until that begins."""
        self.tasks = Tasks(self, self._calls)
        """The long calls that the server made tasks of."""
        self._pid = os.getpid()
        self.wishes = Wishes(self, self._calls, folders(roots))
        """Answers what the server wants of us."""
        self.news = News(self, self._calls)
        """Hears what the server says on its own."""
        self._offered: dict[str, Offered[Any]] = {}
        self.subscriptions: list[Subscription] = []
        """Who wants to hear of changes of resources."""

    # -- from any thread ---

    def open(self) -> Future[Any]:
        """Connect and read the list of tools. The future raises `McpConnectError` when that fails."""
        if self.state is not State.NEW:
            raise McpError(f"The session {self.label!r} was opened before; make a new one.", self.label)
        self._life.state = State.CONNECTING
        return self.executor.submit(self._life.open)

    def close(self) -> Future[Any]:
        """End the session and its process, within about 5 seconds. Closing twice is harmless."""
        return self.executor.submit(self._life.close)

    def make_room(self) -> Future[Any]:
        """The same, for another session with the same server: whoever uses this one is told so."""
        self._life.again = True
        return self.close()

    def not_again(self, state: State, why: str) -> None:
        """The other session did not come about: how this one counts, and why."""
        self._life.not_again(state, why)

    @property
    def state(self) -> State:
        """Whether the session can be used."""
        return self._life.state

    @property
    def reason(self) -> str:
        """Why the session is over; empty while it is not."""
        return self._life.reason

    def over_for(self) -> float:
        """Seconds since the session is over; 0 while it is not."""
        since = self._life.over_since
        return 0.0 if since is None else time.monotonic() - since

    @property
    def on_end(self) -> Callable[[], None] | None:
        """Called on the session's thread, once, when the session is over; `state` and `reason` say how."""
        return self._life.on_end

    @on_end.setter
    def on_end(self, told: Callable[[], None] | None) -> None:
        self._life.on_end = told

    @property
    def headers(self) -> Mapping[str, str]:
        """What is sent with every request over HTTP, beside what the protocol wants."""
        return self._link.door.headers if self._link.door is not None else {}

    @property
    def transport(self) -> str:
        """How messages go: ``stdio``, ``http`` or ``sse``; empty for a server of this process."""
        return self._link.transport

    @property
    def is_legacy(self) -> bool:
        """Whether the protocol is one of those with a handshake, up to 2025-11-25."""
        return self.protocol < "2026"

    @property
    def tools(self) -> tuple[RemoteTool, ...]:
        """The server's tools that can be used."""
        return self.listing.tools

    @property
    def malformed(self) -> tuple[Malformed, ...]:
        """The tools in the server's list that cannot be used, each with its reason."""
        return self.listing.malformed

    @property
    def completes(self) -> bool:
        """Whether the server has suggestions for the gaps of its prompts and templates."""
        client = self._link.client
        return client is not None and client.server_capabilities.completions is not None

    def offered(self, offer: Offer[T]) -> Offered[T]:
        """One of the server's other lists, such as that of its prompts."""
        return self._offered.setdefault(offer.method, Offered(self, offer))

    def forget(self, what: str) -> None:
        """The server's ``prompts`` or ``resources`` are others now."""
        for method, offered in list(self._offered.items()):
            if method.startswith(f"{what}/"):
                offered.forget()

    @property
    def pid(self) -> int | None:
        """The process id of a stdio server."""
        return self._link.process.pid if self._link.process is not None else None

    def stderr(self, lines: int = 20) -> list[str]:
        """The last lines that a stdio server wrote to its stderr."""
        return self._link.process.stderr_lines(lines) if self._link.process is not None else []

    def stray_output(self) -> list[str]:
        """The last lines on a stdio server's stdout that were no messages of the protocol."""
        return list(self._link.process.junk) if self._link.process is not None else []

    def __repr__(self) -> str:
        first, *more = self.reason.splitlines() or [""]
        about = f", {len(self.tools)} tools" if self.state is State.READY else f": {first}" if first else ""
        return f"<Session {self.label!r} {self.state}{about}{'…' if more else ''}>"

    # -- on the session's loop ---

    async def _enter(self, stack: AsyncExitStack) -> None:
        """Connect and read the list of tools, within the time limit."""
        limit = self.connect_timeout
        clock = self.opening = Clock(limit)
        try:
            async with clock:
                client = await self._link.enter(stack, self.mode, self._callbacks())
                info = client.server_info
                self.server_name, self.server_version = (info.name, info.version) if info else ("", "")
                self.protocol = client.protocol_version
                self.instructions = client.instructions or ""
                self.listing = await read_tools(client, self._link.tap)
                stack.callback(self.news.stop)
                self.news.listen(client)
        except TimeoutError:
            if clock.expired():
                raise McpConnectError(f"did not answer within {limit:g} s", self.label) from None
            raise

    def _callbacks(self) -> dict[str, Any]:
        """Whom the client library tells what a server says on its own."""
        return {
            "elicitation_callback": self.wishes.elicited,
            "sampling_callback": self.wishes.sampled,
            "list_roots_callback": self.wishes.roots_listed,
            "logging_callback": self.news.log,
            "message_handler": self.news.hear,
            "extensions": [self.tasks.extension(), *([extension()] if self.handlers.shows_apps else [])],
        }

    async def read_list_again(self) -> None:
        """The server says that its list of tools has changed."""
        if self.state is not State.READY:
            return
        self.listing = await read_tools(self._link.client, self._link.tap)
        if self.on_change is not None:
            # Beside the loop, which is that of all servers: reading thousands of new schemas takes seconds.
            await asyncio.to_thread(self.on_change)
        await self._calls.tell(self.handlers.on_tools_changed, self)
