"""The table of learners: every kind that a configuration can choose by `algorithm.learner`, or by a preset of it.

To add one, write a `LearnerKind` in a folder of its own and enter it here. Programs use `register_learner`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentgym.errors import ConfigError
from agentgym_rl.core.config.kind import LearnerKind
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.groups.kind import GROUPS
from agentgym_rl.hierarchical.kinds import ACTOR_CRITIC, SOFT_ACTOR_CRITIC
from agentgym_rl.offline.kinds import (
    A_LOL,
    CLONING,
    ILQL,
    MONTE_CARLO,
    OFFLINE_ACTOR_CRITIC,
    OFFLINE_SOFT_ACTOR_CRITIC,
    STEP_PREFERENCE,
)

KINDS: tuple[LearnerKind[Any], ...] = (
    GROUPS,
    ACTOR_CRITIC,
    SOFT_ACTOR_CRITIC,
    CLONING,
    MONTE_CARLO,
    ILQL,
    A_LOL,
    STEP_PREFERENCE,
    OFFLINE_ACTOR_CRITIC,
    OFFLINE_SOFT_ACTOR_CRITIC,
)

LEARNERS: dict[str, LearnerKind[Any]] = {}
"""The kinds by name."""
PRESETS: dict[str, Mapping[str, Any]] = {}
"""The values of each preset."""
LEARNER_OF_PRESET: dict[str, str] = {}
"""The kind that each preset belongs to."""


def register_learner(kind: LearnerKind[Any]) -> None:
    """Add a kind of learner to the table, so that configurations can choose it.

    Registering the same kind again changes nothing.

    Args:
        kind: The kind; its name and the names of its presets must be new.

    Raises:
        ConfigError: Another kind has the name, or one of the presets.
    """
    if LEARNERS.get(kind.name) is kind:
        return
    taken = {kind.name} & LEARNERS.keys() | kind.presets.keys() & PRESETS.keys()
    if taken:
        raise ConfigError(f"learner {kind.name!r} cannot be registered: {', '.join(sorted(taken))} is already taken")
    LEARNERS[kind.name] = kind
    PRESETS.update(kind.presets)
    LEARNER_OF_PRESET.update(dict.fromkeys(kind.presets, kind.name))


for _kind in KINDS:
    register_learner(_kind)


def kind_of(config: TrainConfig) -> LearnerKind[Any]:
    """The kind of learner that a configuration is for.

    Raises:
        ConfigError: Its options belong to none in the table.
    """
    learner = config.algorithm.learner
    if learner not in LEARNERS:
        raise ConfigError(f"algorithm.learner is {learner!r}; expected one of {', '.join(LEARNERS)}")
    return LEARNERS[learner]
