"""What a server may want of the notebook in the middle of a call, as plain records and callables.

Handlers run on the session's loop, in the context of the call they belong to. Each may be a plain function or
an ``async`` one; what touches widgets is the handler's own business to hand to the right thread.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tooldeck.core.messages import Message, ModelReply
from tooldeck.core.questions import Answer, Question

if TYPE_CHECKING:
    from tooldeck.mcp.oauth.redirect import SignInRequest
    from tooldeck.mcp.session import Session

__all__ = [
    "Handlers",
    "ListChange",
    "LogLine",
    "PageDone",
    "Progress",
    "ResourceUpdate",
    "SampleRefused",
    "SampleWish",
]


@dataclass(frozen=True, slots=True)
class Progress:
    """A running call reports how far it is."""

    server: str
    tool: str
    progress: float
    total: float | None = None
    """The value of `progress` at the end; None when the server does not know."""
    message: str = ""


@dataclass(frozen=True, slots=True)
class LogLine:
    """A server says something for the log."""

    server: str
    level: str
    """``debug``, ``info``, ``notice``, ``warning``, ``error``, ``critical``, ``alert`` or ``emergency``."""
    data: Any
    """A string or any JSON value."""
    logger: str = ""
    wanted: bool = False
    """Whether somebody has said from which level on the server shall tell."""


@dataclass(frozen=True, slots=True)
class ListChange:
    """A server has another list of prompts or resources now."""

    server: str
    what: str
    """``prompts`` or ``resources``."""


@dataclass(frozen=True, slots=True)
class ResourceUpdate:
    """A resource has changed that somebody has subscribed to."""

    server: str
    uri: str


@dataclass(frozen=True, slots=True)
class PageDone:
    """What a person was to do on a page is done, says the server."""

    server: str
    message: str
    """Why the page was to be visited, in the server's words."""
    url: str


@dataclass(frozen=True, slots=True)
class SampleWish:
    """A server wants words of a model (sampling)."""

    server: str
    tool: str
    """The tool that is running, by the server's name."""
    messages: tuple[Message, ...]
    system: str
    max_tokens: int
    """The longest answer that it wants."""
    stops: tuple[str, ...] = ()
    """Texts that end the answer."""


@dataclass(frozen=True, slots=True)
class SampleRefused:
    """There are none."""

    reason: str
    """One clause, without a full stop; the server reads it."""


@dataclass(slots=True)
class Handlers:
    """Who listens. May be changed at any time; a handler that raises is treated as absent for that moment."""

    on_elicit: Callable[[Question], Awaitable[Answer] | Answer] | None = None
    """Answers questions; None declines them all."""
    on_progress: Callable[[Progress], Awaitable[None] | None] | None = None
    on_log: Callable[[LogLine], Awaitable[None] | None] | None = None
    on_sign_in: Callable[[SignInRequest], Awaitable[str | None] | str | None] | None = None
    """Shows the page to sign in at; gives the address at which the browser ended, as pasted by the person, or
    None when they give up. Cancelled when the browser came back by itself; None refuses to sign in."""
    on_tools_changed: Callable[[Session], Awaitable[None] | None] | None = None
    """Told after a server changed its list of tools and the session read the new one."""
    on_list_changed: Callable[[ListChange], Awaitable[None] | None] | None = None
    on_update: Callable[[ResourceUpdate], Awaitable[None] | None] | None = None
    on_page_done: Callable[[PageDone], Awaitable[None] | None] | None = None
    on_sample: Callable[[SampleWish], Awaitable[ModelReply | SampleRefused]] | None = None
    """Answers for a model; None refuses all wishes."""
    shows_apps: bool = False
    """Whether pages of servers (MCP Apps) can be shown to the person; they are told so."""
