"""Combinations of curricula, and of a curriculum and a learner, that cannot work; said where the file is read.

What curricula need of a suite and its environment is in `requirements.py`; what a learner's own keys and a curriculum
need of each other is among the rules of the learner.
"""

from __future__ import annotations

from agentgym.errors import ConfigError
from agentgym_rl.core.config.curriculum import BandConfig
from agentgym_rl.core.config.train import TrainConfig


def require_consistent(config: TrainConfig) -> None:
    """Refuse curricula that contradict each other or the algorithm.

    Raises:
        ConfigError: Says which keys, and what to do.
    """
    curriculum, algorithm = config.curriculum, config.algorithm
    if curriculum.bands is not None and curriculum.difficulty is not None:
        raise ConfigError(
            "curriculum.bands and curriculum.difficulty both choose the tasks; keep one: bands choose among those of "
            "the suite, difficulty makes new ones"
        )
    if curriculum.bands is not None:
        _require_telling(curriculum.bands, config.group.size)
    if curriculum.plans_groups and not algorithm.collects:
        raise ConfigError(
            f"algorithm.learner {algorithm.learner!r} collects nothing that a curriculum could plan; remove its tables"
        )
    if not algorithm.compares_groups and (curriculum.durations is not None or curriculum.guidance is not None):
        raise ConfigError(
            "curriculum.durations and curriculum.guidance weigh a policy gradient over groups; set algorithm.learner = "
            '"groups", or remove them'
        )


def _require_telling(bands: BandConfig, size: int) -> None:
    """One group of failures, and one of successes, must leave the band where it has such an edge."""
    worst, best = bands.estimate(0, size), bands.estimate(size, size)
    if worst >= bands.low > 0 or best <= bands.high < 1:
        raise ConfigError(
            f"curriculum.bands from {bands.low} to {bands.high} never tells tasks apart: after a group of {size} "
            f"failures the estimate is {worst:.2f}, after as many successes {best:.2f}; lower bands.prior, narrow the "
            "band or raise group.size"
        )
