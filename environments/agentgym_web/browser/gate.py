"""The only way from a page to anything else: an HTTP proxy for one environment, which knows the sites that there are.

A site has a name, such as "shop.test", and is a folder, a server on a unix socket or a port of this machine, or a real
host of an allowlist. Everything else is refused and counted. Names are never looked up for a host that is not listed.
"""

from __future__ import annotations

import asyncio
import mimetypes
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from agentgym.errors import ConfigError
from agentgym.sandbox.egress.allowlist import Allowlist
from agentgym.sandbox.egress.http_head import RefusedRequest, RequestHead, parse_head
from agentgym_web.browser.fetching import Interceptor

_CHUNK = 1 << 16
_HEAD_BYTES = 1 << 17
_SITE_PORT = 80
REFUSAL = "X-Agentgym-Gate"
"""The header of answers that no site gave."""
_REASONS = {400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 502: "Bad Gateway"}


@dataclass(frozen=True)
class Folder:
    """A site of files.

    Attributes:
        path: The folder that "/" stands for.

    Raises:
        ConfigError: There is no such folder.
    """

    path: Path

    def __post_init__(self) -> None:
        if not self.path.is_dir():
            raise ConfigError(
                f"the folder of a site is missing: there is none at {self.path}; check the path, and that your package "
                "installs the folder"
            )


@dataclass(frozen=True)
class Server:
    """A site that a server of this machine serves.

    Attributes:
        socket: Its unix socket; "" where it listens on a port.
        port: Its port on 127.0.0.1.
        headers: Added to each request; the page's own headers of these names are dropped.
    """

    socket: str = ""
    port: int = 0
    headers: tuple[tuple[str, str], ...] = ()


Site = Folder | Server


@dataclass(frozen=True)
class Network:
    """What a page can reach.

    Attributes:
        sites: Sites of this machine, by the name that pages use, such as "shop.test", or by name and port, such as
            "localhost:7770".
        allow: Real hosts, as in `agentgym.sandbox.spec.Network.allow`.
        max_bytes: Most bytes of one answer; a longer one is cut off.
        interceptor: Takes requests before they come to the gate, such as an archive that answers them.
    """

    sites: Mapping[str, Site] = field(default_factory=dict)
    allow: Sequence[str] = ()
    max_bytes: int = 64 << 20
    interceptor: Interceptor | None = None


@dataclass
class Traffic:
    """What went through a gate since it was last cleared.

    Attributes:
        visited: "METHOD host/path" of requests that were let through.
        refused: "host:port" of those that were not.
        silent: "host:port" of servers that took no connection.
        cut: Addresses whose answers were longer than may be carried.
        has_credentials: Whether a request carried a name and a password, which the browser keeps.
    """

    visited: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    silent: set[str] = field(default_factory=set)
    cut: set[str] = field(default_factory=set)
    has_credentials: bool = False


class Gate:
    """A proxy on a port of its own; lives in one event loop.

    Args:
        network: What may be reached; it may be replaced between two episodes.
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        self.traffic = Traffic()
        self.port = 0
        self.idle = asyncio.Event()
        self.idle.set()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._awaited: set[object] = set()

    @property
    def in_flight(self) -> int:
        """Requests that a page's quiet waits for."""
        return len(self._awaited)

    def wait_no_more(self) -> None:
        """Wait no longer for what is under way, such as a stream that never ends; it goes on."""
        self._awaited.clear()
        self.idle.set()

    async def open(self) -> None:
        """Start to listen."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=_HEAD_BYTES)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Stop, and cut what is still carried."""
        if self._server is not None:
            self._server.close()
        tasks = self.cut()
        await asyncio.gather(*tasks, return_exceptions=True)

    def cut(self) -> list[asyncio.Task[None]]:
        """Cut what is still carried, and wait for it no more."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        self.wait_no_more()
        return tasks

    def began(self, request: object) -> None:
        """Count a request that is under way."""
        self._awaited.add(request)
        self.idle.clear()

    def ended(self, request: object) -> None:
        """Count a request that is no longer under way."""
        self._awaited.discard(request)
        if not self._awaited:
            self.idle.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            head_bytes = await reader.readuntil(b"\r\n\r\n")
            self.began(task)
            await self._answer(parse_head(head_bytes), reader, writer)
        except RefusedRequest as refusal:
            await _say(writer, refusal.status, refusal.why)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, OSError):
            pass
        except asyncio.CancelledError:
            pass  # the gate closes; asyncio would print what its callback finds
        finally:
            self._tasks.discard(task)
            self.ended(task)
            with suppress(Exception):
                writer.close()

    async def _answer(self, head: RequestHead, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        site = self._site(head)
        path = head.forwarded.split(b" ", 2)[1].decode() if head.forwarded else ""
        if site is None and not Allowlist(self.network.allow).names(head.host, head.port):
            if len(self.traffic.refused) < 1000:
                self.traffic.refused.append(f"{head.host}:{head.port}")
            known = ", ".join(sorted({*self.network.sites, *self.network.allow})) or "none"
            raise RefusedRequest(403, f"{head.host} cannot be reached from here. Sites that can: {known}.")
        if len(self.traffic.visited) < 10_000:
            self.traffic.visited.append(f"{head.method} {head.host}{path}")
        if isinstance(site, Folder):
            await _serve_file(site, head, path, writer)
            return
        try:
            there, thence = await self._connect(site, head)
        except RefusedRequest:
            if len(self.traffic.silent) < 1000:
                self.traffic.silent.add(f"{head.host}:{head.port}")
            raise
        try:
            if head.is_tunnel:
                writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            else:
                extra = "".join(f"{name}: {value}\r\n" for name, value in (site.headers if site else ()))
                thence.write(_without(head.forwarded, site.headers if site else ())[:-2] + extra.encode() + b"\r\n")
            limit = self.network.max_bytes
            self.traffic.has_credentials |= b"\nauthorization:" in head.forwarded.lower()
            ways = [asyncio.ensure_future(_carry(*way, limit)) for way in ((there, writer), (reader, thence))]
            try:
                # The first way to end ends both: the answer is whole, or who asked for it is gone.
                ended, _ = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                for way in ended:
                    way.result()
            except _TooLongError:
                if len(self.traffic.cut) < 1000:
                    self.traffic.cut.add(f"http://{head.host}{path}")
            finally:
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)
        finally:
            thence.close()

    def _site(self, head: RequestHead) -> Site | None:
        """The site that a request means: it stands at the usual port, and a server of this machine at its own, too."""
        if head.is_tunnel:
            return None
        if (named := self.network.sites.get(f"{head.host}:{head.port}")) is not None:
            return named
        site = self.network.sites.get(head.host)
        ports = {_SITE_PORT, site.port} if isinstance(site, Server) else {_SITE_PORT}
        return site if head.port in ports else None

    async def _connect(
        self, site: Server | None, head: RequestHead
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            if site is not None and site.socket:
                return await asyncio.open_unix_connection(site.socket)
            if site is not None:
                return await asyncio.open_connection("127.0.0.1", site.port)
            loop = asyncio.get_running_loop()
            found = await loop.getaddrinfo(head.host, head.port, type=1)
            may = Allowlist(self.network.allow).addresses(head.host, head.port, [str(entry[4][0]) for entry in found])
            for address in may:
                with suppress(OSError):
                    return await asyncio.wait_for(asyncio.open_connection(address, head.port), 10)
        except (OSError, TimeoutError) as error:
            raise RefusedRequest(502, f"{head.host} does not answer: {error}.") from error
        raise RefusedRequest(502, f"{head.host} has no address that may be reached.")


class _TooLongError(Exception):
    """More bytes than may be carried."""


async def _carry(source: asyncio.StreamReader, sink: asyncio.StreamWriter, max_bytes: int) -> None:
    carried = 0
    while data := await source.read(_CHUNK):
        carried += len(data)
        if carried > max_bytes:
            raise _TooLongError
        sink.write(data)
        await sink.drain()


def _without(head: bytes, headers: Sequence[tuple[str, str]]) -> bytes:
    names = {name.lower().encode() for name, _ in headers}
    lines = head.split(b"\r\n")
    return b"\r\n".join(line for line in lines if line.partition(b":")[0].lower() not in names)


async def _say(writer: asyncio.StreamWriter, status: int, why: str) -> None:
    title = _REASONS.get(status, "Error")
    body = f"<!DOCTYPE html><title>{title}</title><h1>{title}</h1><p>{why}</p>"
    await _send(writer, status, "text/html; charset=utf-8", body.encode())


async def _send(writer: asyncio.StreamWriter, status: int, kind: str, body: bytes, *, is_head: bool = False) -> None:
    lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'OK')}", f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
    if status == 200:
        lines.append("Cache-Control: max-age=86400")
    else:
        lines.append(f"{REFUSAL}: {status}")
    head = "\r\n".join([*lines, "Connection: close", "", ""])
    with suppress(ConnectionError):
        writer.write(head.encode() + (b"" if is_head else body))
        await writer.drain()


async def _serve_file(site: Folder, head: RequestHead, path: str, writer: asyncio.StreamWriter) -> None:
    if head.method not in ("GET", "HEAD"):
        raise RefusedRequest(405, "This site only has files.")
    wanted = (site.path / unquote(path.partition("?")[0]).lstrip("/")).resolve()
    if wanted.is_dir():
        wanted /= "index.html"
    if not wanted.is_relative_to(site.path.resolve()) or not wanted.is_file():
        raise RefusedRequest(404, "There is no such file.")
    kind = mimetypes.guess_type(wanted.name)[0] or "application/octet-stream"
    if kind.startswith("text/") or kind.endswith("javascript"):
        kind += "; charset=utf-8"
    await _send(writer, 200, kind, wanted.read_bytes(), is_head=head.method == "HEAD")
