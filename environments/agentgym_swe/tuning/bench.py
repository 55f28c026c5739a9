"""Where counters come from: a sandbox in which the servers run, or a recording."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from agentgym.errors import SandboxError
from agentgym.sandbox.base import Sandbox
from agentgym_swe.tuning.measuring import ask, put_programs, request
from agentgym_swe.tuning.problem import Problem
from agentgym_swe.tuning.scoring import Counts, median_shares, per_operation, shares
from agentgym_swe.tuning.servers.load import Counter
from agentgym_swe.tuning.servers.option import Config, RefusedValueError
from agentgym_swe.tuning.surface import load_surface

SLOW_S = 10.0
"""Seconds of the start from which a load that does not end is the machine's fault."""


@dataclass(frozen=True)
class Measured:
    """What one measurement found.

    Attributes:
        counts: Counters an operation; empty where the server failed.
        start: Those of the start.
        shares: The first as shares of the second.
        errors: Requests that failed.
        lost: Keys that were evicted though they had to be kept.
        wall_s: Seconds that the load took; no part of the cost.
        failed: Why the server did not start or ended; "" if it did not fail.
    """

    counts: Counts
    start: Counts
    shares: Mapping[Counter, float] = field(default_factory=dict)
    errors: int = 0
    lost: int = 0
    wall_s: float = 0.0
    failed: str = ""

    @property
    def is_clean(self) -> bool:
        """Whether everything was answered and kept."""
        return not (self.failed or self.errors or self.lost)


@dataclass(frozen=True)
class Verdict:
    """What grading found.

    Attributes:
        shares: Counters as shares of the start's; empty where something is violated.
        violations: What was lost, let in or not answered.
    """

    shares: Mapping[Counter, float]
    violations: Sequence[str] = ()


class Bench(Protocol):
    """Measures and judges configurations of one problem."""

    def measure(self, config: Config) -> Measured:
        """The counters of a configuration beside those of the start.

        Raises:
            RefusedValueError: It cannot be measured here; the text says what can.
        """

    def judge(self, config: Config) -> Verdict:
        """What grading finds of a configuration."""


class LiveBench:
    """Runs the servers in a sandbox.

    Args:
        problem: The problem.
        sandbox: Gives the sandbox.
        rounds: How often start and configuration are measured in turn for a verdict.
    """

    def __init__(self, problem: Problem, sandbox: Callable[[], Sandbox], rounds: int) -> None:
        self._problem, self._sandbox, self._rounds = problem, sandbox, rounds
        self._is_prepared = False

    def measure(self, config: Config) -> Measured:
        """See `Bench`."""
        start, found = self._ask(self._measuring(self._problem.start), self._measuring(config))
        return self._read(start, found)

    def judge(self, config: Config) -> Verdict:
        """See `Bench`."""
        problem = self._problem
        if config == problem.start:
            return Verdict(dict.fromkeys(problem.weights, 1.0))
        violations = self._violations(config)
        if violations:
            return Verdict({}, violations)
        pair = (self._measuring(problem.start), self._measuring(config))
        answers = self._ask(*pair * self._rounds)
        rounds = [self._read(start, found) for start, found in zip(answers[::2], answers[1::2], strict=True)]
        if told := [text for each in rounds for text in complaints(each)]:
            return Verdict({}, told[:1])
        return Verdict(median_shares([(each.start, each.counts) for each in rounds]))

    def _violations(self, config: Config) -> list[str]:
        problem, asked = self._problem, []
        if problem.durability:
            asked.append(request(problem.load, config, problem.seed, "crash", problem.durability))
        if problem.is_secure:
            asked.append(request(problem.load, config, problem.seed, "probe"))
        found: list[str] = []
        for answer in self._ask(*asked):
            if answer.get("is_slow"):
                raise SandboxError(f"this machine is too busy to kill and ask a server: {answer['failed']}")
            failed = [f"the server failed: {answer['failed']}"] if "failed" in answer else []
            found += [*failed, *answer.get("lost", ()), *answer.get("found", ())]
        return found

    def _measuring(self, config: Config) -> dict[str, Any]:
        return request(self._problem.load, config, self._problem.seed, "measure")

    def _ask(self, *requests: Mapping[str, Any]) -> list[dict[str, Any]]:
        if not requests:
            return []
        sandbox = self._sandbox()
        if not self._is_prepared:
            put_programs(sandbox)
            self._is_prepared = True
        return ask(sandbox, requests)

    def _read(self, start: Mapping[str, Any], found: Mapping[str, Any]) -> Measured:
        load = self._problem.load
        if "counters" not in start or start["counters"]["errors"]:
            raise SandboxError(f"the load {load.name!r} cannot be run here even with the start: {start}")
        base = per_operation(load, start["counters"])
        if "counters" not in found:
            if found.get("is_slow") and start["counters"]["wall_s"] > SLOW_S:
                raise SandboxError(f"this machine is too busy to measure the load {load.name!r}: {found['failed']}")
            return Measured({}, base, failed=str(found["failed"]))
        raw = found["counters"]
        counts = per_operation(load, raw)
        return Measured(counts, base, shares(counts, base), raw["errors"], raw["lost"], raw["wall_s"])


class RecordedBench:
    """Answers from a surface.

    Args:
        problem: The problem.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem, self._surface = problem, load_surface(problem.load.name)

    def measure(self, config: Config) -> Measured:
        """See `Bench`."""
        start = self._surface.at(self._problem.start).counts
        found = self._surface.at(config)
        return Measured(found.counts, start, shares(found.counts, start), found.errors, found.lost, found.wall_s)

    def judge(self, config: Config) -> Verdict:
        """See `Bench`."""
        problem = self._problem
        violations = self._surface.violations(config, problem.durability, is_secure=problem.is_secure)
        if violations:
            return Verdict({}, violations)
        try:
            found = self.measure(config)
        except RefusedValueError as refusal:
            return Verdict({}, [str(refusal)])
        told = complaints(found)
        return Verdict({}, told) if told else Verdict(found.shares)


def complaints(found: Measured) -> list[str]:
    """What a measurement shows that must not be."""
    told = [f"the server failed: {found.failed}"] if found.failed else []
    told += [f"{found.errors} requests failed"] if found.errors else []
    return told + ([f"{found.lost} keys were evicted"] if found.lost else [])
