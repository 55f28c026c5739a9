"""The configuration of curricula, one table for each of them.

What they do is in agentgym_rl/curricula, in the files of their names; which of them go together is in `rules.py` there,
and what they need of suite and environment in `requirements.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

from agentgym.errors import ConfigError
from agentgym.ranges import POSITIVE, POSITIVE_SHARE, SHARE, Range, Ranged


@dataclass(frozen=True)
class HorizonConfig(Ranged):
    """Stages of growing horizons: ScalingInter-RL, Xi et al. 2025, arXiv 2509.08755."""

    turns: Annotated[tuple[int, ...], Range(1)]
    """The most turns of an episode in each stage. A task's own limit holds where it is smaller."""
    every: Annotated[int, Range(1)] = 20
    """Iterations per stage. The last stage lasts until the end of the run."""

    def __post_init__(self) -> None:
        super().__post_init__()
        is_growing = all(before < after for before, after in zip(self.turns, self.turns[1:], strict=False))
        if not self.turns or not is_growing:
            raise ConfigError(f"curriculum.horizon.turns must be growing numbers of at least 1, got {list(self.turns)}")

    def stage(self, iteration: int) -> int:
        """The stage of an iteration, counted from 0."""
        return min(iteration // self.every, len(self.turns) - 1)


@dataclass(frozen=True)
class BandConfig(Ranged):
    """Tasks that are solved sometimes: CRAFT-GUI and the task selection of ARPO, Lu et al. 2025, arXiv 2505.16282."""

    low: Annotated[float, SHARE] = 0.2
    """The lowest estimated success of the tasks that are preferred."""
    high: Annotated[float, SHARE] = 0.8
    """The highest estimated success of the tasks that are preferred."""
    explore: Annotated[float, POSITIVE_SHARE] = 0.25
    """The share of groups that are drawn from all tasks in turn, whatever their estimates. All groups are drawn so
    while no task that was seen is in the band."""
    prior: Annotated[float, POSITIVE] = 2.0
    """The number of episodes that the prior counts for. Its success is the middle of the band."""
    half_life: Annotated[float, POSITIVE] = 20.0
    """Iterations after which an episode counts half, so that estimates of old episodes return to the prior."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.low < self.high:
            raise ConfigError(
                "curriculum.bands.low must be below curriculum.bands.high, got "
                f"{self.low} and {self.high}; try 0.2 and 0.8"
            )

    @property
    def middle(self) -> float:
        """The success that the prior expects."""
        return (self.low + self.high) / 2

    def estimate(self, successes: float, attempts: float) -> float:
        """Success of a task after so many attempts."""
        return (successes + self.prior * self.middle) / (attempts + self.prior)


@dataclass(frozen=True)
class DifficultyConfig(Ranged):
    """Tasks made at rising levels of the environment's declared difficulty, the suite's own after the last."""

    levels: Annotated[int, Range(1)] = 4
    """Number of levels before the suite's own tasks, from the easiest values (0) to the hardest (1)."""
    raise_above: Annotated[float, POSITIVE_SHARE] = 0.6
    """The next level begins at this mean success over the window."""
    window: Annotated[int, Range(1)] = 16
    """Number of groups of the present level over which success is measured."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options of the environment besides those of difficulty, for suites whose tasks set them, such as {observation =
    "partial"}."""


@dataclass(frozen=True)
class StartConfig(Ranged):
    """Starts in the middle of recorded successes: backwards curricula, Florensa et al. 2017, arXiv 1707.05300."""

    share: Annotated[float, POSITIVE_SHARE] = 0.25
    """The share of groups that start this way, if there is a recorded success."""
    stages: Annotated[int, Range(2)] = 4
    """Levels from the end of the recording to its start. Level j of n leaves j/n of the turns to the policy."""
    raise_above: Annotated[float, POSITIVE_SHARE] = 0.6
    """Starts move back by one level at this mean success over the window."""
    window: Annotated[int, Range(1)] = 8
    """Number of groups of the present level over which success is measured."""


@dataclass(frozen=True)
class GuidanceConfig(Ranged):
    """Hints where a whole group failed: Agent-RLVR, Da et al. 2025, arXiv 2506.11425."""

    share: Annotated[float, POSITIVE_SHARE] = 0.25
    """The largest share of groups that may be tries with hints."""
    probability: Annotated[float, POSITIVE_SHARE] = 1.0
    """The probability that an episode of a task without any success gets a hint. It is multiplied by 1 minus the
    success of the task's last group."""
    enough: Annotated[float, POSITIVE_SHARE] = 0.5
    """A task needs no more tries once a group of it has this success."""
    max_tries: Annotated[int, Range(1)] = 4
    """After this many tries a task is given up until it fails again."""
    capacity: Annotated[int, Range(1)] = 256
    """The most tasks that wait for a try. The oldest ones are dropped first."""


@dataclass(frozen=True)
class DurationConfig(Ranged):
    """Turns are weighted by the time that the environment took for them: Yang et al. 2025, arXiv 2509.01684."""

    min_weight: Annotated[float, SHARE] = 0.25
    """The smallest weight of a turn."""
    max_weight: Annotated[float, Range(1)] = 4.0
    """The largest weight of a turn."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.min_weight == self.max_weight:
            raise ConfigError(
                f"curriculum.durations needs 0 <= min_weight <= 1 <= max_weight, and not both 1: got {self.min_weight} "
                f"and {self.max_weight}"
            )


@dataclass(frozen=True)
class CurriculumConfig:
    """Which tasks are played, from where, how long, and with what help. A table that is absent is off."""

    horizon: HorizonConfig | None = None
    """Stages of growing horizons."""
    bands: BandConfig | None = None
    """Tasks whose estimated success lies in a band."""
    difficulty: DifficultyConfig | None = None
    """Tasks made at rising levels of difficulty."""
    starts: StartConfig | None = None
    """Starts in the middle of recorded successes."""
    guidance: GuidanceConfig | None = None
    """Hints where a whole group failed."""
    durations: DurationConfig | None = None
    """Turns are weighted by the environment's time."""

    @property
    def plans_groups(self) -> bool:
        """Whether anything of it decides what is played; durations alone change the update."""
        parts = (self.horizon, self.bands, self.difficulty, self.starts, self.guidance)
        return any(part is not None for part in parts)
