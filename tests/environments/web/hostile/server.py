"""A server on loopback that sends anything: endless bodies, redirects without end, wrong lengths; and a decoy.

Paths below "/page/" are the pages of the cases, by their number.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path

MIB = 1 << 20
HTML = "Content-Type: text/html; charset=utf-8"
Send = Callable[[bytes], Awaitable[None]]


class HostileServer:
    """Answers on a port of 127.0.0.1 in a thread of its own.

    Args:
        pages: HTML by path.
        certificate: A file with a certificate and its key; it is served over TLS then.
    """

    def __init__(self, pages: Mapping[str, str], certificate: Path | None = None) -> None:
        self.pages = dict(pages)
        self.requests: list[str] = []
        self._tls = None
        if certificate is not None:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._tls.load_cert_chain(certificate)
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls))
        self.port: int = self._server.sockets[0].getsockname()[1]
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop; whatever is still sent is cut."""

        async def end() -> None:
            self._server.close()
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(end(), self._loop).result(60)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def send(data: bytes) -> None:
            writer.write(data)
            await writer.drain()

        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            target = head.split(" ", 2)[1]
            path, _, query = target.partition("?")
            self.requests.append(head)
            if path in self.pages:
                await answer(send, self.pages[path])
            else:
                await _ODD.get(path, _missing)(send, query)
        with suppress(Exception):
            writer.close()


async def answer(send: Send, body: str, status: str = "200 OK", *headers: str) -> None:
    """An answer of the usual kind."""
    data = body.encode()
    lines = [f"HTTP/1.1 {status}", HTML, f"Content-Length: {len(data)}", "Connection: close", *headers, "", ""]
    await send("\r\n".join(lines).encode() + data)


async def _missing(send: Send, query: str) -> None:
    await answer(send, "<h1>Not found</h1>", "404 Not Found")


async def _endless_body(send: Send, query: str) -> None:
    await send(f"HTTP/1.1 200 OK\r\n{HTML}\r\n\r\n<h1>It begins</h1>".encode())
    while True:
        await send(b"<!-- on and on -->\n")
        await asyncio.sleep(0.05)


async def _silent(send: Send, query: str) -> None:
    await asyncio.sleep(3600)


async def _slow_head(send: Send, query: str) -> None:
    await send(b"HTTP/1.1 200 OK\r\n")
    while True:
        await send(b"X-More: 1\r\n")
        await asyncio.sleep(0.5)


async def _wide_head(send: Send, query: str) -> None:
    await send(b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: %s\r\n" % (number, b"a" * 1000) for number in range(2000)))
    await send(f"{HTML}\r\n\r\n<h1>Late</h1>".encode())


async def _hundred_megabytes(send: Send, query: str) -> None:
    await send(
        f"HTTP/1.1 200 OK\r\n{HTML}\r\nContent-Length: {100 * MIB}\r\n\r\n<h1>Large</h1><button>Go</button>".encode()
    )
    paragraph = b"<p>" + b"word " * 13106 + b"</p>"
    for _ in range(100 * MIB // len(paragraph) + 1):
        await send(paragraph)


async def _too_short(send: Send, query: str) -> None:
    await send(
        f"HTTP/1.1 200 OK\r\n{HTML}\r\nContent-Length: 50000\r\n\r\n<h1>Cut short</h1>{'<p>More</p>' * 300}".encode()
    )
    await asyncio.sleep(0.5)  # the browser shows what came before it hears of the end


async def _no_http(send: Send, query: str) -> None:
    await send(b"\x00\xff\x80 this is no HTTP at all \r\n\r\n" * 40)


async def _redirect(send: Send, query: str) -> None:
    number = int(query or 0)
    await answer(send, "", "302 Found", f"Location: /redirect?{number + 1}")


async def _away(send: Send, query: str) -> None:
    await answer(send, "", "302 Found", f"Location: {query}")


async def _nothing(send: Send, query: str) -> None:
    await send(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")


async def _private(send: Send, query: str) -> None:
    await answer(send, "<h1>A password is needed</h1>", "401 Unauthorized", 'WWW-Authenticate: Basic realm="private"')


async def _file(send: Send, query: str) -> None:
    head = "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nConnection: close\r\n"
    await send(
        f'{head}Content-Disposition: attachment; filename="{query or "plan.bin"}"\r\nContent-Length: 6\r\n\r\n'.encode()
    )
    await send(b"a file")


async def _endless_file(send: Send, query: str) -> None:
    await send(b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n")
    while True:
        await send(b"\0" * 65536)


async def _worker(send: Send, query: str) -> None:
    data = (
        b"onfetch = (event) => event.respondWith("
        b"new Response('<h1>From the worker</h1>', {headers: {'Content-Type': 'text/html'}}))"
    )
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/javascript\r\nConnection: close\r\n"
    await send(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)


async def _events(send: Send, query: str) -> None:
    await send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    while True:
        await send(b"data: again\n\n")
        await asyncio.sleep(0.05)


_ODD: Mapping[str, Callable[[Send, str], Awaitable[None]]] = {
    "/endless-body": _endless_body,
    "/silent": _silent,
    "/slow-head": _slow_head,
    "/wide-head": _wide_head,
    "/100-mb": _hundred_megabytes,
    "/too-short": _too_short,
    "/no-http": _no_http,
    "/redirect": _redirect,
    "/away": _away,
    "/nothing": _nothing,
    "/private": _private,
    "/file": _file,
    "/endless-file": _endless_file,
    "/worker.js": _worker,
    "/events": _events,
}


class Decoy:
    """Stands for the world outside: counts what reaches its TCP port and its UDP port, on 127.0.0.1 and [::1]."""

    def __init__(self) -> None:
        self.num_reached = 0
        self._sockets: list[socket.socket] = []
        tcp = self._bound(socket.AF_INET, socket.SOCK_STREAM, 0)
        self.port: int = tcp.getsockname()[1]
        self._bound(socket.AF_INET, socket.SOCK_DGRAM, self.port)
        with suppress(OSError):  # a machine without IPv6
            self._bound(socket.AF_INET6, socket.SOCK_STREAM, self.port)

    def close(self) -> None:
        """Stop to listen."""
        for each in self._sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _bound(self, family: int, kind: int, port: int) -> socket.socket:
        made = socket.socket(family, kind)
        self._sockets.append(made)
        made.bind(("::1" if family == socket.AF_INET6 else "127.0.0.1", port))
        if kind == socket.SOCK_STREAM:
            made.listen(64)
        threading.Thread(target=self._watch, args=(made, kind), daemon=True).start()
        return made

    def _watch(self, made: socket.socket, kind: int) -> None:
        with suppress(OSError):
            while True:
                if kind == socket.SOCK_DGRAM:
                    made.recvfrom(2048)
                else:
                    there, _ = made.accept()
                    there.sendall(
                        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 15\r\n\r\n<h1>Decoy</h1>\r\n"
                    )
                    there.close()
                self.num_reached += 1
