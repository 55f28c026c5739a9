"""A client's WebSocket: connect, send a message, receive a message, with wall-clock limits and no threads.

No pings are sent, so a server may answer slowly. `agentgym.remote.client.env` interprets the messages.
"""

from __future__ import annotations

import base64
import contextlib
import os
import socket
import ssl
import threading
import time
from collections import deque
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from agentgym.errors import ConfigError, InfrastructureError, StepTimeoutError
from agentgym.remote import frames
from agentgym.remote.frames import FrameFault, FrameReader
from agentgym.remote.settings import ClientSettings

_CHUNK = 1 << 16
_MAX_HEAD = 1 << 16
_LAST_WORDS_S = 0.1
_SEND_S = 120.0


@dataclass(frozen=True)
class Address:
    """Where a server listens.

    Attributes:
        host: Name or address; "" for a unix socket.
        port: Port of the host.
        path: Prefix of the paths on the host, or the path of the unix socket.
        is_secure: Whether TLS is used.
    """

    host: str
    port: int
    path: str
    is_secure: bool = False

    @classmethod
    def parse(cls, url: str) -> Address:
        """Parse an address that starts with http://, https://, ws:// or wss://, or is unix:PATH.

        Raises:
            ConfigError: It is none of these, or carries a user, a query or a fragment.
        """
        if url.startswith("unix:"):
            path = url.removeprefix("unix:")
            if not path:
                raise ConfigError("the address 'unix:' lacks the path of a socket; expected unix:/path/to/socket")
            return cls("", 0, path)
        parts = urlsplit(url if "://" in url else f"http://{url}")
        if parts.scheme not in ("http", "https", "ws", "wss") or not parts.hostname:
            raise ConfigError(f"{url!r} is no address of a server; expected http(s)://, ws(s):// or unix:PATH")
        if parts.username or parts.query or parts.fragment:
            raise ConfigError(f"{parts.scheme}://{parts.hostname}: an address has no user, query or fragment")
        is_secure = parts.scheme in ("https", "wss")
        try:
            port = parts.port or (443 if is_secure else 80)
        except ValueError:
            raise ConfigError(f"{url!r} has no valid port") from None
        return cls(parts.hostname, port, parts.path.rstrip("/"), is_secure)

    @property
    def host_header(self) -> str:
        """The value of the Host header."""
        if not self.host:
            return "localhost"
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def __str__(self) -> str:
        if not self.host:
            return f"unix:{self.path}"
        return f"{'https' if self.is_secure else 'http'}://{self.host_header}{self.path}"


class ClientSocket:
    """An open WebSocket.

    Args:
        address: Address of the server.
        token: Sent as a bearer token; "" sends none.
        settings: Limits.
        session_id: Session to go on with; "" opens a new one.

    Raises:
        InfrastructureError: The server cannot be reached.
        ConfigError: The server refuses the token or the address.
    """

    def __init__(self, address: Address, token: str, settings: ClientSettings, session_id: str = "") -> None:
        self._address, self._settings = address, settings
        self._reader = FrameReader(settings.max_message_bytes, is_server=False)
        self._messages: deque[bytes] = deque()
        self._lock = threading.Lock()
        deadline = time.monotonic() + settings.connect_timeout_s
        self._socket = self._connect(deadline)
        try:
            rest = self._shake_hands(token, session_id, deadline)
            if rest:
                self._take(rest)
        except BaseException:
            self._socket.close()
            raise

    def send(self, text: bytes) -> None:
        """Send one message; may be called while another thread receives.

        Raises:
            InfrastructureError: The connection is lost.
        """
        self._send(frames.masked_frame(text))

    def receive(self, timeout_s: float) -> bytes:
        """The next message.

        Raises:
            StepTimeoutError: No message came in time; the connection is closed.
            InfrastructureError: The connection is lost.
        """
        deadline = time.monotonic() + timeout_s
        remaining = timeout_s
        while not self._messages:
            try:
                self._socket.settimeout(remaining)
                data = self._socket.recv(_CHUNK)
            except TimeoutError:
                self.close()
                raise StepTimeoutError(f"{self._address} did not answer within {timeout_s:g} s") from None
            except OSError as error:
                raise self._lost(str(error)) from error
            if not data:
                raise self._lost("the server closed it")
            self._take(data)
            remaining = deadline - time.monotonic()
            if remaining <= 0 and not self._messages:
                remaining = 0.001
        return self._messages.popleft()

    def close(self) -> None:
        """Close the connection; a second call does nothing."""
        with self._lock:
            with contextlib.suppress(OSError):  # it may be gone already
                self._socket.settimeout(1.0)
                self._socket.sendall(frames.masked_frame(frames.close_payload(frames.NORMAL), frames.CLOSE))
            self._socket.close()

    def abort(self) -> None:
        """End the connection at once, waking a thread that receives."""
        with contextlib.suppress(OSError):  # it may be gone already
            self._socket.shutdown(socket.SHUT_RDWR)

    def _send(self, data: bytes) -> None:
        try:
            with self._lock:
                self._socket.settimeout(self._settings.reply_timeout_s or _SEND_S)
                self._socket.sendall(data)
        except OSError as error:
            if not self._last_words():
                raise self._lost(str(error)) from error

    def _last_words(self) -> bool:
        """Whether the server sent something before it closed, which is then the reply."""
        try:
            self._socket.settimeout(_LAST_WORDS_S)
            while not self._messages and (data := self._socket.recv(_CHUNK)):
                self._take(data)
        except (OSError, InfrastructureError):
            pass  # nothing more comes
        return bool(self._messages)

    def _take(self, data: bytes) -> None:
        try:
            found = self._reader.feed(data)
        except FrameFault as fault:
            raise self._lost(str(fault)) from None
        for opcode, payload in found:
            if opcode in (frames.TEXT, frames.BINARY):
                self._messages.append(payload)
            elif opcode == frames.PING:
                self._send(frames.masked_frame(payload, frames.PONG))
            elif opcode == frames.CLOSE and not self._messages:
                code, reason = frames.read_close(payload)
                raise self._lost(f"the server closed it: {reason or code}")

    def _lost(self, why: str) -> InfrastructureError:
        self._socket.close()
        return InfrastructureError(f"the connection to {self._address} is lost: {why}")

    def _connect(self, deadline: float) -> socket.socket:
        address, timeout_s = self._address, self._settings.connect_timeout_s
        try:
            if not address.host:
                connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                try:
                    connection.settimeout(timeout_s)
                    connection.connect(address.path)
                except BaseException:
                    connection.close()
                    raise
                return connection
            connection = socket.create_connection((address.host, address.port), timeout_s)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if address.is_secure:
                connection.settimeout(max(0.001, deadline - time.monotonic()))
                connection = ssl.create_default_context().wrap_socket(connection, server_hostname=address.host)
            return connection
        except OSError as error:
            raise InfrastructureError(f"cannot connect to {address}: {error}") from error

    def _shake_hands(self, token: str, session_id: str, deadline: float) -> bytes:
        key = base64.b64encode(os.urandom(16))
        prefix = self._address.path if self._address.host else ""
        query = f"?session_id={quote(session_id, safe='')}" if session_id else ""
        lines = [
            f"GET {prefix}/ws{query} HTTP/1.1",
            f"Host: {self._address.host_header}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key.decode('ascii')}",
            "Sec-WebSocket-Version: 13",
            *([f"Authorization: Bearer {token}"] if token else []),
        ]
        self._send("\r\n".join([*lines, "", ""]).encode("ascii"))
        head, rest = self._read_head(deadline)
        status = head.partition(b"\r\n")[0].split(b" ")
        code = int(status[1]) if len(status) > 1 and status[1].isdigit() else 0
        if code in (401, 403):
            what = "a token" if code == 401 else "an address that it serves"
            raise ConfigError(f"{self._address} refused the connection (HTTP {code}); it expects {what}")
        if code == 404:
            raise ConfigError(f"{self._address} has no /ws (HTTP 404); expected the address of an OpenEnv server")
        if code != 101 or frames.accept_key(key).lower() not in head.lower():
            raise InfrastructureError(f"{self._address} opened no WebSocket: HTTP {code or 'answer unreadable'}")
        return rest

    def _read_head(self, deadline: float) -> tuple[bytes, bytes]:
        head = b""
        while b"\r\n\r\n" not in head:
            try:
                self._socket.settimeout(max(0.001, deadline - time.monotonic()))
                data = self._socket.recv(_CHUNK)
            except OSError as error:
                raise self._lost(f"no handshake: {error}") from error
            if not data or len(head) > _MAX_HEAD:
                raise self._lost("no handshake")
            head += data
        first, _, rest = head.partition(b"\r\n\r\n")
        return first, rest
