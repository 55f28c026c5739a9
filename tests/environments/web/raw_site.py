"""A site of raw answers on a port of 127.0.0.1: pages as text, or whatever a function writes to the connection.

And a decoy: a listener that nobody may reach, which counts who does.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from agentgym_web.browser.gate import Server


@dataclass(frozen=True)
class Request:
    """What was asked: the method, the path with its query, the whole head and what came of the body with it."""

    method: str
    path: str
    head: str
    body: bytes


Handler = Callable[[socket.socket, Request], None]
"""Writes an answer; the connection is closed after it."""


class RawSite:
    """A server with a thread for each connection.

    Args:
        pages: Pages as HTML, or handlers, by path without a query.
    """

    def __init__(self, pages: Mapping[str, str | Handler]) -> None:
        self.pages = dict(pages)
        self.requests: list[Request] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._serve, daemon=True, name="raw-site").start()

    @property
    def behind_gate(self) -> Server:
        """The site as a network names it."""
        return Server(port=self.port)

    def close(self) -> None:
        """Stop, and cut all connections."""
        self._listener.close()
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        self._open.add(connection)
        with connection, suppress(OSError):
            request = read_request(connection)
            self.requests.append(request)
            page = self.pages.get(request.path.partition("?")[0])
            if page is None:
                send(connection, "404 Not Found", "no such page")
            elif isinstance(page, str):
                send(connection, "200 OK", page)
            else:
                page(connection, request)
        self._open.discard(connection)


class Decoy:
    """A TCP and a UDP port of 127.0.0.1 that count what arrives."""

    def __init__(self) -> None:
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._tcp.getsockname()[1]
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", self.port))
        self.seen: list[str] = []
        threading.Thread(target=self._accept, daemon=True, name="decoy-tcp").start()
        threading.Thread(target=self._receive, daemon=True, name="decoy-udp").start()

    def close(self) -> None:
        """Stop to listen."""
        for each in (self._tcp, self._udp):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._tcp.accept()
                self.seen.append("tcp")
                connection.close()

    def _receive(self) -> None:
        with suppress(OSError):
            while True:
                data, _ = self._udp.recvfrom(2048)
                if not data:
                    return
                self.seen.append("udp")


def read_request(connection: socket.socket) -> Request:
    """Read a request's head."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            raise ConnectionError("no request")
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    method, path, _ = head.decode("latin-1").split(" ", 2)
    return Request(method, path, head.decode("latin-1"), body)


def send(connection: socket.socket, status: str, body: str | bytes = b"", **headers: Any) -> None:
    """Send a whole answer.

    Args:
        connection: Where.
        status: Such as "200 OK".
        body: Its body; a text is HTML unless `headers` say otherwise.
        headers: Further headers, "_" standing for "-".
    """
    data = body.encode() if isinstance(body, str) else body
    named = {"Content_Type": "text/html; charset=utf-8", "Content_Length": len(data), "Connection": "close", **headers}
    lines = [f"HTTP/1.1 {status}", *(f"{key.replace('_', '-')}: {value}" for key, value in named.items()), "", ""]
    connection.sendall("\r\n".join(lines).encode() + data)
