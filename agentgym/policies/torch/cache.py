"""Keys and values of attention: of one batch while it is decoded, and of episodes between their turns.

What is decoded and when is in `agentgym.policies.torch.decoder`.
"""

from __future__ import annotations

import contextlib
import mmap
import sys
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import Cache

Prompt = NDArray[np.int64]

_PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS


@dataclass(frozen=True, slots=True)
class Layout:
    """Shape of what a model keeps of one token: `num_layers` times keys and values of `num_heads` times `head_dim`."""

    num_layers: int
    num_heads: int
    head_dim: int
    dtype: torch.dtype
    device: torch.device


class Window(Cache):
    """Keys and values of one batch, every row ending at the same column, so that a decoding step writes one column.

    Rows are padded on the left. Padding is never written and always masked; it holds zeros or old, finite numbers.
    The memory is taken by `open` and given back by `drop`.
    """

    def __init__(self, layout: Layout) -> None:
        super().__init__(layers=[])
        self.layout = layout
        self.starts: Prompt = np.zeros(0, np.int64)
        self._columns = torch.empty(0)
        self._visible: tuple[Tensor, ...] = ()
        self._slots: tuple[Tensor, ...] = ()
        self._written: Tensor | None = None
        self._column: Tensor | None = None

    def open(self, lengths: Prompt, room: int) -> int:
        """Make place for rows of so many prompt tokens and `room` sampled; returns the column after the prompts."""
        shape = self.layout
        end = int(lengths.max())
        size = (2 * shape.num_layers, len(lengths), shape.num_heads, end + room, shape.head_dim)
        self.drop()
        self._columns = self._zeros(int(np.prod(size))).view(size)
        self.starts = end - lengths
        return end

    def drop(self) -> None:
        """Free the memory."""
        self._columns = torch.empty(0)
        self._visible, self._slots, self._written, self._column = (), (), None, None

    def tokens_of(self, row: int, first: int, last: int) -> Tensor:
        """View [2 layers, heads, last - first, head_dim] of a row's tokens, counted from its own beginning."""
        start = int(self.starts[row])
        return self._columns[:, row, :, start + first : start + last]

    def copy_tokens(self, source: int, target: int, num_tokens: int) -> None:
        """Copy so many tokens from the beginning of a row to that of another."""
        self.tokens_of(target, 0, num_tokens).copy_(self.tokens_of(source, 0, num_tokens))

    def keep_rows(self, index: Prompt, end: int) -> None:
        """Make row i what row index[i] was, up to column `end`; index[i] is i or a row that is given up."""
        moved = np.flatnonzero(index != np.arange(len(index)))
        self.starts = self.starts[index]
        if len(moved):
            low = int(self.starts[moved].min())
            source, target = torch.from_numpy(index[moved]), torch.from_numpy(moved)
            self._columns[:, target, :, low:end] = self._columns[:, source, :, low:end]

    def focus(self, rows: slice, low: int, end: int, width: int, written: Tensor | None = None) -> None:
        """Say which part the next forward pass sees and writes.

        Args:
            rows: The rows that pass through the model.
            low: First column that is seen.
            end: The column after the last one that is seen and written.
            width: Number of columns written.
            written: bool[rows, 1, width, 1], what of them is no padding; None for all.
        """
        self._visible = self._columns[:, rows, :, low:end].unbind(0)
        self._slots = self._columns[:, rows, :, end - width : end].unbind(0)
        self._written, self._column = written, None

    def focus_at(self, rows: slice, low: int, end: int, column: Tensor) -> None:
        """Say that the next forward pass writes one column, which a tensor names.

        With another number in the tensor, the same pass writes another column.

        Args:
            rows: The rows that pass through the model.
            low: First column that is seen.
            end: The column after the last one that is seen; masks hide those after `column`.
            column: int64[1], the column that is written.
        """
        self._visible = self._columns[:, rows, :, low:end].unbind(0)
        self._slots = self._columns[:, rows, :, :end].unbind(0)
        self._written, self._column = None, column

    def update(
        self, key_states: Tensor, value_states: Tensor, layer_idx: int, *args: Any, **kwargs: Any
    ) -> tuple[Tensor, Tensor]:
        """Write a layer's new keys and values, and return all that are seen."""
        keys, values = 2 * layer_idx, 2 * layer_idx + 1
        if self._column is not None:
            dtype = self.layout.dtype  # under autocast, keys are float32
            self._slots[keys].index_copy_(2, self._column, key_states.to(dtype))
            self._slots[values].index_copy_(2, self._column, value_states.to(dtype))
            return self._visible[keys], self._visible[values]
        if self._written is not None:
            key_states = torch.where(self._written, key_states, self._slots[keys])
            value_states = torch.where(self._written, value_states, self._slots[values])
        self._slots[keys].copy_(key_states)
        self._slots[values].copy_(value_states)
        return self._visible[keys], self._visible[values]

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """Number of columns before those that are written; 0 where a tensor names the column."""
        if self._column is not None:
            return 0
        return int(self._visible[0].shape[2] - self._slots[0].shape[2]) if self._visible else 0

    def _zeros(self, size: int) -> Tensor:
        dtype, device = self.layout.dtype, self.layout.device
        if device.type != "cpu":
            return torch.zeros(size, dtype=dtype, device=device)
        # The allocator would keep what a batch has freed, and the trainer's tensors would come on top of it.
        pages = mmap.mmap(-1, size * dtype.itemsize, flags=_PRIVATE)
        if sys.platform == "linux":
            with contextlib.suppress(OSError):  # a kernel without huge pages
                pages.madvise(mmap.MADV_HUGEPAGE)
        return torch.frombuffer(pages, dtype=dtype)


@dataclass(slots=True)
class _Kept:
    """An episode's first tokens, and their keys and values [2 layers, heads, capacity, head_dim]."""

    tokens: Prompt
    states: Tensor


class EpisodeStore:
    """Keys and values of episodes between their turns; those unused for longest go when the budget is spent.

    One thread loads and saves, while others may forget episodes that ended.

    Args:
        max_tokens: Number of tokens kept, over all episodes.
    """

    def __init__(self, max_tokens: int) -> None:
        self._max_tokens = max_tokens
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.RLock()
        self.num_tokens = 0

    def __len__(self) -> int:
        return len(self._kept)

    def known(self, episode: str, prompt: Prompt) -> int:
        """How many of a prompt's first tokens are kept, less than all of them: the last must pass through the model."""
        kept = self._kept.get(episode)
        if kept is None:
            return 0
        size = min(len(kept.tokens), len(prompt) - 1)
        differs = np.flatnonzero(kept.tokens[:size] != prompt[:size])
        return int(differs[0]) if len(differs) else size

    def load(self, episode: str, num_tokens: int, window: Window, row: int) -> None:
        """Copy an episode's first tokens into a row."""
        self._kept.move_to_end(episode)
        window.tokens_of(row, 0, num_tokens).copy_(self._kept[episode].states[:, :, :num_tokens])

    def save(self, episode: str, tokens: Prompt, window: Window, row: int, known: int) -> None:
        """Keep the tokens of a row, the first `known` of which were loaded from here."""
        size = len(tokens)
        with self._lock:
            if size > self._max_tokens:
                self.forget(episode)
                return
            kept = self._kept.pop(episode, None)
            if kept is None or kept.states.shape[2] < size:
                capacity = min(size + size // 4, self._max_tokens)
                first = window.tokens_of(row, 0, 1)
                states = first.new_empty((*first.shape[:2], capacity, first.shape[3]))
                self.num_tokens += capacity - (0 if kept is None else kept.states.shape[2])
                kept, known = _Kept(tokens, states), 0
            kept.tokens = tokens
            kept.states[:, :, known:size] = window.tokens_of(row, known, size)
            self._kept[episode] = kept
            while self.num_tokens > self._max_tokens:
                self.forget(next(iter(self._kept)))

    def forget(self, episode: str) -> None:
        """Drop an episode; unknown ones are ignored."""
        with self._lock:
            kept = self._kept.pop(episode, None)
            if kept is not None:
                self.num_tokens -= kept.states.shape[2]

    def clear(self) -> None:
        """Drop all."""
        self._kept.clear()
        self.num_tokens = 0
