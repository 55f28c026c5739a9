"""Recording: pages are opened in the browser, and every answer that they get goes into an archive.

Links are followed breadth first, on the hosts that are allowed, in the order in which pages show them.
"""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from agentgym.errors import ConfigError
from agentgym_web.archive.captures import Capture, plain_url
from agentgym_web.archive.warc import ArchiveWriter
from agentgym_web.browser.errors import DevToolsError
from agentgym_web.browser.fetching import Post, sent_body
from agentgym_web.browser.gate import REFUSAL, Network, Server, Site
from agentgym_web.browser.hub import the_hub
from agentgym_web.browser.page import WebPage
from agentgym_web.browser.program.process import ProcessSettings
from agentgym_web.browser.settings import View

_BODY_S = 20.0
_LINKS = "JSON.stringify([...document.querySelectorAll('a[href]')].map((link) => link.href).slice(0, 5000))"
_REDIRECTS = (301, 302, 303, 307, 308)
_BODILESS = (204, 205, 304, *_REDIRECTS)


class Recorded(NamedTuple):
    """What a recording holds.

    Attributes:
        num_pages: Pages that were opened.
        num_answers: Answers that were written.
        left_out: Addresses of the answers that were not, because their bodies did not come.
    """

    num_pages: int
    num_answers: int
    left_out: Sequence[str]


class Recorder:
    """Writes every answer that pages get into an archive; it changes none.

    Args:
        writer: The archive.

    Attributes:
        num_pages: Pages that were written.
        other: Status of the answers to documents that are none, such as 404, by address.
        left_out: Addresses of the answers whose bodies did not come.
    """

    stage: Literal["Request", "Response"] = "Response"

    def __init__(self, writer: ArchiveWriter) -> None:
        self._writer = writer
        self.num_pages = 0
        self.other: dict[str, int] = {}
        self.left_out: list[str] = []

    async def take(self, post: Post, paused: Mapping[str, Any]) -> None:
        """Write an answer and let it go on to the page."""
        request, waiting = paused["request"], {"requestId": paused["requestId"]}
        status = paused.get("responseStatusCode")
        headers = [(each["name"], each["value"]) for each in paused.get("responseHeaders", ())]
        is_from_site = status is not None and not any(name.lower() == REFUSAL.lower() for name, _ in headers)
        is_read = is_from_site and str(request["url"]).startswith(("http:", "https:"))
        if is_read and paused.get("resourceType") not in ("EventSource", "WebSocket"):
            is_bodiless = status in _BODILESS or request["method"] == "HEAD"
            body = b"" if is_bodiless else await self._body(post, waiting)
            self._write(paused, headers, body if is_bodiless or _is_whole(headers, body) else None)
        await post("Fetch.continueRequest", waiting)

    async def _body(self, post: Post, waiting: Mapping[str, Any]) -> bytes | None:
        """The body of an answer; None where it does not come."""
        try:
            answer = await asyncio.wait_for(post("Fetch.getResponseBody", waiting), _BODY_S)
        except (TimeoutError, DevToolsError):
            return None
        return base64.b64decode(answer["body"]) if answer["base64Encoded"] else str(answer["body"]).encode()

    def _write(self, paused: Mapping[str, Any], headers: Sequence[tuple[str, str]], body: bytes | None) -> None:
        request = paused["request"]
        method, url, status = str(request["method"]), plain_url(str(request["url"])), int(paused["responseStatusCode"])
        if body is None:
            self.left_out.append(url)
            return
        reason = str(paused.get("responseStatusText", ""))
        capture = Capture(method, url, status, headers, body, sent_body(request), reason)
        self._writer.add(capture)
        self.num_pages += capture.is_page
        if paused.get("resourceType") == "Document" and not capture.is_page:
            self.other[url] = status


def _is_whole(headers: Sequence[tuple[str, str]], body: bytes | None) -> bool:
    """Whether a body came, and as long as its header says; the browser hands out one that was cut short, too."""
    stated = {name.lower(): value for name, value in headers}
    length = "" if "content-encoding" in stated else stated.get("content-length", "")
    return body is not None and (not length.isdecimal() or len(body) == int(length))


def record_pages(
    urls: Sequence[str],
    out: Path,
    *,
    hosts: Sequence[str] = (),
    max_pages: int = 1,
    browser: str | None = None,
    on_page: Callable[[str], None] | None = None,
) -> Recorded:
    """Record pages, and those that they link to, into an archive.

    Args:
        urls: Where to begin.
        out: The archive's file.
        hosts: Further hosts that pages may load from, such as "cdn.example.org" or "*.example.org".
        max_pages: Most pages that are opened; links are followed on the hosts of `urls` only.
        browser: The browser's program; None finds one.
        on_page: Called with the address of each page before it is opened.

    Returns:
        What was recorded.

    Raises:
        ConfigError: An address cannot be recorded, or no page came.
        ArchiveError: The file cannot be written.
    """
    if max_pages < 1:
        raise ConfigError(f"the number of pages must be at least 1: got {max_pages}")
    network = network_to(urls, hosts)
    page = None
    with ArchiveWriter(out) as writer:
        recorder = Recorder(writer)
        network = Network(network.sites, network.allow, network.max_bytes, recorder)
        try:
            page = the_hub().open(None, network, ProcessSettings(browser=browser))
            num_pages = _follow(page, urls, max_pages, on_page)
        finally:
            if page is not None:
                page.close()
        if not writer.num_written and not recorder.left_out:
            raise ConfigError(f"no page answered at {', '.join(urls)}; check that the site is up and the address right")
        if not recorder.num_pages:
            other = [f"{url} with status {status}" for url, status in recorder.other.items()]
            got = ", ".join([*other, *(f"{url} without its body" for url in recorder.left_out)])
            raise ConfigError(f"expected a page, got other answers: {got or ', '.join(urls)}; check the address")
    return Recorded(num_pages, writer.num_written, recorder.left_out)


def _follow(page: WebPage, urls: Sequence[str], max_pages: int, on_page: Callable[[str], None] | None) -> int:
    """Open pages breadth first along their links; how many were opened."""
    own = {urlsplit(url).netloc for url in urls}
    waiting, seen = deque(urls), {plain_url(url) for url in urls}
    num_pages = 0
    while waiting and num_pages < max_pages:
        url = waiting.popleft()
        if on_page is not None:
            on_page(url)
        links = json.loads(page.open(url, View(), _LINKS).probe or "[]")
        num_pages += 1
        for link in map(plain_url, links):
            if urlsplit(link).netloc in own and link not in seen and link.startswith("http"):
                seen.add(link)
                waiting.append(link)
    return num_pages


def network_to(urls: Sequence[str], hosts: Sequence[str] = ()) -> Network:
    """The network that reaches the sites of some addresses, on this machine or elsewhere, and further hosts.

    Raises:
        ConfigError: An address does not begin with http or https.
    """
    sites: dict[str, Site] = {}
    allow = list(hosts)
    if not urls:
        raise ConfigError("name at least one address to record, such as https://example.org/")
    for url in urls:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(f"an address begins with http:// or https://, as https://example.org/ does: got {url!r}")
        if _is_here(parts.hostname):
            if parts.scheme == "https":
                raise ConfigError(f"a server of this machine is reached over http: got {url!r}")
            port = parts.port or 80
            sites[f"{parts.hostname}:{port}"] = Server(port=port)
        else:
            allow.append(parts.hostname)
    return Network(sites, allow)


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
