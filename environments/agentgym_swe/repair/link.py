"""Speaks with the warm process of a sandbox: sends it files, has tests or probes run in a fork of it, reads records.

The other end is `inside/warm.py`.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from agentgym.sandbox.base import Sandbox
from agentgym_swe.repair.verdict.tree import Tree, content, header

PORT = 7211
START_S = 60.0
_PAUSE_S = 0.01
_MARGIN_S = 30.0


class WarmGoneError(Exception):
    """The warm process does not answer: it was killed, or does not listen any more."""


@dataclass(frozen=True)
class RunLimits:
    """What one run of tests may use up.

    Attributes:
        cpu_s: Processor time, whole seconds.
        idle_s: Seconds in which it neither works nor waits for a processor.
        wall_s: Seconds in all; only a machine that is too busy should reach it.
    """

    cpu_s: int = 60
    idle_s: float = 15.0
    wall_s: float = 240.0


@dataclass(frozen=True)
class Way:
    """How tests are run.

    Attributes:
        whole: Whether their files are collected whole and the ids picked out, which is faster for many; ids of folders
            and files cannot be asked for then.
        plain: Whether assertions stay as they are written, and tests run although other files cannot be collected.
        direct: Whether tests run without pytest's hooks around them where they need none.
        writes_bytecode: Whether byte code is written beside the sources.
    """

    whole: bool = False
    plain: bool = False
    direct: bool = False
    writes_bytecode: bool = False


@dataclass(frozen=True)
class Run:
    """What a run of tests came to.

    Attributes:
        outcomes: By id how each test ended: passed, failed, skipped, xfailed, xpassed. What did not run is missing.
        texts: By id the end of the report of a failure, where it was asked for.
        doubled: Ids that were reported more than once, which pytest never does.
        uncollected: Files that could not be imported or collected, each with the reason.
        why: How it ended: ended; cpu, idle, wall: past that limit; flooded: it wrote too much.
        exit_code: pytest's; None where it did not come to its end.
        cpu_s: Processor time.
        wall_s: Seconds.
    """

    outcomes: dict[str, str]
    texts: dict[str, str]
    doubled: frozenset[str]
    uncollected: dict[str, str]
    why: str
    exit_code: int | None
    cpu_s: float
    wall_s: float

    def num_passed(self, ids: Sequence[str]) -> int:
        """How many of these tests passed; skipped, expected to fail and missing are not."""
        return sum(self.outcomes.get(test) == "passed" for test in ids)


class WarmLink:
    """The one connection to the warm process of a sandbox.

    Args:
        sandbox: The sandbox; its command must be the warm process.

    Raises:
        WarmGoneError: Nothing listens.
        SandboxError: The sandbox is gone.
    """

    def __init__(self, sandbox: Sandbox, start_s: float = START_S) -> None:
        self._socket = _connected(sandbox, start_s)
        self._socket.settimeout(_MARGIN_S)
        self._received = bytearray()
        self._limits = RunLimits()

    def put(self, root: str, tree: Tree) -> None:
        """Write files below a folder.

        Raises:
            WarmGoneError: It ended meanwhile.
        """
        self._ask({"root": root, "files": header(tree)}, content(tree))
        self._line(_MARGIN_S)

    def run(
        self,
        root: str,
        path: Sequence[str],
        ids: Sequence[str],
        *,
        tree: Tree | None = None,
        limits: RunLimits | None = None,
        text: int = 0,
        way: Way | None = None,
    ) -> Run:
        """Run exactly these tests in a fork.

        Args:
            root: Folder with the package.
            path: Entries of `sys.path`, relative to it.
            ids: Test ids; files and folders may be named as well.
            tree: Files that are written first.
            limits: What the run may use up.
            text: Characters kept of the report of each failure, of tests that do not run directly.
            way: How; None for pytest's own way.

        Raises:
            WarmGoneError: It ended, or does not answer.
        """
        fork = {"ids": list(ids), "path": list(path), "text": text, **asdict(way or Way())}
        return _read(self._forked(root, fork, tree or {}, limits or RunLimits()))

    def probe(
        self, root: str, path: Sequence[str], asked: Mapping[str, Any], *, tree: Tree, limits: RunLimits
    ) -> tuple[list[Any], str, float]:
        """Compute values in a fork.

        Args:
            root: Folder that the package is written to.
            path: Entries of `sys.path`, relative to it.
            asked: What `inside/prober.py` is asked.
            tree: The package.
            limits: What it may use up.

        Returns:
            The records that it wrote, how it ended (see `Run.why`), and the processor seconds that it took.

        Raises:
            WarmGoneError: It ended, or does not answer.
        """
        answer = self._forked(root, {"probe": dict(asked), "path": list(path)}, tree, limits)
        end = answer["end"]
        return read_lines(answer["records"]), str(end["why"]), float(end["cpu_s"])

    def close(self) -> None:
        """Let go of it; it ends."""
        self._socket.close()

    def _forked(self, root: str, fork: Mapping[str, Any], tree: Tree, limits: RunLimits) -> dict[str, Any]:
        """Write files, have something run in a fork, and wait for the answer."""
        request = {"root": root, "files": header(tree), "fork": {**fork, **asdict(limits)}}
        self._ask(request, content(tree))
        if self._line(_MARGIN_S) != b"forked":
            raise WarmGoneError("it did not fork")
        nonce = secrets.token_hex(16)
        self._send(nonce.encode() + b"\n")
        answer = _json(self._line(limits.wall_s + _MARGIN_S))
        if answer.get("nonce") != nonce:
            raise WarmGoneError("it answered something else")
        return answer

    def _ask(self, request: dict[str, Any], behind: bytes) -> None:
        self._send(json.dumps(request).encode() + b"\n" + behind)

    def _send(self, sent: bytes) -> None:
        try:
            self._socket.sendall(sent)
        except OSError as error:
            raise WarmGoneError(str(error)) from error

    def _line(self, within_s: float) -> bytes:
        deadline = time.monotonic() + within_s
        while (end := self._received.find(b"\n")) < 0:
            self._socket.settimeout(max(0.01, deadline - time.monotonic()))
            try:
                piece = self._socket.recv(1 << 18)
            except OSError as error:
                raise WarmGoneError(str(error)) from error
            if not piece:
                raise WarmGoneError("it ended")
            self._received += piece
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        return line


def read_lines(lines: Sequence[str | bytes]) -> list[Any]:
    """The JSON of each line; what else the code wrote is passed over."""
    found = []
    for line in lines:
        with contextlib.suppress(ValueError, RecursionError):
            found.append(json.loads(line))
    return found


def _connected(sandbox: Sandbox, start_s: float) -> socket.socket:
    deadline = time.monotonic() + start_s
    while True:
        with contextlib.suppress(ConnectionRefusedError):
            return sandbox.connect(PORT)
        if time.monotonic() > deadline:
            raise WarmGoneError(f"nothing listens in sandbox {sandbox.id}")
        time.sleep(_PAUSE_S)


def _read(answer: dict[str, Any]) -> Run:
    outcomes: dict[str, str] = {}
    texts: dict[str, str] = {}
    uncollected: dict[str, str] = {}
    doubled = set()
    exit_code = None
    for record in read_lines(answer["records"]):
        if not isinstance(record, dict):
            continue
        if isinstance(record.get("finished"), int):
            exit_code = record["finished"]
        if "uncollected" in record:
            uncollected[str(record["uncollected"])] = str(record.get("text", ""))
        if "id" not in record:
            continue
        test = str(record["id"])
        if test in outcomes:
            doubled.add(test)
        outcomes[test] = str(record.get("outcome"))
        if "text" in record:
            texts[test] = str(record["text"])
    end = answer["end"]
    return Run(
        outcomes,
        texts,
        frozenset(doubled),
        uncollected,
        str(end["why"]),
        exit_code,
        float(end["cpu_s"]),
        float(end["wall_s"]),
    )


def _json(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise WarmGoneError("its answer is not JSON") from error
    if not isinstance(found, dict):
        raise WarmGoneError("its answer is no object")
    return found
