"""Numbers of a curriculum's iteration: the stage, where groups came from, and how those with help and without went."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agentgym.trajectory import HINT
from agentgym_rl.core.config.curriculum import CurriculumConfig
from agentgym_rl.core.metrics import Metrics
from agentgym_rl.curricula.plan import Result


def measure(results: Sequence[Result], config: CurriculumConfig, iteration: int) -> Metrics:
    """Numbers of the groups of an iteration.

    Returns:
        By name: `curriculum/plain_success` (of groups from the start, without help, of which the stage cut no episode);
        `curriculum/stage`, `curriculum/horizon` and `curriculum/cap_share` (of episodes, that the stage's limit cut);
        `curriculum/band_drawn_share` (of groups) and `curriculum/band_hit_share` (of groups from the start, whose own
        success is within the band); `curriculum/started_share` (of groups) and `curriculum/started_success`;
        `curriculum/retry_share` (of groups), `curriculum/hinted_share` (of episodes) and `curriculum/hinted_success`.
        Successes are missing where there was no such episode.
    """
    members = [member for result in results for member in result.members]
    metrics = _mean("curriculum/plain_success", [r for r in results if r.plan.is_plain])
    if config.horizon is not None:
        stage = config.horizon.stage(iteration)
        metrics |= {"curriculum/stage": float(stage), "curriculum/horizon": float(config.horizon.turns[stage])}
        metrics["curriculum/cap_share"] = sum(result.num_cut for result in results) / max(1, len(members))
    if config.bands is not None:
        rates = [result.success for result in results if result.plan.is_plain and result.success is not None]
        is_hit = [config.bands.low <= rate <= config.bands.high for rate in rates]
        metrics["curriculum/band_drawn_share"] = _share(results, "band")
        metrics["curriculum/band_hit_share"] = float(np.mean(is_hit)) if is_hit else 0.0
    if config.starts is not None:
        metrics["curriculum/started_share"] = _share(results, "recorded")
        metrics |= _mean("curriculum/started_success", [r for r in results if r.plan.source == "recorded"])
    if config.guidance is not None:
        hinted = [bool(member.success) for member in members if HINT in member.metadata]
        metrics["curriculum/retry_share"] = _share(results, "retry")
        metrics["curriculum/hinted_share"] = len(hinted) / max(1, len(members))
        if hinted:
            metrics["curriculum/hinted_success"] = float(np.mean(hinted))
    return metrics


def _share(results: Sequence[Result], source: str) -> float:
    return sum(result.plan.source == source for result in results) / max(1, len(results))


def _mean(name: str, results: Sequence[Result]) -> Metrics:
    attempts = sum(result.attempts for result in results)
    return {name: sum(result.successes for result in results) / attempts} if attempts else {}
