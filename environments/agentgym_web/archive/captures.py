"""What an archive holds: requests with their answers, found again by address. Files are the work of `warc`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

_PORTS = {"http": 80, "https": 443}
_DROPPED = frozenset(
    {
        "alt-svc",
        "connection",
        "content-encoding",
        "content-length",
        "keep-alive",
        "nel",
        "report-to",
        "strict-transport-security",
        "transfer-encoding",
    }
)
"""Headers about one connection, or about a coding that the stored body no longer has."""


@dataclass(frozen=True)
class Capture:
    """A request and its answer.

    Attributes:
        method: Of the request.
        url: Of the request, without a fragment.
        status: Of the answer.
        headers: Of the answer; a name may occur several times.
        body: Of the answer, without any coding.
        sent: Body of the request.
        reason: The words behind the status.
        date: When it was captured, as 2026-03-02T09:00:00Z; "" for now.
    """

    method: str
    url: str
    status: int
    headers: Sequence[tuple[str, str]] = ()
    body: bytes = b""
    sent: bytes = b""
    reason: str = ""
    date: str = ""

    @property
    def kind(self) -> str:
        """The media type of the answer, such as "text/html"."""
        said = next((value for name, value in self.headers if name.lower() == "content-type"), "")
        return said.partition(";")[0].strip().lower()

    @property
    def is_page(self) -> bool:
        """Whether it is a page that can be opened by its address."""
        return self.method == "GET" and self.status == 200 and self.kind in ("text/html", "application/xhtml+xml")

    def plain_headers(self) -> list[tuple[str, str]]:
        """The headers that fit the body as it is stored."""
        return [(name, value) for name, value in self.headers if name.lower() not in _DROPPED]


class Captures:
    """Captures, found by what a page asks for.

    Of several answers to one request the last that was no error counts; where all were errors, the last.

    Args:
        captures: In the order in which they were made.
    """

    def __init__(self, captures: Iterable[Capture]) -> None:
        self.all = list(captures)
        self._exact: dict[tuple[str, str, str], Capture] = {}
        self._sorted: dict[str, Capture] = {}
        for capture in self.all:
            key = _key(capture.method, capture.url, capture.sent)
            known = self._exact.get(key)
            if known is None or capture.status < 400 or known.status >= 400:
                self._exact[key] = capture
                if capture.method == "GET":
                    self._sorted[_with_sorted_query(key[1])] = capture

    @property
    def pages(self) -> list[str]:
        """The addresses of the pages, in order, each once."""
        return list(dict.fromkeys(capture.url for capture in self.all if capture.is_page))

    def find(self, method: str, url: str, sent: bytes = b"") -> Capture | None:
        """The answer to a request; None if the archive has none.

        A GET is found by its address, the order of its parameters aside; another method by address and body.
        """
        if method == "HEAD":
            method = "GET"
        key = _key(method, url, sent)
        found = self._exact.get(key)
        return self._sorted.get(_with_sorted_query(key[1])) if found is None and method == "GET" else found


def plain_url(url: str) -> str:
    """An address without fragment, its host in lower case, without the port that its scheme means anyway."""
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    if ":" in host:
        host = f"[{host}]"
    try:
        port = parts.port
    except ValueError:
        port = None
    where = host if port in (None, _PORTS.get(parts.scheme)) else f"{host}:{port}"
    return urlunsplit((parts.scheme.lower(), where, parts.path or "/", parts.query, ""))


def _key(method: str, url: str, sent: bytes) -> tuple[str, str, str]:
    return method, plain_url(url), sha256(sent).hexdigest() if sent and method != "GET" else ""


def _with_sorted_query(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query=urlencode(sorted(parse_qsl(parts.query, keep_blank_values=True)))))
