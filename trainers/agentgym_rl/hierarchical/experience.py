"""What updates learn from: the distinct episodes of their draws, the turns in them, and how often each was drawn.

Not here: which entries are drawn (agentgym_rl.replay), what is computed of them (encoding.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float64, Int64

from agentgym.errors import ContractError
from agentgym.trajectory import Trajectory
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.hierarchical.branches import Branch
from agentgym_rl.hierarchical.transitions import TurnTransitions, turn_transitions
from agentgym_rl.replay.draw import Draw


class Drawn(NamedTuple):
    """The turns of one draw: entry e of the draw stands for the turns `turn[of_entry == e]`."""

    turn: Int64[np.ndarray, " M"]
    of_entry: Int64[np.ndarray, " M"]
    weight: Float64[np.ndarray, " M"]


class PartMasks(NamedTuple):
    """Which turns, branches and episodes of an experience are in a part of it; True: in."""

    is_turn: Bool[np.ndarray, " N"]
    is_branch: Bool[np.ndarray, " M"]
    is_episode: Bool[np.ndarray, " B"]


@dataclass(frozen=True)
class Experience:
    """Episodes, and the share of each of their turns in each of U updates."""

    batch: TrainBatch
    """The distinct episodes that were drawn, whole."""
    turns: TurnTransitions
    """Their N turns."""
    weights: Float64[np.ndarray, "U N"]
    """Share of each turn in the mean over the turns of an update, 0 where it was not drawn for it."""
    branches: tuple[Branch, ...] = ()
    """An action that the policy samples now for each turn of `branched`."""
    branched: Int64[np.ndarray, " M"] = field(default_factory=lambda: np.zeros(0, np.int64))
    """The turn of each branch."""

    def rows(self, update: int) -> Int64[np.ndarray, " M"]:
        """The turns that were drawn for an update."""
        return np.flatnonzero(self.weights[update])

    def part(self, update: int) -> tuple[Experience, PartMasks]:
        """The episodes of one update alone, as update 0, and which they are."""
        is_episode = np.zeros(self.batch.num_sequences, np.bool_)
        is_episode[self.turns.trajectory[self.rows(update)]] = True
        is_turn = is_episode[self.turns.trajectory]
        masks = PartMasks(is_turn, is_turn[self.branched], is_episode)
        is_segment = is_episode[self.batch.owner]
        trajectory, trunk, turn = (np.cumsum(each) - 1 for each in (is_episode, is_segment, is_turn))
        batch = TrainBatch(
            groups=[],
            trajectories=[self.batch.trajectories[index] for index in np.flatnonzero(is_episode)],
            segments=[self.batch.segments[index] for index in np.flatnonzero(is_segment)],
            owner=trajectory[self.batch.owner[is_segment]],
        )
        kept = np.flatnonzero(masks.is_branch)
        branches = tuple(replace(self.branches[i], trunk=int(trunk[self.branches[i].trunk])) for i in kept)
        weights = self.weights[update : update + 1, is_turn]
        turns = self.turns.of_episodes(is_episode, is_segment)
        return Experience(batch, turns, weights, branches, turn[self.branched[kept]]), masks


def experience_of(draws: Sequence[Sequence[Draw]]) -> tuple[Experience, list[list[Drawn]]]:
    """Read what was drawn, each episode once.

    Args:
        draws: For each update the draws that it is made of, of the run itself and of earlier ones.

    Returns:
        The experience, and for each draw which of its turns are meant by which entry; entries without sampled tokens
        mean none.

    Raises:
        StoreError: An episode is gone, or the file is damaged.
        ContractError: A reward is no finite number, or no turn has sampled tokens.
    """
    found: dict[tuple[int, int], int] = {}
    trajectories: list[Trajectory] = []
    for draw in (each for update in draws for each in update):
        draw.require_current()
        new = [e for e in np.unique(draw.episodes()).tolist() if (id(draw.index), e) not in found]
        numbers = draw.index.number[np.array(new, np.int64)].tolist()
        for entry, trajectory in zip(new, draw.index.store.numbered(numbers), strict=True):
            found[id(draw.index), entry] = len(trajectories)
            trajectories.append(trajectory)
    batch = TrainBatch.of_trajectories(trajectories)
    turns = turn_transitions(batch)
    if not turns.num_turns:
        raise ContractError(f"none of {len(trajectories)} episodes that were drawn has sampled tokens; replay others")
    drawn = [[_turns_of(draw, turns, found, batch) for draw in update] for update in draws]
    weights = np.zeros((len(draws), turns.num_turns))
    for update, parts in enumerate(drawn):
        for part in parts:
            np.add.at(weights[update], part.turn, part.weight)
        weights[update] /= max(1, sum(len(part.turn) for part in parts))
    return Experience(batch, turns, weights), drawn


def _turns_of(draw: Draw, turns: TurnTransitions, found: dict[tuple[int, int], int], batch: TrainBatch) -> Drawn:
    episodes = draw.episodes()
    trajectory = np.array([found[id(draw.index), e] for e in episodes.tolist()], np.int64)
    first = np.searchsorted(turns.trajectory, np.arange(batch.num_sequences + 1))
    if draw.unit == "episode":
        counts = first[trajectory + 1] - first[trajectory]
        of_entry = np.repeat(np.arange(len(trajectory)), counts)
        offset = np.arange(len(of_entry)) - np.repeat(np.cumsum(counts) - counts, counts)
        turn = first[trajectory][of_entry] + offset
    else:
        position = draw.entries - draw.index.starts[episodes]
        size = 1 + int(max(turns.turn.max(initial=0), position.max(initial=0)))
        keys, wanted = turns.trajectory * size + turns.turn, trajectory * size + position
        is_there = np.isin(wanted, keys)
        of_entry, turn = np.flatnonzero(is_there), np.searchsorted(keys, wanted[is_there])
    return Drawn(turn.astype(np.int64), of_entry, draw.weights[of_entry])
