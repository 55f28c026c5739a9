"""Asks the server for a process, hands it three open files, and waits for its exit code.

It imports little, since shell scripts of tests start it once a command.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping, Sequence


def ask(path: str, request: Mapping[str, object], files: Sequence[int]) -> tuple[socket.socket, int]:
    """Start a process; its connection, on which the exit code will come, and its id."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.connect(path)
    socket.send_fds(connection, [json.dumps(request).encode()], list(files))
    return connection, answer(connection)


def answer(connection: socket.socket) -> int:
    """The next number from the server."""
    said = connection.recv(64)
    if not said:
        raise ConnectionError("the server of warm interpreters is gone; its last words are in the output of the tests")
    return int(said)


def main(path: str, args: Sequence[str], prefix: str | None, own: Sequence[str]) -> int:
    """Run `python ARGS OWN…` to its end."""
    request = {"args": [*args, *own], "cwd": os.getcwd(), "env": dict(os.environ), "prefix": prefix}
    connection, _ = ask(path, request, [0, 1, 2])
    code = answer(connection)
    return code if code >= 0 else 128 - code
