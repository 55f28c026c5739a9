"""What curricula need of a suite and its environment, refused at the start with what would help.

Keys that contradict each other are refused where the configuration is read (`rules.py`).
"""

from __future__ import annotations

from agentgym.errors import ConfigError
from agentgym.policies.cast import Cast
from agentgym.registration import spec
from agentgym.suite import Suite
from agentgym_rl.core.config.curriculum import CurriculumConfig, HorizonConfig
from agentgym_rl.curricula.curriculum import Curriculum


def make_curriculum(config: CurriculumConfig, suite: Suite, cast: Cast, seed: int) -> Curriculum:
    """The curriculum of a run.

    Raises:
        ConfigError: The suite or its environment cannot do what it says; names the key and the next move.
    """
    if config.horizon is not None:
        _require_shorter(config.horizon, suite)
    if config.starts is not None:
        _require_deterministic(suite, cast)
    hint = None
    if config.guidance is not None:
        _require_one_learner("guidance", cast)
        if not spec(suite.env).hints:
            raise ConfigError(
                f"curriculum.guidance needs hints, and environment {suite.env!r} gives none; give its EnvSpec `hints`, "
                "or leave the table out"
            )
        hint = spec(suite.env).load_hints()
    if config.difficulty is not None and not spec(suite.env).difficulty:
        raise ConfigError(
            f"curriculum.difficulty needs knobs, and environment {suite.env!r} declares none; give its EnvSpec "
            "`difficulty`, or use curriculum.bands over the suite's own tasks"
        )
    return Curriculum(config, suite, seed, options=cast.view_options, hint=hint)


def _require_shorter(config: HorizonConfig, suite: Suite) -> None:
    limits = [task.limits.max_turns for task in suite.train_tasks()]
    own = [limit for limit in limits if limit is not None]
    if len(own) == len(limits) and own and config.turns[0] >= max(own):
        raise ConfigError(
            f"curriculum.horizon.turns begins with {config.turns[0]}, but no train task of {suite.name!r} has more "
            f"than {max(own)} turns anyway; begin with fewer"
        )


def _require_deterministic(suite: Suite, cast: Cast) -> None:
    _require_one_learner("starts", cast)
    if not spec(suite.env).deterministic:
        raise ConfigError(
            f"curriculum.starts plays recorded turns again, and environment {suite.env!r} is not deterministic; leave "
            "the table out"
        )


def _require_one_learner(table: str, cast: Cast) -> None:
    if not cast.is_view:
        raise ConfigError(
            f"curriculum.{table} needs an environment of one agent, or a game with one learning role and scripted "
            f"partners: got the roles {list(cast.learning)} and the partners {dict(cast.partners)}"
        )
