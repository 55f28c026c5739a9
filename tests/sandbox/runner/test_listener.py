"""Listening sockets: of a runner, and of endpoints."""

import contextlib
import socket
from pathlib import Path

import pytest

from agentgym.sandbox.runner.listener import ControlListener, unix_listener


def test_listener_serves_paths_of_any_length(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 200)
    folder.mkdir()
    listener = ControlListener(folder)
    assert (folder / "control.sock").stat().st_mode & 0o777 == 0o666
    listener.close()
    listener.close()
    with unix_listener(folder / "endpoint.sock"):
        assert (folder / "endpoint.sock").stat().st_mode & 0o777 == 0o600


def test_listener_takes_exactly_one(tmp_path: Path) -> None:
    listener = ControlListener(tmp_path)
    with contextlib.ExitStack() as stack:
        first, second = (stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)) for _ in range(2))
        first.connect(str(listener.path))
        second.connect(str(listener.path))
        first.send(b"agentgym-runner 1 7")
        control = listener.accept("test")
        assert control.runner_pid == 7
        with pytest.raises(OSError, match=r"\w"):
            second.send(b"agentgym-runner 1 8") and second.recv(1)
        assert second.recv(1) == b""
        control.close()
