"""Access to a server: the token, and the checks that keep web pages from reaching a server without one.

`agentgym.remote.settings` decides where the server listens.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from urllib.parse import urlsplit

from agentgym.remote.settings import ServerConfig, is_loopback


def refusal_of(headers: Mapping[bytes, bytes], config: ServerConfig) -> int | None:
    """The HTTP status with which a request is refused.

    Args:
        headers: By lower-case name.
        config: Settings of the server.

    Returns:
        401 for a missing or wrong token. 403 for a page of another site or, without a token, for a host name that is
        not this machine's (a rebound DNS name). None for an accepted request.
    """
    if config.token and not hmac.compare_digest(headers.get(b"authorization", b""), b"Bearer " + config.token.encode()):
        return 401
    host = headers.get(b"host", b"")
    origin = headers.get(b"origin")
    if origin is not None and _netloc(origin) != host:
        return 403
    if not config.token and not config.uds and not _is_local(host):
        return 403
    return None


def _netloc(origin: bytes) -> bytes | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def _is_local(host: bytes) -> bool:
    try:
        name = urlsplit(b"//" + host).hostname
    except ValueError:
        return False
    return name is not None and is_loopback(name.decode("latin-1"))
