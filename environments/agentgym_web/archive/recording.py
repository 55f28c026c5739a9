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
from typing import Any, Literal
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


class Recorder:
    """Writes every answer that pages get into an archive; it changes none.

    Args:
        writer: The archive.
    """

    stage: Literal["Request", "Response"] = "Response"

    def __init__(self, writer: ArchiveWriter) -> None:
        self._writer = writer

    async def take(self, post: Post, paused: Mapping[str, Any]) -> None:
        """Write an answer and let it go on to the page."""
        request, waiting = paused["request"], {"requestId": paused["requestId"]}
        status = paused.get("responseStatusCode")
        headers = [(each["name"], each["value"]) for each in paused.get("responseHeaders", ())]
        is_from_site = status is not None and not any(name.lower() == REFUSAL.lower() for name, _ in headers)
        is_read = is_from_site and str(request["url"]).startswith(("http:", "https:"))
        if is_read and paused.get("resourceType") not in ("EventSource", "WebSocket"):
            body = b"" if status in _REDIRECTS else await self._body(post, waiting)
            self._writer.add(
                Capture(
                    str(request["method"]),
                    plain_url(str(request["url"])),
                    int(str(status)),
                    headers,
                    body,
                    sent_body(request),
                    str(paused.get("responseStatusText", "")),
                )
            )
        await post("Fetch.continueRequest", waiting)

    async def _body(self, post: Post, waiting: Mapping[str, Any]) -> bytes:
        try:
            answer = await asyncio.wait_for(post("Fetch.getResponseBody", waiting), _BODY_S)
        except (TimeoutError, DevToolsError):
            return b""
        return base64.b64decode(answer["body"]) if answer["base64Encoded"] else str(answer["body"]).encode()


def record_pages(
    urls: Sequence[str],
    out: Path,
    *,
    hosts: Sequence[str] = (),
    max_pages: int = 1,
    browser: str | None = None,
    on_page: Callable[[str], None] | None = None,
) -> tuple[int, int]:
    """Record pages, and those that they link to, into an archive.

    Args:
        urls: Where to begin.
        out: The archive's file.
        hosts: Further hosts that pages may load from, such as "cdn.example.org" or "*.example.org".
        max_pages: Most pages that are opened; links are followed on the hosts of `urls` only.
        browser: The browser's program; None finds one.
        on_page: Called with the address of each page before it is opened.

    Returns:
        How many pages were opened and how many answers were written.

    Raises:
        ConfigError: An address cannot be recorded, or no answer came at all.
        ArchiveError: The file cannot be written.
    """
    if max_pages < 1:
        raise ConfigError(f"the number of pages must be at least 1: got {max_pages}")
    network = network_to(urls, hosts)
    page = None
    with ArchiveWriter(out) as writer:
        network = Network(network.sites, network.allow, network.max_bytes, Recorder(writer))
        try:
            page = the_hub().open(None, network, ProcessSettings(browser=browser))
            num_pages = _follow(page, urls, max_pages, on_page)
        finally:
            if page is not None:
                page.close()
        if not writer.num_written:
            raise ConfigError(f"no page answered at {', '.join(urls)}; check that the site is up and the address right")
    return num_pages, writer.num_written


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
        ConfigError: An address does not begin with http or https, or one local host is named with two ports.
    """
    sites: dict[str, Site] = {}
    allow = list(hosts)
    if not urls:
        raise ConfigError("name at least one address to record, such as https://example.org/")
    for url in urls:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(f"{url!r} cannot be recorded; expected an address such as https://example.org/")
        if _is_here(parts.hostname):
            if parts.scheme == "https":
                raise ConfigError(f"{url!r} is a server of this machine with https; record it over http")
            known = sites.setdefault(parts.hostname, Server(port=parts.port or 80))
            if known != Server(port=parts.port or 80):
                raise ConfigError(f"{parts.hostname} is named with two ports; record one port at a time")
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
