"""Segments of different lengths put into rows of one length, grouped into micro-batches by a token budget.

Not here: what a token is worth (advantages.py and others); the model. A packed segment sees itself alone: attention is
block-diagonal and causal, and positions start again at 0.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from jaxtyping import Int

from agentgym.errors import ContextOverflowError, ContractError
from agentgym.trajectory import Segment
from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.micro_batch import MicroBatch, Placement


def number_sequences(segments: Sequence[Segment]) -> Int[np.ndarray, " B"]:
    """Sequence index of each segment: trajectories numbered in the order of first appearance."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(s.trajectory_id, len(numbers)) for s in segments], dtype=np.int64)


def pack(
    segments: Sequence[Segment],
    config: PackingConfig,
    *,
    sequence_index: Int[np.ndarray, " B"] | None = None,
) -> list[MicroBatch]:
    """Put segments into micro-batches; the same segments in the same order always give the same rows.

    First-fit-decreasing (Johnson 1973): longest first, ties in the order given, each into the first row with room.

    Args:
        segments: At least two tokens each, the first of them not sampled.
        config: Row length, budget, and whether sequences stay whole.
        sequence_index: Number of the episode of each segment, where it must agree across ranks; None:
            `number_sequences`.

    Returns:
        Micro-batches that hold every segment exactly once.

    Raises:
        ContextOverflowError: A segment is longer than a row, or a whole sequence larger than a micro-batch.
        ContractError: A segment that starts with a sampled token or whose arrays differ in length.
    """
    numbers = number_sequences(segments) if sequence_index is None else sequence_index
    lengths = [_checked_length(segment, config.row_length) for segment in segments]
    if config.keep_sequences_whole:
        groups = _whole_sequences(lengths, numbers, config)
    else:
        groups = _consecutive_rows(_first_fit_decreasing(lengths, config), lengths, config)
    return [_build(segments, lengths, numbers, rows, config) for rows in groups]


def _checked_length(segment: Segment, row_length: int) -> int:
    length = len(segment.tokens)
    if not length == len(segment.completion_mask) == len(segment.turn_index):
        raise ContractError(
            f"segment of {segment.trajectory_id}: {length} tokens, {len(segment.completion_mask)} mask entries and "
            f"{len(segment.turn_index)} turn indices; expected one of each per token"
        )
    if length == 0 or segment.completion_mask[0]:
        raise ContractError(
            f"segment of {segment.trajectory_id} is empty or starts with a sampled token, which nothing could have "
            "predicted; a segment starts with its prompt"
        )
    if length > row_length:
        raise ContextOverflowError(
            f"segment of {segment.trajectory_id} has {length} tokens, a row {row_length}; raise packing.row_length or "
            "lower the limits of the episode"
        )
    return length


def _first_fit_decreasing(lengths: list[int], config: PackingConfig) -> list[list[int]]:
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    if not config.is_packed:
        return [[i] for i in order]
    rows: list[list[int]] = []
    room = np.full(len(lengths), config.row_length, dtype=np.int64)
    for i in order:
        row = int(np.argmax(room >= lengths[i]))
        if row == len(rows):
            rows.append([])
        rows[row].append(i)
        room[row] -= lengths[i]
    return rows


def _consecutive_rows(rows: list[list[int]], lengths: list[int], config: PackingConfig) -> list[list[list[int]]]:
    """Rows in order, as many to a micro-batch as its tokens allow at the width that it will have."""
    groups: list[list[list[int]]] = []
    width = 0
    for row in rows:
        needed = sum(lengths[i] for i in row) if config.is_trimmed else config.row_length
        wider = max(width, needed)
        if groups and wider * (len(groups[-1]) + 1) <= config.micro_batch_tokens:
            groups[-1].append(row)
            width = wider
        else:
            groups.append([row])
            width = needed
    return groups


class _OpenMicroBatch:
    """Rows that are being filled with the segments of whole sequences."""

    def __init__(self, config: PackingConfig) -> None:
        self.rows: list[list[int]] = []
        self._room: list[int] = []
        self._num_free = config.micro_batch_tokens // config.row_length * config.row_length
        self._config = config

    def take(self, segments: list[int], lengths: list[int]) -> bool:
        """Place all of the segments, or none and return False."""
        num_tokens = sum(lengths[i] for i in segments)
        if num_tokens > self._num_free:
            return False
        rows, room = [list(row) for row in self.rows], list(self._room)
        for i in segments:
            row = next((r for r, free in enumerate(room) if free >= lengths[i]), len(rows))
            if row == len(rows):
                if (len(rows) + 1) * self._config.row_length > self._config.micro_batch_tokens:
                    return False
                rows.append([])
                room.append(self._config.row_length)
            rows[row].append(i)
            room[row] = room[row] - lengths[i] if self._config.is_packed else 0
        self.rows, self._room, self._num_free = rows, room, self._num_free - num_tokens
        return True


def _whole_sequences(
    lengths: list[int], numbers: Int[np.ndarray, " B"], config: PackingConfig
) -> list[list[list[int]]]:
    """Sequences by decreasing size, each into the first micro-batch that takes all of its segments."""
    sequences: dict[int, list[int]] = {}
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        sequences.setdefault(int(numbers[i]), []).append(i)
    batches: list[_OpenMicroBatch] = []
    for segments in sorted(sequences.values(), key=lambda segments: -sum(lengths[i] for i in segments)):
        if any(batch.take(segments, lengths) for batch in batches):
            continue
        batches.append(_OpenMicroBatch(config))
        if not batches[-1].take(segments, lengths):
            raise ContextOverflowError(
                f"an episode of {sum(lengths[i] for i in segments)} tokens in {len(segments)} segments does not fit "
                f"into one micro-batch of {config.micro_batch_tokens} tokens; raise packing.micro_batch_tokens or use "
                "ratios per token"
            )
    return [batch.rows for batch in batches]


def _build(
    segments: Sequence[Segment],
    lengths: list[int],
    numbers: Int[np.ndarray, " B"],
    rows: list[list[int]],
    config: PackingConfig,
) -> MicroBatch:
    placements = []
    for row, members in enumerate(rows):
        start = 0
        for i in members:
            placements.append(Placement(i, row, start, lengths[i]))
            start += lengths[i]
    longest = max(sum(lengths[i] for i in members) for members in rows)
    return MicroBatch.build(segments, placements, numbers, length=longest if config.is_trimmed else config.row_length)
