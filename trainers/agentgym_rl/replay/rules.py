"""Rules about replay that several learners share: which keys go together, and the check of replayed runs.

requirements.py has the check itself, which opens stored runs.
"""

from __future__ import annotations

from agentgym.errors import ConfigError
from agentgym_rl.core.config.kind import Check, KeyRule
from agentgym_rl.core.config.late import Late
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.replay.tables import HindsightConfig


def _looks_back(config: TrainConfig) -> bool:
    hindsight: HindsightConfig | None = config.algorithm.replay.hindsight  # type: ignore[attr-defined]
    return hindsight is not None and hindsight.strategy == "future"


GOALS_OF_FUTURE = KeyRule("algorithm.replay.hindsight.goals", _looks_back, 'without hindsight.strategy = "future"')
"""The number of goals counts where there are several."""


def require_hindsight_fits(config: TrainConfig, hindsight: HindsightConfig | None) -> None:
    """Refuse hindsight beside a curriculum under which its goals mean nothing.

    Raises:
        ConfigError: Says which tables contradict each other.
    """
    if hindsight is None:
        return
    if config.curriculum.starts is not None:
        raise ConfigError(
            "curriculum.starts begins episodes in the middle, so that their actions cannot be played again from the "
            "start of a task, as algorithm.replay.hindsight does; remove one of the two"
        )
    if config.curriculum.difficulty is not None:
        raise ConfigError(
            "algorithm.replay.hindsight looks tasks up in the suite, where those that curriculum.difficulty makes are "
            "not; remove one of the two"
        )


REPLAYABLE = Check(
    "stored runs can be learnt from, and the environment can relabel for hindsight",
    Late("agentgym_rl.replay.requirements:require_replay"),
)
"""For learners whose options have a table `replay`."""
