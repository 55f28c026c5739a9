"""Recording: episodes of a mix of policies on the tasks of a split, kept in a run's store as offline data.

Nothing is evaluated or trained here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from agentgym.errors import ConfigError, HeldOutError
from agentgym.outcome import GRADED
from agentgym.policies.by_name import load
from agentgym.policies.cast import REPLIES, Cast
from agentgym.policy import Policy, Sampling, sampling_of, seen_by
from agentgym.ranges import SEED, Range, Ranged
from agentgym.rollout import Job, Progress, RolloutSettings, collect_episodes, draw_seed, game_maker, shuffled_tasks
from agentgym.store import DATABASE, EpisodeRow, Purpose, RunStore
from agentgym.store.folder import removed_if_unused, require_empty
from agentgym.suite import Suite, load_suite, require_unseen
from agentgym.task import Task
from agentgym.trajectory import Trajectory

RECORDING = "recording"
"""Key of a run's meta that says what was asked for, and its `kind`."""
_ROLLOUT = RolloutSettings(is_lockstep=True, record_anchors=True, record_progress=True, record_legal_actions=True)
_ADDED = ("history", "max_context", "cut_messages", "fingerprints")
"""Keys that recordings of earlier versions lack. Episodes are added to such recordings whatever these keys say."""
_PURPOSES: dict[str, Purpose] = {"train": "demo", "validation": "validation", "test": "test"}


@dataclass(frozen=True)
class Player:
    """One policy of the mix.

    Attributes:
        name: The policy's name.
        options: Its keyword arguments.
        share: Its part of the episodes; shares need not add up to 1.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    share: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.share < math.inf:
            raise ConfigError(f"the share of policy {self.name!r} must be a positive number: got {self.share}")

    @property
    def label(self) -> str:
        """The label of its episodes, such as "demo" or "demo(quality=0.9)"."""
        options = ",".join(f"{key}={value}" for key, value in sorted(self.options.items()))
        return f"{self.name}({options})" if options else self.name


@dataclass(frozen=True)
class RecordingSettings(Ranged):
    """What is recorded, and how."""

    episodes: Annotated[int, Range(1)] = 100
    """Episodes of all policies together."""
    seed: Annotated[int, SEED] = 0
    """Seed of the order of tasks, of which policy plays which task, and of the policies' draws."""
    role: str = ""
    """The role of a game that is recorded; "" takes the suite's role."""
    partners: Mapping[str, str] = field(default_factory=dict)
    """Who plays the other roles of a game, by name."""
    is_held_out_allowed: bool = False
    """Whether validation and test tasks may be recorded; training refuses such episodes."""
    has_own_limits: bool = False
    """Whether a message may have as many tokens as its policy was trained with, where this is known, instead of what
    `rollout.sampling` says."""
    overwrite: bool = False
    """Whether to remove the recording in the folder first; a run of another kind is not removed."""
    rollout: RolloutSettings = field(default_factory=lambda: _ROLLOUT)
    """How episodes are collected. They run in lockstep, so that a model's batches depend only on the seed, and with
    anchors and progress of each state, so that any method can assign credit later."""


@dataclass(frozen=True)
class PlayerResult:
    """The results of one policy's episodes; rates are None without a graded episode.

    Attributes:
        episodes: Recorded.
        success: Share of the graded episodes that solved their task.
        score: Their mean score.
        mean_return: Their mean undiscounted return.
    """

    episodes: int
    success: float | None
    score: float | None
    mean_return: float | None


@dataclass(frozen=True)
class RecordingResult:
    """The results of a recording.

    Attributes:
        folder: The run folder.
        suite: The suite.
        split: The split.
        players: By label.
        outcomes: Number of episodes by outcome.
        num_missing: Episodes that an interrupt left unplayed; the same recording plays them.
    """

    folder: Path
    suite: str
    split: str
    players: Mapping[str, PlayerResult]
    outcomes: Mapping[str, int]
    num_missing: int

    def to_json(self) -> dict[str, Any]:
        """A JSON object."""
        policies = {
            label: {"episodes": each.episodes, "success": each.success, "score": each.score, "return": each.mean_return}
            for label, each in self.players.items()
        }
        return {
            "run": str(self.folder),
            "suite": self.suite,
            "split": self.split,
            "episodes": sum(each.episodes for each in self.players.values()),
            "num_missing": self.num_missing,
            "policies": policies,
            "outcomes": dict(self.outcomes),
        }


def record(
    players: Sequence[Player],
    suite: Suite | str,
    folder: Path,
    split: str = "train",
    settings: RecordingSettings | None = None,
    *,
    progress_of: Callable[[str], Progress] | None = None,
) -> RecordingResult:
    """Play episodes of a mix of policies and store each in the folder as soon as it ends.

    Each pass over the split has a new order. Policies take turns at random, so that each plays similar tasks; their
    numbers of episodes are their rounded shares. Calling it again with the same arguments plays only missing episodes
    and faults.

    Args:
        players: The policies with their shares.
        suite: The suite or its name.
        folder: The run folder; created if it is missing.
        split: train, or a held-out split if the settings allow it.
        settings: How; None takes the defaults.
        progress_of: Makes the display of a policy from its label.

    Raises:
        HeldOutError: The split or the whole game is held out and the settings do not allow it, or a policy was trained
            on it.
        ConfigError: The folder holds other files and no run.
        StoreError: The folder holds another run.
        TaskError: The suite is malformed, or a task stands in two of its splits.
        UnknownNameError: There is no such suite, split or policy.
    """
    settings = settings or RecordingSettings()
    suite = load_suite(suite) if isinstance(suite, str) else suite
    _check_labels(players)
    tasks = _tasks(suite, split, settings.is_held_out_allowed)
    suite.require_disjoint()
    cast = Cast.of(suite.env, (settings.role,) if settings.role else (), settings.partners, suite.env_options)
    policies = {player.label: _loaded(player, suite, tasks, split) for player in players}
    jobs = plan(players, tasks, settings)
    drawn = {label: _sampling(policy, settings) for label, policy in policies.items()}
    recipe = _recipe(players, suite, split, settings, drawn, policies)
    with removed_if_unused(folder), _opened(folder, recipe, settings.overwrite) as store:
        store.write_tasks({job.task.id: job.task for own in jobs.values() for job in own}.values())
        for label, own in jobs.items():
            sinks = suite, store, _PURPOSES[split], progress_of(label) if progress_of is not None else None
            rollout = replace(settings.rollout, sampling=drawn[label])
            if not _play(label, policies[label], cast, _left(store, own, cast), rollout, sinks):
                break
        return _result(store, jobs, cast)


def keep_episode(folder: Path, task: Task, trajectory: Trajectory) -> bool:
    """Add an episode that was played by hand to a recording of such episodes, which is made if it is missing.

    Args:
        folder: The run folder.
        task: What was played.
        trajectory: The episode; its id is replaced by one that is new in the folder.

    Returns:
        Whether it was kept: one without a verdict, such as a cancelled one, is not.

    Raises:
        ConfigError: The folder holds other files and no run, or the task is of no suite.
        StoreError: It holds another run, or the recording of another suite or split.
    """
    if trajectory.outcome is None or not trajectory.outcome.is_graded:
        return False
    if not task.suite or task.split is None:
        raise ConfigError(f"task {task.id!r} belongs to no split of a suite; record a task of one")
    recipe = {"suite": task.suite, "split": task.split, "policies": {trajectory.policy: 1.0}}
    with _opened(folder, recipe, overwrite=False) as store:
        store.write_tasks([task])
        number = len({_job_key(row.id) for row in store.episode_rows()})
        trajectory.id = f"play-{number:06d}/{trajectory.role}"
        store.write_episode(trajectory, None, _PURPOSES[task.split])
    return True


def plan(players: Sequence[Player], tasks: Sequence[Task], settings: RecordingSettings) -> dict[str, list[Job]]:
    """The episodes of each policy, by label: a function of the arguments alone."""
    labels = _shared_out(players, settings.episodes)
    order = sorted(range(len(labels)), key=lambda index: draw_seed(settings.seed, "player", index))
    stream = shuffled_tasks(tuple(tasks), draw_seed(settings.seed, "recording"))
    jobs: dict[str, list[Job]] = {player.label: [] for player in players}
    for index in range(settings.episodes):
        seed = draw_seed(settings.seed, "record", index)
        job = Job(next(stream), f"record-{index:06d}", seed, attempt=index // len(tasks))
        jobs[labels[order[index]]].append(job)
    return jobs


def _shared_out(players: Sequence[Player], episodes: int) -> list[str]:
    """A label an episode, in the order of the policies: whole numbers nearest to the shares, by largest remainders."""
    total = sum(player.share for player in players)
    exact = [episodes * player.share / total for player in players]
    counts = [int(number) for number in exact]
    by_remainder = sorted(range(len(players)), key=lambda index: (counts[index] - exact[index], index))
    for index in by_remainder[: episodes - sum(counts)]:
        counts[index] += 1
    return [player.label for player, count in zip(players, counts, strict=True) for _ in range(count)]


def _check_labels(players: Sequence[Player]) -> None:
    twice = [label for label, count in Counter(player.label for player in players).items() if count > 1]
    if twice or not players:
        problem = f"the policies {twice} are named twice" if twice else "no policy is named"
        raise ConfigError(f"{problem}; name each once, as NAME=SHARE")


def _tasks(suite: Suite, split: str, is_held_out_allowed: bool) -> tuple[Task, ...]:
    if split == "train":
        return suite.train_tasks()
    tasks = suite.tasks(split)
    if not is_held_out_allowed:
        raise HeldOutError(
            f"the {split} split of {suite.name!r} is held out from training; record the train split (--split train), "
            "or allow this one (--allow-held-out)"
        )
    return tasks


def _loaded(player: Player, suite: Suite, tasks: Sequence[Task], split: str) -> Policy:
    policy = load(player.name, suite.name, **player.options)
    if split != "train":
        require_unseen(tasks, seen_by(policy).hashes)
    return policy


def _sampling(policy: Policy, settings: RecordingSettings) -> Sampling:
    return sampling_of(policy, settings.rollout.sampling) if settings.has_own_limits else settings.rollout.sampling


def _recipe(
    players: Sequence[Player],
    suite: Suite,
    split: str,
    settings: RecordingSettings,
    drawn: Mapping[str, Sampling],
    policies: Mapping[str, Policy],
) -> dict[str, Any]:
    """What makes the episodes, as JSON; a folder is added to under the same one alone."""
    shared = settings.rollout.sampling
    limits = {label: sampling.max_tokens for label, sampling in drawn.items() if sampling != shared}
    return {
        "suite": suite.name,
        "split": split,
        "policies": {player.label: player.share for player in players},
        "episodes": settings.episodes,
        "seed": settings.seed,
        "role": settings.role,
        "partners": dict(settings.partners),
        "sampling": asdict(shared),
        "history": settings.rollout.history,
        "max_context": settings.rollout.max_context,
        "cut_messages": settings.rollout.cut_messages,
        "fingerprints": {label: getattr(policy, "fingerprint", "") for label, policy in policies.items()},
        **({"message_limits": limits} if limits else {}),
    }


def _opened(folder: Path, recipe: dict[str, Any], overwrite: bool) -> RunStore:
    if not (folder / DATABASE).exists():
        require_empty(folder)
    elif overwrite:
        with RunStore.open(folder, expected_meta={"kind": RECORDING}):  # refused while another process writes it
            pass
        for name in (f"{DATABASE}-wal", f"{DATABASE}-shm", REPLIES, "report.html", DATABASE):
            (folder / name).unlink(missing_ok=True)
    if not (folder / DATABASE).exists():
        return RunStore.create(folder, {"kind": RECORDING, "suite": recipe["suite"], RECORDING: recipe})
    with RunStore.open(folder, read_only=True) as store:
        kept = store.meta.get(RECORDING) or {}
    expected = {key: value for key, value in recipe.items() if key in kept or key not in _ADDED}
    return RunStore.open(folder, expected_meta={"kind": RECORDING, RECORDING: expected})


def _left(store: RunStore, jobs: Sequence[Job], cast: Cast) -> list[Job]:
    """The jobs without a graded episode of each of the policy's roles in the store."""
    graded = Counter(_job_key(row.id) for row in store.episode_rows() if row.outcome in GRADED)
    return [job for job in jobs if graded[job.key] < (len(cast.learning) or 1)]


def _play(
    label: str,
    policy: Policy,
    cast: Cast,
    jobs: Sequence[Job],
    settings: RolloutSettings,
    sinks: tuple[Suite, RunStore, Purpose, Progress | None],
) -> bool:
    """Play and keep; whether all was played, rather than interrupted."""
    suite, store, purpose, progress = sinks
    if not jobs:
        return True

    def keep(records: list[Trajectory]) -> None:
        for record in records:
            record.policy = label
            store.write_episode(record, None, purpose, is_replacement=True)

    records, _ = collect_episodes(
        jobs,
        game_maker(suite, settings.runtime, cast),
        cast.policies(policy, None, store.folder),
        settings,
        on_finish=keep,
        progress=progress,
    )
    return len({_job_key(record.id) for record in records}) == len(jobs)


def _job_key(episode: str) -> str:
    """The key of the job that an episode was played for: its id without the role."""
    return episode.rpartition("/")[0]


def _result(store: RunStore, plans: Mapping[str, Sequence[Job]], cast: Cast) -> RecordingResult:
    rows = [row for row in store.episode_rows() if not cast.role or row.role == cast.role]
    recipe = store.meta[RECORDING]
    return RecordingResult(
        folder=store.folder,
        suite=recipe["suite"],
        split=recipe["split"],
        players={label: _player_result([row for row in rows if row.policy == label]) for label in plans},
        outcomes=Counter(f"{row.outcome}:{row.cause}" if row.cause else row.outcome for row in rows),
        num_missing=sum(len(_left(store, jobs, cast)) for jobs in plans.values()),
    )


def _player_result(rows: Sequence[EpisodeRow]) -> PlayerResult:
    graded = [row for row in rows if row.outcome in GRADED]
    return PlayerResult(
        episodes=len(rows),
        success=_mean([float(bool(row.success)) for row in graded]),
        score=_mean([row.score for row in graded if row.score is not None]),
        mean_return=_mean([row.reward for row in graded if row.reward is not None]),
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
