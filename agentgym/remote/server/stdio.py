"""MCP over standard input and output: one client, one episode, no socket.

What a message means is in `rpc`.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

from agentgym.remote.json_text import dumps, loads
from agentgym.remote.server import rpc
from agentgym.remote.server.session import Fields, Session
from agentgym.remote.server.sessions import SessionTable


def serve_stdio(table: SessionTable, start: Fields) -> None:
    """Serve one client until it closes its end; its environment is closed then, also in the middle of a step.

    Whatever else is printed meanwhile goes to stderr, because stdout belongs to the protocol.

    Args:
        table: Makes the session.
        start: `seed` and `task` of the episode.
    """
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as writing:
        sys.stdout.flush()
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        try:
            with open(sys.stdin.fileno(), "rb", closefd=False) as reading:
                asyncio.run(_serve(table, start, reading, writing))
        finally:
            os.dup2(writing.fileno(), sys.stdout.fileno())


async def _serve(table: SessionTable, start: Fields, reading: BinaryIO, writing: BinaryIO) -> None:
    table.start()
    session = table.open()
    session.start = start
    lines: asyncio.Queue[bytes] = asyncio.Queue()
    loop, limit = asyncio.get_running_loop(), table.config.max_message_bytes
    put = lambda line: loop.call_soon_threadsafe(lines.put_nowait, line)  # noqa: E731
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, session.end)
    threading.Thread(target=_read_lines, args=(reading, limit, put), name="agentgym-stdin", daemon=True).start()
    try:
        await _answer_all(session, lines, writing, limit)
    finally:
        session.end()
        table.close()


async def _answer_all(session: Session, lines: asyncio.Queue[bytes], writing: BinaryIO, limit: int) -> None:
    """Answer each line until the client is gone, or the session ends by a limit of time."""
    ended = session.ended()
    now = asyncio.get_running_loop().time

    def send(reply: Any) -> None:
        if reply is not None:
            _write(writing, reply)

    while True:
        line = asyncio.ensure_future(lines.get())
        await asyncio.wait((line, ended), return_when=asyncio.FIRST_COMPLETED)
        if not line.done() or not line.result():
            line.cancel()
            return
        if len(line.result()) > limit:
            send(rpc.error_response(None, rpc.INVALID_REQUEST, f"a message has at most {limit} bytes"))
            continue
        try:
            message = loads(line.result())
        except ValueError:
            send(rpc.error_response(None, rpc.PARSE_ERROR, "Parse error"))
            continue
        rpc.receive(session, message, send, now())


def _read_lines(reading: BinaryIO, limit: int, put: Callable[[bytes], Any]) -> None:
    """Hand over each line that is not blank, of one that is too long the beginning; then an empty one for the end."""
    while line := reading.readline(limit + 1):
        rest = line
        while len(line) > limit and rest and not rest.endswith(b"\n"):
            rest = reading.readline(limit)
        if line.strip():
            put(line)
    put(b"")


def _write(writing: BinaryIO, reply: Any) -> None:
    try:
        writing.write((reply if isinstance(reply, bytes) else dumps(reply)) + b"\n")
        writing.flush()
    except (BrokenPipeError, ValueError):
        pass  # the client is gone; its end of the input says so
