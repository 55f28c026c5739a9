"""Games of several named roles: `GameEnv`, and its view as an `AgentEnv` for one learning role.

Which policy plays a role in training is decided by rollout; partners here are the players of the other roles.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentgym.action import Action, parse_text
from agentgym.env import CUT_EXPLANATION, AgentEnv, CutMessage, EnvReply
from agentgym.errors import ActionSyntaxError, AgentGymError, ContractError, PartnerError
from agentgym.message import Message, ToolSchema, text_of, user
from agentgym.outcome import CutReason, Outcome
from agentgym.policy import Partner
from agentgym.reward import FORMAT, RewardEvent, weighted_sum
from agentgym.task import Task

Inbox = Mapping[str, Sequence[Message]]


@dataclass(slots=True)
class GameReply:
    """What a game answers to one message of the acting role.

    Attributes:
        inbox: New messages for each role that is told something.
        events: Reward events of any role.
        is_over: Whether the game has ended.
        successes: For each role whether it reached its goal; given when the game is over.
        scores: For each role the official metric; defaults to its success.
        is_invalid: Whether the message was refused as an action.
        outcome: How the episode ended; filled in by `step` and `finalize`.
    """

    inbox: Inbox = field(default_factory=dict)
    events: Sequence[RewardEvent] = ()
    is_over: bool = False
    successes: Mapping[str, bool] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)
    is_invalid: bool = False
    outcome: Outcome | None = None


class GameEnv(ABC):
    """Turns of named roles under the rules of a game master.

    A subclass sets the class attributes and writes `make_task`, `begin` and `respond`. A turn of a role is counted
    over that role's own messages.

    Attributes:
        roles: Names of the roles.
        reward_weights: Weight of each reward component, alike for all roles.
        invalid_value: Value of the `format` event for an invalid action.
        tools: Tools of each role; roles without tools may be left out.
    """

    roles: Sequence[str] = ()
    reward_weights: Mapping[str, float] = {"success": 1.0, FORMAT: 1.0}
    invalid_value: float = 0.0
    tools: Mapping[str, Sequence[ToolSchema]] = {}

    def __init__(self) -> None:
        self.task: Task | None = None
        self.acting_role: str | None = None
        self.turns: dict[str, int] = {}
        self.num_invalid: dict[str, int] = {}
        self.rng = random.Random(0)
        self._moving: str | None = None

    @abstractmethod
    def make_task(self, seed: int) -> Task:
        """A task made on the fly from a seed."""

    @abstractmethod
    def begin(self, task: Task) -> Inbox:
        """Set up the episode, set `acting_role`, and return the first messages of each role that gets any."""

    @abstractmethod
    def respond(self, role: str, action: Action) -> GameReply:
        """Play one message of the acting role and set `acting_role` to the next one.

        Raises:
            ActionSyntaxError: The action is invalid; the same role acts again.
        """

    def grade(self) -> GameReply:
        """Grade an episode that is cut now."""
        return GameReply(successes=dict.fromkeys(self.roles, False))

    def parse(self, role: str, text: str) -> Action:
        """Normalise a role's message."""
        return parse_text(text)

    def anchor(self) -> str | None:
        """Canonical key of the state that the acting role is in; None: not supported."""
        return None

    @property
    def capacity(self) -> int | None:
        """How many games like the present one this process can hold at once; None: as many as are wanted."""
        return None

    def interrupt(self) -> None:
        """Make a running step give up; games that answer at once have nothing to do."""

    def close(self) -> None:
        """Free what the game holds."""

    def reset(self, task: Task, seed: int | None = None) -> Inbox:
        """Start an episode of a task; returns the first messages of each role."""
        self.task = task
        self.rng = random.Random(task.seed if seed is None else seed)
        self.turns = dict.fromkeys(self.roles, 0)
        self.num_invalid = dict.fromkeys(self.roles, 0)
        self._moving = None
        return self.begin(task)

    def step(self, text: str) -> GameReply:
        """Play one message of the acting role; an invalid one is answered, never raised.

        Raises:
            ContractError: The game is over.
        """
        role = self.acting_role
        if role is None or self.task is None:
            raise ContractError("step() on a game that is over or was never reset; call reset() first")
        self._moving = role
        try:
            if type(text) is CutMessage:
                raise ActionSyntaxError(CUT_EXPLANATION)
            reply = self.respond(role, self.parse(role, text))
        except ActionSyntaxError as refusal:
            reply = self._refuse(role, refusal)
        reply.outcome = self._outcome_after(role, reply)
        if reply.outcome is not None and not reply.is_over:
            last = self.grade()
            reply.events = [*reply.events, *last.events]
            reply.successes, reply.scores = last.successes, last.scores
        self.turns[role] += 1
        self._moving = None
        if reply.outcome is not None:
            self._close(reply)
        return reply

    def finalize(self, reason: CutReason) -> GameReply:
        """Close a running episode that the harness cut; grades what is there."""
        reply = GameReply() if reason == "cancelled" else self.grade()
        reply.outcome = Outcome("cancelled") if reason == "cancelled" else Outcome("truncated", reason)
        self._close(reply)
        return reply

    def event(self, role: str, component: str, value: float, turn: int | None = None) -> RewardEvent:
        """A reward event known now that credits a turn of a role: by default its current or last one."""
        now = self.turns[role] if role == self._moving else self.turns[role] - 1
        return RewardEvent(now if turn is None else turn, now, role, component, value)

    def _refuse(self, role: str, refusal: ActionSyntaxError) -> GameReply:
        self.num_invalid[role] += 1
        penalty = self.event(role, FORMAT, self.invalid_value)
        return GameReply({role: [user(str(refusal))]}, [penalty], is_invalid=True)

    def _outcome_after(self, role: str, reply: GameReply) -> Outcome | None:
        assert self.task is not None
        limits = self.task.limits
        if reply.is_over:
            return Outcome("terminated")
        if reply.is_invalid and self.num_invalid[role] > limits.max_invalid:
            return Outcome("invalid")
        if limits.max_turns is not None and self.turns[role] + 1 >= limits.max_turns:
            return Outcome("truncated", "turns")
        return None

    def _close(self, reply: GameReply) -> None:
        self.acting_role = None
        if reply.outcome is not None and reply.outcome.is_graded:
            missing = sorted(set(self.roles) - set(reply.successes))
            if missing:
                raise ContractError(f"{type(self).__name__} ended without success for the roles {missing}")
            reply.scores = {role: reply.scores.get(role, float(reply.successes[role])) for role in self.roles}


class SoloGame(GameEnv):
    """An `AgentEnv` as a game of one role, so that rollout has one loop for both."""

    def __init__(self, env: AgentEnv) -> None:
        super().__init__()
        self.env = env
        self.roles = (env.role,)
        self.reward_weights = env.reward_weights
        self.tools = {env.role: env.tools}

    def make_task(self, seed: int) -> Task:
        """A task of the environment."""
        return self.env.make_task(seed)

    def begin(self, task: Task) -> Inbox:
        """Not used: `reset` goes to the environment."""
        raise NotImplementedError

    def respond(self, role: str, action: Action) -> GameReply:
        """Not used: `step` goes to the environment."""
        raise NotImplementedError

    def reset(self, task: Task, seed: int | None = None) -> Inbox:
        """Reset the environment to the task."""
        self.task = task
        self.acting_role = self.env.role
        _, info = self.env.reset(seed=seed, options={"task": task})
        return {self.env.role: info["messages"]}

    def step(self, text: str) -> GameReply:
        """Step the environment."""
        observation, _, _, _, info = self.env.step(text)
        return self._reply(info, _with_image(info["messages"], observation.get("image")))

    def finalize(self, reason: CutReason) -> GameReply:
        """Finalize the environment's episode."""
        _, info = self.env.finalize(reason)
        return self._reply(info, ())

    @property
    def capacity(self) -> int | None:
        """The environment's capacity."""
        return self.env.capacity

    def anchor(self) -> str | None:
        """The environment's anchor."""
        return self.env.anchor()

    def interrupt(self) -> None:
        """Interrupt the environment."""
        self.env.interrupt()

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    def _reply(self, info: Mapping[str, Any], messages: Sequence[Message]) -> GameReply:
        role, outcome = self.env.role, info.get("outcome")
        reply = GameReply({role: messages}, info["reward_events"], is_invalid=info.get("is_invalid", False))
        if outcome is not None:
            self.acting_role = None
            reply.outcome, reply.is_over = outcome, True
            if outcome.is_graded:
                reply.successes, reply.scores = {role: info["success"]}, {role: info["score"]}
        return reply


def _with_image(messages: Sequence[Message], image: Any) -> Sequence[Message]:
    if image is None or not messages:
        return messages
    return [*messages[:-1], {**messages[-1], "image": image}]


class RoleView(AgentEnv):
    """A game seen by one learning role, the others being played by partners.

    Args:
        game: The game.
        role: The role that the agent plays.
        partners: A partner for every other role.

    Raises:
        ContractError: The role does not exist or a partner is missing.
    """

    def __init__(self, game: GameEnv, role: str, partners: Mapping[str, Partner]) -> None:
        super().__init__()
        missing = sorted(set(game.roles) - {role} - set(partners))
        if role not in game.roles or missing:
            raise ContractError(f"role {role!r} of {list(game.roles)}: partners are missing for {missing}")
        self.game, self.partners = game, partners
        self.role = role
        self.reward_weights = game.reward_weights
        self.invalid_value = game.invalid_value
        self.tools = game.tools.get(role, ())
        self._talks: dict[str, list[Message]] = {}
        self._early: list[RewardEvent] = []
        self._game_outcome: Outcome | None = None

    def make_task(self, seed: int) -> Task:
        """A task of the game."""
        return self.game.make_task(seed)

    def begin(self, task: Task) -> Sequence[Message]:
        """Reset the game and let partners play until it is the agent's turn."""
        self._talks = {role: [] for role in self.game.roles}
        self._game_outcome = None
        self._deliver(self.game.reset(task, self._seed))
        self._early = []
        self._play_partners(self._early)
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
        """The game's anchor."""
        return self.game.anchor()

    def interrupt(self) -> None:
        """Interrupt the game and stop asking partners."""
        super().interrupt()
        self.game.interrupt()

    def close(self) -> None:
        """Close the game."""
        self.game.close()

    def _play(self, text: str) -> EnvReply:
        return self.respond(Action(text, text, None, ()))  # the game parses it, and notices one that was cut

    def _outcome_after(self, reply: EnvReply, is_invalid: bool) -> Outcome | None:
        return self._game_outcome

    def _play_partners(self, events: list[RewardEvent]) -> GameReply | None:
        reply: GameReply | None = None
        while (role := self.game.acting_role) not in (None, self.role):
            assert role is not None
            self.check_interrupt()
            try:
                text = self.partners[role].act(role, self._talks[role], self.game.tools.get(role, ()))
            except (AgentGymError, OSError) as error:
                raise PartnerError(f"the partner of role {role!r} failed: {error}") from error
            self._talks[role].append({"role": "assistant", "content": text})
            reply = self.game.step(text)
            if reply.outcome is not None and reply.outcome.kind == "invalid":
                raise PartnerError(
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


def role_return(events: Sequence[RewardEvent], role: str, weights: Mapping[str, float]) -> float:
    """The return of one role of a game."""
    return weighted_sum((event for event in events if event.role == role), weights)
