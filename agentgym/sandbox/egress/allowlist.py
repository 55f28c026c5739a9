"""Which hosts a sandbox may reach, and which addresses a host's name may stand for.

Nothing here connects or resolves: `proxy` does, and asks here before it does.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agentgym.errors import ConfigError

_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*")
_DEFAULT_PORTS = frozenset({80, 443})
# The only name whose meaning is fixed, so that listing it lists what it stands for (RFC 6761, section 6.3).
_LOOPBACK_NAME = "localhost"
# A public address that is a cloud's metadata service, and a network that Python calls global and no host has.
_REFUSED_V4 = tuple(map(ipaddress.ip_network, ("168.63.129.16/32", "192.0.0.0/24")))
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_REFUSED_V6 = tuple(map(ipaddress.ip_network, ("64:ff9b:1::/48", "2001::/32", "2002::/16", "fec0::/10", "::/96")))

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True)
class _Rule:
    """One entry of a list: a name, everything below a name, or an address."""

    name: str
    is_wildcard: bool
    ports: frozenset[int]

    def matches(self, host: str, port: int) -> bool:
        if port not in self.ports:
            return False
        return host.endswith("." + self.name) if self.is_wildcard else host == self.name


class Allowlist:
    """The hosts that may be reached, as in `Network.allow`.

    "*.example.com" is every name below example.com and not that name itself. Without a port, 80 and 443 are meant.

    Args:
        hosts: "host", "host:port", "*.domain" or "*.domain:port"; a host is a name or an IPv4 address.

    Raises:
        ConfigError: An entry is none of these.
    """

    def __init__(self, hosts: Sequence[str]) -> None:
        self._rules = tuple(_rule(host) for host in hosts)

    def names(self, host: str, port: int) -> bool:
        """Whether a host may be asked for at all.

        Args:
            host: As `canonical_host` returns it.
            port: Its port.
        """
        address = literal(host)
        wanted = host if address is None else str(address)
        exact_only = address is not None
        return any(rule.matches(wanted, port) for rule in self._rules if not (exact_only and rule.is_wildcard))

    def addresses(self, host: str, port: int, resolved: Iterable[str]) -> list[str]:
        """Of the addresses that a host's name stands for, those that may be connected to, in their order.

        Private, loopback, link-local, multicast, reserved and metadata addresses may be only where the address itself
        is listed, with the port: a name says nothing about where its owner points it tomorrow.
        """
        may = []
        for text in resolved:
            address = literal(text)
            if address is None:
                continue
            is_own = host == _LOOPBACK_NAME and address.is_loopback
            if is_public(address) or is_own or self.names(str(address), port):
                may.append(str(address))
        return may

    def lists(self, host: str, address: str, port: int) -> bool:
        """Whether an address is meant by the list itself and not merely found behind a name."""
        return host == _LOOPBACK_NAME or self.names(address, port)


def canonical_host(text: str) -> str | None:
    """A host as it is compared: lower case, without the root's dot; an address in its usual form; None for neither."""
    host = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    address = literal(host)
    if address is not None:
        return str(address)
    host = host.lower().removesuffix(".")
    # "127.1", "0x7f.0.0.1" and "2130706433" are addresses to a resolver, though not to us: they are no names either.
    is_number = re.fullmatch(r"[0-9]+|0x[0-9a-f]*", host.rpartition(".")[2]) is not None
    return host if len(host) <= 253 and _NAME.fullmatch(host) and not is_number else None


def is_public(address: Address) -> bool:
    """Whether an address belongs to the public internet, through whatever it is wrapped in."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if address in _NAT64:
            return is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        if address.scope_id is not None:
            return False
    refused = _REFUSED_V6 if address.version == 6 else _REFUSED_V4
    is_special = address.is_multicast or address.is_reserved or address.is_unspecified or address.is_link_local
    is_special = is_special or address.is_private or any(address in network for network in refused)
    return address.is_global and not is_special


def literal(text: str) -> Address | None:
    """The address that a text is; None where it is a name."""
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def _rule(text: str) -> _Rule:
    body, colon, port_text = text.partition(":")
    ports = _DEFAULT_PORTS
    if colon:
        if not port_text.isascii() or not port_text.isdecimal() or not 0 < int(port_text) < 65536:
            raise ConfigError(f"allowed host {text!r} names no port from 1 to 65535")
        ports = frozenset({int(port_text)})
    is_wildcard = body.startswith("*.")
    host = canonical_host(body.removeprefix("*."))
    if host is None or (is_wildcard and literal(host) is not None):
        raise ConfigError(f"allowed host {text!r} is none; expected 'host', 'host:port' or '*.domain'")
    return _Rule(host, is_wildcard, ports)
