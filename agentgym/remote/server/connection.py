"""Connections under uvicorn: HTTP with a limit on slow requests, and WebSockets straight into sessions.

uvicorn's own WebSocket classes pass each message through a queue and a task. Here the code that reads a message also
answers it. On two cores with 100 sessions of an echo, 69,000 messages per second were measured against 28,000. Frames
are in `frames`, and replies in `openenv`.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from agentgym.errors import MissingExtraError
from agentgym.remote import frames
from agentgym.remote.frames import FrameFault, FrameReader
from agentgym.remote.json_text import dumps, loads
from agentgym.remote.server import openenv, rpc
from agentgym.remote.server.access import refusal_of
from agentgym.remote.server.requests import Refused
from agentgym.remote.server.session import Session

try:
    import httptools
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
except ImportError as error:
    raise MissingExtraError("serving environments", "serve") from error

if TYPE_CHECKING:
    from agentgym.remote.server.sessions import SessionTable

MAX_HEADER_BYTES = 32 * 1024
"""Most bytes of a request's target and headers."""
_PER_HEADER = 4
_SWITCH = (
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n"
)


class HttpConnection(HttpToolsProtocol):
    """One connection, until it becomes a WebSocket; it is closed if a request does not arrive in time."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the clock of the first request."""
        super().connection_made(transport)
        self.table: SessionTable = self.config.loaded_app.table
        limit_s = self.table.config.handshake_timeout_s
        self._too_slow: asyncio.TimerHandle | None = self.loop.call_later(limit_s, self._cut_off)
        self._header_bytes = 0

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._stop_clock()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read a request, or hand over to a WebSocket, which gets the bytes after the request."""
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError:
            self._stop_clock()
            self.send_400_response("Invalid HTTP request received.")
        except httptools.HttpParserUpgrade as upgrade:
            self._stop_clock()
            if self._should_upgrade():
                self._become_websocket(data[upgrade.args[0] :])
            else:
                self.send_400_response("Unsupported upgrade.")

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._header_bytes = 0
        if self._too_slow is None:
            self._too_slow = self.loop.call_later(self.table.config.handshake_timeout_s, self._cut_off)

    def on_header(self, name: bytes, value: bytes) -> None:
        """One more header of the request."""
        self._count(len(name) + len(value) + _PER_HEADER)
        super().on_header(name, value)

    def on_url(self, url: bytes) -> None:
        """A part of the request's target."""
        self._count(len(url))
        super().on_url(url)

    def on_message_complete(self) -> None:
        """A request has arrived completely."""
        self._stop_clock()
        super().on_message_complete()

    def shutdown(self) -> None:
        """The server is about to stop."""
        self.table.drain()
        super().shutdown()

    def _count(self, num_bytes: int) -> None:
        self._header_bytes += num_bytes
        if self._header_bytes > MAX_HEADER_BYTES:
            raise ValueError("the head of the request is too long")

    def _should_upgrade_to_ws(self) -> bool:
        return True

    def _cut_off(self) -> None:
        self._too_slow = None
        self.transport.close()

    def _stop_clock(self) -> None:
        if self._too_slow is not None:
            self._too_slow.cancel()
            self._too_slow = None

    def _become_websocket(self, rest: bytes) -> None:
        headers = dict(self.headers)
        path, _, query = self.url.partition(b"?")
        status = refusal_of(headers, self.table.config) or _handshake_fault(headers)
        if status is None and (path not in (b"/ws", b"/mcp") or self.scope["method"] != "GET"):
            status = 404
        if status is not None:
            self._refuse(status)
            return
        self.transport.write(_SWITCH % frames.accept_key(headers[b"sec-websocket-key"]))
        session_ids = parse_qs(query.decode("latin-1")).get("session_id", [])
        socket = WebSocket(self.transport, self.table, self.connections, is_rpc=path == b"/mcp")
        self.connections.discard(self)
        self.transport.set_protocol(socket)
        socket.open(session_ids[0] if session_ids else "")
        if rest:
            socket.data_received(rest)

    def _refuse(self, status: int) -> None:
        lines = [f"HTTP/1.1 {status} Refused", "Connection: close", "Content-Length: 0"]
        if status == 426:
            lines.append("Sec-WebSocket-Version: 13")
        self.transport.write("\r\n".join([*lines, "", ""]).encode("ascii"))
        self.transport.close()


class WebSocket(asyncio.Protocol):
    """One WebSocket and its session.

    Args:
        transport: The connection.
        table: The table that opens its session.
        connections: The connections that uvicorn waits for when it stops.
        is_rpc: Whether messages are JSON-RPC (`/mcp`) rather than OpenEnv's (`/ws`).
    """

    __slots__ = (
        "_connections",
        "_is_held",
        "_is_rpc",
        "_is_stalled",
        "_loop",
        "_reader",
        "_stall_clock",
        "_table",
        "_transport",
        "session",
    )

    def __init__(self, transport: asyncio.Transport, table: SessionTable, connections: set[Any], is_rpc: bool) -> None:
        self._transport, self._table, self._connections, self._is_rpc = transport, table, connections, is_rpc
        self._loop = asyncio.get_running_loop()
        self._reader = FrameReader(table.config.max_message_bytes, is_server=True)
        self._is_held = self._is_stalled = False
        self._stall_clock: asyncio.TimerHandle | None = None
        self.session: Session | None = None
        connections.add(self)
        transport.set_write_buffer_limits(high=table.config.max_unsent_bytes)

    def open(self, session_id: str) -> None:
        """Open a session, or continue the session of an id."""
        try:
            session = self._table.open() if not session_id else self._find(session_id)
        except Refused as refusal:
            if self._is_rpc:
                data = {name: value for name, value in refusal.to_json().items() if name != "message"}
                self.send_rpc(rpc.error_response(None, rpc.SERVER_ERROR, str(refusal), data))
            else:
                self.send(refusal.frame())
            self.close(frames.TRY_LATER, str(refusal))
            return
        self.session = session
        session.peer = self

    def _find(self, session_id: str) -> Session:
        session = self._table.find(session_id)
        if session is None or session.peer is not None:
            raise Refused("SESSION_ERROR", "there is no such session, or it has a connection already")
        return session

    # Called by asyncio.

    def data_received(self, data: bytes) -> None:
        """Answer the complete messages."""
        try:
            messages = self._reader.feed(data)
        except FrameFault as fault:
            self._end(fault.code, str(fault))
            return
        now = self._loop.time()
        for opcode, payload in messages:
            session = self.session
            if session is None:
                return
            if opcode == frames.TEXT:
                if self._is_rpc:
                    self._receive_rpc(session, payload, now)
                else:
                    openenv.receive(session, payload, self.send, now)
            else:
                self._control(opcode, payload)

    def eof_received(self) -> None:
        """The client sends nothing more."""

    def connection_lost(self, exc: Exception | None) -> None:
        """End the session, unless it belongs to an HTTP client."""
        self._connections.discard(self)
        self._stop_stall_clock()
        session, self.session = self.session, None
        if session is not None:
            session.peer = None
            if session.is_detachable:
                session.hold(False)
            else:
                session.end()

    def pause_writing(self) -> None:
        """Stop answering, because the client does not read its replies."""
        self._is_stalled = True
        self._stall_clock = self._loop.call_later(self._table.config.handshake_timeout_s, self._transport.abort)
        self._steer()
        if self.session is not None:
            self.session.hold(True)

    def resume_writing(self) -> None:
        """Answer again, because the client has read its replies."""
        self._is_stalled = False
        self._stop_stall_clock()
        if self.session is not None:
            self.session.hold(False)
        self._steer()

    def shutdown(self) -> None:
        """End at once, or after the running step, because the server is about to stop."""
        self._table.drain()

    # Called by the session.

    def send(self, text: bytes) -> None:
        """Send one message, unless the connection is closing."""
        if not self._transport.is_closing():
            self._transport.write(frames.frame(text))

    def send_rpc(self, reply: dict[str, Any] | None) -> None:
        """Send one JSON-RPC response; None is no response."""
        if reply is not None:
            self.send(dumps(reply))

    def hold(self, is_held: bool) -> None:
        """Stop or continue reading."""
        self._is_held = is_held
        self._steer()

    def close(self, code: int, reason: str) -> None:
        """Send the reason, and close."""
        self.session = None
        if not self._transport.is_closing():
            if code not in (frames.NORMAL, frames.TRY_LATER) and not self._is_rpc:
                self.send(Refused("SESSION_ERROR", reason).frame())
            self._transport.write(frames.frame(frames.close_payload(code, reason), frames.CLOSE))
            self._transport.close()
            self._loop.call_later(self._table.config.handshake_timeout_s, self._transport.abort)

    # Internal.

    def _receive_rpc(self, session: Session, payload: bytes, now: float) -> None:
        try:
            request = loads(payload)
        except ValueError as error:
            self.send_rpc(rpc.error_response(None, rpc.PARSE_ERROR, f"Parse error: {error}"))
            return
        rpc.receive(session, request, self.send_rpc, now)

    def _control(self, opcode: int, payload: bytes) -> None:
        if opcode == frames.PING:
            if not self._is_stalled:
                self._transport.write(frames.frame(payload, frames.PONG))
        elif opcode == frames.CLOSE:
            self._end(frames.NORMAL, "")
        elif opcode == frames.BINARY:
            self._end(frames.UNSUPPORTED, "messages are text")

    def _end(self, code: int, reason: str) -> None:
        session = self.session
        if session is None or session.is_detachable:
            self.close(code, reason)
            if session is not None:
                session.peer = None
        else:
            session.end(code, reason)

    def _steer(self) -> None:
        if self._transport.is_closing():
            return
        if self._is_held or self._is_stalled:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def _stop_stall_clock(self) -> None:
        if self._stall_clock is not None:
            self._stall_clock.cancel()
            self._stall_clock = None


def _handshake_fault(headers: dict[bytes, bytes]) -> int | None:
    if headers.get(b"sec-websocket-version") != b"13":
        return 426
    return None if len(headers.get(b"sec-websocket-key", b"")) == 24 else 400
