"""The two addresses of signing in: the page a person is sent to, and the one at which the browser ends."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qs, urlsplit

from tooldeck.core.errors import TooldeckError
from tooldeck.guards.text import one_line
from tooldeck.guards.urls import UrlGuard, UrlRefused, masked

__all__ = [
    "Redirected",
    "SignInFailed",
    "SignInRequest",
    "WrongAddress",
    "check_page",
    "ends_at",
    "is_here",
    "of_here",
]

_SHOWN = 300
# Characters of the server's words for a refusal.


class SignInFailed(TooldeckError):
    """Nobody signed in; the message is one sentence that says why."""


class WrongAddress(TooldeckError):
    """What was pasted, or asked of the listener, does not end this sign-in; it goes on waiting."""


@dataclass(frozen=True, slots=True)
class Redirected:
    """What the authorization server gave the browser to bring back."""

    code: str = field(repr=False)
    state: str = field(repr=False)
    iss: str | None
    """Who says so (RFC 9207); None where the server does not."""


@dataclass(slots=True)
class SignInRequest:
    """A person is to sign in: visit a page, and end at an address of this machine."""

    server: str
    """The label of the connection."""
    page: str = field(repr=False)
    """The page to visit, whole: an http(s) address that was checked."""
    ends_at: str
    """Where the browser is sent in the end, without its query."""
    seconds: float
    """How long it is waited for."""
    listening: bool = False
    """Whether somebody listens there; where not, the address has to be pasted."""
    arrived: threading.Event = field(default_factory=threading.Event, repr=False)
    """Set when the browser came back by itself."""

    @property
    def host(self) -> str:
        """Whose page it is."""
        return urlsplit(self.page).hostname or ""

    def read(self, address: str) -> Redirected:
        """Read the address at which the browser ended.

        Raises `WrongAddress` for one that does not belong to this sign-in, `SignInFailed` where the
        authorization server refused.
        """
        given, wanted = _split(address), urlsplit(self.ends_at)
        hosts = {wanted.hostname, "localhost"}
        if (given.scheme, given.path) != (wanted.scheme, wanted.path) or given.hostname not in hosts:
            raise WrongAddress(
                f"That is not the address at which signing in ends; it begins {self.ends_at}?…"
            )
        if given.port != wanted.port or given.username is not None:
            raise WrongAddress(
                f"That is not the address at which signing in ends; it begins {self.ends_at}?…"
            )
        fields = parse_qs(given.query, keep_blank_values=True)
        if any(len(values) > 1 for values in fields.values()):
            raise WrongAddress("A part of that address is given twice; it was not made by signing in.")
        said = {name: values[0] for name, values in fields.items()}
        if said.get("state") != self.state:
            raise WrongAddress(
                "That address belongs to another sign-in: its state is not the one of this one."
            )
        if "error" in said:
            about = one_line(f"{said['error']} {said.get('error_description', '')}".strip())[:_SHOWN]
            raise SignInFailed(f"the authorization server refused: {about}")
        if not said.get("code"):
            raise WrongAddress("That address has no code in it; copy it whole, up to its end.")
        return Redirected(said["code"], said["state"], said.get("iss"))

    @property
    def state(self) -> str:
        """The mark of this sign-in, which has to come back."""
        return parse_qs(urlsplit(self.page).query).get("state", [""])[-1]


def ends_at(port: int) -> str:
    """The address at which the browser ends."""
    return f"http://127.0.0.1:{port}/callback"


def check_page(page: str) -> None:
    """Raise `SignInFailed` unless a person may be sent to this page: encrypted, or on this machine."""
    try:
        site = UrlGuard(allow=of_here(page)).read(page)
    except UrlRefused as refused:
        raise SignInFailed(f"its page for signing in must not be visited: {refused.why}") from None
    if not page.lower().startswith("https:") and not is_here(site.host):
        raise SignInFailed(f"its page for signing in is not encrypted: {masked(page.partition('?')[0])}")


def is_here(host: str) -> bool:
    """Whether a host name can only mean this machine."""
    return host in {"localhost", "::1"} or (
        host.startswith("127.") and host.count(".") == 3 and host.replace(".", "").isdigit()
    )


def of_here(address: str) -> tuple[str, ...]:
    """The host and port of an address of this machine, as an exception of the URL guard; else none."""
    try:
        read = urlsplit(address)
        port = read.port or (443 if read.scheme == "https" else 80)
    except ValueError:
        return ()
    return (f"{read.hostname}:{port}",) if is_here(read.hostname or "") else ()


def _split(address: str) -> SplitResult:
    try:
        given = urlsplit(address.strip())
        _ = given.port
    except ValueError:
        raise WrongAddress("That is no address.") from None
    return given
