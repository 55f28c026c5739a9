"""New actions in stored states: an episode is laid into a row once, and every new action behind it as a branch.

Not here: where the actions come from (resampling.py), what is read of a row (positions.py). A branch begins with a copy
of the last prompt token of its turn, at the same position and with the same tokens in sight, so the model says of the
copy what it says of the original, and whatever reads packed segments reads branches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from agentgym.trajectory import Segment
from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.micro_batch import MicroBatch, Placement


@dataclass(frozen=True)
class Branch:
    """An action in a state of a stored episode."""

    trunk: int
    """Index of the segment that holds the state."""
    start: int
    """Tokens of the segment that the action follows: its prompt and what came before."""
    turn: int
    """The turn that it takes the place of."""
    action_ids: Int[np.ndarray, " K"]
    """int32: its tokens, at least one."""

    def segment(self, trunk: Segment) -> Segment:
        """The action behind a copy of the last prompt token."""
        return action_behind(trunk, self.start, self.turn, self.action_ids)


def action_behind(trunk: Segment, start: int, turn: int, action_ids: Int[np.ndarray, " K"]) -> Segment:
    """An action as a segment of its own: behind a copy of the last of the `start` tokens that it follows in another."""
    tokens = np.append(trunk.tokens[start - 1], action_ids).astype(np.int32)
    mask = np.ones(len(tokens), np.bool_)
    mask[0] = False
    nothing = np.full(len(tokens), np.nan, np.float32)
    turns, versions = np.full(len(tokens), turn, np.int32), np.full(len(tokens), -1, np.int32)
    return Segment(tokens, mask, turns, nothing, versions, trunk.trajectory_id)


@dataclass(frozen=True)
class BranchedBatch(MicroBatch):
    """A micro-batch some segments of which go on from within another one of their row."""

    trunk_block: Int[Tensor, "R L"]
    """int64; the block that a token sees besides its own; -1: none."""
    trunk_end: Int[Tensor, "R L"]
    """int64; the column before which it is seen."""

    def to(self, device: torch.device | str) -> BranchedBatch:
        """The same with its tensors on `device`."""
        moved = cast(BranchedBatch, super().to(device))
        return replace(moved, trunk_block=self.trunk_block.to(device), trunk_end=self.trunk_end.to(device))

    def attention_mask(self) -> Bool[Tensor, "R 1 L L"] | None:
        """True: may attend; each block causally, a branch also to its trunk up to where it leaves it."""
        own = (self.block_index[:, :, None] == self.block_index[:, None, :]).tril_()
        column = torch.arange(self.tokens.shape[1], device=self.tokens.device)
        is_trunk = self.block_index[:, None, :] == self.trunk_block[:, :, None]
        return (own | (is_trunk & (column < self.trunk_end[:, :, None])))[:, None]


def branch_micro_batches(
    segments: Sequence[Segment], branches: Sequence[Branch], packing: PackingConfig, *, has_stored: bool
) -> list[MicroBatch]:
    """Rows of a segment and its branches, in micro-batches of the configured number of tokens.

    Args:
        segments: Of stored episodes.
        branches: Their new actions.
        packing: A micro-batch has at most its tokens, and at least one row; a row may be longer than a row of packing,
            as branches add to its segment, but no position is higher.
        has_stored: Whether the stored actions have entries in streams, too; else the branches alone, and segments
            without branches are left out, as are tokens that no branch sees.

    Returns:
        Micro-batches in which segment number `len(segments) + i` is branch i.
    """
    of_segment: list[list[int]] = [[] for _ in segments]
    for number, branch in enumerate(branches):
        of_segment[branch.trunk].append(number)
    trunks = [
        segment if has_stored else _silent(segment, max((branches[i].start for i in mine), default=0))
        for segment, mine in zip(segments, of_segment, strict=True)
    ]
    everything = [*trunks, *(branch.segment(segments[branch.trunk]) for branch in branches)]
    rows = [[index, *(len(segments) + i for i in mine)] for index, mine in enumerate(of_segment) if mine or has_stored]
    return [_lay(everything, branches, len(segments), group) for group in _grouped(rows, everything, packing)]


def _grouped(rows: list[list[int]], segments: Sequence[Segment], packing: PackingConfig) -> list[list[list[int]]]:
    """Rows of like width together, the widest first."""
    widths = {row[0]: sum(segments[i].num_tokens for i in row) for row in rows}
    groups: list[list[list[int]]] = []
    for row in sorted(rows, key=lambda row: -widths[row[0]]):
        if groups and widths[groups[-1][0][0]] * (len(groups[-1]) + 1) <= packing.micro_batch_tokens:
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups


def _lay(segments: Sequence[Segment], branches: Sequence[Branch], num_trunks: int, rows: list[list[int]]) -> MicroBatch:
    """The trunk of each row first, then its branches; their positions go on from where they leave it."""
    placements, forks = [], []
    for row, members in enumerate(rows):
        column = 0
        for index in members:
            placements.append(Placement(index, row, column, segments[index].num_tokens))
            if index >= num_trunks:
                forks.append((placements[-1], branches[index - num_trunks].start - 1))
            column += segments[index].num_tokens
    width = max(place.start + place.length for place in placements)
    plain = MicroBatch.build(segments, placements, np.arange(len(segments)), width)
    trunk_block, trunk_end = torch.full_like(plain.tokens, -1), torch.zeros_like(plain.tokens)
    for place, fork in forks:
        span = slice(place.start, place.start + place.length)
        plain.position_ids[place.row, span] += fork
        trunk_block[place.row, span] = plain.block_index[place.row, 0]
        trunk_end[place.row, span] = fork
    return BranchedBatch(**vars(plain), trunk_block=trunk_block, trunk_end=trunk_end)


def _silent(segment: Segment, length: int) -> Segment:
    """The first tokens of a segment, none of them sampled."""
    nothing = np.zeros(length, np.bool_)
    cut = {name: getattr(segment, name)[:length] for name in ("tokens", "turn_index", "behaviour_logprobs", "versions")}
    return replace(segment, completion_mask=nothing, **cut)
