"""What rollouts play: the `Game` protocol, and a game's replies.

Rules, turns and limits are in `agentgym.game.game_env`; an environment of one agent is a game by `agentgym.game.solo`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from agentgym.message import Message, ToolSchema
from agentgym.outcome import CutReason, Outcome
from agentgym.picture import Image
from agentgym.reward import RewardEvent, weighted_sum
from agentgym.task import Task

Inbox = Mapping[str, Sequence[Message]]
"""New messages for each role that receives some."""


@dataclass(slots=True)
class GameReply:
    """The reply of a game to one message of the acting role.

    Attributes:
        inbox: New messages for each role that receives some.
        events: Reward events of any role.
        is_over: Whether the game has ended.
        successes: For each role, whether it reached its goal; given when the game is over.
        scores: For each role, the official metric, in [0, 1]; defaults to its success.
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


class Game(Protocol):
    """Turns of named roles: `reset`, then `step` until the reply has an outcome, then `reset` again.

    Implemented by `GameEnv` (rules in this process), `SoloGame` (an `AgentEnv`) and the games that a rollout plays on
    other machines. Calls of one game never overlap, except `interrupt`.
    """

    @property
    def roles(self) -> Sequence[str]:
        """Names of the roles; after `reset`, those of the task."""

    @property
    def acting_role(self) -> str | None:
        """Whose message `step` takes next; None before `reset` and after the end."""

    @property
    def reward_weights(self) -> Mapping[str, float]:
        """Weight of each reward component, the same for all roles."""

    @property
    def tools(self) -> Mapping[str, Sequence[ToolSchema]]:
        """Tools of each role; roles without tools may be left out."""

    @property
    def capacity(self) -> int | None:
        """How many games like the present one can be held at once; None: as many as are wanted."""

    def reset(self, task: Task, seed: int | None = None) -> Inbox:
        """Start an episode of a task; returns the first messages of each role that gets some.

        Args:
            task: The task.
            seed: Seed of the episode's randomness; None takes the task's.
        """

    def step(self, text: str) -> GameReply:
        """Play one message of the acting role; an invalid one is answered, never raised.

        Raises:
            ContractError: No episode is running, or the message is not a text.
            InfrastructureError: The game failed; the episode is not graded.
        """

    def finalize(self, reason: CutReason) -> GameReply:
        """Close a running episode that a limit of the rollout cut, and grade it."""

    def anchor(self) -> str | None:
        """Canonical key of the state that the acting role is in, as `AgentEnv.anchor` says; None: not supported."""

    def progress(self, role: str) -> float | None:
        """How near a role is to its goal, in [0, 1], as `AgentEnv.progress` says; None: not supported."""

    def legal_actions(self, role: str) -> Sequence[str] | None:
        """Messages that stand for all actions of a role in the present state, as `AgentEnv.legal_actions` says."""

    def screenshot(self) -> Image | None:
        """What a person would see of the present state, as `AgentEnv.screenshot` says; None: nothing to see."""

    def interrupt(self) -> None:
        """Make a running step stop; may be called from another thread."""

    def close(self) -> None:
        """Free what the game holds; twice is harmless."""


def role_return(events: Sequence[RewardEvent], role: str, weights: Mapping[str, float]) -> float:
    """The return of one role of a game."""
    return weighted_sum((event for event in events if event.role == role), weights)
