"""An archive as the whole network of a window: it answers every request of http and https, and nothing else is reached.

What does not come here, such as a web socket, meets the window's gate, which refuses it.
"""

from __future__ import annotations

import hashlib
import html
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from agentgym_web.archive.captures import Captures
from agentgym_web.archive.warc import ArchiveError, read_archive
from agentgym_web.browser.fetching import Post, fulfil, sent_body
from agentgym_web.browser.gate import Network

_REASON = "This page is not in the archive."


class Replay:
    """Answers the requests of pages from an archive.

    Args:
        captures: What is in the archive.
    """

    stage: Literal["Request", "Response"] = "Request"

    def __init__(self, captures: Captures) -> None:
        self.captures = captures
        self.missing: list[str] = []
        """Addresses that were asked for and are not in the archive, the first thousand."""

    async def take(self, post: Post, paused: Mapping[str, Any]) -> None:
        """Answer a request; where the archive has no answer, with a page that says so."""
        request = paused["request"]
        method, url = str(request["method"]), str(request["url"])
        if not url.startswith(("http:", "https:")):
            await post("Fetch.continueRequest", {"requestId": paused["requestId"]})
            return
        found = self.captures.find(method, url, sent_body(request))
        if found is None:
            if len(self.missing) < 1000:
                self.missing.append(url)
            await fulfil(post, paused, 404, [("Content-Type", "text/html; charset=utf-8")], _missing_page(url))
        else:
            await fulfil(post, paused, found.status, found.plain_headers(), found.body)


def archive_network(captures: Captures) -> Network:
    """The network of a window that only reaches an archive."""
    return Network(interceptor=Replay(captures))


def the_archive(path: Path) -> Captures:
    """The captures of an archive, read once in this process as long as the file stays the same.

    Raises:
        ArchiveError: It cannot be used; see `read_archive`.
    """
    try:
        state = path.stat()
    except OSError as error:
        raise ArchiveError(
            f"there is no archive {path}; check the path, or record it: agentgym web record URL --out {path}"
        ) from error
    key = (state.st_mtime_ns, state.st_size)
    with _lock:
        known = _read.get(path)
        if known is None or known[0] != key:
            known = _read[path] = (key, read_archive(path))
        return known[1]


def fingerprint(path: Path) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


_read: dict[Path, tuple[tuple[int, int], Captures]] = {}
_lock = threading.Lock()


def _missing_page(url: str) -> bytes:
    said = f"The archive has no answer for {url[:200]}. Go back, or open another page."
    return f"<!DOCTYPE html><title>Not in the archive</title><h1>{_REASON}</h1><p>{html.escape(said)}</p>".encode()
