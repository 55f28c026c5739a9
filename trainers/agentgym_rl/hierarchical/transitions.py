"""The turns of a batch of episodes as transitions: reward, and what follows, in whichever segment it lies.

Not here: values of what follows (valuation.py), targets made of them (targets.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64, Int64

from agentgym.errors import ContractError
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.positions import TurnPositions
from agentgym_rl.maths.gae import turn_starts

TERMINAL = -1
"""Successor of the last turn of an episode that ended: there is no next state."""
CUT = -2
"""Successor of the last turn of a truncated episode: its final observation."""


@dataclass(frozen=True)
class TurnTransitions:
    """The turns with sampled tokens of a batch, by segment, then by turn: episode by episode."""

    trajectory: Int64[np.ndarray, " N"]
    """Index of the episode."""
    segment: Int64[np.ndarray, " N"]
    """Index of the segment that holds the turn."""
    turn: Int64[np.ndarray, " N"]
    """Turn inside the episode."""
    rewards: Float64[np.ndarray, " N"]
    """Reward that the turn is credited with."""
    successor: Int64[np.ndarray, " N"]
    """Index of the turn that follows, `TERMINAL`, or `CUT`."""

    @property
    def num_turns(self) -> int:
        """N."""
        return len(self.turn)

    @property
    def is_terminal(self) -> Bool[np.ndarray, " N"]:
        """Turns after which the episode ended."""
        is_terminal: Bool[np.ndarray, " N"] = self.successor == TERMINAL
        return is_terminal

    def of_episodes(self, is_kept: Bool[np.ndarray, " B"], is_segment_kept: Bool[np.ndarray, " S"]) -> TurnTransitions:
        """Those of some episodes, which are counted anew, as are their segments."""
        is_turn_kept = is_kept[self.trajectory]
        trajectory, segment, turn = (np.cumsum(each) - 1 for each in (is_kept, is_segment_kept, is_turn_kept))
        successor = self.successor[is_turn_kept]
        return TurnTransitions(
            trajectory=trajectory[self.trajectory[is_turn_kept]],
            segment=segment[self.segment[is_turn_kept]],
            turn=self.turn[is_turn_kept],
            rewards=self.rewards[is_turn_kept],
            successor=np.where(successor >= 0, turn[successor], successor),
        )

    def entries(self, positions: TurnPositions) -> Int64[np.ndarray, " M"]:
        """Which of these turns the turns of a micro-batch are.

        Raises:
            ContractError: The micro-batch holds a turn that is none of these: it was packed from other segments.
        """
        size = 1 + int(max(self.turn.max(initial=0), positions.turn.max().item() if positions.num_turns else 0))
        mine = self.segment * size + self.turn
        theirs = positions.segment.cpu().numpy() * size + positions.turn.cpu().numpy()
        found = np.searchsorted(mine, theirs)
        is_known = (found < len(mine)) & (mine[np.minimum(found, len(mine) - 1)] == theirs)
        if not is_known.all():
            raise ContractError("a micro-batch holds turns of other segments; pack the segments of this batch, all")
        entries: Int64[np.ndarray, " M"] = found.astype(np.int64)
        return entries


def turn_transitions(batch: TrainBatch) -> TurnTransitions:
    """The transitions of a batch.

    An episode is followed by `CUT` where the environment or the harness says that a limit cut it, and by `TERMINAL`
    otherwise; lengths say nothing.

    Raises:
        ContractError: A reward is no finite number, or belongs to a turn without sampled tokens and would be lost.
    """
    empty = np.zeros(0, np.int64)
    pieces: list[tuple[np.ndarray, ...]] = [(empty, empty, empty, np.zeros(0), empty)]
    num_turns = 0
    for index, trajectory in enumerate(batch.trajectories):
        segments, turns = _turns_of(batch, index)
        rewards = trajectory.step_rewards()
        require_carried(rewards, turns, trajectory.id)
        if not len(turns):
            continue
        successor = num_turns + 1 + np.arange(len(turns))
        successor[-1] = CUT if trajectory.is_truncated else TERMINAL
        pieces.append((np.full(len(turns), index), segments, turns, rewards[turns], successor))
        num_turns += len(turns)
    return TurnTransitions(*(np.concatenate(column) for column in zip(*pieces, strict=True)))


def require_carried(rewards: Float64[np.ndarray, " N"], turns: Int64[np.ndarray, " M"], name: str) -> None:
    """Refuse rewards of an episode's turns that no transition can carry.

    Args:
        rewards: Of each turn.
        turns: Those with sampled tokens; of a turn several times where each token is a step.
        name: The episode's.

    Raises:
        ContractError: A reward is no finite number, or belongs to a turn without sampled tokens and would be lost.
    """
    if not np.isfinite(rewards).all():
        at = int(np.flatnonzero(~np.isfinite(rewards))[0])
        raise ContractError(
            f"turn {at} of episode {name!r} has reward {rewards[at]}; expected a finite number: leave the episode out "
            "and mend what scored it"
        )
    lost = np.setdiff1d(np.flatnonzero(rewards), turns)
    if len(lost):
        raise ContractError(
            f"turn {int(lost[0])} of episode {name!r} has reward {rewards[lost[0]]:g} but no sampled token to carry "
            "it; credit it to another turn or leave the episode out"
        )


def _turns_of(batch: TrainBatch, trajectory: int) -> tuple[Int64[np.ndarray, " N"], Int64[np.ndarray, " N"]]:
    """Segment and turn index of each turn of an episode."""
    turn_of_token = batch.turn_index(trajectory)
    mine = batch.segments_of(trajectory)
    lengths = [int(batch.segments[index].completion_mask.sum()) for index in mine]
    starts = turn_starts(turn_of_token)
    return np.repeat(np.asarray(mine, np.int64), lengths)[starts], turn_of_token[starts]
