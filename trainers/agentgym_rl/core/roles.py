"""Which roles of a game a run trains, and who plays the others, in training and in evaluation.

What partners there are is in `agentgym.policies.cast`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agentgym.errors import ConfigError
from agentgym.message import ToolSchema
from agentgym.policies.cast import SELF, Cast
from agentgym.policy import Sampling
from agentgym.registration import make, make_game
from agentgym.suite import Suite


@dataclass(frozen=True)
class RolesConfig:
    """Who plays the roles of a game. None of this applies to an environment with one agent."""

    learning: tuple[str, ...] = ()
    """The roles that the learner plays and is trained in. An empty list takes the suite's."""
    partners: dict[str, str] = field(default_factory=dict)
    """Who plays other roles: scripted (the default), scripted:NAME, self, torch:PATH, or endpoint:URL#MODEL."""
    evaluation_partners: dict[str, str] = field(default_factory=dict)
    """Who plays these roles in validation and test, if it is somebody else. Roles that learn may be named too."""
    partner_sampling: Sampling | None = None
    """How partners that are models sample; none means as the learner does."""

    def __post_init__(self) -> None:
        for key in ("partners", "evaluation_partners"):
            given = getattr(self, key)
            if not isinstance(given, dict) or not all(isinstance(name, str) for name in given.values()):
                raise ConfigError(f'roles.{key} must be a table such as {{guesser = "scripted"}}, got {given!r}')


def training_cast(config: RolesConfig, suite: Suite) -> Cast:
    """Who plays what while the run trains.

    Raises:
        UnknownNameError: No such role or partner.
        ConfigError: The suite's environment has no roles, or a role has two players.
    """
    return Cast.of(suite.env, config.learning, config.partners, suite.env_options)


def evaluated_role(config: RolesConfig, suite: Suite) -> tuple[str, dict[str, str]]:
    """The role that validation and test report first, and who plays the others then.

    Raises:
        ConfigError: Every role of the learner has an evaluation partner.
    """
    cast = training_cast(config, suite)
    if not cast.learning:
        return "", {}
    own = [role for role in cast.learning if role not in config.evaluation_partners]
    if not own:
        raise ConfigError(f"roles.evaluation_partners leaves none of the roles {list(cast.learning)} to the learner")
    return own[0], {**cast.partners, **dict.fromkeys(own[1:], SELF), **config.evaluation_partners}


def tools_of(cast: Cast) -> list[ToolSchema]:
    """The tools of the learner's roles.

    Raises:
        ConfigError: They differ between its roles.
    """
    if not cast.learning:
        env = make(cast.env_id, **cast.view_options)
        tools: Mapping[str, list[ToolSchema]] = {"": [dict(tool) for tool in env.tools]}
        env.close()
    else:
        game = make_game(cast.env_id, **cast.options)
        tools = {role: [dict(tool) for tool in game.tools.get(role, ())] for role in cast.learning}
        game.close()
    first, *others = tools.values()
    if any(other != first for other in others):
        raise ConfigError(f"the roles {list(tools)} of {cast.env_id!r} have different tools; train them one by one")
    return first
