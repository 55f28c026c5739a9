"""The connection to `desk`: requests of lines, replies of named blocks, each bounded in size and time.

Whoever listens there shares a user with the agent, so a reply is parsed as what a stranger says, and decides no grade.
"""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Sequence

from agentgym.errors import SandboxError, SandboxLostError
from agentgym.sandbox.base import Sandbox
from agentgym_gui.desktop.settings import SOCKET

MAX_REPLY = 128 << 20
MAX_REQUEST = 1 << 20
START_S = 60.0
_LENGTH = struct.Struct("<I")
_RETRY_S = 0.004


class DesktopLostError(SandboxError):
    """A desktop that was killed, hangs or talks nonsense while its sandbox lives."""


class DeskLink:
    """One connection to the desk of a sandbox.

    Args:
        sandbox: Where it runs; its session may still be starting.

    Raises:
        DesktopLostError: It does not come up.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._stream = _connected(sandbox)

    def ask(self, lines: Sequence[str], timeout_s: float) -> list[tuple[str, memoryview]]:
        """The blocks that answer a request, in order.

        Args:
            lines: Commands of desk; all are carried out, or none if one is malformed.
            timeout_s: How long the whole answer may take.

        Raises:
            DesktopLostError: There is no whole answer.
        """
        text = "\n".join(lines).encode()
        if len(text) > MAX_REQUEST:
            raise DesktopLostError(f"a request of {len(text)} bytes is too long for desk; send less at once")
        deadline = time.monotonic() + timeout_s
        try:
            self._stream.settimeout(timeout_s)
            self._stream.sendall(_LENGTH.pack(len(text)) + text)
            (length,) = _LENGTH.unpack(self._received(_LENGTH.size, deadline))
            if length > MAX_REPLY:
                raise DesktopLostError(f"desk wants to answer with {length} bytes, at most {MAX_REPLY}")
            return _blocks(self._received(length, deadline))
        except TimeoutError as error:
            self.close()
            raise DesktopLostError(f"the desktop did not answer within {timeout_s:g} s") from error
        except OSError as error:
            self.close()
            if isinstance(error, SandboxError):
                raise
            raise DesktopLostError(f"the desktop has ended: {error}") from error

    def close(self) -> None:
        """Close the connection; twice is harmless."""
        self._stream.close()

    def _received(self, length: int, deadline: float) -> memoryview:
        content = memoryview(bytearray(length))
        at = 0
        while at < length:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._stream.settimeout(left)
            got = self._stream.recv_into(content[at:])
            if not got:
                raise ConnectionResetError("the connection was closed")
            at += got
        return content


def require_sandbox(sandbox: Sandbox, error: DesktopLostError) -> None:
    """A desktop that is gone is the agent's doing; a sandbox that is gone is nobody's.

    Raises:
        SandboxLostError: The sandbox is gone, too.
    """
    is_lost = getattr(sandbox, "is_lost", None)
    if is_lost is not None and is_lost():
        raise SandboxLostError(f"the sandbox ended with its desktop: {error}") from error


def _connected(sandbox: Sandbox) -> socket.socket:
    deadline = time.monotonic() + START_S
    while True:
        try:
            return sandbox.connect(SOCKET)
        except ConnectionRefusedError as error:
            if time.monotonic() > deadline:
                raise DesktopLostError(f"the desktop of sandbox {sandbox.id} did not come up: {error}") from error
            time.sleep(_RETRY_S)


def _blocks(content: memoryview) -> list[tuple[str, memoryview]]:
    blocks = []
    at = 0
    while at < len(content):
        head = bytes(content[at : at + 64]).partition(b"\n")[0]
        name, _, number = head.partition(b" ")
        if not number.isdigit() or not name.isalpha():
            raise DesktopLostError("the desktop answers in a form that desk does not use")
        start = at + len(head) + 1
        at = start + int(number)
        if at > len(content):
            raise DesktopLostError("the desktop's answer ends in its middle")
        blocks.append((name.decode(), content[start:at]))
    return blocks
