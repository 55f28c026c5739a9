"""WebSocket frames (RFC 6455) for both ends: from bytes to messages, and from messages to bytes.

This module has no sockets and no extensions, so nothing is compressed.
"""

from __future__ import annotations

import base64
import hashlib
import os
import random

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
NORMAL, GOING_AWAY, PROTOCOL_ERROR, UNSUPPORTED, NO_CODE = 1000, 1001, 1002, 1003, 1005
INVALID_TEXT, POLICY, TOO_BIG, SERVER_ERROR, TRY_LATER = 1007, 1008, 1009, 1011, 1013

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_MAX_CONTROL = 125
_KEYS = random.Random(os.urandom(32))  # a system call a message would cost more than the message

try:
    from websockets.speedups import apply_mask
except ImportError:  # without the extra `serve`, large messages cost some microseconds more

    def apply_mask(data: bytes | bytearray | memoryview, mask: bytes | bytearray) -> bytes:
        """XOR of data with a repeated mask of four bytes."""
        size = len(data)
        repeated = (mask * (size // 4 + 1))[:size]
        return (int.from_bytes(data, "little") ^ int.from_bytes(repeated, "little")).to_bytes(size, "little")


class FrameFault(Exception):  # noqa: N818 - internal: becomes the code that a connection is closed with
    """Bytes that break the protocol.

    Attributes:
        code: Close code to send to the peer.
    """

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class FrameReader:
    """Assembles messages from bytes as they arrive.

    Args:
        max_bytes: Largest message; a longer one is refused after its header, before it is read.
        is_server: Whether the peer is a client, whose frames have to be masked.
    """

    __slots__ = ("_buffer", "_is_server", "_max_bytes", "_needed", "_opcode", "_parts", "_size")

    def __init__(self, max_bytes: int, is_server: bool) -> None:
        self._max_bytes, self._is_server = max_bytes, is_server
        self._buffer: bytearray | None = None
        self._needed = 2
        self._parts: list[bytes] | None = None
        self._opcode = 0
        self._size = 0

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """Add received bytes.

        Returns:
            Complete messages and control frames as (opcode, payload).

        Raises:
            FrameFault: The bytes break the protocol or a message is too long; the connection has to be closed.
        """
        if self._buffer is not None:
            self._buffer += data
            if len(self._buffer) < self._needed:
                return []
            data, self._buffer = bytes(self._buffer), None
        messages: list[tuple[int, bytes]] = []
        start, size = 0, len(data)
        while start < size:
            end = self._read(data, start, size, messages)
            if not end:
                self._buffer = bytearray(data[start:] if start else data)
                break
            start = end
        return messages

    def _read(self, data: bytes, start: int, size: int, messages: list[tuple[int, bytes]]) -> int:
        """Read the frame that starts at a position, and return its end; 0 for an incomplete frame."""
        if size - start < 2:
            self._needed = 2
            return 0
        first, second = data[start], data[start + 1]
        length, body = second & 0x7F, start + 2
        if length > _MAX_CONTROL:
            width = 2 if length == 126 else 8
            if size - body < width:
                self._needed = 2 + width
                return 0
            length = int.from_bytes(data[body : body + width])
            body += width
        opcode = first & 0x0F
        self._check(first, second, opcode, length)
        if self._is_server:
            body += 4
        end = body + length
        if end > size:
            self._needed = end - start
            return 0
        payload = data[body:end]
        if self._is_server:
            payload = apply_mask(payload, data[body - 4 : body])
        if first & 0x80 and (opcode > BINARY or (opcode and self._parts is None)):
            messages.append((opcode, payload))
        else:
            self._join(opcode, payload, bool(first & 0x80), messages)
        return end

    def _check(self, first: int, second: int, opcode: int, length: int) -> None:
        if first & 0x70:
            raise FrameFault(PROTOCOL_ERROR, "reserved bits are set; no extension was agreed on")
        if bool(second & 0x80) != self._is_server:
            raise FrameFault(PROTOCOL_ERROR, "frames of clients are masked, frames of servers are not")
        if opcode > BINARY:
            if opcode not in (CLOSE, PING, PONG):
                raise FrameFault(PROTOCOL_ERROR, f"opcode {opcode} does not exist")
            if length > _MAX_CONTROL or not first & 0x80:
                raise FrameFault(PROTOCOL_ERROR, "a control frame is too long or fragmented")
        elif length + self._size > self._max_bytes:
            raise FrameFault(TOO_BIG, f"a message is longer than {self._max_bytes} bytes")

    def _join(self, opcode: int, payload: bytes, is_last: bool, messages: list[tuple[int, bytes]]) -> None:
        if (opcode == CONTINUATION) == (self._parts is None):
            raise FrameFault(PROTOCOL_ERROR, "a fragment that continues nothing, or a message within another")
        if self._parts is None:
            self._parts, self._opcode = [], opcode
        if payload:
            self._parts.append(payload)
            self._size += len(payload)
        if is_last:
            messages.append((self._opcode, b"".join(self._parts)))
            self._parts, self._size = None, 0


def frame(payload: bytes, opcode: int = TEXT) -> bytes:
    """The bytes of one frame that a server sends."""
    return _header(opcode, len(payload), 0) + payload


def masked_frame(payload: bytes, opcode: int = TEXT) -> bytes:
    """The bytes of one frame that a client sends, masked with a random key."""
    key = _KEYS.getrandbits(32).to_bytes(4)
    return _header(opcode, len(payload), 0x80) + key + apply_mask(payload, key)


def close_payload(code: int, reason: str = "") -> bytes:
    """The payload of a close frame."""
    return code.to_bytes(2) + reason.encode()[: _MAX_CONTROL - 2].decode(errors="ignore").encode()


def read_close(payload: bytes) -> tuple[int, str]:
    """Code and reason of a close frame."""
    if len(payload) < 2:
        return NO_CODE, ""
    return int.from_bytes(payload[:2]), payload[2:].decode(errors="replace")


def accept_key(key: bytes) -> bytes:
    """A server's answer to a client's Sec-WebSocket-Key."""
    return base64.b64encode(hashlib.sha1(key + _GUID, usedforsecurity=False).digest())


def _header(opcode: int, length: int, mask_bit: int) -> bytes:
    if length < 126:
        return bytes((0x80 | opcode, mask_bit | length))
    if length < 1 << 16:
        return bytes((0x80 | opcode, mask_bit | 126)) + length.to_bytes(2)
    return bytes((0x80 | opcode, mask_bit | 127)) + length.to_bytes(8)
