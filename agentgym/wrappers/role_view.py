"""A game as an environment of one role; scripts, made for each episode, play the others.

Where the scripts come from is in `agentgym.policies.cast`; a policy for each role at once is the work of rollouts.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from agentgym.action import Action, reply_message, to_message
from agentgym.env import AgentEnv, EnvReply, Observation
from agentgym.errors import (
    ActionSyntaxError,
    AgentGymError,
    ContractError,
    PartnerError,
    PartnerForfeitError,
    TaskError,
)
from agentgym.game import GameEnv, GameReply, Inbox
from agentgym.message import Message, text_of
from agentgym.outcome import Outcome
from agentgym.picture import Image
from agentgym.policy import Script, ScriptFactory
from agentgym.reward import RewardEvent
from agentgym.spaces import observations
from agentgym.task import Task
from agentgym.tools import ToolGame


def partner_seed(seed: int, role: str) -> int:
    """Seed of the script of a role, from the episode's."""
    return seed ^ zlib.crc32(role.encode())


class RoleView(AgentEnv):
    """A game seen by one role.

    Args:
        game: The game.
        role: The role that the agent plays.
        partners: For each other role, the factory of its player.
        render_mode: None or "ansi".

    Raises:
        ContractError: The role does not exist or a partner is missing.
    """

    def __init__(
        self, game: GameEnv, role: str, partners: Mapping[str, ScriptFactory], render_mode: str | None = None
    ) -> None:
        super().__init__(render_mode)
        missing = sorted(set(game.roles) - {role} - set(partners))
        if role not in game.roles or missing:
            raise ContractError(f"role {role!r} of {list(game.roles)}: partners are missing for {missing}")
        self.game, self.role = game, role
        self.partners: dict[str, Script] = {}
        self.reward_weights = game.reward_weights
        self.invalid_value = game.invalid_value
        self.tools, self.speaks = game.tools.get(role, ()), isinstance(game, ToolGame)
        if game.has_picture:
            self.observation_space = observations(has_picture=True)
        self._factories = partners
        self._talks: dict[str, list[Message]] = {}
        self._early: list[RewardEvent] = []
        self._game_outcome: Outcome | None = None

    @property
    def num_tasks(self) -> int | None:  # type: ignore[override]  # games may look it up only when it is asked for
        """The game's number of tasks."""
        return self.game.num_tasks

    @property
    def capacity(self) -> int | None:
        """The game's capacity."""
        return self.game.capacity

    def make_task(self, seed: int) -> Task:
        """A task of the game."""
        return self.game.make_task(seed)

    def begin(self, task: Task) -> Sequence[Message]:
        """Reset the game, make the partners, and let them play until it is the agent's turn.

        Raises:
            PartnerError: A partner failed, or the game was over before the agent could act.
        """
        inbox = self.game.reset(task, self.episode_seed)
        if self.role not in self.game.roles:
            raise TaskError(f"task {task.id!r} has no role {self.role!r}; it has {', '.join(self.game.roles)}")
        self.tools = self.game.tools.get(self.role, ())
        others = [role for role in self.game.roles if role != self.role]
        self.partners = {role: self._factories[role](task, partner_seed(self.episode_seed, role)) for role in others}
        self._talks = {role: [] for role in self.game.roles}
        self._game_outcome = None
        self._deliver(inbox)
        self._early = []
        reply = self._play_partners(self._early)
        if reply is not None and reply.outcome is not None:
            raise PartnerError(f"the partners ended the game before {self.role!r} could act: {reply.outcome}")
        return self._collect()

    def respond(self, action: Action) -> EnvReply:
        """Play the agent's message, then the partners' until it is the agent's turn again."""
        reply = self.game.step(action.text)
        if reply.is_invalid:
            self._game_outcome = reply.outcome
            raise ActionSyntaxError(text_of(reply.inbox.get(self.role, ())))
        self._deliver(reply.inbox)
        events = list(reply.events)
        if reply.outcome is None:
            reply = self._play_partners(events) or reply
        own = self._own(events)
        self._game_outcome = reply.outcome
        if reply.outcome is None:
            return EnvReply(self._collect(), own)
        success, score = reply.successes[self.role], reply.scores[self.role]
        return EnvReply(self._collect(), own, reply.is_over, success, score)

    def grade(self) -> EnvReply:
        """The game's grade of the agent's role."""
        reply = self.game.grade()
        own = self._own(reply.events)
        return EnvReply((), own, False, reply.successes[self.role], reply.scores.get(self.role))

    def anchor(self) -> str | None:
        """The game's anchor with those of the partners; None if one of them has none."""
        own = self.game.anchor()
        anchors = [getattr(partner, "anchor", None) for partner in self.partners.values()]
        if own is None or None in anchors:
            return None
        return " | ".join([own, *(anchor() for anchor in anchors if anchor is not None)])

    def fork(self, seed: int | None = None) -> Self:
        """A copy that continues from here, if the game can be forked.

        Raises:
            NotImplementedError: It cannot.
        """
        game = self.game.fork(seed)
        twin = self.fork_by_copy(seed, self.game, self._factories, self.tools)
        twin.game, twin.tools = game, game.tools.get(self.role, ())
        for role, partner in twin.partners.items():
            rng = getattr(partner, "rng", None)
            if seed is not None and isinstance(rng, random.Random):
                rng.seed(partner_seed(seed, role))
        return twin

    def progress(self) -> float | None:
        """The game's progress of the agent's role."""
        return self.game.progress(self.role)

    def legal_actions(self) -> Sequence[str] | None:
        """The game's legal actions of the agent's role."""
        return self.game.legal_actions(self.role)

    def screenshot(self) -> Image | None:
        """The game's screenshot."""
        return self.game.screenshot()

    def interrupt(self) -> None:
        """Interrupt the game and stop asking partners."""
        super().interrupt()
        self.game.interrupt()

    def close(self) -> None:
        """Close the game."""
        self.game.close()

    def observe(self, messages: Sequence[Message], image: NDArray[np.uint8] | None) -> Observation:
        """The messages with what the role sees."""
        return super().observe(messages, self.game.picture(self.role) if self.game.has_picture else image)

    def play(self, text: str) -> EnvReply:
        """Play the message as it is: the game parses it, and notices one that was cut."""
        return self.respond(Action(text, text, None, ()))

    def outcome_after(self, reply: EnvReply, is_invalid: bool) -> Outcome | None:
        """How the game ended."""
        return self._game_outcome

    def _play_partners(self, events: list[RewardEvent]) -> GameReply | None:
        reply: GameReply | None = None
        while (role := self.game.acting_role) not in (None, self.role):
            assert role is not None
            self.check_interrupt()
            try:
                text = self.partners[role].act(self._talks[role])
            except PartnerError as error:
                raise type(error)(
                    f"the partner of role {role!r} failed: {error}", error.cause, error.refused
                ) from error
            except (AgentGymError, OSError) as error:
                raise PartnerError(f"the partner of role {role!r} failed: {error}") from error
            tools = self.game.tools.get(role, ())
            reply = self.game.step(text)
            said = self.game.last_action
            is_read = said is not None and said.tool_calls
            self._talks[role].append(to_message(said) if said and is_read else reply_message(str(text), tools))
            if reply.outcome is not None and reply.outcome.kind == "invalid":
                raise PartnerForfeitError(
                    f"the partner of role {role!r} sent too many invalid messages, the last {text!r:.200}"
                )
            self._deliver(reply.inbox)
            events += reply.events
        return reply

    def _deliver(self, inbox: Inbox) -> None:
        for role, messages in inbox.items():
            self._talks[role] += messages

    def _own(self, events: Sequence[RewardEvent]) -> tuple[RewardEvent, ...]:
        """The agent's rewards; those from before its first turn, for which `reset` has no place, come with the next."""
        early = [event._replace(issued_at=self.turn) for event in self._early]
        self._early = []
        return tuple(event for event in (*early, *events) if event.role == self.role)

    def _collect(self) -> list[Message]:
        messages = self._talks[self.role]
        self._talks[self.role] = []
        return messages
