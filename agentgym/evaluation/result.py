"""The result of an evaluation: rates with intervals over all tasks, by stratum and by task, and its cost.

Faults (outcomes without reward) enter no rate, but are counted separately.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np

from agentgym.errors import ConfigError
from agentgym.evaluation.blame import Blame
from agentgym.evaluation.statistics import Estimate, mean_interval, pass_at_k, pass_hat_k
from agentgym.prompting.unknown_words import UnknownWords
from agentgym.registration import Measure
from agentgym.reward import ATTACK
from agentgym.trajectory import OF_PARTNERS, OF_RETRIED, Trajectory

_RATE = (0.0, 1.0)
_MAY_LACK = ("score", "quality", "attacked")
"""Numbers that a task may lack. A missing one is NaN, and null in JSON."""
_COSTS = ("prompt_tokens", "completion_tokens", "cost_usd", "retries", "cache_hits", "cache_misses", "redraws")


@dataclass(slots=True)
class TaskResult:
    """The result on one task.

    Attributes:
        id: The task.
        stratum: Its stratum.
        attempts: Episodes with a reward.
        successes: Those that solved it.
        score: Mean score of the episodes with a reward; NaN if there are none.
        faults: Episodes without reward.
        played: Episodes with a reward that did not end as invalid, so that the policy kept the rules; -1 if this was
            not recorded.
        quality: Mean score of these; NaN if there are none.
        blame: Who failed each episode that failed, such as "user: invented", where the environment says it.
        attacked: Share of the episodes with a reward in which a planted text got what it wants; NaN if no text was
            planted.
    """

    id: str
    stratum: str
    attempts: int
    successes: int
    score: float
    faults: int
    played: int = -1
    quality: float = math.nan
    blame: Sequence[str] = ()
    attacked: float = math.nan

    @property
    def success(self) -> float:
        """Success rate; NaN if no episode has a reward."""
        return self.successes / self.attempts if self.attempts else math.nan


@dataclass(frozen=True, slots=True)
class StratumResult:
    """Rates over the tasks of one stratum."""

    success: Estimate
    score: Estimate

    def to_json(self) -> dict[str, Any]:
        """`num_tasks`, `success` and `score`."""
        return {
            "num_tasks": self.success.num_tasks,
            "success": self.success.to_json(),
            "score": self.score.to_json(),
        }


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """The result of evaluating a policy on a split.

    Attributes:
        suite, split, policy: The policy, and what it was evaluated on.
        attempts: Episodes wanted of each task.
        tasks: The result on each task, in the order of the split.
        headline: The stratum that the suite reports first.
        sampling: How messages were drawn: temperature, top_p, max_tokens.
        outcomes: Number of episodes by outcome, faults included.
        costs: Sums over all episodes: turns, prompt_tokens, completion_tokens, cost_usd, retries, cache_hits,
            cache_misses; those of partners begin with "partner_", those of tries that broke and were played again with
            "retried_".
        seconds: Wall time of this call, without the episodes of earlier calls that it resumed.
        num_missing: Episodes that were wanted but not played (after an interrupt).
        num_resumed: Episodes that an earlier call had stored; they were not played again.
        num_trained_on: Tasks that the policy was trained on; above 0 only if that was allowed. None: unknown, because
            the policy does not say what it was trained on.
        role: The role of a game that was evaluated; "" for an environment of one agent.
        partners: Who played the other roles, by name.
        other_roles: The results on each task in further roles that the policy played against or with itself.
        is_unseen_env: Whether the suite holds out the environment itself and not only tasks of it.
        is_held_out: Whether the tasks are held out from training, as those of an environment or of a user's file are
            not.
        measures: Further numbers that the environment declares, by name: of each stratum, and of "all" tasks.
        cut_share: Share of the messages that the token limit cut; None if there are none, or this was not recorded.
        unknown_words: Which words of the messages the policy's tokenizer does not know; None if the policy reads text.
    """

    suite: str
    split: str
    policy: str
    attempts: int
    tasks: Sequence[TaskResult]
    headline: str = ""
    sampling: Mapping[str, float] = field(default_factory=dict)
    outcomes: Mapping[str, int] = field(default_factory=dict)
    costs: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    num_missing: int = 0
    num_resumed: int = 0
    num_trained_on: int | None = 0
    role: str = ""
    partners: Mapping[str, str] = field(default_factory=dict)
    other_roles: Mapping[str, Sequence[TaskResult]] = field(default_factory=dict)
    is_unseen_env: bool = False
    is_held_out: bool = True
    measures: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    cut_share: float | None = None
    unknown_words: UnknownWords | None = None

    @property
    def num_faults(self) -> int:
        """Episodes without reward."""
        return sum(task.faults for task in self.tasks)

    @property
    def success(self) -> Estimate:
        """Success rate over all tasks."""
        return _rates(self.tasks).success

    @property
    def score(self) -> Estimate:
        """Mean score over all tasks."""
        return _rates(self.tasks).score

    @property
    def strata(self) -> dict[str, StratumResult]:
        """Rates over the tasks of each stratum, the headline first."""
        names = sorted({task.stratum for task in self.tasks}, key=lambda name: (name != self.headline, name))
        return {name: _rates([task for task in self.tasks if task.stratum == name]) for name in names}

    @property
    def attacked(self) -> dict[str, Estimate]:
        """How often planted texts got what they want: of each stratum that has some, and of "all" such tasks."""
        planted = [task for task in self.tasks if not math.isnan(task.attacked)]
        by_stratum = {name: [task.attacked for task in planted if task.stratum == name] for name in self.strata}
        if planted:
            by_stratum["all"] = [task.attacked for task in planted]
        return {name: mean_interval(shares, bounds=_RATE) for name, shares in by_stratum.items() if shares}

    @property
    def blame(self) -> dict[str, int]:
        """Number of failed episodes by who failed them and why, the most frequent first; faults are among them."""
        counts = Counter(blame for task in self.tasks for blame in task.blame)
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

    def game_rates(self) -> dict[str, float]:
        """The three rates of clembench for games (Chalamalasetti et al. 2023, arXiv 2305.13455).

        Returns:
            `played`: share of the episodes that were played by the rules; `quality`: mean score of these; `product`:
            the product of both. NaN if there are no such episodes; empty if the results do not say.
        """
        counted = [task for task in self.tasks if task.attempts]
        if any(task.played < 0 for task in counted):
            return {}
        num_played = sum(task.played for task in counted)
        played = num_played / sum(task.attempts for task in counted) if counted else math.nan
        total = sum(task.quality * task.played for task in counted if task.played)
        quality = total / num_played if num_played else math.nan
        return {"played": played, "quality": quality, "product": played * quality if num_played else 0.0 * played}

    def pass_at(self) -> dict[str, float]:
        """pass@k for k = 1, 2, 4, … and the number of attempts."""
        return {str(k): pass_at_k(*self._counts(), k) for k in self._ks()}

    def pass_hat(self) -> dict[str, float]:
        """pass^k for the same k."""
        return {str(k): pass_hat_k(*self._counts(), k) for k in self._ks()}

    def _ks(self) -> list[int]:
        powers = (2**power for power in range(self.attempts.bit_length()))
        return sorted({*powers, self.attempts})

    def _counts(self) -> tuple[list[int], list[int]]:
        return [task.attempts for task in self.tasks], [task.successes for task in self.tasks]

    def to_json(self) -> dict[str, Any]:
        """A JSON object for machines; NaN is null. `from_json` reads it back."""
        return {
            "suite": self.suite,
            "split": self.split,
            "policy": self.policy,
            "num_tasks": len(self.tasks),
            "attempts": self.attempts,
            "success": self.success.to_json(),
            "score": self.score.to_json(),
            "pass_at": {k: _or_none(value) for k, value in self.pass_at().items()},
            "pass_hat": {k: _or_none(value) for k, value in self.pass_hat().items()},
            "game": {name: _or_none(value) for name, value in self.game_rates().items()},
            "measures": {name: dict(values) for name, values in self.measures.items()},
            "attacked": {name: each.to_json() for name, each in self.attacked.items()},
            "role": self.role,
            "partners": dict(self.partners),
            "is_unseen_env": self.is_unseen_env,
            "is_held_out": self.is_held_out,
            "other_roles": {
                role: _rates(tasks).to_json() | {"tasks": [_task_json(task) for task in tasks]}
                for role, tasks in self.other_roles.items()
            },
            "outcomes": dict(self.outcomes),
            "blame": self.blame,
            "num_faults": self.num_faults,
            "num_missing": self.num_missing,
            "num_resumed": self.num_resumed,
            "num_trained_on": self.num_trained_on,
            "trained_on": "unknown" if self.num_trained_on is None else self.num_trained_on > 0,
            "headline": self.headline,
            "strata": {name: stratum.to_json() for name, stratum in self.strata.items()},
            "sampling": dict(self.sampling),
            "cut_share": self.cut_share,
            "costs": dict(self.costs),
            "seconds": self.seconds,
            "unknown_words": None if self.unknown_words is None else asdict(self.unknown_words),
            "tasks": [_task_json(task) for task in self.tasks],
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`; everything that follows from the tasks is computed again.

        Raises:
            ConfigError: A key is missing or malformed.
        """
        plain = ("suite", "split", "policy", "attempts", "headline", "sampling", "outcomes", "costs", "seconds")
        later = ("role", "partners", "is_unseen_env", "is_held_out", "measures", "num_resumed", "cut_share")
        try:
            tasks = [_task_from_json(task) for task in fields["tasks"]]
            values = {name: fields[name] for name in (*plain, "num_missing", "num_trained_on")}
            values |= {name: fields[name] for name in later if name in fields}
            words = fields.get("unknown_words")
            values["unknown_words"] = words and UnknownWords(**{**words, "examples": tuple(words["examples"])})
            values["other_roles"] = {
                role: [_task_from_json(task) for task in result["tasks"]]
                for role, result in fields.get("other_roles", {}).items()
            }
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ConfigError(f"no result of an evaluation: {error!r}; expected what eval --json prints") from error
        return cls(tasks=tasks, **values)


def measured(tasks: Sequence[TaskResult], measures: Mapping[str, Measure]) -> dict[str, dict[str, float]]:
    """What measures say of each stratum and of "all" tasks; a stratum without a graded episode has no number."""
    parts = {task.stratum: [each for each in tasks if each.stratum == task.stratum] for task in tasks} | {"all": tasks}
    graded = {name: [task for task in part if not math.isnan(task.score)] for name, part in parts.items()}
    return {
        measure: {
            name: float(compute([task.success for task in part], [task.score for task in part]))
            for name, part in graded.items()
            if part
        }
        for measure, compute in measures.items()
    }


def summarise(
    trajectories: Iterable[Trajectory], task_ids: Sequence[str] | None = None
) -> tuple[list[TaskResult], dict[str, int], dict[str, float]]:
    """Count episodes by task and by outcome, and add up their costs.

    Args:
        trajectories: Finished episodes of one role.
        task_ids: The order of the tasks; None takes the order in which they appear.

    Returns:
        The tasks that have episodes, the number of episodes by outcome, the sums of costs.
    """
    by_task: dict[str, list[Trajectory]] = {task_id: [] for task_id in task_ids or ()}
    outcomes: Counter[str] = Counter()
    costs: Counter[str] = Counter()
    for trajectory in trajectories:
        by_task.setdefault(trajectory.task_id, []).append(trajectory)
        outcomes[str(trajectory.outcome)] += 1
        usage = {"completion_tokens": float(trajectory.num_action_tokens), **trajectory.usage}
        costs["turns"] += len(trajectory.turns)
        named = [*_COSTS, *(name for name in usage if name.startswith((OF_PARTNERS, OF_RETRIED)))]
        costs.update({name: usage[name] for name in named if usage.get(name)})
    tasks = [_task_result(task_id, episodes) for task_id, episodes in by_task.items() if episodes]
    return tasks, dict(sorted(outcomes.items())), {name: float(value) for name, value in costs.items()}


def _task_result(task_id: str, episodes: Sequence[Trajectory]) -> TaskResult:
    graded = [episode for episode in episodes if episode.outcome is not None and episode.outcome.is_graded]
    scores = [episode.score for episode in graded if episode.score is not None]
    played = [episode for episode in graded if episode.outcome is not None and episode.outcome.kind != "invalid"]
    qualities = [episode.score for episode in played if episode.score is not None]
    return TaskResult(
        id=task_id,
        stratum=episodes[0].stratum,
        attempts=len(graded),
        successes=sum(bool(episode.success) for episode in graded),
        score=float(np.mean(scores)) if scores else math.nan,
        faults=len(episodes) - len(graded),
        played=len(played),
        quality=float(np.mean(qualities)) if qualities else math.nan,
        blame=tuple(str(blame) for blame in map(Blame.of, episodes) if blame is not None),
        attacked=_attacked(graded),
    )


def _attacked(graded: Sequence[Trajectory]) -> float:
    values = [event.value for episode in graded for event in episode.events if event.component == ATTACK]
    return float(np.mean(values)) if values else math.nan


def _task_json(task: TaskResult) -> dict[str, Any]:
    rates = {name: _or_none(getattr(task, name)) for name in _MAY_LACK}
    return asdict(task) | rates | {"blame": list(task.blame)}


def _task_from_json(fields: Mapping[str, Any]) -> TaskResult:
    numbers = {name: math.nan for name in _MAY_LACK if fields.get(name, 0.0) is None}
    return TaskResult(**{**fields, **numbers, "blame": tuple(fields.get("blame", ()))})


def mean_success(tasks: Sequence[TaskResult]) -> Estimate:
    """Success rate over some tasks."""
    return _rates(tasks).success


def _rates(tasks: Sequence[TaskResult]) -> StratumResult:
    scores = np.array([task.score for task in tasks])
    scores = scores[~np.isnan(scores)]
    bounds = _RATE if len(scores) and scores.min() >= 0 and scores.max() <= 1 else None
    success = [task.success for task in tasks if task.attempts]
    return StratumResult(mean_interval(success, bounds=_RATE), mean_interval(scores, bounds=bounds))


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value
