"""One forward pass: rows of packed segments, and the per-token streams of their sampled tokens.

Not here: how segments are assigned to rows (packing.py). Streams are flat: one entry per sampled token, row by row, in
the order in which `token_logprobs` returns them; text that the policy did not write has no entry.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from agentgym.errors import ConfigError, ContractError
from agentgym.trajectory import Segment

if TYPE_CHECKING:
    from agentgym.policies.torch.sight import Sight

PICTURES_MISSING = (
    "pictures stand in what the model reads, and what reads it here has no pixels; train a model that sees with "
    'algorithm.learner = "groups", on messages that hold their pictures'
)


@dataclass(frozen=True)
class Placement:
    """Where a segment lies."""

    segment: int
    """Index into the segments given to `pack`."""
    row: int
    start: int
    length: int


@dataclass(frozen=True)
class ShownPicture:
    """A picture in a row.

    Attributes:
        row: Its row.
        column: Its first token.
        url: Its data URL.
    """

    row: int
    column: int
    url: str


@dataclass(frozen=True)
class MicroBatch:
    """Tensors of one forward pass."""

    tokens: Int[Tensor, "R L"]
    """int64; 0 at padding."""
    position_ids: Int[Tensor, "R L"]
    """int64; from 0 in every segment."""
    block_index: Int[Tensor, "R L"]
    """int64; which segment of its row a token belongs to, from 1; 0: padding."""
    completion_mask: Bool[Tensor, "R L"]
    """True: sampled by the policy and trained on."""
    sequence_index: Int[Tensor, " T"]
    """Episode of each sampled token."""
    turn_index: Int[Tensor, " T"]
    """Turn of each sampled token."""
    placements: tuple[Placement, ...]
    """In flat order: by row, then by start."""
    sampled: tuple[npt.NDArray[np.bool_], ...]
    """Completion mask of each placed segment, in the order of placements."""
    pictures: tuple[ShownPicture, ...] = field(default=(), kw_only=True)
    """By row, then by column; those alone whose pixels the messages have."""

    @classmethod
    def build(
        cls,
        segments: Sequence[Segment],
        placements: Sequence[Placement],
        numbers: Int[np.ndarray, " B"],
        length: int,
    ) -> MicroBatch:
        """Lay segments into rows of `length` tokens; `numbers` holds the sequence index of every segment."""
        num_rows = 1 + max(p.row for p in placements)
        tokens, positions, blocks = (np.zeros((num_rows, length), dtype=np.int64) for _ in range(3))
        mask = np.zeros((num_rows, length), dtype=bool)
        ordered = sorted(placements, key=lambda p: (p.row, p.start))
        sampled, sequences, turns = [], [], []
        for block, place in enumerate(ordered, start=1):
            segment, span = segments[place.segment], slice(place.start, place.start + place.length)
            tokens[place.row, span] = segment.tokens
            positions[place.row, span] = np.arange(place.length)
            blocks[place.row, span] = block
            mask[place.row, span] = segment.completion_mask
            sampled.append(np.asarray(segment.completion_mask, dtype=bool))
            sequences.append(np.full(int(sampled[-1].sum()), numbers[place.segment], dtype=np.int64))
            turns.append(np.asarray(segment.turn_index)[sampled[-1]].astype(np.int64))
        if all(place.start == 0 for place in ordered) and length == max(place.length for place in ordered):
            # Models take a position that does not follow the one before for a second segment, and build a mask for it.
            positions[:] = np.arange(length)
        return cls(
            tokens=torch.from_numpy(tokens),
            position_ids=torch.from_numpy(positions),
            block_index=torch.from_numpy(blocks),
            completion_mask=torch.from_numpy(mask),
            sequence_index=torch.from_numpy(np.concatenate(sequences)),
            turn_index=torch.from_numpy(np.concatenate(turns)),
            placements=tuple(ordered),
            sampled=tuple(sampled),
            pictures=tuple(
                ShownPicture(place.row, place.start + each.token, segments[place.segment].picture_urls[each.hash])
                for place in ordered
                for each in segments[place.segment].pictures
                if each.token >= 0 and each.hash in segments[place.segment].picture_urls
            ),
        )

    @classmethod
    def empty(cls, length: int = 2) -> MicroBatch:
        """A row of padding that trains nothing, for a rank that has fewer micro-batches than the others."""
        row = torch.zeros((1, length), dtype=torch.int64)
        none = torch.zeros(0, dtype=torch.int64)
        return cls(row, torch.arange(length)[None], row, torch.zeros((1, length), dtype=torch.bool), none, none, (), ())

    def to(self, device: torch.device | str) -> MicroBatch:
        """The same with its tensors on `device`."""
        moved = {
            name: getattr(self, name).to(device)
            for name in ("tokens", "position_ids", "block_index", "completion_mask", "sequence_index", "turn_index")
        }
        return replace(self, **moved)

    @property
    def num_trained_tokens(self) -> int:
        """Entries of every stream."""
        return len(self.sequence_index)

    def attention_mask(self) -> Bool[Tensor, "R 1 L L"] | None:
        """True: may attend; block-diagonal and causal. A model takes `masks_for` of it.

        None where no row holds two segments: then plain causal attention is the same for every real token, and cheaper.
        Padding attends to padding, so no row of the mask is empty.
        """
        if all(place.start == 0 for place in self.placements):
            return None
        is_same = self.block_index[:, :, None] == self.block_index[:, None, :]
        return is_same.tril_()[:, None]

    def seen_by(self, model: nn.Module, sight: Sight) -> dict[str, Tensor]:
        """What a model that sees takes of the rows: ids, positions and pictures; nothing for rows of plain text.

        Args:
            model: The model, or its transformer alone.
            sight: How it sees.

        Raises:
            ConfigError: Tokens of a prompt stand for pictures, and there are none.
            ContractError: A picture cannot be read, or has another number of tokens than the model reads.
        """
        is_mark = self.tokens == sight.token
        if not self.pictures:
            if bool((is_mark & ~self.completion_mask).any()):
                raise ConfigError(PICTURES_MISSING)
            if not bool(is_mark.any()):
                return {}
        ids, positions = self.tokens.clone(), self.position_ids.expand(3, -1, -1).clone()
        for place in self.placements:
            span = slice(place.start, place.start + place.length)
            own = [
                (each.column - span.start, each.url)
                for each in self.pictures
                if each.row == place.row and span.start <= each.column < span.stop
            ]
            ids[place.row, span] = readable = sight.readable(self.tokens[place.row, span], own)
            positions[:, place.row, span] = sight.positions(model, readable, [url for _, url in own])
        pictures = sight.inputs([each.url for each in self.pictures], self.tokens.device)
        return {**pictures, "input_ids": ids, "position_ids": positions}

    def flatten(
        self, values: Sequence[float | npt.NDArray[np.floating]], dtype: torch.dtype = torch.float32
    ) -> Float[Tensor, " T"]:
        """The stream of a quantity given per segment, in the order of the segments given to `pack`.

        Args:
            values: For each segment a number, or an array with one entry per token of the segment of which only those
                of sampled tokens are read.
            dtype: Of the stream.
        """
        pieces = [
            _sampled_values(values[place.segment], mask, place)
            for place, mask in zip(self.placements, self.sampled, strict=True)
        ]
        flat = np.concatenate(pieces) if pieces else np.zeros(0)
        return torch.from_numpy(flat).to(device=self.tokens.device, dtype=dtype)

    def unflatten(self, stream: Float[Tensor, " T"]) -> Mapping[int, npt.NDArray[np.float32]]:
        """The inverse of `flatten`: per segment index float32[T], NaN where the token was not sampled."""
        flat = stream.detach().float().cpu().numpy()
        if len(flat) != self.num_trained_tokens:
            raise ContractError(f"a stream of {len(flat)} entries for {self.num_trained_tokens} sampled tokens")
        per_segment, start = {}, 0
        for place, mask in zip(self.placements, self.sampled, strict=True):
            spread = np.full(place.length, np.nan, dtype=np.float32)
            count = int(mask.sum())
            spread[mask] = flat[start : start + count]
            per_segment[place.segment] = spread
            start += count
        return per_segment


def pad_micro_batches(batches: Sequence[MicroBatch], count: int) -> list[MicroBatch]:
    """Append empty micro-batches up to `count`, so that all ranks run as many forward passes."""
    return [*batches, *(MicroBatch.empty() for _ in range(count - len(batches)))]


def _sampled_values(
    values: float | npt.NDArray[np.floating], mask: npt.NDArray[np.bool_], place: Placement
) -> npt.NDArray[np.float64]:
    if isinstance(values, np.ndarray) and values.ndim == 1:
        if len(values) != place.length:
            raise ContractError(
                f"segment {place.segment} has {place.length} tokens but {len(values)} values; give one per token"
            )
        return values[mask].astype(np.float64)
    return np.full(int(mask.sum()), float(values))
