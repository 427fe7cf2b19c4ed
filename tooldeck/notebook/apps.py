"""Pages of MCP servers in a notebook: which results have one, when it is shown, where its calls run."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any

from IPython.display import display

from tooldeck.core.approval import ApprovalRequest, Decision
from tooldeck.core.errors import SetupError
from tooldeck.core.result import ToolResult
from tooldeck.hosts.background import background
from tooldeck.notebook.approvals import ApprovalDesk, shown_in
from tooldeck.notebook.hosts import NotebookServedHost
from tooldeck.notebook.kernel.environment import Audience, audience

if TYPE_CHECKING:
    from tooldeck.deck import Deck
    from tooldeck.mcp.app_calls import AppCalls
    from tooldeck.mcp.app_pages import Page
    from tooldeck.mcp.apps import App

__all__ = ["AppDesk", "can_be_shown"]

_MOST = 4
"""Apps that one cell shows; of more results than that only the last ones are alive."""


def can_be_shown() -> bool:
    """Whether a page of a server could be drawn now: where a front end with widgets takes part."""
    return audience() is Audience.WIDGETS and importlib.util.find_spec("anywidget") is not None


class _AppHost(NotebookServedHost):
    """Where the bodies of calls by apps run; questions about them go into the card of the app."""

    async def ask(self, request: ApprovalRequest) -> Decision:
        """See `Host.ask`."""
        return await self._desk.ask_from_elsewhere(request, None, self)


class AppDesk:
    """Shows the apps of results, and runs what they ask for."""

    def __init__(self, deck: Deck, desk: ApprovalDesk) -> None:
        self._deck = deck
        self._host = _AppHost(desk)
        self._calls: AppCalls | None = None
        self._waiting: list[App] = []

    def displayed(self, value: object) -> None:
        """A cell shows this result or value: its app comes below, when the cell has ended."""
        app = _app_of(value)
        if app is not None and not any(app is other for other in self._waiting) and can_be_shown():
            self._waiting = [*self._waiting, app][-_MOST:]

    def flush(self, *_ignored: Any) -> None:
        """Show the apps of the cell that has just ended."""
        waiting, self._waiting = self._waiting, []
        for app in waiting:
            card = self._card(app)
            if card is not None:
                display(card)

    def card(self, result: ToolResult) -> Any:
        """The card of a result's app; None where there is none."""
        app = _app_of(result)
        return None if app is None else self._card(app)

    def _card(self, app: App) -> Any:
        try:
            from tooldeck.notebook.widgets.app import AppCard
        except SetupError:
            return None
        return AppCard(app, self)

    def _made(self) -> AppCalls:
        if self._calls is None:
            from tooldeck.mcp.app_calls import AppCalls

            self._calls = AppCalls(self._deck, self._host)
        return self._calls

    def page(self, app: App) -> Future[Page]:
        """Read the page of an app, on the loop of its server. Raises `McpError` where that is gone."""
        calls = self._made()
        return calls.connection(app).session.executor.submit(calls.page, app)

    def read(self, app: App, uri: str) -> Future[dict[str, Any]]:
        """Read a resource of the app's server, on its loop. Raises `McpError` where that is gone."""
        calls = self._made()
        return calls.connection(app).session.executor.submit(calls.read, app, uri)

    def call(
        self, app: App, name: str, arguments: Mapping[str, Any], show: Callable[[Any], None]
    ) -> Future[dict[str, Any]]:
        """Start a call of an app; a question about it is shown by `show`."""
        with shown_in(show):
            return background().submit(partial(self._made().call, app, name, arguments))


def _app_of(value: object) -> App | None:
    inner = value.value if isinstance(value, ToolResult) else value
    return getattr(inner, "app", None) if type(inner).__name__ == "McpValue" else None
