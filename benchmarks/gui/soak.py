"""1,000 episodes on desktops, with a desktop killed in one of twenty: what is lost, and what is left over.

The oracle plays the test tasks of gui/desktop-small again and again, four desktops at once over one pool. Every
twentieth start of an episode is struck at its second message, by turns:

- inside: the X server is killed from within, as an agent may do it. The episode ends on its files and is not retried.
- container: the engine kills the container. That is infrastructure, and the episode is played again.

All other episodes must succeed. What the process and the engine hold is looked at every 50 episodes, and in the end.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial

from agentgym.action import Action
from agentgym.env import EnvReply
from agentgym.game import Game, SoloGame
from agentgym.message import Message
from agentgym.policies.scripted import ScriptedPolicy
from agentgym.rollout import Job, RolloutEngine, RolloutSettings, RolloutStats, draw_seed
from agentgym.sandbox.engines.docker import DockerProvider
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_gui.desktop.env import DesktopEnv
from agentgym_gui.desktop.scripts import SCRIPTS
from benchmarks.report import Goal, Report, main, own_options, progress
from benchmarks.sandbox.holdings import Holdings, at_rest, goals_of, settled
from benchmarks.verdicts.gui_desktop import kill_desktop

PACKAGES = ("agentgymnasium", "docker")
SUITE = "gui/desktop-small"
EPISODES, QUICK_EPISODES, AT_ONCE, ONE_IN, EVERY = 1000, 40, 4, 20, 50
STRUCK_TURN = 1
KINDS = ("inside", "container")
FAILED = "inside, and failed"
STEP_LIMIT_S = 60.0


class Saboteur:
    """Chooses episodes that are struck; safe to be used by several threads.

    Args:
        one_in: One start in so many is struck; 0 for none.
    """

    def __init__(self, one_in: int) -> None:
        self.struck: Counter[str] = Counter()
        self._one_in, self._num_starts = one_in, 0
        self._lock = threading.Lock()

    def kind_of_next(self) -> str | None:
        """How the episode that starts now is struck; None for not at all."""
        with self._lock:
            self._num_starts += 1
            if not self._one_in or self._num_starts % self._one_in != self._one_in // 2:
                return None
            return KINDS[self._num_starts // self._one_in % len(KINDS)]

    def note(self, kind: str) -> None:
        """An episode is struck."""
        with self._lock:
            self.struck[kind] += 1


class StruckDesktop(DesktopEnv):
    """Desktop-v0 with a saboteur."""

    def __init__(self, pool: SandboxPool, provider: DockerProvider, saboteur: Saboteur) -> None:
        super().__init__(sandbox=pool, **load_suite(SUITE).env_options)
        self._provider, self._saboteur = provider, saboteur
        self._kind: str | None = None
        self._turn = 0

    def set_up(self, task: Task) -> Sequence[Message]:
        """Begin an episode that may be struck."""
        self._kind, self._turn = self._saboteur.kind_of_next(), 0
        return super().set_up(task)

    def respond(self, action: Action) -> EnvReply:
        """Carry out a message; the desktop may be gone by then."""
        kind = self._kind if self._turn == STRUCK_TURN else None
        self._turn += 1
        if kind is None:
            return super().respond(action)
        assert self.task is not None
        self._saboteur.note(kind)
        if kind == "container":
            self._provider.host.client.api.kill(self.sandbox.id)
        else:
            kill_desktop(self, self.task)
        reply = super().respond(action)
        if not reply.success:
            self._saboteur.note(FAILED)
        return reply


@dataclass
class Soaked:
    """What a run came to.

    Attributes:
        stats: The rollout's counters.
        before: Holdings before the first and after the last episode of a short run that warms up.
        struck: How many episodes were struck, by kind, and how many of those that were struck inside failed.
        ends: By id, how often each episode was handed out.
        successes: Ids of the episodes that succeeded.
        samples: Holdings under way.
        after: Holdings in the end.
        seconds: Wall time.
    """

    stats: RolloutStats
    before: Holdings
    struck: Counter[str]
    ends: Counter[str] = field(default_factory=Counter)
    successes: set[str] = field(default_factory=set)
    samples: list[Holdings] = field(default_factory=list)
    after: Holdings | None = None
    seconds: float = 0.0


def jobs_of(num_episodes: int) -> list[Job]:
    """Test tasks in turn."""
    tasks = load_suite(SUITE).tasks("test")
    return [Job(tasks[number % len(tasks)], str(number), draw_seed("soak", number)) for number in range(num_episodes)]


@contextmanager
def soaking(provider: DockerProvider, saboteur: Saboteur) -> Iterator[RolloutEngine]:
    """An engine over a pool of desktops."""
    settings = RolloutSettings(
        max_concurrent=AT_ONCE, env_threads=AT_ONCE, step_timeout_s=STEP_LIMIT_S, retries=5, max_fault_share=0.0
    )

    def make_game(pool: SandboxPool, task: Task) -> Game:
        return SoloGame(StruckDesktop(pool, provider, saboteur))

    with SandboxPool(provider, PoolConfig(ready=2)) as pool:
        policy = ScriptedPolicy("oracle", SCRIPTS["oracle"])
        with RolloutEngine(partial(make_game, pool), {"*": policy}, settings) as engine:
            yield engine


def soak(num_episodes: int, one_in: int = ONE_IN) -> Soaked:
    """Play the episodes and account for them.

    Args:
        num_episodes: How many.
        one_in: One start of an episode in so many is struck; 0 for none.
    """
    provider, saboteur = DockerProvider(), Saboteur(one_in)
    with soaking(provider, Saboteur(0)) as engine:  # looks into the image, starts the watcher
        for job in jobs_of(AT_ONCE):
            engine.submit(job)
        while engine.next() is not None:
            pass
    soaked = Soaked(RolloutStats(), at_rest(provider), saboteur.struck)
    began = time.monotonic()
    try:
        with soaking(provider, saboteur) as engine:
            soaked.stats = engine.stats
            _play(jobs_of(num_episodes), engine, soaked, provider)
        soaked.seconds = time.monotonic() - began
        soaked.after = settled(provider, soaked.before)
    finally:
        provider.close()
    return soaked


def _play(jobs: list[Job], engine: RolloutEngine, soaked: Soaked, provider: DockerProvider) -> None:
    for job in jobs:
        engine.submit(job)
    while (records := engine.next()) is not None:
        for record in records:
            soaked.ends[record.id] += 1
            if record.success:
                soaked.successes.add(record.id)
        if soaked.stats.episodes % EVERY == 0:
            soaked.samples.append(Holdings.now(provider))
            progress(f"{soaked.stats.episodes} episodes, {soaked.stats.retries} retries, {soaked.samples[-1]}")


def measure(is_quick: bool, num_episodes: int = EPISODES) -> Report:
    """All figures."""
    wanted = QUICK_EPISODES if is_quick else num_episodes
    soaked = soak(wanted)
    stats, before, after = soaked.stats, soaked.before, soaked.after
    assert after is not None
    lost = wanted - sum(count == 1 for count in soaked.ends.values())
    failed = wanted - len(soaked.successes) - soaked.struck[FAILED]
    num_struck = sum(soaked.struck[kind] for kind in KINDS)
    report = Report(setting={"suite": SUITE, "episodes": wanted, "at_once": AT_ONCE, "one_in": ONE_IN})
    report.goals += [
        Goal("episodes not handed out exactly once", lost, 0, "at most"),
        Goal("episodes without reward", stats.faults, 0, "at most"),
        Goal("undisturbed episodes that fail", failed, 0, "at most"),
        Goal("retries unlike the killed containers", abs(stats.retries - soaked.struck["container"]), 0, "at most"),
        Goal("share of episodes that were struck, %", 100 * num_struck / wanted, 4.5, "at least"),
    ]
    report.goals += goals_of(before, after, [] if is_quick else soaked.samples)
    report.figures = {
        "seconds": soaked.seconds,
        "episodes_per_s": wanted / soaked.seconds,
        "turns": stats.turns,
        "successes": len(soaked.successes),
        "struck": dict(soaked.struck),
        "outcomes": dict(stats.outcomes),
        "retries": stats.retries,
        "errors": dict(Counter(error.partition(":")[0] for error in stats.errors.elements())),
        "before": asdict(before),
        "after": asdict(after),
        "samples": [asdict(sample) for sample in soaked.samples],
    }
    return report


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--episodes", type=int, default=EPISODES, help="how many episodes are played")
    known, others = own_options("gui.soak", parser)
    sys.exit(main("gui.soak", partial(measure, num_episodes=known.episodes), PACKAGES, others))
