"""Openings: the first turns of a recorded episode, played again before the policy's own turns begin.

Which episodes are opened how is decided by a curriculum; the opening's messages are context and are never trained on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentgym.action import reply_message
from agentgym.errors import ContractError
from agentgym.game import Game, Inbox
from agentgym.message import Message, content_text
from agentgym.trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class Opening:
    """Recorded messages of one role from the start of an episode, and what the environment answered.

    Attributes:
        parent: Id of the recorded trajectory.
        seed: Seed that the environment was reset with.
        actions: The role's messages, as they were handed to the environment.
        answers: Digest of the first messages, then of the answer to each action.
    """

    parent: str
    seed: int
    actions: tuple[str, ...]
    answers: tuple[str, ...]

    @classmethod
    def of(cls, trajectory: Trajectory) -> Opening | None:
        """All turns of a trajectory but the last; None where there are none, or some cannot be played again.

        Messages that were refused for the token limit are not known whole, and an episode that had an opening begins
        in its middle.
        """
        turns = trajectory.turns
        was_refused = any(turn.was_cut and turn.was_invalid for turn in turns)
        if len(turns) < 2 or was_refused or trajectory.parent_id is not None:
            return None
        answers = tuple(digest(turn.messages) for turn in turns)
        return cls(trajectory.id, trajectory.seed, tuple(turn.text for turn in turns[:-1]), answers)

    def first(self, turns: int) -> Opening:
        """The first turns of it."""
        return Opening(self.parent, self.seed, self.actions[:turns], self.answers[: turns + 1])

    def to_json(self) -> dict[str, Any]:
        """A JSON object."""
        return {"parent": self.parent, "seed": self.seed, "actions": list(self.actions), "told": list(self.answers)}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Opening:
        """The inverse of `to_json`."""
        return cls(fields["parent"], fields["seed"], tuple(fields["actions"]), tuple(fields["told"]))


def digest(messages: Sequence[Message]) -> str:
    """A short digest of the texts of messages."""
    text = "\x1f".join(content_text(message) for message in messages)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def play_opening(game: Game, inbox: Inbox, opening: Opening) -> Inbox:
    """Play an opening in a game of one role that was just reset.

    Args:
        game: The game.
        inbox: Its first messages.
        opening: What is played.

    Returns:
        The conversation so far, the role's own messages included.

    Raises:
        ContractError: The environment answers otherwise than it did, or ends.
    """
    role = game.acting_role
    assert role is not None
    talk = list(inbox.get(role, ()))
    _require_same(opening, 0, talk)
    tools = game.tools.get(role, ())
    for number, text in enumerate(opening.actions, start=1):
        reply = game.step(text)
        if reply.outcome is not None:
            raise ContractError(_another(opening, f"it ended at turn {number - 1}"))
        answer = list(reply.inbox.get(role, ()))
        _require_same(opening, number, answer)
        talk += [reply_message(text, tools), *answer]
    return {role: talk}


def _require_same(opening: Opening, number: int, messages: Sequence[Message]) -> None:
    if digest(messages) != opening.answers[number]:
        raise ContractError(_another(opening, f"its answer before turn {number} is {content_text(messages[-1])!r:.80}"))


def _another(opening: Opening, what: str) -> str:
    return (
        f"playing the first turns of trajectory {opening.parent!r} again gave another episode: {what}. Starts in the "
        "middle need an environment that is deterministic: turn curriculum.starts off"
    )
