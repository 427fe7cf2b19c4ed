"""The page of an MCP App: read from its server, and made safe to be shown.

A page is HTML of a stranger. It is put into a frame within a frame, both of opaque origins: the outer one is
ours, holds the policy that the inner one inherits, and passes messages on. It is also what keeps the page
from going elsewhere by itself: where a frame may lead is limited by the policy of the document around it.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from tooldeck.mcp.apps import MIME, mapping
from tooldeck.mcp.errors import McpAnswerError, McpError
from tooldeck.mcp.resources import RESOURCES

if TYPE_CHECKING:
    from tooldeck.mcp.session import Session

__all__ = ["Page", "frame", "policy", "read_page"]

MOST_CHARS = 8_000_000
"""Characters of a page; those of real servers have up to 4.3 million."""
_MOST_DOMAINS = 40
_MOST_NAME = 300
"""Characters of an origin; a name of the net has 253 at most."""
_DOMAIN = re.compile(
    r"(https|wss)://(\*\.)?([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9](:\d{1,5})?"
)
_INNER_NAMES = (
    ".localhost",
    ".local",
    ".localdomain",
    ".internal",
    ".intranet",
    ".lan",
    ".home.arpa",
    ".onion",
)
_KINDS = ("connectDomains", "resourceDomains", "frameDomains")


@dataclass(frozen=True, slots=True)
class Page:
    """A page as its server gives it."""

    html: str
    domains: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """The origins that it may reach, by the protocol's words for what for."""
    refused: tuple[str, ...] = ()
    """Origins that it wants to reach and may not."""

    @property
    def reach(self) -> tuple[str, ...]:
        """All origins that it may reach, each once."""
        return tuple(dict.fromkeys(one for names in self.domains.values() for one in names))


async def read_page(session: Session, uri: str) -> Page:
    """Read a page. On the session's own loop. Raises `McpError` where there is none that can be shown."""

    async def get(client: Any, _running: Any) -> Any:
        return await client.read_resource(uri)

    contents = (await session.perform(f"the page {uri!r}", get)).contents
    found = next((one for one in contents if _is_page(one.mime_type)), None)
    if found is None:
        kinds = ", ".join(repr(one.mime_type) for one in contents) or "nothing"
        raise McpAnswerError(f"{uri!r} is no page of an MCP App: it is {kinds}, not {MIME!r}.", session.label)
    text = _text(found)
    if text is None or len(text) > MOST_CHARS:
        why = "its bytes are no UTF-8 text" if text is None else f"it has more than {MOST_CHARS} characters"
        raise McpAnswerError(f"The page {uri!r} cannot be shown: {why}.", session.label)
    ui = mapping(mapping(found.meta).get("ui")) or await _listed(session, uri)
    return _page(text, mapping(ui.get("csp")))


async def _listed(session: Session, uri: str) -> Mapping[str, Any]:
    """What the list of resources says of a page that says nothing itself; most lists leave pages out."""
    try:
        entries = await session.offered(RESOURCES).read()
    except McpError:
        return {}
    entry = entries.get(uri)
    return {} if entry is None else mapping(mapping(entry.definition.get("_meta")).get("ui"))


def _page(text: str, csp: Mapping[str, Any]) -> Page:
    wanted = {kind: _strings(csp.get(kind)) for kind in _KINDS}
    allowed = {kind: tuple(filter(_may_be_reached, names)) for kind, names in wanted.items()}
    refused = [name for names in wanted.values() for name in names if not _may_be_reached(name)]
    return Page(text, allowed, tuple(dict.fromkeys(refused)))


def _may_be_reached(name: str) -> bool:
    """Whether it is an encrypted origin with a public name: neither this machine nor its neighbours."""
    if not _DOMAIN.fullmatch(name):
        return False
    host = name.partition("//")[2].partition(":")[0]
    return not f".{host}".endswith(_INNER_NAMES)


def policy(domains: Mapping[str, tuple[str, ...]]) -> str:
    """The Content-Security-Policy of a page: what it carries itself, and these origins.

    `'self'` is left out on purpose: in a frame without an address it would mean the notebook's own server.
    Code may be evaluated, since the page is nothing but a stranger's code anyhow.
    """
    reach = {kind: " ".join(domains.get(kind, ())) for kind in _KINDS}
    more = reach["resourceDomains"]
    rules = {
        "default-src": "'none'",
        "script-src": f"'unsafe-inline' 'unsafe-eval' blob: data: {more}",
        "style-src": f"'unsafe-inline' blob: data: {more}",
        "img-src": f"blob: data: {more}",
        "font-src": f"blob: data: {more}",
        "media-src": f"blob: data: {more}",
        "worker-src": "blob:",
        "connect-src": reach["connectDomains"] or "'none'",
        "frame-src": reach["frameDomains"] or "'none'",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}".rstrip() for name, value in rules.items())


def frame(page: Page) -> str:
    """The document of the outer frame, with the page in the inner one."""
    rules = html.escape(policy(page.domains))
    head = (
        f'<!doctype html><meta http-equiv="Content-Security-Policy" content="{rules}">'
        '<meta http-equiv="x-dns-prefetch-control" content="off"><meta name="referrer" content="no-referrer">'
    )
    inner = html.escape(f"{head}<script>{_without_calls(page)}</script>{page.html}")
    return (
        f"{head}<style>html,body{{height:100%;margin:0;overflow:hidden}}"
        f"iframe{{display:block;width:100%;height:100%;border:0}}</style><script>{_RELAY}</script>"
        f'<iframe sandbox="allow-scripts" title="app" srcdoc="{inner}"></iframe>'
    )


def _without_calls(page: Page) -> str:
    """Takes away what no policy of today's browsers holds back: WebRTC, which can reach any address.

    A frame that the page makes has it again, so there is none unless the page has declared other origins for
    frames. This is no wall: frames within closed shadow roots are not found.
    """
    return _NO_CALLS if page.domains.get("frameDomains") else _NO_CALLS + _NO_FRAMES


_NO_CALLS = """
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) {
  Object.defineProperty(globalThis, name, { value: undefined, configurable: false, writable: false });
}
"""

_NO_FRAMES = """
new MutationObserver((changes) => {
  for (const node of changes.flatMap((change) => [...change.addedNodes])) {
    if (node.localName === "iframe") node.remove();
    else node.querySelectorAll?.("iframe").forEach((inner) => inner.remove());
  }
}).observe(document, { childList: true, subtree: true });
"""

_RELAY = """
addEventListener("message", ({ source, data }) => {
  if (source === parent) frames[0].postMessage(data, "*");
  else if (source === frames[0]) parent.postMessage(data, "*");
});
"""


def _is_page(mime: str | None) -> bool:
    kind, *rest = (part.strip().lower() for part in (mime or "").split(";"))
    return kind == "text/html" and any(part.replace('"', "") == "profile=mcp-app" for part in rest)


def _text(content: Any) -> str | None:
    text = getattr(content, "text", None)
    if isinstance(text, str):
        return text
    try:
        return base64.b64decode(content.blob, validate=True).decode()
    except (binascii.Error, ValueError):
        return None


def _strings(given: Any) -> tuple[str, ...]:
    listed: list[Any] = cast("list[Any]", given) if isinstance(given, list) else []
    return tuple(one[:_MOST_NAME] for one in listed[:_MOST_DOMAINS] if isinstance(one, str))
