"""Addresses that somebody outside wants a person to visit: may they be opened, and what to beware of."""

from __future__ import annotations

from urllib.parse import urlsplit

__all__ = ["host_of", "safe_link", "url_warnings"]


def safe_link(url: str) -> str:
    """The address when it may be opened, else nothing."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    safe = parts.scheme in ("http", "https") and parts.hostname and url.isprintable() and " " not in url
    return url if safe else ""


def host_of(url: str) -> str:
    """Whose page it is."""
    try:
        return urlsplit(url).hostname or "no host"
    except ValueError:
        return "no host"


def url_warnings(url: str) -> list[str]:
    """What a person should know before visiting it."""
    if not safe_link(url):
        return ["The address is no plain http(s) address; it was declined."]
    found: list[str] = []
    if "@" in urlsplit(url).netloc:
        found.append(f"The part before @ only looks like a host; the page belongs to {host_of(url)}.")
    if "xn--" in host_of(url) or not host_of(url).isascii():
        found.append("The host is written with letters that may look like others.")
    if urlsplit(url).scheme == "http":
        found.append("The connection is not encrypted.")
    return found
