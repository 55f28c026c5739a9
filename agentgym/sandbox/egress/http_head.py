"""The head of a request to an HTTP proxy, read strictly: what two parsers could read in two ways is refused.

Bodies and connections are `proxy`'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from agentgym.sandbox.egress.allowlist import canonical_host

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}")
_URI = re.compile(r"http://([^/?#@\\]+)([/?][^#]*)?", re.IGNORECASE)
_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]+)(?::([0-9]{1,5}))?")
# Headers that are about one connection (RFC 9110, section 7.6.1), and Host, which the target decides.
_NOT_FORWARDED = {"connection", "proxy-connection", "keep-alive", "te", "upgrade", "host", "proxy-authorization"}
_NOT_FORWARDED |= {"proxy-authenticate", "http2-settings"}


class RefusedRequest(Exception):  # noqa: N818 - an answer to the sandbox, no fault of ours
    """A request that is answered with an error.

    Args:
        status: The HTTP status.
        why: One line for whoever asked.
    """

    def __init__(self, status: int, why: str) -> None:
        self.status, self.why = status, why
        super().__init__(why)


@dataclass(frozen=True)
class RequestHead:
    """What a request asks of the proxy.

    Attributes:
        method: As sent; "CONNECT" asks for a tunnel.
        host: Canonical.
        port: From 1 to 65535.
        forwarded: The head to send on, ended by an empty line; b"" for a tunnel.
        body_bytes: Length of the body that follows; None where it comes in chunks.
    """

    method: str
    host: str
    port: int
    forwarded: bytes = b""
    body_bytes: int | None = 0

    @property
    def is_tunnel(self) -> bool:
        """Whether bytes go both ways unread from here on."""
        return self.method == "CONNECT"


def parse_head(head: bytes) -> RequestHead:
    """Parse a request's head.

    Args:
        head: Everything up to the empty line, that included.

    Raises:
        RefusedRequest: It is malformed, ambiguous, or no proxy's request.
    """
    try:
        lines = head.decode("ascii").removesuffix("\r\n\r\n").split("\r\n")
    except UnicodeDecodeError:
        raise RefusedRequest(400, "the request's head is not ASCII") from None
    if any(character < " " and character != "\t" for line in lines for character in line):
        raise RefusedRequest(400, "the request's head holds control characters")
    parts = lines[0].split(" ")
    if len(parts) != 3 or not _TOKEN.fullmatch(parts[0]) or parts[2] not in ("HTTP/1.1", "HTTP/1.0"):
        raise RefusedRequest(400, "the request line is malformed")
    method, target, _ = parts
    headers = [_header(line) for line in lines[1:]]
    if method == "CONNECT":
        host, port = _authority(target, None)
        return RequestHead(method, host, port)
    uri = _URI.fullmatch(target)
    if uri is None:
        raise RefusedRequest(400, "a proxy is asked for http://host/path, or for https by CONNECT")
    host, port = _authority(uri[1], 80)
    path = uri[2] or "/"
    forwarded = _forwarded(method, path if path.startswith("/") else f"/{path}", uri[1], headers)
    return RequestHead(method, host, port, forwarded, _body_bytes(headers))


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not _TOKEN.fullmatch(name):
        raise RefusedRequest(400, "a header is malformed")
    return name, value.strip(" \t")


def _authority(text: str, default_port: int | None) -> tuple[str, int]:
    match = _AUTHORITY.fullmatch(text)
    host = canonical_host(match[1]) if match else None
    port = int(match[2]) if match and match[2] else default_port
    if host is None or port is None or not 0 < port < 65536:
        raise RefusedRequest(400, "the host or port asked for is malformed")
    return host, port


def _body_bytes(headers: Iterable[tuple[str, str]]) -> int | None:
    lengths = [value for name, value in headers if name.lower() == "content-length"]
    codings = [value for name, value in headers if name.lower() == "transfer-encoding"]
    if len(lengths) + len(codings) > 1 or any(coding.lower() != "chunked" for coding in codings):
        raise RefusedRequest(400, "the length of the request's body is ambiguous")
    if codings:
        return None
    if lengths and not re.fullmatch(r"[0-9]{1,18}", lengths[0]):
        raise RefusedRequest(400, "the length of the request's body is malformed")
    return int(lengths[0]) if lengths else 0


def _forwarded(method: str, path: str, authority: str, headers: Iterable[tuple[str, str]]) -> bytes:
    """The head for the origin server: one request a connection, and the host that was checked, whatever Host said."""
    named = {
        token.strip().lower() for name, value in headers if name.lower() == "connection" for token in value.split(",")
    }
    dropped = _NOT_FORWARDED | (named - {"content-length", "transfer-encoding"})
    kept = [f"{name}: {value}" for name, value in headers if name.lower() not in dropped]
    return "\r\n".join([f"{method} {path} HTTP/1.1", f"Host: {authority}", *kept, "Connection: close", "", ""]).encode()
