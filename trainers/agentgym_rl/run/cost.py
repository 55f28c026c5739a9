"""What a run will cost, extrapolated from a short one: some demonstrations, one iteration, some evaluated tasks.

The test split is not touched: its episodes are priced as those of validation, all of them at the short run's skill.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from transformers.utils import logging as transformers_logging

from agentgym.outcome import GRADED
from agentgym.store import RunStore
from agentgym.suite import Suite
from agentgym_rl.core.cloning import updates_of
from agentgym_rl.core.config.tables import ValidationConfig, WarmStartConfig
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.run.job import Spent, TrainingJob
from agentgym_rl.run.journal import Journal
from agentgym_rl.run.names import require_splits, suite_of
from agentgym_rl.run.run_folder import open_run
from agentgym_rl.run.setup import assemble

_MOST_EPISODES, _MOST_TASKS = 128, 32


@dataclass(frozen=True)
class Part:
    """A part of a run.

    Attributes:
        name: Such as "iterations".
        amount: How much of it there is.
        measured: How much of that the short run did.
        seconds: What all of it will take.
    """

    name: str
    amount: str
    measured: str
    seconds: float


@dataclass(frozen=True)
class Cost:
    """What a run will cost.

    Attributes:
        parts: In the order of the run.
        iteration_s: Wall time of the iteration that was run.
        episodes: Of all iterations.
        tokens: Sampled in all iterations.
    """

    parts: tuple[Part, ...]
    iteration_s: float
    episodes: float
    tokens: float

    @property
    def total_s(self) -> float:
        """Wall time of the whole run."""
        return sum(part.seconds for part in self.parts)

    def to_json(self) -> dict[str, Any]:
        """A JSON object."""
        return {**asdict(self), "total_s": self.total_s}


def estimate(config: TrainConfig, folder: Path) -> Cost:
    """Play a short run in a folder and say what the whole will cost.

    Args:
        config: Of the whole run.
        folder: Taken by the short run; the caller removes it.

    Raises:
        ConfigError: Settings do not fit, or the suite lacks a split that the run evaluates on.
        UnknownNameError: A name in the configuration does not exist.
    """
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    suite = suite_of(config.run)
    require_splits(config, suite)
    short, num_episodes = _short(config, suite, folder)
    parts = assemble(short)
    with open_run(folder / "run", short, resume=False, overwrite=False) as store:
        journal = Journal(store, folder / "run")
        job = TrainingJob(short, parts, folder / "run", store, journal)
        try:
            job.run(is_resumed=False)
        finally:
            journal.close()
        metrics = {name: float(values[-1]) for name, (_, values) in store.metrics().items()}
    count, iteration_s = config.run.iterations, metrics["time/iteration_s"]
    train_s = min(iteration_s * count, config.run.max_seconds or float("inf"))
    episodes, tokens = metrics.get("episodes", 0.0), metrics.get("tokens/sampled", 0.0)  # none where none are played
    graded = job.spent.get("validation") or Spent(metrics["time/collect_s"], int(episodes))
    all_parts = (
        *_warm_start(config.warm_start, num_episodes, job.spent),
        Part("iterations", f"{count}", "1", train_s),
        *_evaluations(config, suite, graded),
    )
    return Cost(all_parts, iteration_s, episodes * count, tokens * count)


def _short(config: TrainConfig, suite: Suite, folder: Path) -> tuple[TrainConfig, int]:
    """The configuration of the short run, and the number of episodes that the whole one clones."""
    warm, validation = config.warm_start, config.validation
    most = min(2 * warm.batch_episodes, _MOST_EPISODES)
    num_episodes = warm.demonstrations
    short_warm = replace(warm, demonstrations=min(num_episodes, most), epochs=1, has_control=False, is_filtered=False)
    if warm.run:
        num_episodes = _copy_some(Path(warm.run), most, folder / "cloned")
        short_warm = replace(short_warm, run=str(folder / "cloned"))
    is_graded = "validation" in suite.splits and (validation.every > 0 or validation.has_final_test)
    short_validation = ValidationConfig(
        every=1 if is_graded else 0, tasks=min(validation.tasks, _MOST_TASKS), has_final_test=False
    )
    run = replace(config.run, iterations=1, max_seconds=None)
    warmed_up = config.algorithm.without_warmup()
    short = replace(config, run=run, warm_start=short_warm, validation=short_validation, algorithm=warmed_up)
    return short, num_episodes


def _copy_some(run: Path, most: int, target: Path) -> int:
    """Copy the first graded episodes of a run into another; returns how many there were."""
    with RunStore.open(run, read_only=True) as stored, RunStore.create(target, stored.meta) as sample:
        rows = [row for row in stored.episode_rows() if row.outcome in GRADED]
        for record in stored.load(rows[:most]):
            sample.write_episode(record)
    return len(rows)


def _warm_start(config: WarmStartConfig, num_episodes: int, spent: dict[str, Spent]) -> list[Part]:
    if not num_episodes:
        return []
    played, cloned = spent["demonstrations"], spent["cloning"]
    updates, models = updates_of(config, num_episodes), 2 if config.has_control else 1
    parts = []
    if not config.run:
        amount = f"{num_episodes} episodes"
        parts.append(Part("demonstrations", amount, f"{played.count}", played.for_each * num_episodes))
    amount = f"{updates} updates" + (", twice for the control" if models == 2 else "")
    return [*parts, Part("cloning", amount, f"{cloned.count}", cloned.for_each * updates * models)]


def _evaluations(config: TrainConfig, suite: Suite, graded: Spent) -> list[Part]:
    """Validations during the run, and the test of each stage at its end."""
    validation, parts = config.validation, []
    if validation.every > 0 and config.run.iterations > 0:
        times = -(-config.run.iterations // validation.every)
        tasks = min(validation.tasks, len(suite.tasks("validation")))
        amount = f"{times} times {tasks} tasks"
        parts.append(Part("validation", amount, f"{graded.count} tasks", graded.for_each * times * tasks))
    if validation.has_final_test:
        warm = config.warm_start
        stages = 2 + bool(warm.demonstrations or warm.run) + warm.has_control
        episodes = min(validation.test_tasks or len(suite.tasks("test")), len(suite.tasks("test")))
        episodes *= validation.test_attempts
        amount = f"{stages} agents, {episodes} episodes each"
        parts.append(Part("final test", amount, f"{graded.count} others", graded.for_each * stages * episodes))
    return parts
