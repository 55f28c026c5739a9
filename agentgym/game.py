"""Games of several named roles: `GameEnv`, and an environment of one role as such a game.

A game as an environment of one role is in `agentgym.role_view`; who plays the others in `agentgym.partners`.
"""

from __future__ import annotations

import copy
import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from agentgym.action import Action, parse_text
from agentgym.env import CUT_EXPLANATION, AgentEnv, CutMessage, require_text, wrong_return
from agentgym.errors import ActionSyntaxError, ContractError
from agentgym.message import Message, ToolSchema, user
from agentgym.outcome import CutReason, Outcome
from agentgym.picture import has_picture, with_picture
from agentgym.reward import FORMAT, RewardEvent, require_score, weighted_sum
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
        scores: For each role the official metric, in [0, 1]; defaults to its success.
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

    A subclass sets the class attributes and writes `make_task`, `begin` and `respond`; optionally `grade`, `anchor`,
    `fork` and `progress`. A turn of a role is counted over that role's own messages, of which it has as many as the
    task's limit: the game is truncated when a role that has used them up would have to act.

    Attributes:
        roles: Names of the roles; `begin` may set those that a task has.
        reward_weights: Weight of each reward component, alike for all roles.
        invalid_value: Value of the `format` event for an invalid action.
        tools: Tools of each role; roles without tools may be left out.
        told: For each role the keys of a task's private part that the rules tell it.
        has_picture: Whether each role's observation has a picture beside the text.
    """

    roles: Sequence[str] = ()
    reward_weights: Mapping[str, float] = {"success": 1.0, FORMAT: 1.0}
    invalid_value: float = 0.0
    tools: Mapping[str, Sequence[ToolSchema]] = {}
    told: Mapping[str, Sequence[str]] = {}
    has_picture: bool = False

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
        """Canonical key of the state that the acting role is in, as `AgentEnv.anchor` says; None: not supported."""
        return None

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; None keeps the same future randomness, a seed draws it afresh.

        Raises:
            NotImplementedError: The game cannot be forked.
        """
        raise NotImplementedError(f"{type(self).__name__} cannot be forked")

    def progress(self, role: str) -> float | None:
        """How near a role is to its goal, in [0, 1], as `AgentEnv.progress` says. None: not supported."""
        return None

    def legal_actions(self, role: str) -> Sequence[str] | None:
        """Messages that stand for all actions of a role in the present state, as `AgentEnv.legal_actions` says."""
        return None

    def picture(self, role: str) -> NDArray[np.uint8]:
        """What a role sees beside the text, uint8[H, W, 3]; asked of games that have a picture."""
        raise NotImplementedError(f"{type(self).__name__} has no picture")

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
        inbox = self.begin(task)
        if not isinstance(inbox, Mapping):
            raise wrong_return(self.begin, inbox, "a mapping from roles to their first messages")
        return inbox

    def step(self, text: str) -> GameReply:
        """Play one message of the acting role; an invalid one is answered, never raised.

        Raises:
            ContractError: The game is over, or the message is no text.
        """
        require_text(text)
        role = self.acting_role
        if role is None or self.task is None:
            raise ContractError("step() on a game that is over or was never reset; call reset() first")
        self._moving = role
        try:
            if type(text) is CutMessage:
                raise ActionSyntaxError(CUT_EXPLANATION)
            reply = self.respond(role, self.parse(role, text))
            if not isinstance(reply, GameReply):
                raise wrong_return(self.respond, reply, "an agentgym.GameReply")
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

    def breach(self, role: str, why: str) -> ActionSyntaxError:
        """What `respond` raises for a message that breaks the rules so that the game ends at once, as invalid."""
        assert self.task is not None
        self.num_invalid[role] = max(self.num_invalid[role], self.task.limits.max_invalid)
        return ActionSyntaxError(why)

    def fork_by_copy(self, seed: int | None) -> Self:
        """A deep copy of the game's state: `fork` for games that hold nothing outside Python objects."""
        twin = copy.deepcopy(self, {id(self.task): self.task})
        if seed is not None:
            twin.rng = random.Random(seed)
        return twin

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
        acts_next = self.acting_role
        if limits.max_turns is None or acts_next is None:
            return None
        num_used = self.turns[acts_next] + (acts_next == role)
        return Outcome("truncated", "turns") if num_used >= limits.max_turns else None

    def _close(self, reply: GameReply) -> None:
        self.acting_role = None
        if reply.outcome is not None and reply.outcome.is_graded:
            missing = sorted(set(self.roles) - set(reply.successes))
            if missing:
                raise ContractError(f"{type(self).__name__} ended without success for the roles {missing}")
            scores = {role: reply.scores.get(role, float(reply.successes[role])) for role in self.roles}
            name = type(self).__name__
            reply.scores = {role: require_score(score, f"{name} as {role!r}") for role, score in scores.items()}


class SoloGame(GameEnv):
    """An `AgentEnv` as a game of one role, so that rollout has one loop for both."""

    def __init__(self, env: AgentEnv) -> None:
        super().__init__()
        self.env = env
        self.roles = (env.role,)
        self.reward_weights = env.reward_weights
        self.tools = {env.role: env.tools}
        self._last_picture: NDArray[np.uint8] | None = None

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
        observation, info = self.env.reset(seed=seed, options={"task": task})
        self._last_picture = None
        return {self.env.role: self._pictured(info["messages"], observation.get("image"))}

    def step(self, text: str) -> GameReply:
        """Step the environment."""
        observation, _, _, _, info = self.env.step(text)
        return self._reply(info, self._pictured(info["messages"], observation.get("image")))

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

    def progress(self, role: str) -> float | None:
        """The environment's progress."""
        return self.env.progress()

    def legal_actions(self, role: str) -> Sequence[str] | None:
        """The environment's legal actions."""
        return self.env.legal_actions()

    def interrupt(self) -> None:
        """Interrupt the environment."""
        self.env.interrupt()

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    def _pictured(self, messages: Sequence[Message], picture: NDArray[np.uint8] | None) -> Sequence[Message]:
        """The messages with an observation's picture, unless they have it or the last ones had."""
        if picture is None or not messages:
            return messages
        is_known = self._last_picture is not None and np.array_equal(picture, self._last_picture)
        self._last_picture = picture
        if is_known or has_picture(messages):
            return messages
        return [*messages[:-1], with_picture(messages[-1], picture)]

    def _reply(self, info: Mapping[str, Any], messages: Sequence[Message]) -> GameReply:
        role, outcome = self.env.role, info.get("outcome")
        reply = GameReply({role: messages}, info["reward_events"], is_invalid=info.get("is_invalid", False))
        if outcome is not None:
            self.acting_role = None
            reply.outcome, reply.is_over = outcome, True
            if outcome.is_graded:
                reply.successes, reply.scores = {role: info["success"]}, {role: info["score"]}
        return reply


def role_return(events: Sequence[RewardEvent], role: str, weights: Mapping[str, float]) -> float:
    """The return of one role of a game."""
    return weighted_sum((event for event in events if event.role == role), weights)
