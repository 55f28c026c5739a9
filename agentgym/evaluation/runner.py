"""Evaluating a policy on a split of a suite, resumable by task and attempt.

The episodes are played by `agentgym.rollout`, the same code as in training.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from agentgym.errors import ConfigError, InfrastructureError
from agentgym.evaluation.result import EvaluationResult, summarise
from agentgym.outcome import GRADED
from agentgym.policy import Policy
from agentgym.rollout import Job, Progress, RolloutSettings, collect_episodes, draw_seed, game_maker
from agentgym.store import DATABASE, Purpose, RunStore
from agentgym.suite import Suite, load_suite, require_unseen
from agentgym.task import Task
from agentgym.trajectory import Trajectory

EVALUATIONS = "evaluation:"
"""Prefix of the keys under which results lie in a run's meta: evaluation:<suite>:<split>:<policy>."""


@dataclass(frozen=True)
class EvaluationSettings:
    """How a policy is evaluated."""

    attempts: int = 1
    """Episodes of each task."""
    limit: int | None = None
    """Number of tasks, spread evenly over the split; None takes all."""
    seed: int = 0
    """Seed of the policy's draws; the environments take the tasks' own seeds."""
    allow_train: bool = False
    """Whether tasks that the policy was trained on are accepted; the result then counts them."""
    iteration: int | None = None
    """Iteration of the training loop that evaluates; None outside it."""
    rollout: RolloutSettings = field(default_factory=RolloutSettings)
    """How episodes are collected: sampling, concurrency, retries, the share of faults that is accepted."""

    def __post_init__(self) -> None:
        if self.attempts < 1 or (self.limit is not None and self.limit < 1):
            raise ConfigError(f"attempts and limit must be at least 1: got {self.attempts} and {self.limit}")


def open_evaluation_store(folder: Path | str) -> RunStore:
    """The store of a run folder that evaluations may be added to; made where there is none."""
    folder = Path(folder)
    return RunStore.open(folder) if (folder / DATABASE).exists() else RunStore.create(folder, {"kind": "evaluation"})


def evaluate(
    policy: Policy,
    suite: Suite | str,
    split: str = "test",
    settings: EvaluationSettings | None = None,
    *,
    store: RunStore | None = None,
    progress: Progress | None = None,
) -> EvaluationResult:
    """Play the tasks of a split and say how it went.

    With a store each episode is kept as soon as it ends. What is there already from the same policy, seed and settings
    is not played again, but for faults. A keyboard interrupt ends the evaluation early; the result counts what is
    missing.

    Args:
        policy: Whom to evaluate. Where it has `seen_hashes`, they feed the train guard; where it has a `fingerprint`
            (of weights or options), episodes are resumed only under the same one.
        suite: The suite or its name.
        split: train, validation or test.
        settings: How; None takes the defaults.
        store: Where to keep episodes and the result.
        progress: A display.

    Raises:
        HeldOutError: The policy was trained on some of the tasks and that is not allowed.
        InfrastructureError: More than the declared share of the episodes are faults.
        UnknownNameError: There is no such suite or split.
    """
    began = time.monotonic()
    settings = settings or EvaluationSettings()
    suite = load_suite(suite) if isinstance(suite, str) else suite
    tasks = _chosen(suite.tasks(split), settings.limit)
    seen: frozenset[str] = frozenset(getattr(policy, "seen_hashes", ()))
    if not settings.allow_train:
        require_unseen(tasks, seen)
    is_resumable = store is not None and settings.iteration is None
    jobs = _jobs(tasks, settings, policy.name, getattr(policy, "fingerprint", "") if is_resumable else "")
    purpose: Purpose = "test" if split == "test" else "validation"
    played = _resumed(store, jobs, purpose) if store is not None else {}
    played |= _play(policy, suite, [job for job in jobs if job.key not in played], settings, (store, purpose, progress))
    results, outcomes, costs = summarise([played[job.key] for job in jobs if job.key in played])
    result = EvaluationResult(
        suite=suite.name,
        split=split,
        policy=policy.name,
        attempts=settings.attempts,
        tasks=results,
        headline=suite.headline,
        sampling=asdict(settings.rollout.sampling),
        outcomes=outcomes,
        costs=costs,
        seconds=time.monotonic() - began,
        num_missing=len(jobs) - len(played),
        num_trained_on=sum(task.content_hash in seen for task in tasks),
    )
    _check_faults(result, played, settings.rollout.max_fault_share)
    if store is not None and settings.iteration is None:
        store.set_meta({f"{EVALUATIONS}{suite.name}:{split}:{policy.name}": result.to_json()})
    return result


def _chosen(tasks: Sequence[Task], limit: int | None) -> Sequence[Task]:
    if limit is None or limit >= len(tasks):
        return tasks
    return [tasks[index * len(tasks) // limit] for index in range(limit)]


def _jobs(tasks: Sequence[Task], settings: EvaluationSettings, name: str, fingerprint: str) -> list[Job]:
    """The episodes; their keys name everything that makes one, so that a resumed evaluation never mixes two."""
    rollout = settings.rollout
    setting = [name, fingerprint, settings.seed, settings.iteration]
    setting += [rollout.sampling, rollout.history, rollout.max_context, rollout.cut_messages]
    digest = hashlib.sha256(repr(setting).encode()).hexdigest()[:12]
    return [
        Job(
            task=task,
            key=f"evaluation/{digest}/{task.id}/{task.content_hash[:8]}/{attempt}",
            seed=draw_seed(settings.seed, task.id, attempt),
            attempt=attempt,
        )
        for attempt in range(settings.attempts)
        for task in tasks
    ]


def _resumed(store: RunStore, jobs: Sequence[Job], purpose: Purpose) -> dict[str, Trajectory]:
    wanted = {job.key for job in jobs}
    rows = [row for row in store.episode_rows(purpose=purpose) if _key_of(row.id) in wanted]
    graded = [row for row in rows if row.outcome in GRADED]
    return {_key_of(trajectory.id): trajectory for trajectory in store.load(graded)}


def _key_of(episode: str) -> str:
    """The key of the job that an episode was played for: its id without the role."""
    return episode.rpartition("/")[0]


def _play(
    policy: Policy,
    suite: Suite,
    jobs: Sequence[Job],
    settings: EvaluationSettings,
    sinks: tuple[RunStore | None, Purpose, Progress | None],
) -> dict[str, Trajectory]:
    store, purpose, progress = sinks

    def keep(records: list[Trajectory]) -> None:
        for record in records:
            if store is not None:
                store.write_episode(record, settings.iteration, purpose, is_replacement=True)

    records, _ = collect_episodes(
        jobs,
        game_maker(suite, settings.rollout.runtime),
        {"*": policy},
        settings.rollout,
        on_finish=keep,
        progress=progress,
    )
    return {_key_of(record.id): record for record in records}


def _check_faults(result: EvaluationResult, played: dict[str, Trajectory], allowed: float) -> None:
    if result.num_faults > allowed * len(played):
        errors = sorted({trajectory.error for trajectory in played.values() if trajectory.error})
        share = f"{result.num_faults} of {len(played)} episodes of {result.suite} {result.split}"
        raise InfrastructureError(
            f"{share} failed for infrastructure, over the allowed share of {allowed:.0%}, such as: "
            f"{errors[0] if errors else 'cancelled'}. Mend the cause and evaluate again (with a run folder only the "
            "failed ones are played), or raise rollout.max_fault_share."
        )
