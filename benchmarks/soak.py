"""2,000 episodes of Python-v0 in containers, with a fault in one of twenty: what is lost, and what grows.

Episodes are scripted, half by the oracle, half by the random player, each several times with the same seed, 16 at once
over one pool. Every twentieth start of an episode is struck once, by turns:

- killed: its container is killed by the engine, while a step is under way or between two.
- hung: its container is frozen, so that a step runs into its time limit.
- refused: the engine answers the creation of its container with an error.

An episode that felt its fault is played again with its seed; it must then be what its twins are. What the process and
the engine hold is looked at every 50 episodes, and compared between the two halves of the run, and in the end.

How single faults end is tested in `tests/sandbox/test_faults.py`.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from agentgym.action import ToolCall
from agentgym.env import EnvReply
from agentgym.game import Game, SoloGame
from agentgym.leasing.stats import PoolStats
from agentgym.message import Message
from agentgym.policies.scripted import ScriptedPolicy
from agentgym.policy import Script
from agentgym.rollout import Job, RolloutEngine, RolloutSettings, RolloutStats, draw_seed
from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.engines.docker import DockerProvider
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym.trajectory import Trajectory
from agentgym_tools.python.env import PythonEnv
from agentgym_tools.python.interpreter_env import SPEC
from agentgym_tools.python.problem import FUNCTION
from agentgym_tools.python.scripts import SCRIPTS
from benchmarks.report import Goal, Report, main, own_options, progress
from benchmarks.sandbox.holdings import Holdings, at_rest, goals_of, settled

PACKAGES = ("agentgymnasium", "docker")
EPISODES, QUICK_EPISODES = 2000, 100
TWINS = 5
ONE_IN = 20
KINDS = ("killed", "hung", "refused")
AT_ONCE = 16
STEP_LIMIT_S = 20.0
EVERY = 50


@dataclass
class Fault:
    """One fault.

    Attributes:
        kind: One of KINDS.
        delay_s: For a killing, how long after the beginning of a step; 0 for just before it.
        is_struck: Whether it was done to a container; an episode may end before it uses one.
        is_felt: Whether the episode failed by it.
    """

    kind: str
    delay_s: float
    is_struck: bool = False
    is_felt: bool = False


class Saboteur:
    """Hands out faults to episodes that start, and does them to containers.

    Args:
        provider: Whose containers they are.
        one_in: One start in so many has one; 0 for none.
    """

    def __init__(self, provider: DockerProvider, one_in: int) -> None:
        self.faults: list[Fault] = []
        self._provider, self._one_in = provider, one_in
        self._lock = threading.Lock()
        self._num_starts = 0
        self._refused = threading.local()
        api = provider.host.client.api
        self._create: Callable[..., Any] = api.create_container
        api.create_container = self._create_unless_refused

    def next_fault(self, unused: Fault | None) -> Fault | None:
        """The fault of an episode that starts.

        Args:
            unused: One that was handed out and not done, as the episode needed no container.
        """
        with self._lock:
            self._num_starts += 1
            if unused is not None:
                return unused
            if not self._one_in or self._num_starts % self._one_in != self._one_in // 2:
                return None
            number = len(self.faults)
            delay_s = 0.0 if number % 2 else 0.01 * (number % 7)
            self.faults.append(Fault(KINDS[number % len(KINDS)], delay_s))
            return self.faults[-1]

    def refuse(self, fault: Fault) -> None:
        """Ask for a container that the engine refuses.

        Raises:
            SandboxStartError: Always.
        """
        fault.is_struck = fault.is_felt = True
        self._refused.now = True
        try:
            self._provider.start(SPEC).close()
        finally:
            self._refused.now = False

    def strike(self, fault: Fault, sandbox: Sandbox) -> None:
        """Kill or freeze a container."""
        fault.is_struck = True
        api = self._provider.host.client.api
        if fault.kind == "hung":
            api.pause(sandbox.id)
        elif fault.delay_s == 0:
            api.kill(sandbox.id)
        else:
            threading.Timer(fault.delay_s, self._kill_late, (sandbox.id,)).start()

    def _kill_late(self, container: str) -> None:
        import docker  # type: ignore[import-untyped]

        try:
            self._provider.host.client.api.kill(container)
        except docker.errors.APIError:
            return  # it has ended by itself

    def _create_unless_refused(self, *given: Any, **named: Any) -> Any:
        import docker

        if getattr(self._refused, "now", False):
            raise docker.errors.APIError("500 Server Error", explanation="no space left on device")
        return self._create(*given, **named)


class StruckPython(PythonEnv):
    """Python-v0 with a saboteur."""

    def __init__(self, pool: SandboxPool, saboteur: Saboteur) -> None:
        super().__init__(sandbox=pool)
        self._saboteur = saboteur
        self._fault: Fault | None = None

    def begin(self, task: Task) -> Sequence[Message]:
        """Begin an episode, which may find no container."""
        unused = None if self._fault is None or self._fault.is_struck else self._fault
        self._fault = self._saboteur.next_fault(unused)
        if self._fault is not None and self._fault.kind == "refused":
            self._saboteur.refuse(self._fault)
        return super().begin(task)

    def carry_out(self, call: ToolCall) -> EnvReply:
        """Carry out a call; the first that needs the container may find it broken."""
        assert self.task is not None
        needs_sandbox = call.name == "run_python" or self.task.config["form"] == FUNCTION
        if self._fault is None or not needs_sandbox:
            return super().carry_out(call)
        try:
            if not self._fault.is_struck:
                self._saboteur.strike(self._fault, self.sandbox)
            return super().carry_out(call)
        except Exception:  # also the engine's refusal to be sabotaged
            self._fault.is_felt = True
            raise


@dataclass
class Soaked:
    """What a run came to.

    Attributes:
        ends: By id, how often each episode was handed out.
        digests: By what it has in common with its twins, the contents of their trajectories.
        stats: The rollout's counters.
        faults: All faults.
        samples: Holdings under way, a sample every EVERY episodes.
        before: Holdings before the first and after the last episode of a short run that warms up.
        after: Holdings in the end.
        pool: What the pool says of itself.
        seconds: Wall time.
    """

    stats: RolloutStats
    faults: list[Fault]
    before: Holdings
    ends: Counter[str] = field(default_factory=Counter)
    digests: dict[str, Counter[str]] = field(default_factory=dict)
    samples: list[Holdings] = field(default_factory=list)
    after: Holdings | None = None
    pool: PoolStats | None = None
    seconds: float = 0.0

    @property
    def num_different(self) -> int:
        """Episodes that are not what most of their twins are."""
        return sum(counts.total() - max(counts.values()) for counts in self.digests.values())


def player(task: Task, seed: int) -> Script:
    """The oracle or the random player."""
    return SCRIPTS["oracle" if seed % 2 else "random"](task, seed)


def make_jobs(num_episodes: int) -> list[Job]:
    """Tasks of both forms in turn, TWINS episodes each, twins far apart."""
    suites = [load_suite(name).tasks("train") for name in ("tools/python", "tools/python-arithmetic")]
    num_tasks = -(-num_episodes // TWINS)
    tasks = [suites[number % 2][number // 2 % len(suites[number % 2])] for number in range(num_tasks)]
    jobs = [
        Job(task, f"{number}-{twin}", draw_seed("soak", number))
        for twin in range(TWINS)
        for number, task in enumerate(tasks)
    ]
    return jobs[:num_episodes]


def content(record: Trajectory) -> str:
    """A digest of all that was said and rewarded."""
    turns = [(turn.messages, turn.text, turn.was_invalid) for turn in record.turns]
    said = repr((record.task_id, turns, record.events, record.outcome, record.success, record.score))
    return hashlib.sha256(said.encode()).hexdigest()


@contextmanager
def soaking(provider: DockerProvider, saboteur: Saboteur) -> Iterator[tuple[SandboxPool, RolloutEngine]]:
    """A pool and an engine for Python-v0."""
    settings = RolloutSettings(
        max_concurrent=AT_ONCE, env_threads=AT_ONCE, step_timeout_s=STEP_LIMIT_S, retries=5, max_fault_share=0.0
    )

    def make_game(pool: SandboxPool, task: Task) -> Game:
        return SoloGame(StruckPython(pool, saboteur))

    with SandboxPool(provider, PoolConfig(ready=4)) as pool:
        policy = ScriptedPolicy("oracle and random", player)
        with RolloutEngine(partial(make_game, pool), {"*": policy}, settings) as engine:
            yield pool, engine


def soak(num_episodes: int, one_in: int = ONE_IN) -> Soaked:
    """Play the episodes and account for them.

    Args:
        num_episodes: How many.
        one_in: One start of an episode in so many is struck; 0 for none.
    """
    provider = DockerProvider()
    saboteur = Saboteur(provider, one_in)
    with soaking(provider, Saboteur(provider, 0)) as (_, engine):  # looks into the image, starts the watcher
        for job in make_jobs(AT_ONCE):
            engine.submit(job)
        while engine.next() is not None:
            pass
    soaked = Soaked(RolloutStats(), saboteur.faults, before=at_rest(provider))
    began = time.monotonic()
    try:
        with soaking(provider, saboteur) as (pool, engine):
            soaked.stats = engine.stats
            _play(make_jobs(num_episodes), engine, soaked, provider)
            soaked.pool = pool.stats()
        soaked.seconds = time.monotonic() - began
        soaked.after = settled(provider, soaked.before)
    finally:
        provider.close()
    return soaked


def _play(jobs: Sequence[Job], engine: RolloutEngine, soaked: Soaked, provider: DockerProvider) -> None:
    twins = {f"{job.key}/agent": str(job.seed) for job in jobs}
    for job in jobs:
        engine.submit(job)
    while (records := engine.next()) is not None:
        for record in records:
            soaked.ends[record.id] += 1
            soaked.digests.setdefault(twins[record.id], Counter())[content(record)] += 1
        if soaked.stats.episodes % EVERY == 0:
            soaked.samples.append(Holdings.now(provider))
            progress(f"{soaked.stats.episodes} episodes, {soaked.stats.retries} retries, {soaked.samples[-1]}")


def measure(is_quick: bool, num_episodes: int = EPISODES) -> Report:
    """All figures."""
    wanted = QUICK_EPISODES if is_quick else num_episodes
    soaked = soak(wanted)
    stats, faults, before, after = soaked.stats, soaked.faults, soaked.before, soaked.after
    assert after is not None
    felt = sum(fault.is_felt for fault in faults)
    lost = wanted - sum(count == 1 for count in soaked.ends.values())
    report = Report(setting={"episodes": wanted, "at_once": AT_ONCE, "one_in": ONE_IN, "twins": TWINS})
    report.goals += [
        Goal("episodes not handed out exactly once", lost, 0, "at most"),
        Goal("episodes without reward", stats.faults, 0, "at most"),
        Goal("episodes unlike their twins", soaked.num_different, 0, "at most"),
        Goal("retries beyond the faults felt", abs(stats.retries - felt), 0, "at most"),
        Goal("share of starts with a fault, %", 100 * len(faults) / (wanted + stats.retries), 4.5, "at least"),
    ]
    report.goals += goals_of(before, after, [] if is_quick else soaked.samples)
    report.figures = {
        "seconds": soaked.seconds,
        "episodes_per_s": wanted / soaked.seconds,
        "turns": stats.turns,
        "successes": stats.successes,
        "outcomes": dict(stats.outcomes),
        "faults": {kind: sum(fault.kind == kind for fault in faults) for kind in KINDS},
        "struck": {kind: sum(fault.is_struck for fault in faults if fault.kind == kind) for kind in KINDS},
        "felt": {kind: sum(fault.is_felt for fault in faults if fault.kind == kind) for kind in KINDS},
        "retries": stats.retries,
        "abandoned_calls": stats.abandoned_calls,
        "errors": dict(Counter(error.partition(":")[0] for error in stats.errors.elements())),
        "pool": {key: value for key, value in asdict(soaked.pool).items() if isinstance(value, int)},  # type: ignore[arg-type]
        "before": asdict(before),
        "after": asdict(after),
        "samples": [asdict(sample) for sample in soaked.samples],
    }
    return report


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--episodes", type=int, default=EPISODES, help="how many episodes are played")
    known, others = own_options("soak", parser)
    sys.exit(main("soak", partial(measure, num_episodes=known.episodes), PACKAGES, others))
