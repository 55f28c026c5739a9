"""Where a critic reads a packed micro-batch: the last prompt token of each turn for V, its last sampled token for Q.

Not here: what is read there (critic.py), what follows a turn in its episode (transitions.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from agentgym_rl.core.micro_batch import MicroBatch


@dataclass(frozen=True)
class TurnPositions:
    """The turns with sampled tokens of a micro-batch, in the order of its streams; int64 all."""

    row: Int[Tensor, " N"]
    """Row of the micro-batch."""
    state: Int[Tensor, " N"]
    """Column of the token before the first sampled one: it has seen the prompt and nothing of the action."""
    action: Int[Tensor, " N"]
    """Column of the last sampled token: it has seen the whole action and nothing of the reply."""
    segment: Int[Tensor, " N"]
    """Index into the segments that were packed."""
    turn: Int[Tensor, " N"]
    """Turn inside the episode."""
    first: Int[Tensor, " N"]
    """Entry of the turn's first sampled token in the streams: a stream of turn quantities is read there."""
    turn_of_token: Int[Tensor, " T"]
    """For each entry of a stream the turn that it belongs to, as an index into the arrays above."""

    @property
    def num_turns(self) -> int:
        """N."""
        return len(self.row)

    def sum_of_tokens(self, stream: Float[Tensor, " T"]) -> Float[Tensor, " N"]:
        """Sum of a stream over the tokens of each turn, with gradient."""
        return stream.new_zeros(self.num_turns).index_add(0, self.turn_of_token, stream)


def turn_positions(batch: MicroBatch) -> TurnPositions:
    """Find the turns of a micro-batch, packed or not; a turn of which nothing was sampled has no entry.

    A turn begins where the segment or the turn index changes from one sampled token to the next, so neighbours in a row
    that both are in turn 0 stay apart.
    """
    row, column = batch.completion_mask.nonzero(as_tuple=True)
    block = batch.block_index[row, column]
    is_first = torch.ones_like(block, dtype=torch.bool)
    is_first[1:] = (block[1:] != block[:-1]) | (batch.turn_index[1:] != batch.turn_index[:-1])
    is_last = torch.ones_like(is_first)
    is_last[:-1] = is_first[1:]
    placed = torch.tensor([place.segment for place in batch.placements], dtype=torch.int64, device=block.device)
    return TurnPositions(
        row=row[is_first],
        state=column[is_first] - 1,
        action=column[is_last],
        segment=placed[block[is_first] - 1],
        turn=batch.turn_index[is_first],
        first=is_first.nonzero().squeeze(-1),
        turn_of_token=is_first.long().cumsum(0) - 1,
    )
