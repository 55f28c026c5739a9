"""Functions that are called in processes of their own, forked from one that has imported them: imports cost most.

A server process imports a function once and forks for each question. What limits a forked process is the function's
own work; that it ends in time is this module's.
"""

from __future__ import annotations

import atexit
import importlib
import os
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from typing import NoReturn

from agentgym.errors import InfrastructureError

MAX_WALL_S = 300
_MESSAGE = b"?"
"""What goes with the end of a socket on which a question comes and its answer goes."""
_END = b"\nexit code "
"""Stands between an answer and the exit code of the process that gave it."""
_FAULT = 1
"""Exit code of a process in which the function raised; the answer then is the traceback."""
Function = Callable[[bytes], tuple[bytes, int]]
"""Takes a question and returns an answer and the exit code of the process that gives it."""
_Key = tuple[int, str]
_servers: dict[_Key, Server] = {}
_lock = threading.Lock()


class Server:
    """A process that has imported a function and forks to call it; it ends when this process does.

    Args:
        function: A `Function`, as "module:name".
    """

    def __init__(self, function: str) -> None:
        self._control, theirs = socket.socketpair()
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-m", __name__, function],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env=environment,
                process_group=0,  # Ctrl-C at a terminal is for this process alone, which ends the server
            )

    def ask(self, question: bytes) -> tuple[bytes, int]:
        """The answer, and the exit code of the process that gave it; negative for a signal.

        Raises:
            OSError: The server is gone, or the answer did not come in time.
        """
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                socket.send_fds(self._control, [_MESSAGE], [theirs.fileno()])
            ours.settimeout(MAX_WALL_S + 10)
            ours.sendall(question)
            ours.shutdown(socket.SHUT_WR)
            answer, end, code = _whole(ours).rpartition(_END)
        if not end:
            raise ConnectionResetError("a process that forks ended")
        return answer, int(code)

    def close(self) -> None:
        """Let the process end; calling it again changes nothing."""
        self._control.close()
        self._process.wait()


def ask_forked(function: str, question: bytes) -> tuple[bytes, int]:
    """What a function answers in a process of its own; see `Server.ask`.

    Args:
        function: As "module:name".
        question: What it is given.

    Raises:
        InfrastructureError: There was no answer, also from a second server.
    """
    server = _server(function)
    try:
        return server.ask(question)
    except TimeoutError as error:
        raise InfrastructureError(f"{function} did not answer; the machine may be overloaded") from error
    except OSError:
        _drop(function, server)
    try:
        return _server(function).ask(question)
    except OSError as error:
        raise InfrastructureError(f"{function} did not answer: {error}; its server's messages say why") from error


def _server(function: str) -> Server:
    """The server of a function; a process that was forked from another has its own."""
    with _lock:
        key = os.getpid(), function
        if key not in _servers:
            _servers[key] = Server(function)
            atexit.register(_servers[key].close)
        return _servers[key]


def _drop(function: str, server: Server) -> None:
    """Let go of a server that is gone."""
    with _lock:
        if _servers.get((os.getpid(), function)) is server:
            del _servers[os.getpid(), function]
    atexit.unregister(server.close)
    server.close()


def serve(function: str) -> None:
    """What the server does: fork for every question that comes over the standard input, until that is closed."""
    module, _, name = function.partition(":")
    answer: Function = getattr(importlib.import_module(module), name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # those who keep forked processes are waited for by nobody
    with socket.socket(fileno=os.dup(0)) as control:
        while True:
            message, descriptors, _, _ = socket.recv_fds(control, 1, 1)
            if not message:
                return
            if not os.fork():
                control.close()
                os.close(0)
                _keep(answer, socket.socket(fileno=descriptors[0]))
            os.close(descriptors[0])


def _keep(answer: Function, connection: socket.socket) -> NoReturn:
    """Fork once more, wait for the one that answers, and add how it ended to its answer."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    worker = os.fork()
    if not worker:
        signal.alarm(MAX_WALL_S)
        _answer(answer, connection)
    _, status = os.waitpid(worker, 0)
    connection.sendall(_END + str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _answer(answer: Function, connection: socket.socket) -> NoReturn:
    code = _FAULT
    try:
        text, found = answer(_whole(connection))
        connection.sendall(text)
        code = found
    except Exception:  # noqa: BLE001 - nothing of this process goes on
        connection.sendall(traceback.format_exc().encode())
    finally:
        os._exit(code)


def _whole(connection: socket.socket) -> bytes:
    """Everything up to the end."""
    parts = []
    while part := connection.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


if __name__ == "__main__":
    serve(sys.argv[1])
