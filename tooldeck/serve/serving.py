"""A deck that is being served: where, to whom, with which token; and how other programs are told of it."""

from __future__ import annotations

import contextlib
import json
import shlex
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from tooldeck.core.tool import Tool
from tooldeck.serve.exposure import read_exposure
from tooldeck.serve.guard import LOOPBACK
from tooldeck.serve.http import PATH, HttpCarrier
from tooldeck.serve.server import DeckServer

if TYPE_CHECKING:
    from tooldeck.serve.exposure import Exposure

__all__ = ["Serving"]

HIDDEN = "••••"


class Serving:
    """What `deck.serve` gives. As a context manager it stops at the end of the block.

    The token is never shown by itself: say ``token=True`` where a text shall have it.
    """

    def __init__(
        self,
        server: DeckServer,
        carrier: HttpCarrier,
        token: str | None,
        wait: Callable[[Future[Any]], Any],
        forget: Callable[[Serving], None],
    ) -> None:
        self._server = server
        self._carrier = carrier
        self._wait = wait
        self._forget = forget
        self.on_stop: Callable[[], object] | None = None
        """Told once it has been stopped."""
        self.token = token
        """What clients send as ``Authorization: Bearer``; None where none is asked for."""

    # -- where and who

    @property
    def name(self) -> str:
        """The name by which the server introduces itself."""
        return self._server.protocol.name

    @property
    def url(self) -> str:
        """The address for clients of this machine."""
        host = self._carrier.host
        shown = "127.0.0.1" if host in {*LOOPBACK, "0.0.0.0"} else host  # noqa: S104 - compared
        return f"http://{f'[{shown}]' if ':' in shown else shown}:{self.port}{PATH}"

    @property
    def port(self) -> int:
        """The port that is listened on."""
        return self._carrier.port

    @property
    def running(self) -> bool:
        """Whether it can be reached."""
        return self._carrier.running

    @property
    def tools(self) -> list[Tool]:
        """The tools that clients see now, with the actions that they may call."""
        return self._server.tools()

    @property
    def hidden(self) -> list[Tool]:
        """The tools of the deck of which they see nothing."""
        shown = {tool.name for tool in self.tools}
        return [tool for tool in self._server.deck.usable() if tool.name not in shown]

    @property
    def clients(self) -> dict[str, int]:
        """Who has called so far, by the name it gave itself, and how often."""
        return dict(self._server.clients)

    # -- what is shown

    @property
    def exposure(self) -> Exposure:
        """Which tools and actions are shown."""
        return self._server.exposure

    def allow(self, *names: str) -> None:
        """Show these tools as well, or actions as ``tool.action``, whatever they may do; clients are told.

        It approves nothing: the deck's policy decides about each call, and asks here where it would ask.
        """
        self._expose(self.exposure.allowed | read_exposure(allow=names).allowed)

    def withdraw(self, *names: str) -> None:
        """Take back what `allow` has said of these names."""
        self._expose(self.exposure.allowed - set(names))

    def _expose(self, allowed: Iterable[str]) -> None:
        self._server.exposure = replace(self.exposure, allowed=frozenset(allowed))
        self._server.renew()

    # -- for other programs

    def mcp_json(self, *, token: bool = False) -> str:
        """The entry for another program's ``mcp.json``; the token is dots unless `token` says otherwise."""
        entry: dict[str, Any] = {"type": "http", "url": self.url}
        if self.token is not None:
            entry["headers"] = {"Authorization": f"Bearer {self.token if token else HIDDEN}"}
        return json.dumps({"mcpServers": {self.name: entry}}, indent=2, ensure_ascii=False)

    def claude_command(self, *, token: bool = False) -> str:
        """The command that tells Claude Code of it."""
        words = ["claude", "mcp", "add", "--transport", "http", self.name, self.url]
        if self.token is not None:
            words += ["--header", f"Authorization: Bearer {self.token if token else HIDDEN}"]
        return " ".join(shlex.quote(word) if set(word) & set(" '\"$") else word for word in words)

    # -- the end

    def stop(self) -> None:
        """End the calls under way and close the port, within about 5 seconds; twice is once."""
        with contextlib.suppress(ValueError):
            self._forget(self)
        if self.running:
            self._wait(self._carrier.stop())
            self._carrier.end_thread()
            if self.on_stop is not None:
                self.on_stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        names = ", ".join(tool.name for tool in self.tools) or "no tools"
        if not self.running:
            return f"<Serving {self.name}: stopped>"
        door = "no token" if self.token is None else f"token {HIDDEN}"
        return f"<Serving {self.name} at {self.url} ({door}): {names}>"
