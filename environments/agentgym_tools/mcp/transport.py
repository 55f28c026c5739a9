"""MCP's standard streams carried through a process of a sandbox, for the client of the package `mcp`.

A server is untrusted: what it writes is limited, and lines that are no messages are dropped.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, Protocol

from agentgym.errors import MissingExtraError, SandboxError

try:
    import anyio
    import anyio.lowlevel
    import anyio.to_thread
    from mcp.shared.message import SessionMessage
    from mcp.types import JSONRPCMessage
    from pydantic import ValidationError
except ImportError as error:
    raise MissingExtraError("tools of MCP servers", "mcp") from error

MAX_LINE_BYTES = 8 << 20
"""Most bytes of one message."""
MAX_IDLE_LINES = 10_000
"""Most messages and other lines of a server in an episode."""
_PIECE_BYTES = 1 << 16
_END_S = 2.0


class Flood(Exception):  # noqa: N818 - it ends the connection, and nobody else sees it
    """A server wrote more than is read."""


class Streams(Protocol):
    """What is needed of a process; see `SandboxProcess`."""

    def send(self, content: bytes) -> None:
        """Write to its standard input."""

    def receive(self, max_bytes: int) -> bytes:
        """The next bytes of its output; b"" when it has ended."""

    def wait(self, *, timeout_s: float | None = None) -> int:
        """Wait for its end."""

    def close(self) -> None:
        """Kill it and everything that it started."""


@asynccontextmanager
async def process_streams(process: Streams) -> AsyncIterator[tuple[Any, Any]]:
    """Streams from and to a server that runs as a process of a sandbox; closing the process ends them.

    Args:
        process: Its standard error must not go to its output.
    """
    to_client, reading = anyio.create_memory_object_stream[Any](0)
    writing, from_client = anyio.create_memory_object_stream[Any](0)
    in_thread = partial(anyio.to_thread.run_sync, abandon_on_cancel=True)

    async def read() -> None:
        lines = _Lines()
        async with to_client:
            while True:
                try:
                    piece = await in_thread(process.receive, _PIECE_BYTES)
                    whole = lines.take(piece)
                except (SandboxError, Flood):
                    return
                for line in whole:
                    message = _message(line)
                    if message is not None:
                        await to_client.send(SessionMessage(message))
                if not piece:
                    with suppress(SandboxError, TimeoutError):  # it may still have to say why it ends
                        await in_thread(partial(process.wait, timeout_s=_END_S))
                    return

    async def write() -> None:
        async with from_client:
            async for sent in from_client:
                text = sent.message.model_dump_json(by_alias=True, exclude_none=True)
                try:
                    await in_thread(process.send, f"{text}\n".encode())
                except SandboxError:
                    return

    async with anyio.create_task_group() as tasks, reading, writing:
        tasks.start_soon(read)
        tasks.start_soon(write)
        yield reading, writing
        process.close()  # lets go of the thread that waits for output
        tasks.cancel_scope.cancel()


class _Lines:
    """Whole lines out of pieces of output."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._num_lines = 0

    def take(self, piece: bytes) -> list[bytes]:
        """The lines that a piece completes.

        Raises:
            Flood: A line is too long, or there are too many.
        """
        *whole, rest = piece.split(b"\n")
        lines = []
        for end in whole:
            lines.append(bytes(self._rest + end))
            self._rest.clear()
        self._rest += rest
        self._num_lines += len(lines)
        if self._num_lines > MAX_IDLE_LINES or len(self._rest) > MAX_LINE_BYTES:
            raise Flood
        return lines


def _message(line: bytes) -> JSONRPCMessage | None:
    if not line.strip():
        return None
    try:
        return JSONRPCMessage.model_validate_json(line)
    except ValidationError:
        return None
