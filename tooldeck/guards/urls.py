"""The URL guard: what every tool asks before it sends anything to an address.

An address is read once, by one parser; its name is resolved once, every answer must be public, and the
connection goes to the answer that was checked (`tooldeck.guards.http`), on every hop of a redirect.
"""

from __future__ import annotations

import re
import socket
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, urlsplit, urlunsplit

from tooldeck.core.credentials import without_logins
from tooldeck.core.errors import ExpectedError
from tooldeck.guards.addresses import is_public
from tooldeck.guards.text import one_line

__all__ = ["Resolver", "Site", "UrlGuard", "UrlRefused", "masked", "never_reached"]

Resolver = Callable[[str, int], Iterable[str]]
"""Names to addresses: host and port to addresses in their usual notation; raises OSError for no answer."""

_USUAL = {"http": 80, "https": 443}
# Ports of programs that are not web servers: the "bad ports" of the Fetch standard, and databases.
_BAD_PORTS = frozenset(
    {
        1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103,
        104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513,
        514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720,
        1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
        10080, 2375, 2379, 2380, 3306, 5432, 6379, 8300, 8500, 8501, 9200, 9300, 11211, 27017,
    }
)  # fmt: skip
_LONGEST = 8_192  # characters of an address
_SHOWN = 200  # of them, in messages
_LOCAL = re.compile(r"(?:^|\.)(?:localhost|local|internal|home\.arpa)$")
"""Names of neighbours, whatever a resolver says: RFC 6761, 6762, 8375, and ICANN's name for private use."""
_NOT_PUBLIC = "it has no public address, or is not known"
_NO_HOST = str.maketrans("", "", "-._0123456789abcdefghijklmnopqrstuvwxyz")


class UrlRefused(ExpectedError):
    """An address that no tool may be sent to; the text says why, without the credentials in it.

    No breaker counts it: the tool works. `why` is the reason alone.
    """

    def __init__(self, message: str, why: str = "") -> None:
        super().__init__(message)
        self.why = why


@dataclass(frozen=True, slots=True)
class Site:
    """An address that was read: `url` as it is sent, the ASCII `host`, the `port`."""

    url: str
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class UrlGuard:
    """The rule for addresses: http and https, public, without credentials, no ports of other services.

    `allow` are exceptions by host and port, for example ``("localhost:8080",)``: a person's word that this
    one neighbour may be reached. `resolver` turns names into addresses.
    """

    allow: tuple[str, ...] = ()
    resolver: Resolver | None = None

    def read(self, url: str) -> Site:
        """Read an address; raises `UrlRefused` for what is malformed or never allowed."""
        split = _split(url)
        host, port = _host(split, url), _port(split, url)
        shown = f"[{host}]" if ":" in host else host
        netloc = shown if port == _USUAL[split.scheme] else f"{shown}:{port}"
        site = Site(urlunsplit((split.scheme, netloc, split.path or "/", split.query, "")), host, port)
        if port in _BAD_PORTS and not self._excepted(site):
            raise _refusal(url, f"port {port} belongs to another kind of service")
        if (_LOCAL.search(host) or _is_neighbour(host)) and not self._excepted(site):
            raise _refusal(url, _NOT_PUBLIC)
        return site

    def resolve(self, site: Site) -> list[str]:
        """Every address of a site, all of them checked; raises `UrlRefused` unless all are public.

        Blocks while the name is looked up. The text does not tell a name that is unknown from one that
        leads to a neighbour, so that nobody can map a network by asking.
        """
        try:
            found = list(dict.fromkeys((self.resolver or system_resolver)(site.host, site.port)))
        except (OSError, UnicodeError):
            found = []
        if not found or not (self._excepted(site) or all(map(is_public, found))):
            raise _refusal(site.url, _NOT_PUBLIC)
        return found

    def check(self, url: str) -> tuple[Site, list[str]]:
        """`read` and `resolve` in one step."""
        site = self.read(url)
        return site, self.resolve(site)

    def _excepted(self, site: Site) -> bool:
        return f"{site.host}:{site.port}" in self.allow


def never_reached(arguments: Mapping[str, Any]) -> str | None:
    """A check of a tool's input: why no guard would let its `url` pass, whatever exceptions it has.

    So that nobody is asked about such an address.
    """
    url = str(arguments.get("url", ""))
    try:
        split = _split(url)
        _host(split, url)
        _port(split, url)
    except UrlRefused as refused:
        return str(refused).rstrip(".")
    return None


def system_resolver(host: str, port: int) -> list[str]:
    """What the system's resolver says; it knows the odd spellings of numbers as well."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


def masked(url: str) -> str:
    """An address for people and logs: its credentials starred out, controls visible, one short line."""
    return one_line(without_logins(url))[:_SHOWN]


def _split(url: str) -> SplitResult:
    if len(url) > _LONGEST:
        raise _refusal(url, f"it is longer than {_LONGEST:,} characters")
    if any(c <= " " or c == "\\" or not c.isprintable() for c in url.strip()):
        raise _refusal(
            url, "it contains blanks, control characters or backslashes; write them as %20 and so on"
        )
    try:
        split = urlsplit(url.strip())
    except ValueError as error:
        raise _refusal(url, f"it is malformed ({error})") from None
    if split.scheme not in _USUAL:
        raise _refusal(url, "only http and https addresses may be reached")
    if split.netloc.count("@") > 1:
        raise _refusal(url, "it is malformed: more than one @ before the path")
    if "@" in split.netloc:
        raise _refusal(url, "it carries credentials; leave out the part before the @")
    return split


def _host(split: SplitResult, url: str) -> str:
    name = unicodedata.normalize("NFKC", split.hostname or "").rstrip(".").lower()
    if ":" in name:
        return name
    ascii_name = _ascii(name, url)
    if not ascii_name or ascii_name.translate(_NO_HOST):
        raise _refusal(url, "its host is no valid name")
    return ascii_name


def _ascii(name: str, url: str) -> str:
    """The name as it goes over the wire, by the rules that HTTP clients follow (IDNA 2008)."""
    if name.isascii() and "xn--" not in name:
        return name
    import idna

    try:
        return idna.encode(idna.decode(name)).decode("ascii")
    except UnicodeError:
        raise _refusal(url, "its host is no valid name") from None


def _is_neighbour(host: str) -> bool:
    """Whether a host is an address in its usual notation, and no public one."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return not is_public(host)


def _port(split: SplitResult, url: str) -> int:
    try:
        port = split.port
    except ValueError:
        raise _refusal(url, "its port is no number from 1 to 65535") from None
    if port == 0:
        raise _refusal(url, "its port is no number from 1 to 65535")
    return port or _USUAL[split.scheme]


def _refusal(url: str, why: str) -> UrlRefused:
    return UrlRefused(f"{masked(url)!r} is not reached: {why}.", why)
