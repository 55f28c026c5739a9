"""Games of several roles as PettingZoo AEC environments: each role is an agent, and each text is an action.

The game grades; nothing is trained here. `agentgym.policies.cast` has partners and policies.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, cast

import gymnasium

from agentgym.errors import MissingExtraError
from agentgym.game import GameEnv, GameReply, Inbox, role_return
from agentgym.message import Message, text_of
from agentgym.registration import make_game
from agentgym.spaces import Message as MessageSpace
from agentgym.suite import find_task
from agentgym.task import Task

try:
    from pettingzoo import AECEnv  # type: ignore[import-untyped]
except ImportError as error:
    raise MissingExtraError("games as PettingZoo environments", "games") from error

Observation = dict[str, str]


def as_aec(game: GameEnv | str, **options: Any) -> GameAEC:
    """A game as a PettingZoo environment.

    Args:
        game: A game or its id.
        options: Keyword arguments of the game, for an id.

    Raises:
        UnknownNameError: No such id.
        ConfigError: It is not a game of several roles.
    """
    if isinstance(game, str):
        return GameAEC(make_game(game, **options), game.rpartition("/")[2])
    return GameAEC(game, type(game).__name__)


class GameAEC(AECEnv[str, Observation, str]):  # type: ignore[misc]
    """A game whose agents are its roles.

    An agent observes `{"text": …}`, the messages since its last action. `infos` hold the same as `messages`, the
    `reward_events` of the last step, and at the end `outcome`, `success` and `score`. All agents end at once.

    Args:
        game: The game.
        name: What `str` calls it.
    """

    def __init__(self, game: GameEnv, name: str) -> None:
        super().__init__()
        self.game = game
        self.metadata = {"name": name, "render_modes": ["ansi"], "is_parallelizable": False}
        self.render_mode = "ansi"
        self.possible_agents = list(game.roles)
        self.agents: list[str] = []
        self.observation_spaces = {role: gymnasium.spaces.Dict({"text": MessageSpace()}) for role in game.roles}
        self.action_spaces = {role: MessageSpace() for role in game.roles}
        self._received: dict[str, list[Message]] = {}
        self._rng = random.Random()

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """The space of what a role observes; always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[str]:
        """The space of a role's messages; always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start an episode.

        Args:
            seed: Seed of the episode, and of the task if no task is given; None draws one.
            options: `{"task": Task or id}` chooses the task; PettingZoo wants other keys to be ignored.

        Raises:
            TaskError: There is no such task.
        """
        if seed is not None:
            self._rng = random.Random(seed)
        task = (options or {}).get("task")
        if task is None:
            task = self.game.make_task(self._rng.getrandbits(31) if seed is None else seed)
        elif not isinstance(task, Task):
            task = find_task(str(task))
        inbox = self.game.reset(task, seed)
        self.agents = list(self.game.roles)
        self.rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._received = {role: [] for role in self.agents}
        self._skip_agent_selection = None
        self._deliver(inbox)
        self.infos: dict[str, dict[str, Any]] = {
            role: {"task_id": task.id, "messages": self._received[role], "reward_events": ()} for role in self.agents
        }
        assert self.game.acting_role is not None
        self.agent_selection = self.game.acting_role

    def observe(self, agent: str) -> Observation:
        """The messages of a role since its last action."""
        return {"text": text_of(self._received.get(agent, ()))}

    def step(self, action: str | None) -> None:
        """Play the selected role's message; None for one whose episode has ended.

        Raises:
            ContractError: The message is not a text.
        """
        role = self.agent_selection
        if self.terminations[role] or self.truncations[role]:
            self._was_dead_step(action)
            return
        reply = self.game.step(cast(str, action))
        self._cumulative_rewards[role] = 0.0
        self._received[role] = []
        self._deliver(reply.inbox)
        for agent in self.agents:
            self.rewards[agent] = role_return(reply.events, agent, self.game.reward_weights)
            own = tuple(event for event in reply.events if event.role == agent)
            self.infos[agent] = {**self.infos[agent], "messages": self._received[agent], "reward_events": own}
        self._accumulate_rewards()
        if reply.outcome is not None:
            self._end(reply)
        else:
            assert self.game.acting_role is not None
            self.agent_selection = self.game.acting_role

    def render(self) -> str:
        """The messages of the selected role, as text."""
        return self.observe(self.agent_selection)["text"]

    def close(self) -> None:
        """Close the game."""
        self.game.close()

    def _deliver(self, inbox: Inbox) -> None:
        for role, messages in inbox.items():
            self._received[role] = [*self._received[role], *messages]

    def _end(self, reply: GameReply) -> None:
        assert reply.outcome is not None
        is_cut = reply.outcome.kind == "truncated"
        for agent in self.agents:
            self.terminations[agent], self.truncations[agent] = not is_cut, is_cut
            ending: dict[str, Any] = {
                "outcome": reply.outcome,
                "success": reply.successes[agent],
                "score": reply.scores[agent],
            }
            self.infos[agent] = {**self.infos[agent], **ending}
        self._deads_step_first()
