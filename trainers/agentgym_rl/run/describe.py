"""A resolved configuration as equations, for `agentgym train --describe` and for the report.

The lines of what a learner makes of the episodes are its own.
"""

from __future__ import annotations

from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.curricula.description import describe_curriculum
from agentgym_rl.run.learners import kind_of


def describe(config: TrainConfig) -> str:
    """The algorithm of a run, a line a step, with the numbers that are in force."""
    algorithm = config.algorithm
    name = f"preset {algorithm.preset}" if algorithm.preset else f"learner {algorithm.learner}"
    lines = [f"{name}, suite {config.run.suite}"]
    lines += _sampling(config) if algorithm.collects else ["collect   nothing"]
    lines += describe_curriculum(config.curriculum, algorithm.fate_of_truncated)
    return "\n".join([*lines, *kind_of(config).equations(config)])


def _sampling(config: TrainConfig) -> list[str]:
    group, temperature = config.group, config.rollout.sampling.temperature
    episodes = "1 episode" if group.size == 1 else f"{group.size} episodes"
    flat = f"; groups without variance: {group.dynamic_sampling}" if config.algorithm.compares_groups else ""
    return [
        f"collect   {group.tasks} tasks x {episodes} an iteration from pi_mu at temperature {temperature:g}",
        f"          staleness at most {group.staleness}{flat}",
    ]
