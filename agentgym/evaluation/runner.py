"""Evaluating a policy on a split of a suite, resumable by task and attempt.

The episodes are played by `agentgym.rollout`, the same code as in training.
"""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

from agentgym.errors import ConfigError, InfrastructureError, UnknownNameError
from agentgym.evaluation.env_suite import suite_named
from agentgym.evaluation.result import EvaluationResult, measured, summarise
from agentgym.message import content_text
from agentgym.outcome import GRADED
from agentgym.policies.cast import SCRIPTED, SELF, Cast
from agentgym.policies.partner import PartnerPolicy
from agentgym.policy import Policy, Sampling, Seen, seen_by
from agentgym.prompting.unknown_words import UnknownWords, unknown_words
from agentgym.ranges import SEED, Range, Ranged
from agentgym.registration import spec
from agentgym.rollout import Job, Progress, RolloutSettings, collect_episodes, draw_seed, game_maker
from agentgym.store import DATABASE, Purpose, RunStore
from agentgym.store.folder import require_empty
from agentgym.suite import Suite, require_unseen
from agentgym.task import Task
from agentgym.trajectory import Trajectory, cut_share

EVALUATIONS = "evaluation:"
"""Prefix of the keys of results in a run's meta: evaluation:<suite>:<split>:<policy>, then of a game the role, and
role=partner for each role that others than the game's own scripts play."""
_NUM_READ = 300
"""Messages whose words are looked up in the policy's tokenizer."""


@dataclass(frozen=True)
class EvaluationSettings(Ranged):
    """How a policy is evaluated."""

    attempts: Annotated[int, Range(1)] = 1
    """Episodes of each task."""
    limit: Annotated[int | None, Range(1)] = None
    """Number of tasks, spread evenly over the split; None takes all."""
    seed: Annotated[int, SEED] = 0
    """Seed of the policy's draws; the environments take the tasks' own seeds."""
    allow_train: bool = False
    """Whether tasks that the policy was trained on are accepted; the result then counts them."""
    iteration: Annotated[int | None, Range(0)] = None
    """Iteration of the training loop that evaluates; None outside it."""
    rollout: RolloutSettings = field(default_factory=RolloutSettings)
    """How episodes are collected: sampling, concurrency, retries, the share of faults that is accepted."""
    role: str = ""
    """The role of a game that is evaluated; "" takes the suite's role."""
    partners: Mapping[str, str] = field(default_factory=dict)
    """Who plays the other roles of a game, by name (see `agentgym.policies.cast`), instead of the suite's partners."""
    partner_sampling: Sampling | None = None
    """How models that are partners sample; None: like the policy."""
    tasks: tuple[str, ...] = ()
    """Ids of the tasks that are played; () takes all."""


def open_evaluation_store(folder: Path | str) -> RunStore:
    """The store of a run folder to which evaluations are added. A missing folder is made.

    Raises:
        ConfigError: The folder holds other files and no run, or is a file.
        StoreError: The folder cannot be written, or another process writes to its run.
    """
    folder = Path(folder)
    if (folder / DATABASE).exists():
        return RunStore.open(folder)
    require_empty(folder)
    return RunStore.create(folder, {"kind": "evaluation"})


def kept_results(meta: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The results that a run's meta holds, by what stands behind the suite in their keys: <split>:<policy> and so on.

    Args:
        meta: The meta of a run of one suite.
    """
    found = {key: value for key, value in meta.items() if key.startswith(EVALUATIONS) and isinstance(value, dict)}
    return {key.removeprefix(f"{EVALUATIONS}{value.get('suite')}:"): value for key, value in found.items()}


def evaluate(
    policy: Policy,
    suite: Suite | str,
    split: str = "test",
    settings: EvaluationSettings | None = None,
    *,
    store: RunStore | None = None,
    progress: Progress | None = None,
) -> EvaluationResult:
    """Play the tasks of a split and compute the result.

    With a store, each episode is stored as soon as it ends. Stored episodes of the same policy, seed and settings are
    not played again, except faults. A keyboard interrupt ends the evaluation early, and the result counts the missing
    episodes.

    Args:
        policy: The policy to evaluate. If it has `seen_hashes`, tasks with these hashes are refused. If it has a
            `fingerprint` (of weights or options), only episodes with the same fingerprint are resumed; the same holds
            for models that are its partners.
        suite: The suite, its name, or the id of an environment, which then makes the tasks. `suite_named` gives an
            environment options.
        split: train, validation or test.
        settings: How; None takes the defaults.
        store: Where to keep episodes and the result.
        progress: A display.

    Raises:
        HeldOutError: The policy was trained on some of the tasks, and the settings do not allow this.
        InfrastructureError: More than the declared share of the episodes are faults.
        TaskError: The suite is malformed, or a task stands in two of its splits.
        UnknownNameError: There is no such suite or split, or the split has no task of an id.
        ConfigError: The store has an evaluation of another suite, or an environment makes tasks without end and the
            settings have no limit.
    """
    began = time.monotonic()
    settings = settings or EvaluationSettings()
    suite = suite_named(suite, {}, settings.limit) if isinstance(suite, str) else suite
    cast = Cast.of(suite.env, (settings.role,) if settings.role else (), settings.partners, suite.env_options)
    tasks = _chosen(suite, split, settings)
    seen = seen_by(policy)
    if split != "train":
        suite.require_disjoint()
    if not settings.allow_train:
        require_unseen(tasks, seen.hashes)
    is_resumable = store is not None and settings.iteration is None
    if store is not None and is_resumable:
        _require_same_suite(store, suite)
    policies = cast.policies(policy, settings.partner_sampling, store.folder if store is not None else None)
    marks = [getattr(policy, "fingerprint", "") if is_resumable else "", *sorted(suite.given_options.items())]
    marks += _pins(policies, settings.rollout.sampling) if is_resumable else []
    jobs = _jobs(tasks, settings, cast, policy.name, marks)
    purpose: Purpose = "test" if split == "test" else "validation"
    played = _resumed(store, jobs, purpose, len(cast.learning) or 1) if store is not None else {}
    left = [job for job in jobs if job.key not in played]
    played |= _play(policies, suite, cast, left, settings, (store, purpose, progress))
    ordered = [record for job in jobs for record in played.get(job.key, ())]
    own = [record for record in ordered if len(cast.learning) < 2 or record.role == cast.role]
    results, outcomes, costs = summarise(own)
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
        num_resumed=len(jobs) - len(left),
        num_trained_on=_num_trained_on(tasks, seen),
        role=cast.role,
        partners=cast.partners,
        other_roles={
            role: summarise([record for record in ordered if record.role == role])[0] for role in cast.learning[1:]
        },
        is_unseen_env=suite.is_unseen_env,
        is_held_out=suite.is_held_out and split != "train",
        measures=measured(results, spec(suite.env).load_measures()),
        cut_share=cut_share(own),
        unknown_words=_unknown_to(policy, own),
    )
    _check_faults(result, own, settings.rollout.max_fault_share)
    if store is not None and settings.iteration is None:
        name = ":".join([suite.name, split, policy.name, *_playing(cast)])
        store.set_meta({f"{EVALUATIONS}{name}": result.to_json()})
    return result


def _require_same_suite(store: RunStore, suite: Suite) -> None:
    """A report shows one suite, and compares policies on its tasks."""
    others = {result["suite"] for key, result in store.meta.items() if key.startswith(EVALUATIONS)} - {suite.name}
    if others:
        raise ConfigError(
            f"the run in {store.folder} has an evaluation of {', '.join(sorted(others))}: got {suite.name}; "
            "give each suite a folder of its own"
        )


def _chosen(suite: Suite, split: str, settings: EvaluationSettings) -> Sequence[Task]:
    tasks, limit = suite.tasks(split), settings.limit
    if settings.tasks:
        known = {task.id: task for task in tasks}
        for task_id in settings.tasks:
            if task_id not in known:
                raise UnknownNameError("task", task_id, known, owner=f"the {split} split of {suite.name!r}")
        tasks = tuple(known[task_id] for task_id in dict.fromkeys(settings.tasks))
    if limit is None or limit >= len(tasks):
        return tasks
    return [tasks[index * len(tasks) // limit] for index in range(limit)]


def _num_trained_on(tasks: Sequence[Task], seen: Seen) -> int | None:
    """How many of the tasks a policy was trained on; None if it does not say, and none is known of."""
    count = sum(task.content_hash in seen.hashes for task in tasks)
    return count if count or seen.is_all else None


def _unknown_to(policy: Policy, records: Sequence[Trajectory]) -> UnknownWords | None:
    """The words of the first messages that the policy's tokenizer does not know; None if the policy has none.

    Explanations of invalid messages are left out: only a model that fails anyhow reads them.
    """
    tokenizer = getattr(policy, "tokenizer", None)
    if tokenizer is None:
        return None
    turns = (
        turn
        for record in records
        for before, turn in zip([None, *record.turns], record.turns, strict=False)
        if before is None or not before.was_invalid
    )
    read = (content_text(message) for turn in turns for message in turn.messages)
    return unknown_words(tokenizer, itertools.islice(read, _NUM_READ))


def _playing(cast: Cast) -> list[str]:
    """The role that is evaluated and who plays others, where that is not what the suite's environment says anyhow."""
    if not cast.learning:
        return []
    named = {role: name for role, name in cast.partners.items() if name != SCRIPTED}
    named |= dict.fromkeys(cast.learning[1:], SELF)
    return [cast.role, *(f"{role}={name}" for role, name in sorted(named.items()))]


def _pins(policies: Mapping[str, Policy], sampling: Sampling) -> list[str]:
    """What tells models that are partners from others of their names, such as their weights; scripts have nothing."""
    partners = {role: policy for role, policy in policies.items() if isinstance(policy, PartnerPolicy)}
    pins = {role: partner.pin(role, sampling) for role, partner in partners.items()}
    return [f"{role}={pin}" for role, pin in sorted(pins.items()) if pin != partners[role].name]


def _jobs(
    tasks: Sequence[Task], settings: EvaluationSettings, cast: Cast, name: str, marks: Sequence[object]
) -> list[Job]:
    """The episodes; their keys name everything that makes one, so that a resumed evaluation never mixes two."""
    rollout = settings.rollout
    setting = [name, *marks, settings.seed, settings.iteration]
    setting += [rollout.sampling, rollout.history, rollout.max_context, rollout.cut_messages]
    setting += [*_playing(cast), *([settings.partner_sampling] if settings.partner_sampling else [])]
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


def _resumed(store: RunStore, jobs: Sequence[Job], purpose: Purpose, num_roles: int) -> dict[str, list[Trajectory]]:
    """The records of each episode that is whole in the store."""
    wanted = {job.key for job in jobs}
    rows = [row for row in store.episode_rows(purpose=purpose) if _key_of(row.id) in wanted]
    graded = [row for row in rows if row.outcome in GRADED]
    records = _by_episode(store.load(graded))
    return {key: own for key, own in records.items() if len(own) == num_roles}


def _by_episode(records: Iterable[Trajectory]) -> dict[str, list[Trajectory]]:
    by_key: dict[str, list[Trajectory]] = {}
    for record in records:
        by_key.setdefault(_key_of(record.id), []).append(record)
    return by_key


def _key_of(episode: str) -> str:
    """The key of the job that an episode was played for: its id without the role."""
    return episode.rpartition("/")[0]


def _play(
    policies: Mapping[str, Policy],
    suite: Suite,
    cast: Cast,
    jobs: Sequence[Job],
    settings: EvaluationSettings,
    sinks: tuple[RunStore | None, Purpose, Progress | None],
) -> dict[str, list[Trajectory]]:
    store, purpose, progress = sinks
    if not jobs:
        return {}

    def keep(records: list[Trajectory]) -> None:
        for record in records:
            if store is not None:
                store.write_episode(record, settings.iteration, purpose, is_replacement=True)

    records, _ = collect_episodes(
        jobs,
        game_maker(suite, settings.rollout.runtime, cast),
        policies,
        settings.rollout,
        on_finish=keep,
        progress=progress,
    )
    return _by_episode(records)


def _check_faults(result: EvaluationResult, records: Sequence[Trajectory], allowed: float) -> None:
    if result.num_faults > allowed * len(records):
        errors = sorted({trajectory.error for trajectory in records if trajectory.error})
        by_partners = sum(count for name, count in result.outcomes.items() if name.startswith("partner_fault"))
        share = f"{result.num_faults} of {len(records)} episodes of {result.suite} {result.split}"
        cause = f"infrastructure or a partner ({by_partners} for a partner)" if by_partners else "infrastructure"
        ways = "" if result.num_faults == len(records) else ", or raise max_fault_share (--max-fault-share)"
        raise InfrastructureError(
            f"{share} failed for {cause}, over the allowed share of {allowed:.0%}, such as: "
            f"{errors[0] if errors else 'cancelled'}. Mend the cause and evaluate again (with a run folder only the "
            f"failed ones are played){ways}."
        )
