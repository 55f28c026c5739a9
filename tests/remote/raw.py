"""A WebSocket that says what its test wants, well-formed or not."""

from __future__ import annotations

import json
import socket
from contextlib import suppress

from agentgym.remote import frames
from agentgym.remote.client.socket_client import Address, ClientSocket
from agentgym.remote.settings import ClientSettings

HANDSHAKE = (
    "GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n{more}\r\n"
)


class Talk:
    """Messages out and in."""

    def __init__(self, url, token="", session_id=""):
        self.socket = ClientSocket(Address.parse(url), token, ClientSettings(reply_timeout_s=60), session_id)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def say(self, message):
        self.socket.send(message if isinstance(message, bytes) else json.dumps(message).encode())

    def hear(self):
        return json.loads(self.socket.receive(60))

    def ask(self, message):
        self.say(message)
        return self.hear()

    def ask_own(self, method, **fields):
        return self.ask({"type": "agentgym", "data": {"method": method, **fields}})


def dial(url, timeout_s=60.0):
    """A plain socket to a server."""
    address = Address.parse(url)
    if address.host:
        return socket.create_connection((address.host, address.port), timeout_s)
    dialled = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    dialled.settimeout(timeout_s)
    dialled.connect(address.path)
    return dialled


def shake(dialled, path="/ws", more=""):
    """Open a WebSocket on a plain socket; returns the status line."""
    dialled.sendall(HANDSHAKE.format(path=path, more=more).encode())
    head = b""
    while b"\r\n\r\n" not in head:
        data = dialled.recv(1)
        if not data:
            break
        head += data
    return head.partition(b"\r\n")[0].decode()


def read_all(dialled):
    """What comes until the server closes, as (opcode, payload)."""
    reader, found = frames.FrameReader(2**24, is_server=False), []
    with suppress(ConnectionResetError):  # as a kernel ends what is closed with bytes that nobody read
        while data := dialled.recv(65536):
            found += reader.feed(data)
    return found
