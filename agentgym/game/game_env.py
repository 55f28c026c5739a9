"""`GameEnv`: turns of several named roles under the rules of a game master.

`agentgym.wrappers.role_view` makes a game an environment of one role. `agentgym.policies.cast` says who plays the
others.
"""

from __future__ import annotations

import copy
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from agentgym.action import Action, parse_text
from agentgym.env import Books, require_events, require_whole, wrong_return
from agentgym.errors import ActionSyntaxError, ContractError
from agentgym.game.protocol import GameReply, Inbox
from agentgym.message import ToolSchema, user
from agentgym.outcome import CutReason, Outcome
from agentgym.picture import Image
from agentgym.reward import FORMAT, RewardEvent, require_finite
from agentgym.task import Task


class GameEnv(ABC):
    """Turns of named roles under the rules of a game master.

    A subclass sets the class attributes and writes `make_task`, `begin` and `respond`; optionally `grade`, `anchor`,
    `fork` and `progress`. Each role has its own turns, as many as the task's limit. The game is truncated if a role
    that has used up its turns has to act.

    Attributes:
        roles: Names of the roles; `begin` may set those that a task has.
        reward_weights: Weight of each reward component, the same for all roles.
        invalid_value: Value of the `format` event for an invalid action.
        tools: Tools of each role; roles without tools may be left out.
        disclosed: For each role, the keys of a task's private part that the rules tell it.
        has_picture: Whether each role's observation has a picture beside the text.
        num_tasks: How many tasks `make_task` makes in turn, from the seeds 0, 1, …; None for tasks without end.
        task: The task of the episode.
        acting_role: Whose message `step` takes next; `begin` and `respond` set it. None: the game is over.
        books: The counts of the episode.
        last_action: The last message as `parse` read it; None if it could not be read.
    """

    roles: Sequence[str] = ()
    reward_weights: Mapping[str, float] = {"success": 1.0, FORMAT: 1.0}
    invalid_value: float = 0.0
    tools: Mapping[str, Sequence[ToolSchema]] = {}
    disclosed: Mapping[str, Sequence[str]] = {}
    has_picture: bool = False
    num_tasks: int | None = None

    def __init__(self) -> None:
        self.task: Task | None = None
        self.acting_role: str | None = None
        self.books = Books()
        self.last_action: Action | None = None
        self._rng_seed = 0
        self._rng: random.Random | None = None

    @property
    def rng(self) -> random.Random:
        """Randomness of the episode's dynamics, seeded by `reset`; it takes 2.7 KB once it has been used."""
        if self._rng is None:
            self._rng = random.Random(self._rng_seed)
        return self._rng

    @property
    def turns(self) -> dict[str, int]:
        """For each role, how many messages it has sent, including refused ones."""
        return self.books.turns

    @property
    def num_invalid(self) -> dict[str, int]:
        """For each role, how many of its messages were refused."""
        return self.books.num_invalid

    @abstractmethod
    def make_task(self, seed: int) -> Task:
        """A task made on the fly from a seed."""

    @abstractmethod
    def begin(self, task: Task) -> Inbox:
        """Set up the episode, set `acting_role`, and return the first messages of each role that gets some."""

    @abstractmethod
    def respond(self, role: str, action: Action) -> GameReply:
        """Play one message of the acting role and set `acting_role` to the next one.

        Raises:
            ActionSyntaxError: The action is invalid; the same role acts again.
        """

    def grade(self) -> GameReply:
        """Grade an episode that a limit cuts now."""
        return GameReply(successes=dict.fromkeys(self.roles, False))

    def parse(self, role: str, text: str) -> Action:
        """Normalise a role's message."""
        return parse_text(text)

    def anchor(self) -> str | None:
        """Canonical key of the state that the acting role is in, as `AgentEnv.anchor` says; None: not supported."""
        return None

    def fork(self, seed: int | None = None) -> Self:
        """A copy that continues from here; None keeps the same future randomness, a seed replaces it.

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

    def screenshot(self) -> Image | None:
        """What a person would see of the present state, as `AgentEnv.screenshot` says; None: nothing to see."""
        return None

    def picture(self, role: str) -> NDArray[np.uint8]:
        """The picture that a role sees beside the text, uint8[H, W, 3]; called only if `has_picture`."""
        raise NotImplementedError(f"{type(self).__name__} has no picture")

    @property
    def capacity(self) -> int | None:
        """How many games like the present one this process can hold at once; None: as many as are wanted."""
        return None

    def interrupt(self) -> None:
        """Make a running step stop; games that answer at once need not do anything."""

    def close(self) -> None:
        """Free what the game holds."""

    def reset(self, task: Task, seed: int | None = None) -> Inbox:
        """Start an episode of a task; returns the first messages of each role."""
        self.task = task
        self._rng_seed, self._rng = task.seed if seed is None else seed, None
        self.books.clear(*self.roles)
        inbox = self.begin(task)
        if not isinstance(inbox, Mapping):
            raise wrong_return(self.begin, inbox, "a mapping from roles to their first messages")
        self.books.clear(*self.roles)  # those that `begin` set
        self.books.phase = "running"
        return inbox

    def step(self, text: str) -> GameReply:
        """Play one message of the acting role; an invalid one is answered, never raised.

        Raises:
            ContractError: The game is over, or the message is not a text.
        """
        role, books = self.acting_role, self.books
        if role is None or self.task is None:
            raise ContractError("step() on a game that is over or was never reset; call reset() first")
        books.moving = role
        try:
            self.last_action = None
            require_whole(text)
            self.last_action = self.parse(role, text)
            reply = _required(self.respond(role, self.last_action), self.respond)
        except ActionSyntaxError as refusal:
            reply = self._refuse(role, refusal)
        limits, acts_next = self.task.limits, self.acting_role
        reply.outcome = books.outcome_after(role, acts_next, limits, reply.is_over, reply.is_invalid)
        if reply.outcome is not None and not reply.is_over:
            last = _required(self.grade(), self.grade)
            reply.events = [*reply.events, *last.events]
            reply.successes, reply.scores = last.successes, last.scores
        books.turns[role] += 1
        books.moving = None
        if reply.outcome is not None:
            self._close(reply, reply.outcome)
        return reply

    def finalize(self, reason: CutReason) -> GameReply:
        """Close a running episode that a limit of the rollout cut, and grade it."""
        self.books.moving = None
        reply = GameReply() if reason == "cancelled" else _required(self.grade(), self.grade)
        reply.outcome = Outcome("cancelled") if reason == "cancelled" else Outcome("truncated", reason)
        self._close(reply, reply.outcome)
        return reply

    def event(self, role: str, component: str, value: float, turn: int | None = None) -> RewardEvent:
        """A reward event known now that credits a turn of a role: by default its current or last one."""
        now = self.books.now(role)
        return RewardEvent(now if turn is None else turn, now, role, component, require_finite(component, value))

    def breach(self, role: str, why: str) -> ActionSyntaxError:
        """The error that `respond` raises if a message breaks the rules and the game ends at once, as invalid."""
        assert self.task is not None
        self.num_invalid[role] = max(self.num_invalid[role], self.task.limits.max_invalid)
        return ActionSyntaxError(why)

    def fork_by_copy(self, seed: int | None, *shared: object) -> Self:
        """A deep copy of the game's state: `fork` for games that hold nothing outside Python objects.

        Args:
            seed: Seed of the copy's further randomness; None keeps the same.
            shared: Parts of this game that the copy uses too, because nothing changes them.
        """
        memo: dict[int, Any] = {id(part): part for part in (self.task, *shared)}
        twin = copy.deepcopy(self, memo)
        if seed is not None:
            twin._rng_seed, twin._rng = seed, None
        return twin

    def _refuse(self, role: str, refusal: ActionSyntaxError) -> GameReply:
        self.num_invalid[role] += 1
        penalty = self.event(role, FORMAT, self.invalid_value)
        return GameReply({role: [user(str(refusal))]}, [penalty], is_invalid=True)

    def _close(self, reply: GameReply, outcome: Outcome) -> None:
        self.acting_role, self.books.phase = None, "ended"
        if outcome.is_graded:
            missing = sorted(set(self.roles) - set(reply.successes))
            if missing:
                raise ContractError(f"{type(self).__name__} ended without success for the roles {missing}")
            name, successes, scores = type(self).__name__, reply.successes, reply.scores
            reply.scores = {
                role: self.books.close(outcome, successes[role], scores.get(role), f"{name} as {role!r}")[1]
                for role in self.roles
            }


def _required(reply: object, method: Callable[..., Any]) -> GameReply:
    """What a method of a subclass answered, if that is a reply with reward events."""
    if not isinstance(reply, GameReply):
        raise wrong_return(method, reply, "an agentgym.GameReply")
    if reply.events != ():
        require_events(reply.events, method)
    return reply
