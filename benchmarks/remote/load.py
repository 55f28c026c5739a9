"""A load generator for OpenEnv's wire, the same for every server: `python -m benchmarks.remote.load WHERE SESSIONS
SECONDS [SERVER_PID]`.

Each session is a WebSocket that sends its next step as soon as it has the reply, and resets when its episode is over.
A server that refuses, closes or answers nothing is reported with what it did answer, and with `fault`.
Frames are written down beforehand and replies are only looked at for their end, so that the generator costs little;
its own share of a core is part of what it prints. Nothing is compressed, and replies are checked to be observations.
"""

from __future__ import annotations

import json
import resource
import select
import socket
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentgym.remote.frames import FrameReader, masked_frame

_GUESSES = (50, 25, 75, 12, 37, 62, 87)
_STEPS = [masked_frame(json.dumps({"type": "step", "data": {"message": str(guess)}}).encode()) for guess in _GUESSES]
_CHUNK = 1 << 16
_WARM_S = 0.5
_PATIENCE_S = 20.0


@dataclass(slots=True)
class _Session:
    connection: socket.socket
    reader: FrameReader
    seed: int
    turn: int = -1
    sent: float = 0.0
    heard: float = 0.0

    def send(self, data: bytes) -> None:
        self.sent = time.perf_counter()
        self.connection.send(data)

    def reset(self) -> None:
        self.seed += 1
        self.turn = -1
        self.send(masked_frame(b'{"type":"reset","data":{"seed":%d}}' % self.seed))


def connect(where: str) -> socket.socket:
    """An open WebSocket.

    Raises:
        OSError: There is no server, it refuses, or it does not answer in time.
    """
    is_path = where.startswith("/")
    connection = socket.socket(socket.AF_UNIX if is_path else socket.AF_INET)
    connection.settimeout(_PATIENCE_S)
    try:
        connection.connect(where if is_path else ("127.0.0.1", int(where)))
        if not is_path:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        _shake_hands(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _shake_hands(connection: socket.socket) -> None:
    lines = ["GET /ws HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade"]
    lines += ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13", "", ""]
    connection.sendall("\r\n".join(lines).encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        data = connection.recv(1)
        if not data:
            raise ConnectionError(f"no WebSocket: {head!r}")
        head += data


def load(where: str, num_sessions: int, seconds: float, server_pid: int = 0) -> dict[str, Any]:
    """Step so many sessions flat out for so long.

    Returns:
        steps_per_s; the steps' p50_ms, p99_ms and max_ms, where no step was answered at least the time that was waited;
        silent_sessions, which heard nothing while it was measured; the generator's share of a core; with the server's
        process id, kb_per_session: what its resident memory grew by for each session; and fault, "" or what went wrong.
    """
    before = _resident_kb(server_pid)
    poll = select.epoll()
    sessions: dict[int, _Session] = {}
    taken: list[float] = []
    fault = ""
    began, cpu = time.perf_counter(), time.process_time()
    try:
        for number in range(num_sessions):
            connection = connect(where)
            session = _Session(connection, FrameReader(1 << 20, is_server=False), seed=1000 * number)
            sessions[connection.fileno()] = session
            poll.register(connection.fileno(), select.EPOLLIN)
        for session in sessions.values():
            session.reset()
        _run(poll, sessions, _WARM_S, [])
        began, cpu = time.perf_counter(), time.process_time()
        _run(poll, sessions, seconds, taken)
    except OSError as error:
        fault = f"{type(error).__name__}: {error}"
    elapsed, busy = time.perf_counter() - began, time.process_time() - cpu
    grown = _resident_kb(server_pid) - before
    for session in sessions.values():
        session.connection.close()
    num_silent = num_sessions - sum(session.heard >= began for session in sessions.values())
    if not taken and not fault:
        fault = f"no step of {num_sessions} sessions was answered within {elapsed:.1f} s"
    num_steps = len(taken)
    taken = sorted(taken) or [elapsed]
    found = {
        "steps_per_s": num_steps / elapsed,
        "p50_ms": 1e3 * taken[len(taken) // 2],
        "p99_ms": 1e3 * taken[int(0.99 * len(taken))],
        "max_ms": 1e3 * taken[-1],
        "silent_sessions": num_silent,
        "generator_share": busy / elapsed,
        "fault": fault,
    }
    return found | ({"kb_per_session": grown / num_sessions} if server_pid else {})


def _run(poll: select.epoll, sessions: dict[int, _Session], seconds: float, taken: list[float]) -> None:
    """Step for so long; the times of the steps that were answered are added to `taken`."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for number, _ in poll.poll(1.0):
            session = sessions[number]
            data = session.connection.recv(_CHUNK)
            if not data:
                raise ConnectionError("the server closed a session")
            for _, payload in session.reader.feed(data):
                now = time.perf_counter()
                if not payload.startswith(b'{"type":"observation"'):
                    raise ConnectionError(f"no observation: {payload!r:.300}")
                session.heard = now
                if session.turn >= 0:
                    taken.append(now - session.sent)
                session.turn += 1
                if b'"done":true' in payload:
                    session.reset()
                else:
                    session.send(_STEPS[session.turn % len(_STEPS)])


def _resident_kb(pid: int) -> float:
    if not pid:
        return 0.0
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return float(status.partition("VmRSS:")[2].split()[0])


if __name__ == "__main__":
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    server = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    print(json.dumps(load(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), server)))
