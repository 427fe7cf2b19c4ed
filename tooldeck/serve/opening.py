"""Makes a server of a deck and of what `deck.serve` is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from tooldeck import __version__
from tooldeck.core.errors import DefinitionError
from tooldeck.core.host import Host
from tooldeck.core.options import check_name
from tooldeck.serve.exposure import check_names, read_exposure
from tooldeck.serve.guard import check_host, read_token
from tooldeck.serve.host import ServedHost
from tooldeck.serve.http import HttpCarrier
from tooldeck.serve.server import DeckServer
from tooldeck.serve.serving import Serving

if TYPE_CHECKING:
    from tooldeck.deck import Deck

__all__ = ["make_server", "open_serving"]

_PORTS = 65_535


def make_server(
    deck: Deck,
    *,
    tools: str | Iterable[str] | None = None,
    allow: str | Iterable[str] = (),
    effects: str | Iterable[str] = ("read",),
    name: str = "tooldeck",
    host: Host | None = None,
) -> DeckServer:
    """A server of the deck that nothing carries yet; `host` is where bodies run."""
    exposure = read_exposure(tools, allow, effects)
    check_names(exposure, deck.tools)
    return DeckServer(deck, exposure, host or ServedHost(), name=check_name(name), version=__version__)


def open_serving(
    deck: Deck,
    where: Host | None,
    wait: Callable[[Future[Any]], Any],
    forget: Callable[[Serving], None],
    *,
    port: int = 0,
    token: str | bool | None = None,
    host: str = "127.0.0.1",
    force: bool = False,
    **chosen: Any,
) -> tuple[Serving, Future[None]]:
    """A server over HTTP, and the future that is done when it answers. The options are `ServeSettings`."""
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= _PORTS:
        raise DefinitionError(f"port= must be a number from 0, a free one, to {_PORTS}, got {port!r}.")
    key = read_token(token)
    address = check_host(host, force=force, token=key)
    server = make_server(deck, host=where, **chosen)
    carrier = HttpCarrier(server, address, port, key)
    return Serving(server, carrier, key, wait, forget), carrier.start()
