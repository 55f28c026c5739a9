"""Which roles of a game a run trains, and who plays the others, in training and in evaluation.

What partners there are is in `agentgym.policies.cast`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


class LearnerTools(list[ToolSchema]):
    """The tools of all roles of the learner, each once; `of` has those of one role.

    Args:
        by_role: The tools of each role; "" stands for an environment of one agent.
    """

    def __init__(self, by_role: Mapping[str, Sequence[ToolSchema]]) -> None:
        self._by_role = by_role
        super().__init__()
        for tools in by_role.values():
            self.extend(tool for tool in tools if tool not in self)

    def of(self, role: str) -> Sequence[ToolSchema]:
        """The tools that prompts of a role present; all where the role is none of the learner's."""
        return self._by_role.get(role, self)


def tools_of(cast: Cast) -> LearnerTools:
    """The tools of the learner's roles."""
    if not cast.learning:
        env = make(cast.env_id, **cast.view_options)
        tools: Mapping[str, list[ToolSchema]] = {"": [dict(tool) for tool in env.tools]}
        env.close()
    else:
        game = make_game(cast.env_id, **cast.options)
        tools = {role: [dict(tool) for tool in game.tools.get(role, ())] for role in cast.learning}
        game.close()
    return LearnerTools(tools)
