"""Which internet addresses are public: everything else is a neighbour that no tool may be sent to.

Sources: the IANA registries of special-purpose IPv4 and IPv6 addresses (RFC 6890 and what followed it), and
the fixed addresses at which cloud machines find their own credentials.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

__all__ = ["is_public"]

_NOT_PUBLIC = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16",
            "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
            "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        ),
    )
)  # fmt: skip
_UNICAST = IPv6Network("2000::/3")
# Teredo and the other protocol assignments, documentation (twice).
_NOT_UNICAST = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "3fff::/20")))
_SIX_TO_FOUR = IPv6Network("2002::/16")
_MAPPED = IPv6Network("::ffff:0:0/96")
_TRANSLATED = IPv6Network("64:ff9b::/96")
_ISATAP = (0x00005EFE, 0x02005EFE)


def is_public(text: str) -> bool:
    """Whether an address in its usual notation leads to the public internet.

    An IPv4 address inside an IPv6 one (mapped, translated by NAT64, 6to4, ISATAP) is taken out and decides.
    What is no address, or has a zone, is not public.
    """
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC)
    return address.scope_id is None and _is_public_6(address)


def _is_public_6(address: IPv6Address) -> bool:
    embedded = _embedded(address)
    if embedded is not None and not is_public(str(embedded)):
        return False
    if address in _MAPPED or address in _TRANSLATED:
        return True
    return address in _UNICAST and not any(address in network for network in _NOT_UNICAST)


def _embedded(address: IPv6Address) -> IPv4Address | None:
    number = int(address)
    if address in _MAPPED or address in _TRANSLATED or (number >> 32) & 0xFFFFFFFF in _ISATAP:
        return IPv4Address(number & 0xFFFFFFFF)
    if address in _SIX_TO_FOUR:
        return IPv4Address((number >> 80) & 0xFFFFFFFF)
    return None
