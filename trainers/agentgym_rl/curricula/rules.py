"""Combinations of curricula, and of a curriculum and an algorithm, that cannot work; said where the file is read.

What curricula need of a suite and its environment is in `requirements.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentgym.errors import ConfigError
from agentgym_rl.curricula.config import BandConfig

if TYPE_CHECKING:
    from agentgym_rl.config import TrainConfig


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
    if curriculum.guidance is not None and algorithm.importance.mode == "none":
        raise ConfigError(
            "curriculum.guidance samples with a hint and trains without it, which needs importance weights: set "
            'algorithm.importance.mode = "token_tis" and algorithm.prox = "recompute"'
        )
    if curriculum.difficulty is not None and algorithm.replay.hindsight is not None:
        raise ConfigError(
            "algorithm.replay.hindsight looks tasks up in the suite, where those that curriculum.difficulty makes are "
            "not; remove one of the two"
        )
    if curriculum.plans_groups and not algorithm.collects:
        raise ConfigError(
            f"algorithm.learner {algorithm.learner!r} collects nothing that a curriculum could plan; remove its tables"
        )
    if algorithm.learner != "groups" and (curriculum.durations is not None or curriculum.guidance is not None):
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
