"""The only way out of a sandbox with an allowlist: an HTTP proxy of the host's on a unix socket.

It reads host names, not what is said: a tunnel to a listed host can carry anything, and a host that serves other
people's content serves theirs too. List hosts accordingly.

A name is resolved here, once, and the connection goes to an address that was checked, so a name that changes its
address between check and use gains nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from agentgym.errors import ConfigError
from agentgym.sandbox.egress.allowlist import Allowlist, literal
from agentgym.sandbox.egress.http_head import RefusedRequest, RequestHead, parse_head
from agentgym.sandbox.runner.listener import unix_listener

_LOG = logging.getLogger(__name__)
_CHUNK = 65536
_MAX_KEPT_REFUSALS = 1000
_MAX_LINE = 1024
_START_WAIT_S = 10.0
_REASONS = {400: "Bad Request", 403: "Forbidden", 408: "Request Timeout", 431: "Request Header Fields Too Large"}
_REASONS |= {502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout"}

Resolver = Callable[[str, int], Sequence[str]]
_T = TypeVar("_T")


@dataclass(frozen=True)
class ProxyLimits:
    """What one sandbox may use of the proxy.

    Attributes:
        max_connections: At once; further ones are answered 503.
        max_head_bytes: Of a request's head.
        max_bytes: Of everything carried, both ways, until the proxy starts over; past it nothing is carried any more.
        head_s: From connection to the end of the head.
        connect_s: To resolve a name, and to connect to each of its addresses.
        idle_s: Without a byte either way.
        connection_s: Life of a connection.
    """

    max_connections: int = 64
    max_head_bytes: int = 32768
    max_bytes: int = 1 << 30
    head_s: float = 10.0
    connect_s: float = 10.0
    idle_s: float = 60.0
    connection_s: float = 600.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value <= 0:
                raise ConfigError(f"proxy limit {name!r} must be positive: got {value!r}")


@dataclass(frozen=True)
class Refusal:
    """One request that was refused.

    Attributes:
        wanted: "host:port", or "" where the request could not be read.
        why: The reason given.
    """

    wanted: str
    why: str


@dataclass(frozen=True)
class EgressReport:
    """What a sandbox did with its proxy.

    Attributes:
        num_connections: Accepted, the refused ones included.
        num_refused: Requests refused.
        bytes_out: From the sandbox to hosts.
        bytes_in: From hosts to the sandbox.
        refusals: The last 1,000 of them.
    """

    num_connections: int
    num_refused: int
    bytes_out: int
    bytes_in: int
    refusals: tuple[Refusal, ...]


def resolve_by_system(host: str, port: int) -> Sequence[str]:
    """Addresses of a host by the system's resolver.

    Raises:
        OSError: There are none.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(item[4][0]) for item in found))


class EgressProxy:
    """One sandbox's proxy, serving from construction to `close`.

    All proxies of a process share one thread, which ends with the last of them.

    Args:
        path: The unix socket to listen on; its folder must be there.
        allow: The hosts that may be reached, as in `Network.allow`.
        limits: What the sandbox may use.
        resolve: From host and port to addresses; called in a thread.

    Raises:
        ConfigError: An entry of `allow` is malformed.
        OSError: The socket cannot be made.
    """

    def __init__(
        self,
        path: Path,
        allow: Sequence[str],
        *,
        limits: ProxyLimits | None = None,
        resolve: Resolver = resolve_by_system,
    ) -> None:
        self.path = path
        self._allowlist = Allowlist(allow)
        self._limits = limits or ProxyLimits()
        self._resolve = resolve
        self._tasks: set[asyncio.Task[None]] = set()
        self._refusals: deque[Refusal] = deque(maxlen=_MAX_KEPT_REFUSALS)
        self._count_anew()
        self._is_open = True
        self._thread = _LoopThread.enter()
        try:
            self._server = self._thread.call(self._listen())
        except BaseException:
            self._thread.leave()
            raise

    def report(self) -> EgressReport:
        """What was done and refused so far."""
        return EgressReport(
            self._num_connections, self._num_refused, self._bytes_out, self._bytes_in, tuple(self._refusals.copy())
        )

    def start_over(self) -> None:
        """End every connection and forget what was done, for the sandbox's next user."""
        self._thread.call(self._end_connections())
        self._count_anew()

    def _count_anew(self) -> None:
        self._num_connections = self._num_refused = self._bytes_out = self._bytes_in = 0
        self._refusals.clear()

    def close(self) -> None:
        """End every connection and remove the socket; twice is harmless, and in a forked child it does nothing."""
        if not self._is_open or self._thread.pid != os.getpid():
            return
        self._is_open = False
        try:
            self._thread.call(self._shut())
        finally:
            self._thread.leave()
            self.path.unlink(missing_ok=True)

    # In the loop.

    async def _listen(self) -> asyncio.Server:
        listener = unix_listener(self.path)
        server = await asyncio.start_unix_server(self._accept, sock=listener, limit=self._limits.max_head_bytes)
        self.path.chmod(0o666)  # the sandbox runs as another user; the folder around it says who gets here
        return server

    async def _shut(self) -> None:
        self._server.close()
        await self._end_connections()

    async def _end_connections(self) -> None:
        await asyncio.sleep(0)  # what was accepted already gets its task first
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # A task of our own, as the one that asyncio makes for a coroutine reports its cancellation as an error.
        if not self._is_open:
            writer.transport.abort()
            return
        writer.transport.set_write_buffer_limits(high=0)  # a drained writer has sent everything
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._num_connections += 1
        wanted = ""
        try:
            if len(self._tasks) > self._limits.max_connections:
                raise RefusedRequest(503, f"more than {self._limits.max_connections} connections at once")
            head = await self._read_head(reader)
            wanted = f"{head.host}:{head.port}"
            far_reader, far_writer = await self._connect(head)
            try:
                carrier = _Carrier(self._count, self._limits)
                await carrier.carry(head, (reader, writer), (far_reader, far_writer))
            finally:
                far_writer.transport.abort()
        except RefusedRequest as refusal:
            self._num_refused += 1
            self._refusals.append(Refusal(wanted, refusal.why))
            _LOG.info("refused %s: %s", wanted or "a request", refusal.why)
            await _answer(writer, refusal)
        except (OSError, EOFError, TimeoutError):
            pass  # either end went away or fell silent; there is nobody to tell
        finally:
            if writer.transport.get_write_buffer_size():
                writer.transport.abort()  # it does not read what it asked for
            writer.close()

    async def _read_head(self, reader: asyncio.StreamReader) -> RequestHead:
        try:
            async with asyncio.timeout(self._limits.head_s):
                return parse_head(await reader.readuntil(b"\r\n\r\n"))
        except asyncio.LimitOverrunError:
            raise RefusedRequest(431, f"the request's head is over {self._limits.max_head_bytes} bytes") from None
        except TimeoutError:
            raise RefusedRequest(408, f"no complete request within {self._limits.head_s:g} s") from None

    async def _connect(self, head: RequestHead) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        host, port = head.host, head.port
        if self._spent() >= self._limits.max_bytes:
            raise RefusedRequest(403, f"the sandbox has used up its {self._limits.max_bytes} bytes of traffic")
        if not self._allowlist.names(host, port):
            raise RefusedRequest(403, f"{host}:{port} is not on the sandbox's list of allowed hosts")
        found = await self._addresses(host, port)
        may = self._allowlist.addresses(host, port, found)
        if not may:
            raise RefusedRequest(
                403, f"{host} stands for no public address, and none of its addresses is listed itself"
            )
        for address in may:
            try:
                async with asyncio.timeout(self._limits.connect_s):
                    reader, writer = await asyncio.open_connection(address, port, limit=_CHUNK)
            except (OSError, TimeoutError):
                continue
            # A public address of this very machine leads behind its firewall.
            is_this_machine = writer.get_extra_info("sockname")[0] == address
            if is_this_machine and not self._allowlist.lists(host, address, port):
                writer.transport.abort()
                raise RefusedRequest(403, f"{host} stands for an address of the sandbox's own machine")
            writer.transport.set_write_buffer_limits(high=0)
            return reader, writer
        raise RefusedRequest(502, f"{host}:{port} does not answer")

    async def _addresses(self, host: str, port: int) -> Sequence[str]:
        if literal(host) is not None:
            return [host]
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._limits.connect_s):
                return await loop.run_in_executor(None, self._resolve, host, port)
        except TimeoutError:
            raise RefusedRequest(504, f"resolving {host} took over {self._limits.connect_s:g} s") from None
        except (OSError, UnicodeError):
            raise RefusedRequest(502, f"{host} has no address") from None

    def _spent(self) -> int:
        return self._bytes_out + self._bytes_in

    def _count(self, num_out: int, num_in: int) -> None:
        self._bytes_out += num_out
        self._bytes_in += num_in
        if self._spent() > self._limits.max_bytes:
            raise ConnectionAbortedError("over the sandbox's traffic")


_Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class _Carrier:
    """What goes through one connection."""

    def __init__(self, count: Callable[[int, int], None], limits: ProxyLimits) -> None:
        self._count = count
        self._limits = limits
        self._timeout: asyncio.Timeout | None = None
        self._end = 0.0

    async def carry(self, head: RequestHead, near: _Ends, far: _Ends) -> None:
        now = asyncio.get_running_loop().time()
        self._end = now + self._limits.connection_s
        async with asyncio.timeout(self._limits.idle_s) as self._timeout:
            if head.is_tunnel:
                near[1].write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await _both(self._pump(near[0], far[1], is_out=True), self._pump(far[0], near[1], is_out=False))
                return
            far[1].write(head.forwarded)
            self._count(len(head.forwarded), 0)
            sending = asyncio.ensure_future(self._send_body(near[0], far[1], head.body_bytes))
            try:
                await self._pump(far[0], near[1], is_out=False)
            finally:
                sending.cancel()
                await asyncio.gather(sending, return_exceptions=True)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_out: bool) -> None:
        while content := await reader.read(_CHUNK):
            await self._write(writer, content, is_out=is_out)
        if writer.can_write_eof():
            writer.write_eof()

    async def _write(self, writer: asyncio.StreamWriter, content: bytes, *, is_out: bool = True) -> None:
        self._count(len(content) if is_out else 0, 0 if is_out else len(content))
        assert self._timeout is not None
        self._timeout.reschedule(min(asyncio.get_running_loop().time() + self._limits.idle_s, self._end))
        writer.write(content)
        await writer.drain()

    async def _send_body(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, length: int | None) -> None:
        """Send on one request's body and not a byte of what follows, which was never checked."""
        try:
            if length is not None:
                await self._send_exactly(reader, writer, length)
                return
            while True:
                line = await reader.readuntil(b"\r\n")
                size = int(line.partition(b";")[0].strip(), 16)
                if len(line) > _MAX_LINE or size < 0:
                    raise ValueError(line)
                await self._write(writer, b"%x\r\n" % size)
                if not size:
                    await self._write(writer, b"\r\n")  # trailers are left out
                    return
                await self._send_exactly(reader, writer, size)
                if await reader.readexactly(2) != b"\r\n":
                    raise ValueError(line)
                await self._write(writer, b"\r\n")
        except (ValueError, EOFError, OSError, asyncio.LimitOverrunError):
            writer.transport.abort()

    async def _send_exactly(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, length: int) -> None:
        while length:
            content = await reader.read(min(length, _CHUNK))
            if not content:
                raise EOFError
            await self._write(writer, content)
            length -= len(content)


async def _both(*pumps: Coroutine[Any, Any, None]) -> None:
    """Wait for both ways to end; what breaks one ends the other."""
    tasks = [asyncio.ensure_future(pump) for pump in pumps]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _answer(writer: asyncio.StreamWriter, refusal: RefusedRequest) -> None:
    body = f"agentgym: {refusal.why}\n".encode()
    head = f"HTTP/1.1 {refusal.status} {_REASONS[refusal.status]}\r\nContent-Type: text/plain\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(1.0):
            await writer.drain()


class _LoopThread:
    """The event loop that all proxies of this process run in."""

    _current: _LoopThread | None = None
    _lock = threading.Lock()

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._num_users = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="agentgym-egress", daemon=True)
        self._thread.start()

    @classmethod
    def enter(cls) -> _LoopThread:
        """Use the loop, started where none runs in this process."""
        with cls._lock:
            if cls._current is None or cls._current.pid != os.getpid():
                cls._current = cls()
            cls._current._num_users += 1
            return cls._current

    def leave(self) -> None:
        """Use it no more; the last user ends it."""
        with self._lock:
            self._num_users -= 1
            if self._num_users:
                return
            _LoopThread._current = None
            self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_START_WAIT_S)

    def call(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Run something in the loop and wait for it."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(_START_WAIT_S)

    def _run(self) -> None:
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()


os.register_at_fork(after_in_child=lambda: setattr(_LoopThread, "_lock", threading.Lock()))
