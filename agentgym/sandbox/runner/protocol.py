"""The numbers and layouts that the runner and its host agree on; `containers/base/runner/protocol.h` has the same.

Nothing here sends or receives: that is `channel`.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

VERSION = 1
MAX_PAYLOAD = 8 << 20
PIECE_BYTES = 65536
HEADER = struct.Struct("<IB")
CONTROL_CHANNEL = b"c"
CONTROL_CLEAR = b"k"
UNLIMITED = (1 << 64) - 1

_EXEC = struct.Struct("<IIIIQII")
_RUN = struct.Struct("<IQ")
_EXIT = struct.Struct("<IIQQ")


class Kind(IntEnum):
    """What a frame is."""

    EXEC = 1
    SHELL = 2
    READ = 3
    WRITE = 4
    CONNECT = 5
    RELAY = 6
    CLEAR = 7
    STATUS = 8
    INPUT = 16
    INPUT_END = 17
    RUN = 18
    OUTPUT = 32
    ERROR_OUTPUT = 33
    EXIT = 34
    READY = 35
    FAILED = 36


class ExecFlag(IntEnum):
    """How a command is run: bits of a number."""

    HAS_STDIN = 1
    MERGES_STDERR = 2
    KEEPS_BACKGROUND = 4
    STAYS_BENEATH = 8


class ExitFlag(IntEnum):
    """How a command ended: bits of a number."""

    TIMED_OUT = 1
    INTERRUPTED = 2
    LEFTOVERS = 4
    SHELL_GONE = 8


class Exit(NamedTuple):
    """The end of a command: its exit code, how it came (`ExitFlag`), what was dropped, and the wall time."""

    exit_code: int
    flags: int
    dropped_bytes: int
    duration_s: float


class Failure(NamedTuple):
    """Why an operation could not be carried out: an errno and a sentence."""

    errno: int
    message: str


class Command(NamedTuple):
    """What an EXEC request says; times in milliseconds, 0 for no limit; flags are those of `ExecFlag`."""

    argv: Sequence[str | bytes]
    env: Mapping[str, str]
    cwd: str = ""
    flags: int = 0
    timeout_ms: int = 0
    grace_ms: int = 0
    drain_ms: int = 200
    max_output: int = UNLIMITED

    def packed(self) -> bytes:
        """The payload of the request."""
        numbers = (self.flags, self.timeout_ms, self.grace_ms, self.drain_ms, self.max_output)
        head = _EXEC.pack(*numbers, len(self.argv), len(self.env))
        variables = [f"{name}={value}" for name, value in self.env.items()]
        return head + packed_strings(self.cwd, *self.argv, *variables)

    def packed_shell(self) -> bytes:
        """The payload of a SHELL request: of the numbers only the flags stand in it."""
        numbers = (self.flags, len(self.argv), len(self.env))
        variables = [f"{name}={value}" for name, value in self.env.items()]
        return struct.pack("<III", *numbers) + packed_strings(self.cwd, *self.argv, *variables)


def frame(kind: Kind, payload: bytes = b"") -> bytes:
    """One frame as bytes."""
    return HEADER.pack(len(payload), kind) + payload


def packed_strings(*strings: str | bytes) -> bytes:
    """Strings that end in NUL.

    Raises:
        ValueError: One holds a NUL.
    """
    encoded = [text if isinstance(text, bytes) else _encoded(text) for text in strings]
    if any(b"\0" in text for text in encoded):
        raise ValueError(f"embedded null byte in {next(text for text in encoded if bytes(1) in text)!r}")
    return b"".join(text + b"\0" for text in encoded)


def packed_target(port: int, path: str = "") -> bytes:
    """Where a stream goes: a loopback port, or a unix socket for port 0."""
    return port.to_bytes(4, "little") + packed_strings(path)


def packed_run(command: str, timeout_s: float, max_output: int) -> bytes:
    """The payload of a RUN frame; null bytes are left out, as bash does."""
    head = _RUN.pack(milliseconds(timeout_s), max_output)
    return head + packed_strings(command.replace("\0", ""))


def milliseconds(seconds: float) -> int:
    """A time limit as requests carry it: at least one, and as many as fit."""
    return min(max(int(seconds * 1000), 1), 0xFFFFFFFF)


def parsed_folder(payload: bytes) -> str:
    """The folder that a shell was in at the end of a command."""
    return os.fsdecode(payload[_EXIT.size :].rstrip(b"\0"))


def parsed_exit(payload: bytes) -> Exit:
    """The content of an EXIT frame."""
    exit_code, flags, dropped, duration_us = _EXIT.unpack(payload[: _EXIT.size])
    return Exit(exit_code, flags, dropped, duration_us / 1e6)


def parsed_failure(payload: bytes) -> Failure:
    """The content of a FAILED frame."""
    return Failure(int.from_bytes(payload[:4], "little"), payload[4:].decode("utf-8", "replace"))


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half of a surrogate pair, as broken JSON holds it
        return text.encode("utf-8", "replace")
