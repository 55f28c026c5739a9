"""Reading of drawn entries: tokens of turns, or whole trajectories, read from the store on demand.

`weights` has the weights of replayed tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agentgym.store.codec import PackedTokens
from agentgym.trajectory import NO_IDS, Ids, Trajectory
from agentgym_rl.replay.draw import Draw


@dataclass(slots=True)
class ReplayedTurn:
    """One turn as a transition.

    Attributes:
        episode: Number of its episode in the store.
        position: Position of the turn in its episode, from 0.
        context_ids: int32[C], everything that the policy saw of its segment before it acted. Arrays of one turn may
            share memory.
        action_ids: int32[K], what it sampled.
        behaviour_logprobs: float32[K]; None for derived turns, which losses with a ratio refuse.
        version: Version of the weights that sampled; -1 if there are none.
        reward: The reward that the turn is credited with.
        next_context_ids: int32[C'], what it saw before its next turn; None after the last one.
        is_truncated: Whether this is the last turn of an episode that was cut; its value is then that of going on.
    """

    episode: int
    position: int
    context_ids: Ids
    action_ids: Ids
    behaviour_logprobs: NDArray[np.float32] | None
    version: int
    reward: float
    next_context_ids: Ids | None
    is_truncated: bool


def read_turns(draw: Draw) -> list[ReplayedTurn]:
    """The turns of a draw of turns, in its order; each episode's tokens are read once.

    Raises:
        ContractError: The index was refreshed since the draw.
        StoreError: The file cannot be read, or is damaged.
    """
    draw.require_current()
    index, episodes = draw.index, draw.episodes()
    positions = draw.entries - index.starts[episodes]
    arrays = index.store.token_arrays(np.unique(index.number[episodes]).tolist())
    return [
        _turn(draw, arrays.get(int(index.number[episode])), episode, position)
        for episode, position in zip(episodes.tolist(), positions.tolist(), strict=True)
    ]


def read_episodes(draw: Draw, *, with_tokens: bool = True) -> list[Trajectory]:
    """The trajectories of a draw of episodes (or those of its turns), in its order, each a copy of its own.

    Raises:
        ContractError: The index was refreshed since the draw.
        StoreError: An episode is gone, or the file is damaged.
    """
    draw.require_current()
    return draw.index.store.numbered(draw.index.number[draw.episodes()].tolist(), with_tokens=with_tokens)


def _turn(draw: Draw, arrays: PackedTokens | None, episode: int, position: int) -> ReplayedTurn:
    index = draw.index
    start, end = int(index.starts[episode]), int(index.starts[episode + 1])
    is_last = position == end - start - 1
    context, following = _contexts(arrays, index.opens_segment[start:end].tolist(), position)
    mine = None if arrays is None else arrays[position]
    return ReplayedTurn(
        episode=int(index.number[episode]),
        position=position,
        context_ids=context,
        action_ids=NO_IDS if mine is None else mine.action_ids,
        behaviour_logprobs=None if mine is None else mine.behaviour_logprobs,
        version=int(index.turn_version[start + position]),
        reward=float(index.turn_reward[start + position]),
        next_context_ids=None if is_last else following,
        is_truncated=is_last and bool(index.is_truncated[episode]),
    )


def _contexts(arrays: PackedTokens | None, opens_segment: list[bool], position: int) -> tuple[Ids, Ids]:
    """The tokens of a turn's segment up to its action, and those up to the next turn's action."""
    if arrays is None:
        return NO_IDS, NO_IDS
    first = position
    while first > 0 and not opens_segment[first]:
        first -= 1
    pieces = [arrays.prompt_and_action(turn) for turn in range(first, position + 1)]
    has_next = position + 1 < len(arrays)
    if has_next and not opens_segment[position + 1]:
        pieces.append(arrays.prompt(position + 1))
    whole = np.concatenate(pieces)
    size = sum(len(piece) for piece in pieces[: position - first]) + len(arrays.prompt(position))
    return whole[:size], arrays.prompt(position + 1) if has_next and opens_segment[position + 1] else whole
