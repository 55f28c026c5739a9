from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from agentgym.trajectory import Segment
from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.micro_batch import MicroBatch
from agentgym_rl.core.packing import pack
from agentgym_rl.core.positions import TurnPositions, turn_positions
from tests.trainers.rl.planted import trap
from tests.trainers.rl.tiny import random_segment, random_segments

PACKED = PackingConfig(row_length=48, micro_batch_tokens=96)
PADDED = replace(PACKED, is_packed=False)


def episodes() -> list[Segment]:
    """Of one to three turns; two episodes in two segments each, and a turn whose prompt is empty."""
    rng = np.random.default_rng(5)
    second = random_segment(rng, "split", [(3, 2), (2, 1)])
    second.turn_index += 2
    return [
        *random_segments(6, seed=3),
        random_segment(rng, "split", [(4, 2), (1, 3)]),
        second,
        random_segment(rng, "silent", [(2, 1), (0, 2), (3, 0), (1, 1)]),
    ]


def naive(segments: list[Segment]) -> dict[tuple[int, int], tuple[int, int, int]]:
    """By segment and turn: column of the last token before the action, of the action's last, number of its tokens."""
    found = {}
    for number, segment in enumerate(segments):
        for turn in sorted(set(segment.turn_index.tolist())):
            mine = [
                k for k in range(segment.num_tokens) if segment.turn_index[k] == turn and segment.completion_mask[k]
            ]
            if mine:
                found[number, turn] = (mine[0] - 1, mine[-1], len(mine))
    return found


def positions_of_own_token(batch: MicroBatch) -> TurnPositions:
    """D-1, D-27: V read at the first token of the action, which it has seen then."""
    ours = turn_positions(batch)
    return replace(ours, state=ours.state + 1)


def positions_before_the_end(batch: MicroBatch) -> TurnPositions:
    """D-27: Q read before the last token of the action."""
    ours = turn_positions(batch)
    return replace(ours, action=ours.action - 1)


def positions_that_merge_neighbours(batch: MicroBatch) -> TurnPositions:
    """A turn begins where the turn index changes: two packed segments of one turn each become one."""
    return turn_positions(replace(batch, block_index=torch.where(batch.block_index > 0, 1, 0)))


def positions_from_the_row(batch: MicroBatch) -> TurnPositions:
    """Columns counted in the segment and read in the row."""
    ours = turn_positions(batch)
    starts = torch.tensor([p.start for p in sorted(batch.placements, key=lambda p: p.segment)])
    if len(starts) <= int(ours.segment.max()):
        return ours
    return replace(ours, state=ours.state - starts[ours.segment], action=ours.action - starts[ours.segment])


@trap(
    turn_positions,
    positions_of_own_token,
    positions_before_the_end,
    positions_that_merge_neighbours,
    positions_from_the_row,
)
def test_turns_are_read_where_the_naive_definition_says(find) -> None:
    segments = episodes()
    expected = naive(segments)
    for config in (PACKED, PADDED, replace(PACKED, row_length=200, micro_batch_tokens=200)):
        seen = {}
        for batch in pack(segments, config):
            starts = {place.segment: place for place in batch.placements}
            got = find(batch)
            counts = torch.bincount(got.turn_of_token, minlength=got.num_turns)
            for n in range(got.num_turns):
                place = starts[int(got.segment[n])]
                assert int(got.row[n]) == place.row
                columns = (int(got.state[n]) - place.start, int(got.action[n]) - place.start, int(counts[n]))
                seen[place.segment, int(got.turn[n])] = columns
        assert seen == expected


def test_streams_of_turn_quantities_are_read_and_summed_by_turn() -> None:
    segments = episodes()
    for batch in pack(segments, PACKED):
        positions = turn_positions(batch)
        streams = [100.0 * number + segment.turn_index for number, segment in enumerate(segments)]
        flat = batch.flatten(streams, torch.float64)
        expected = 100.0 * positions.segment + positions.turn
        torch.testing.assert_close(flat[positions.first], expected.double())
        torch.testing.assert_close(flat, expected.double()[positions.turn_of_token])
        lengths = torch.bincount(positions.turn_of_token)
        torch.testing.assert_close(positions.sum_of_tokens(flat), expected * lengths.double())


def test_a_batch_of_padding_has_no_turns() -> None:
    positions = turn_positions(MicroBatch.empty())
    assert positions.num_turns == 0
    assert positions.sum_of_tokens(torch.zeros(0)).shape == (0,)
