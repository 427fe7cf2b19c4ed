"""The part of a deck that serves its tools to other programs. The server is loaded when first used."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Protocol, Unpack

from tooldeck.core.host import Host
from tooldeck.core.lines import Lines
from tooldeck.core.tool import Tool
from tooldeck.hosts.blocking import step

if TYPE_CHECKING:
    from tooldeck.serve.serving import Serving
    from tooldeck.serve.settings import ServeSettings

__all__ = ["Served"]


class _Deck(Protocol):
    """What a deck has besides."""

    _host: Host
    _async_host: Host
    _lines: Lines
    _servings: list[Serving]

    def _usable(self) -> list[Tool]: ...

    def _open_serving(self, **settings: Any) -> tuple[Serving, Future[None]]: ...


class Served:
    """The methods of a deck for MCP clients."""

    _served_host: Host | None = None
    """Where the bodies of their calls run; None is threads of their own."""

    def serve(self: _Deck, **settings: Unpack[ServeSettings]) -> Serving:
        """Serve tools to MCP clients of this machine, on a thread of its own; returns when it answers.

        Clients see the tools that are declared to read at most, and more with the settings `tools`, `allow`
        and `effects` (see `tooldeck.serve.settings.ServeSettings` for all). Their calls pass the whole
        pipeline: what policy asks about, it asks about here. It ends with `Serving.stop`, with `close` or
        with the process.

        Raises `DefinitionError` for settings that mean nothing or open too much, `SetupError` where the port
        cannot be had or the mcp package is missing.
        """
        made, started = self._open_serving(**settings)
        step(self._host.wait(started))
        return made

    async def aserve(self: _Deck, **settings: Unpack[ServeSettings]) -> Serving:
        """The same as `serve`, to be awaited."""
        made, started = self._open_serving(**settings)
        await self._async_host.wait(started)
        return made

    @property
    def servings(self: _Deck) -> list[Serving]:
        """What is being served."""
        return list(self._servings)

    def usable(self: _Deck) -> list[Tool]:
        """The tools as models are shown them, without those that never run."""
        return self._usable()

    def watch_rules(self: _Deck, told: Callable[[], object]) -> Callable[[], None]:
        """Call `told` when policy, switches, hooks or hosts change, on whichever thread; returns the undoing.

        Whether a tool is shown may depend on them.
        """
        return self._lines.watch(told)
