"""Training within a budget of environment turns, with held-out scores on the way that cost none of it.

Which run is trained, and where its result is kept, is said in `runs.py`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from agentgym.errors import LearningStalledError
from agentgym.evaluation import EvaluationResult, EvaluationSettings, evaluate
from agentgym.policy import Policy
from agentgym.rollout import GroupCollector
from agentgym.suite import Suite
from agentgym.trajectory import Group
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.run.journal import Journal
from agentgym_rl.run.trainer import Trainer

OF_LEARNER = "start/turns"
"""Metric that counts environment turns which a learner took itself. Those of `critic/ranking` cost nothing, as held-out
scores do not: nothing is learnt from them."""
EARLY = (0.125, 0.25, 0.375, 0.5, 0.75)
"""Held-out scores within the first of the even intervals, as shares of it: for methods that are through by then."""
STAGES = ("collect", "learn", "probe")


@dataclass(frozen=True)
class Probe:
    """A held-out score on the way.

    Attributes:
        turns: Environment turns consumed before it.
        iteration: Iterations complete.
        cpu_s: CPU seconds of training so far, probes not counted.
        score: Mean score over the validation tasks.
        success: Share of them that succeeded.
    """

    turns: int
    iteration: int
    cpu_s: float
    score: float
    success: float

    def to_json(self) -> dict[str, float]:
        """A JSON object."""
        return {key: round(value, 4) for key, value in asdict(self).items()}


@dataclass(frozen=True)
class HeldOut:
    """What is played for a held-out score.

    Attributes:
        num_tasks: Tasks of the split, spread evenly over it.
        attempts: Episodes of each.
        seed: Of the policy's draws.
    """

    num_tasks: int
    attempts: int
    seed: int

    def play(self, policy: Policy, suite: Suite, split: str, config: TrainConfig) -> EvaluationResult:
        """Play it, sampling as in training."""
        rollout = replace(config.rollout, is_lockstep=True)
        settings = EvaluationSettings(self.attempts, self.num_tasks, self.seed, rollout=rollout)
        return evaluate(policy, suite, split, settings)


@dataclass
class Spent:
    """What a run has consumed.

    Attributes:
        turns: Environment turns of training.
        cpu_s: CPU seconds of each stage.
    """

    turns: int = 0
    cpu_s: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STAGES, 0.0))

    @property
    def training_cpu_s(self) -> float:
        """CPU seconds without those of held-out scores."""
        return self.cpu_s["collect"] + self.cpu_s["learn"]

    @contextmanager
    def on(self, stage: str) -> Iterator[None]:
        """Count what runs inside as a stage."""
        began = time.process_time()
        try:
            yield
        finally:
            self.cpu_s[stage] += time.process_time() - began


@dataclass(frozen=True)
class Recording:
    """Episodes of the start, to be learnt from offline.

    Attributes:
        folder: Their run folder.
        turns: Environment turns that they took.
        cpu_s: CPU seconds of collecting them.
    """

    folder: Path
    turns: int
    cpu_s: float


class BudgetedTrainer(Trainer):
    """Stops when its turns or its CPU seconds are spent, and scores its policy evenly over the turns.

    A run that a watch stops stays as it is: its last score stands for the turns that are left.

    A run that learns offline has spent all of its turns before it learns anything, and stops after its iterations.

    Attributes:
        spent: What it has consumed.
        probes: Its held-out scores.
        course: Turns consumed, and share of the episodes collected last that succeeded, an iteration each.
        stall: Why a watch ended it before that; empty where none did.

    Args:
        arguments: Of `Trainer`.
        max_turns: Environment turns after which no further iteration starts.
        max_cpu_s: CPU seconds, held-out scores included, likewise.
        probes: How many held-out scores there are on the way, evenly; some more come early.
        held_out: What they are of.
        recording: What a run that learns offline learns from, and is charged for.
        options: Of `Trainer`.
    """

    def __init__(
        self,
        *arguments: Any,
        max_turns: int,
        max_cpu_s: float,
        probes: int,
        held_out: HeldOut,
        recording: Recording | None = None,
        **options: Any,
    ) -> None:
        super().__init__(*arguments, validate=BudgetedTrainer._after_iteration, **options)
        self.max_turns, self.max_cpu_s, self.held_out, self.recording = max_turns, max_cpu_s, held_out, recording
        self.spent, self.probes = Spent(), list[Probe]()
        self.course: list[list[float]] = []
        self.stall = ""
        self._due = [max_turns * share / probes for share in (*EARLY, *range(1, probes + 1))]
        self._mark = 0.0

    def run(self) -> None:
        """Train; the first held-out score is of the start, the last one of the end."""
        self._probe()
        if self.recording is not None:
            self._charge(self.recording)
        self._mark = time.process_time()
        try:
            super().run()
        except LearningStalledError as error:
            self.stall = str(error)
        if self.probes[-1].iteration != self.state.iteration:
            self._probe()

    def is_over(self) -> bool:
        """Whether no further iteration starts: also where turns or CPU seconds are spent."""
        is_played_out = self.recording is None and self.spent.turns >= self.max_turns
        return super().is_over() or is_played_out or sum(self.spent.cpu_s.values()) >= self.max_cpu_s

    def collect(self, collector: GroupCollector) -> list[Group]:
        """Collect, and count what that consumed; episodes that broke have consumed turns too."""
        with self.spent.on("collect"):
            groups = super().collect(collector)
        self._mark = time.process_time()
        self.spent.turns += turns_of(groups)
        successes = [bool(member.success) for group in groups for member in group.members]
        self.course.append([self.spent.turns, round(sum(successes) / max(1, len(successes)), 4)])
        return groups

    @staticmethod
    def _after_iteration(trainer: Trainer) -> float | None:
        assert isinstance(trainer, BudgetedTrainer)
        trainer.spent.cpu_s["learn"] += time.process_time() - trainer._mark
        trainer.spent.turns += trainer.turns_of_learner()
        if trainer.recording is None and trainer._due and trainer.spent.turns >= trainer._due[0]:
            trainer._due = [turns for turns in trainer._due if turns > trainer.spent.turns]
            trainer._probe()
        trainer._mark = time.process_time()
        return None

    def turns_of_learner(self) -> int:
        """Environment turns that the learner itself took in the last iteration, such as those of random episodes."""
        assert isinstance(self.journal, Curve)
        return int(self.journal.rows[-1].get(OF_LEARNER, 0.0)) if self.journal.rows else 0

    def _charge(self, recording: Recording) -> None:
        """Spend what recording took; the score is the start's until all of it was played."""
        self.spent.turns, self.spent.cpu_s["collect"] = recording.turns, recording.cpu_s
        self.probes.append(replace(self.probes[0], turns=recording.turns - 1))

    def _probe(self) -> None:
        with self.spent.on("probe"):
            found = self.held_out.play(self.policy, self.suite, "validation", self.config)
        scores = (found.score.mean, found.success.mean)
        self.probes.append(Probe(self.spent.turns, self.state.iteration, self.spent.training_cpu_s, *scores))


class Curve(Journal):
    """Keeps the metrics of each iteration in memory, and writes nothing."""

    def __init__(self) -> None:
        self.rows: list[dict[str, float]] = []

    def record(self, iteration: int, metrics: Mapping[str, float], phase: str = "train") -> None:
        """Keep the numbers of an iteration."""
        self.rows.append(dict(metrics))

    def iteration(self, number: int, total: int, metrics: Mapping[str, float], seconds: float) -> None:
        """Say nothing."""

    def say(self, text: str) -> None:
        """Say nothing."""

    def close(self) -> None:
        """Nothing is open."""

    def means(self, names: Sequence[str]) -> dict[str, float]:
        """Means over the iterations of the metrics of these names that there are."""
        found = {name: [row[name] for row in self.rows if name in row] for name in names}
        return {name: round(sum(values) / len(values), 4) for name, values in found.items() if values}


def turns_of(groups: Sequence[Group]) -> int:
    """Environment turns that groups took, those of their missing members included."""
    return sum(len(member.turns) for group in groups for member in (*group.members, *group.missing))
