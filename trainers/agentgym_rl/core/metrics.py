"""What an iteration reports: rewards by component, success, outcomes, tokens, and where the time went.

What learners report of their updates is up to them; writing the numbers down is the work of agentgym_rl/run/journal.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from agentgym.evaluation.statistics import mean_interval, num_apart
from agentgym.outcome import KINDS
from agentgym.reward import by_component
from agentgym.trajectory import Group, Trajectory, cut_share

Metrics = dict[str, float]


def collection_metrics(groups: Sequence[Group], version: int) -> Metrics:
    """Numbers of the collected groups, trained on or not.

    Args:
        groups: Sealed groups.
        version: Version of the weights that is about to be trained.

    Returns:
        By name: those of `success_metrics`, `score/mean`, `return/mean`,
        `reward/COMPONENT` (mean sum an episode, unweighted), `outcome/KIND` (share of episodes), `episode/turns`,
        `episode/tokens`, `tokens/mask_coverage` (share of tokens that were sampled), `time/…` (shares),
        `staleness/mean` and `max` (versions), `policy/invalid_share` and `cut_share` (of turns); of a game with several
        roles that learn, `role/ROLE/success` and `role/ROLE/return`.
    """
    members = [member for group in groups for member in group.members]
    missing = [member for group in groups for member in group.missing]
    metrics = _outcome_rates(members, missing)
    if not members:
        return metrics
    rates = [float(np.mean([bool(member.success) for member in group.members])) for group in groups if group.members]
    metrics |= success_metrics(rates)
    metrics["score/mean"] = float(np.mean([member.score for member in members if member.score is not None]))
    metrics["return/mean"] = float(np.mean([member.total_reward for member in members]))
    components: Counter[str] = Counter()
    for member in members:
        components.update(dict.fromkeys(member.weights, 0.0))
        for name, value in by_component(member.events).items():
            components[name] += value  # type: ignore[assignment]
    metrics |= {f"reward/{name}": float(total) / len(members) for name, total in components.items()}
    return metrics | _role_metrics(members) | _turn_metrics(members) | _token_metrics(members, version)


def success_metrics(rates: Sequence[float]) -> Metrics:
    """The success of several tasks.

    Args:
        rates: Each task's rate.

    Returns:
        `success/mean` with `low` and `high` (95 %, clustered by task), `success/tasks` (how many there are) and, where
        one to three tasks alone differ from the others, `success/apart` (how many of them), which widens the interval.
    """
    interval, apart = mean_interval(rates, bounds=(0.0, 1.0)), num_apart(rates)
    metrics = {"success/mean": interval.mean, "success/low": interval.low, "success/high": interval.high}
    metrics["success/tasks"] = float(interval.num_tasks)
    return metrics if apart is None else metrics | {"success/apart": float(apart)}


def mean_by_name(rows: Sequence[Mapping[str, float]]) -> Metrics:
    """The mean over several updates of each metric, all of which hold the same ones."""
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


def _outcome_rates(members: Sequence[Trajectory], missing: Sequence[Trajectory]) -> Metrics:
    kinds: Counter[str] = Counter(each.outcome.kind for each in [*members, *missing] if each.outcome is not None)
    total = max(1, sum(kinds.values()))
    return {"episodes": float(len(members) + len(missing))} | {f"outcome/{kind}": kinds[kind] / total for kind in KINDS}


def _role_metrics(members: Sequence[Trajectory]) -> Metrics:
    roles = sorted({member.role for member in members})
    metrics: Metrics = {}
    for role in roles if len(roles) > 1 else ():
        own = [member for member in members if member.role == role]
        metrics[f"role/{role}/success"] = float(np.mean([bool(member.success) for member in own]))
        metrics[f"role/{role}/return"] = float(np.mean([member.total_reward for member in own]))
    return metrics


def _turn_metrics(members: Sequence[Trajectory]) -> Metrics:
    turns = [turn for member in members for turn in member.turns]
    count = max(1, len(turns))
    times = {
        name: sum(getattr(turn.times, f"{name}_s") for turn in turns) for name in ("queue", "model", "env", "verify")
    }
    total = sum(times.values()) or 1.0
    return {
        "episode/turns": len(turns) / len(members),
        "policy/invalid_share": sum(turn.was_invalid for turn in turns) / count,
        "policy/cut_share": cut_share(members) or 0.0,
    } | {f"time/{name}_share": seconds / total for name, seconds in times.items()}


def _token_metrics(members: Sequence[Trajectory], version: int) -> Metrics:
    sampled = sum(member.num_action_tokens for member in members)
    shown = sum(len(turn.prompt_ids) for member in members for turn in member.turns)
    lags = [version - turn.version for member in members for turn in member.turns if turn.version >= 0]
    metrics = {
        "episode/tokens": sampled / len(members),
        "tokens/sampled": float(sampled),
        "tokens/mask_coverage": sampled / max(1, sampled + shown),
    }
    if lags:
        metrics |= {"staleness/mean": float(np.mean(lags)), "staleness/max": float(max(lags))}
    return metrics
