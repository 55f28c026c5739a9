"""Finds out which candidates tests notice: most in forks of one collected session, the rest in fresh processes.

`inside/screen.py` and `inside/cold.py` do the work in a sandbox.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from agentgym.errors import SandboxError, SandboxLostError
from agentgym.sandbox.base import SandboxProcess
from agentgym_swe.repositories.layer import Layer
from agentgym_swe.room import PROGRAMS, Room, Wanted, open_room

LIMIT = 41
"""Failures after which a candidate is given up."""
MAX_FAILING = 40
_ANSWER_S = 1000.0
_CPU_FACTOR, _CPU_LEAST_S = 4.0, 2.0


@dataclass(frozen=True)
class Screened:
    """What tests said of a candidate.

    Attributes:
        how: "tried"; "hangs", "died" or "late" where the run did not end well; "cold" where a fresh process must try;
            "unusable" where it does not compile.
        failing: Tests that fail, in pytest's order.
        cpu_s: CPU seconds.
    """

    how: str
    failing: tuple[str, ...]
    cpu_s: float


class Worker:
    """A program of `inside` that answers a line for each line.

    Args:
        process: The program.
        name: Its name, for messages.
    """

    def __init__(self, process: SandboxProcess, name: str) -> None:
        self._process, self._name = process, name
        self._rest = b""

    def send(self, asked: Mapping[str, Any]) -> None:
        """Send a line."""
        self._process.send(json.dumps(asked).encode() + b"\n")

    def receive(self) -> dict[str, Any]:
        """The next line.

        Raises:
            SandboxError: The program ended, or is silent for too long.
        """
        parts = [self._rest]
        while b"\n" not in parts[-1]:
            try:
                part = self._process.receive(1 << 20, timeout_s=_ANSWER_S)
            except TimeoutError as error:
                raise SandboxError(f"the program {self._name!r} gave no answer within {_ANSWER_S:.0f} s") from error
            if not part:
                raise SandboxLostError(f"the program {self._name!r} ended: {b''.join(parts)[-1000:]!r}")
            parts.append(part)
        line, _, self._rest = b"".join(parts).partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def screen(layer: Layer, sandbox: Wanted = None, *, measures: bool = False) -> Iterator[Screen]:
    """A collected session of a layer, for as long as the block runs.

    Args:
        layer: The package.
        sandbox: As in `SandboxEnv`.
        measures: Whether it is measured which tests run each line.

    Raises:
        SandboxError: No sandbox can be started, or the tests cannot be collected.
    """
    with open_room(layer.folder, sandbox) as room, worker_of(room, "screen", 0) as worker:
        files = layer.sources if measures else ()
        worker.send({"path": layer.python_path, "tests": layer.run, "only": layer.tests, "files": files})
        collected = worker.receive()
        if collected["collected"] != len(layer.tests):
            raise SandboxError(
                f"{collected['collected']} of {len(layer.tests)} tests of {layer.name} were collected for screening"
            )
        if measures and not collected["lines"]:
            raise SandboxError(f"the tests of {layer.name} could not be measured: they ran no line, or came to no end")
        yield Screen(layer, worker, collected)


class Screen:
    """Tries candidates on a collected session.

    Args:
        layer: The package.
        worker: Runs inside.screen.
        collected: What it answered first.

    Attributes:
        lines: By file and line the tests that run it, as `CoverageMap` reads them; {} where that was not measured.
        plain: Tests that may run directly.
        session_s: CPU seconds of the session so far, its forks included.
    """

    def __init__(self, layer: Layer, worker: Worker, collected: Mapping[str, Any]) -> None:
        self._layer, self._worker = layer, worker
        self.lines: dict[str, dict[str, str]] = collected["lines"]
        self.plain: tuple[str, ...] = tuple(collected["plain"])
        self.session_s: float = collected["session_s"]

    def run(
        self, files: Mapping[str, str], tests: Sequence[str], limit: int = LIMIT, *, is_early: bool = False
    ) -> Screened:
        """Try one candidate.

        Args:
            files: The changed files.
            tests: The tests that can notice it.
            limit: Failures after which it stops.
            is_early: Whether its lines ran before any test did: then a fresh process has to try.
        """
        if is_early:
            return Screened("cold", (), 0.0)
        share = len(tests) / max(1, len(self._layer.tests))
        cpu_s = _CPU_LEAST_S + _CPU_FACTOR * self._layer.seconds * share
        self._worker.send({"files": dict(files), "tests": list(tests), "limit": limit, "cpu_s": cpu_s})
        answer = self._worker.receive()
        self.session_s = answer["session_s"]
        return _screened(self._layer, answer, answer.get("failed", ()))


class Cold:
    """Runs whole suites of changed trees, each from nothing.

    Args:
        layer: The package.
        worker: Runs inside.cold.
    """

    def __init__(self, layer: Layer, worker: Worker) -> None:
        self._layer, self._worker = layer, worker

    def run(self, files: Mapping[str, str], *, limit: int = 0, only: Sequence[str] = ()) -> Screened:
        """Run all kept tests, or some.

        Args:
            files: The changed files.
            limit: Failures after which it stops; 0 for none. With one, tests of files that cannot be collected fail.
            only: Tests to run; () for all that are kept.
        """
        asked: dict[str, Any] = {"files": dict(files), "limit": limit}
        asked["cpu_s"] = 2 * _CPU_LEAST_S + _CPU_FACTOR * self._layer.seconds
        if only:
            asked |= {"only": list(only), "run": sorted({test.split("::")[0] for test in only})}
        self._worker.send(asked)
        answer = self._worker.receive()
        failed = answer.get("outcomes", {})
        wanted = only or self._layer.tests
        if answer["how"] == "tried" and not limit and answer["ran"] < len(wanted):
            # Files that could not be collected: none of their tests passed.
            return Screened("broken", tuple(failed), answer["cpu_s"])
        if limit and answer["how"] == "tried":
            gone = set(answer["broken"])
            failed = [*failed, *(test for test in self._layer.tests if test.partition("::")[0] in gone)]
        return _screened(self._layer, answer, failed)


@contextmanager
def cold(
    layer: Layer,
    sandbox: Wanted = None,
    *,
    order: str | None = None,
    hash_seed: int = 0,
    plain: Sequence[str] = (),
) -> Iterator[Cold]:
    """A process that knows pytest alone and runs suites in its forks.

    Args:
        layer: The package.
        sandbox: As in `SandboxEnv`.
        order: Of the tests, as in `inside/session.py`; None for pytest's.
        hash_seed: PYTHONHASHSEED.
        plain: Tests that may run directly where a run stops at a limit.

    Raises:
        SandboxError: No sandbox can be started.
    """
    with open_room(layer.folder, sandbox) as room, worker_of(room, "cold", hash_seed) as worker:
        asked = {"path": layer.python_path, "tests": layer.run, "only": layer.tests, "order": order, "plain": plain}
        worker.send(asked)
        yield Cold(layer, worker)


@contextmanager
def worker_of(room: Room, program: str, hash_seed: int) -> Iterator[Worker]:
    """A program of `inside` that answers a line for each line, for as long as the block runs."""
    process = room.sandbox.spawn(["python3", "-B", f"{PROGRAMS}/{program}.py"], env={"PYTHONHASHSEED": str(hash_seed)})
    try:
        yield Worker(process, program)
    finally:
        process.close()


def _screened(layer: Layer, answer: Mapping[str, Any], failed: Any) -> Screened:
    failing = set(failed)
    ordered = tuple(test for test in layer.tests if test in failing)
    return Screened(answer["how"], ordered, float(answer.get("cpu_s", 0.0)))
