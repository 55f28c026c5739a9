"""Sockets that the host listens on for what runs in a sandbox: the one of its runner, and those of its endpoints."""

from __future__ import annotations

import os
import select
import socket
import struct
import time
from collections.abc import Callable
from pathlib import Path

from agentgym.errors import SandboxStartError
from agentgym.sandbox.runner.channel import ControlConnection, polled

SOCKET_NAME = "control.sock"
_PEER = struct.Struct("3i")


class ControlListener:
    """A socket in a private folder on which exactly one runner is waited for.

    Args:
        folder: Of this sandbox alone; it is what the sandbox sees at /run/agentgym.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / SOCKET_NAME
        self._sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            _bind(self._sock, self.path)
            self.path.chmod(0o666)  # the sandbox's user is another; the folder above lets nobody else in
            self._sock.listen(1)
        except BaseException:
            self._sock.close()
            raise

    def accept(
        self,
        name: str,
        *,
        timeout_s: float = 30.0,
        is_runner: Callable[[int], bool] = lambda pid: True,
        is_alive: Callable[[], bool] = lambda: True,
    ) -> ControlConnection:
        """Wait for the runner, then let nobody else in.

        Args:
            name: The sandbox, for messages.
            timeout_s: How long to wait.
            is_runner: Whether a process of this host with that id may be the runner; 0 where the kernel cannot tell.
            is_alive: Asked now and then; False gives up at once.

        Raises:
            SandboxStartError: No runner came, or a stranger.
        """
        deadline = time.monotonic() + timeout_s
        try:
            while not polled(self._sock, select.POLLIN, 200):
                if not is_alive():
                    raise SandboxStartError(f"sandbox {name} ended before its runner reported")
                if time.monotonic() > deadline:
                    raise SandboxStartError(f"the runner of sandbox {name} did not report within {timeout_s:.0f} s")
            peer, _ = self._sock.accept()
        finally:
            self.close()
        pid = _PEER.unpack(peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))[0]
        if not is_runner(pid):
            peer.close()
            raise SandboxStartError(f"process {pid}, which is not its runner, reported for sandbox {name}")
        return ControlConnection(peer, name, timeout_s=max(deadline - time.monotonic(), 1.0))

    def close(self) -> None:
        """Stop listening and remove the socket; twice is harmless."""
        self._sock.close()
        self.path.unlink(missing_ok=True)


def unix_listener(path: Path) -> socket.socket:
    """A listening stream socket at a path of any length, of this user alone."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _bind(sock, path)
        path.chmod(0o600)
        sock.listen(64)
        sock.setblocking(False)
    except BaseException:
        sock.close()
        raise
    return sock


def _bind(sock: socket.socket, path: Path) -> None:
    """Bind to a path of any length: an address takes 107 bytes, a descriptor's name is shorter."""
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        sock.bind(f"/proc/self/fd/{folder}/{path.name}")
    finally:
        os.close(folder)
