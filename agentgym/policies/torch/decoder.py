"""Batched decoding: prompts pass through the model once, then all rows advance by one token a step.

Rows that ended are dropped from the batch on the way. Requests, replies and weights are in
`agentgym.policies.torch.policy`; drawing is in `agentgym.policies.torch.sampling`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agentgym.errors import ContractError
from agentgym.policies.torch.cache import EpisodeStore, Layout, Prompt, Window
from agentgym.policies.torch.graphs import GraphRecorder, Step
from agentgym.policies.torch.sampling import TokenDraws, stop_mask
from agentgym.policy import Request

Masks = Tensor | dict[str, Tensor]
Forward = Callable[[Tensor, Tensor, Masks, Window], Tensor]
"""(ids[B, S], positions[B, S], additive masks[B, 1, S, K], window) -> logits[B, V] of the last column."""

_SPARSE = 2 / 3
"""Share of rows still running at which the others are dropped from the batch."""
_CHECK_EVERY_ON_DEVICE = 8
"""Steps between two looks at which rows ended, where a look waits for an accelerator."""
_RECORDED_COLUMNS = 128
"""Columns that one recorded step can write; it sees all of them at each step, those not written yet masked."""
_WORTH_RECORDING = 8
"""Steps that a recording must be good for: it takes as long as two or three."""


@dataclass(slots=True)
class Row:
    """One request on its way through the decoder.

    Attributes:
        request: What was asked.
        prompt: int64[P].
        budget: Largest number of tokens that may be sampled.
        ids: int32[K], what was sampled.
        logprobs: float32[K].
        known: Number of prompt tokens whose keys and values are kept from earlier turns, when the row is decoded.
        shared: Number of prompt tokens whose keys and values are those of another row of the batch.
    """

    request: Request
    prompt: Prompt
    budget: int
    ids: NDArray[np.int32]
    logprobs: NDArray[np.float32]
    known: int = 0
    shared: int = 0

    @property
    def num_new(self) -> int:
        """Number of prompt tokens that pass through the model."""
        return len(self.prompt) - max(self.known, self.shared)

    def take(self, ids: NDArray[np.int32], logprobs: NDArray[np.float32], is_stop: NDArray[np.bool_]) -> None:
        """Take over the message, which ends at the first token that ends one, or with the budget.

        Args:
            ids: int32[K], what was sampled, and perhaps tokens behind it.
            logprobs: float32[K].
            is_stop: bool[K], which of the tokens end a message.

        Raises:
            ContractError: The log-probabilities are not finite.
        """
        size = min(int(is_stop.argmax()) + 1 if is_stop.any() else len(ids), self.budget)
        self.ids, self.logprobs = ids[:size].copy(), logprobs[:size].copy()
        if not np.isfinite(self.logprobs).all():
            raise ContractError(
                f"the model returned logits that are not finite for episode {self.request.episode!r}, turn "
                f"{self.request.turn}; its weights have diverged: lower the learning rate or load other weights"
            )


@dataclass(frozen=True, slots=True)
class Attention:
    """Which earlier tokens the layers of a model see.

    Attributes:
        window: Number of tokens that sliding layers see; None where there are none.
        is_mixed: Whether only some of the layers slide, so that the model takes a mask of either kind.
    """

    window: int | None = None
    is_mixed: bool = False


class Decoder:
    """Decodes batches with one model.

    Args:
        forward: One pass through the model.
        layout: Shape of its keys and values.
        attention: What its layers see.
        vocab_size: Number of logits.
        stop_ids: Tokens that end a message.
        store: Keys and values kept between turns.
        prefill_tokens: Number of prompt tokens, padding included, in one pass.
        record: Makes a step that is cheaper to repeat; None: CUDA graphs where the model is on a GPU.
    """

    def __init__(
        self,
        forward: Forward,
        layout: Layout,
        attention: Attention,
        *,
        vocab_size: int,
        stop_ids: Collection[int],
        store: EpisodeStore,
        prefill_tokens: int,
        record: Callable[[Step], Step | None] | None = None,
    ) -> None:
        self.forward = forward
        self._attention = attention
        self._store = store
        self._prefill_tokens = prefill_tokens
        self._device = layout.device
        self._window = Window(layout)
        self._lowest = torch.finfo(layout.dtype).min
        self._zero = torch.zeros((), dtype=layout.dtype, device=layout.device)
        self._is_stop = stop_mask(stop_ids, vocab_size, layout.device)
        self._check_every = 1 if layout.device.type == "cpu" else _CHECK_EVERY_ON_DEVICE
        self.record = GraphRecorder(layout.device) if record is None and layout.device.type == "cuda" else record

    def decode(self, rows: Sequence[Row], *, keeps_states: bool = True) -> None:
        """Sample the message of every row, filling in `ids` and `logprobs`, and keep keys and values for later turns.

        Raises:
            ContractError: The model returned numbers that are not finite.
        """
        try:
            self._decode(rows, keeps_states)
        finally:
            self._window.drop()

    def _decode(self, rows: Sequence[Row], keeps_states: bool) -> None:
        for row in rows:  # not before: what an earlier batch kept may have pushed this one's out
            row.known = self._store.known(row.request.episode, row.prompt)
        first: dict[bytes, Row] = {}
        twins = [row for row in rows if not row.known and first.setdefault(row.prompt.tobytes(), row) is not row]
        is_copied = {id(row) for row in twins}
        source_of = _longer_prompts(first)
        followers = [row for row in first.values() if id(row) in source_of]
        is_copied |= source_of.keys()
        leaders = sorted((row for row in rows if id(row) not in is_copied), key=lambda row: -row.num_new)
        ordered = [*leaders, *followers, *twins]
        end = self._window.open(np.array([len(row.prompt) for row in ordered]), max(row.budget for row in rows))
        for index, row in enumerate(leaders):
            if row.known:
                self._store.load(row.request.episode, row.known, self._window, index)
        logits = self._prefill(leaders, 0, end)
        places = {id(row): index for index, row in enumerate(ordered)}
        if followers:
            for row in followers:
                row.shared = len(row.prompt) - 1
                self._window.copy_tokens(places[id(source_of[id(row)])], places[id(row)], row.shared)
            logits = torch.cat([logits, self._prefill(followers, len(leaders), end)])
        if twins:
            sources = [places[id(first[row.prompt.tobytes()])] for row in twins]
            for row, source in zip(twins, sources, strict=True):
                self._window.copy_tokens(source, places[id(row)], len(row.prompt))
            logits = torch.cat([logits, logits[sources]])
        _Batch(self, ordered, end, keeps_states).run(logits)

    def _prefill(self, rows: Sequence[Row], first: int, end: int) -> Tensor:
        """Logits after the prompts of the rows from place `first` on, sorted by falling number of new tokens."""
        widths = [row.num_new for row in rows]
        parts, at = [], 0
        while at < len(rows):
            width, stop = widths[at], at + 1
            while stop < len(rows) and 2 * widths[stop] >= width and (stop + 1 - at) * width <= self._prefill_tokens:
                stop += 1
            parts.append(self._prefill_part(rows[at:stop], slice(first + at, first + stop), width, end))
            at = stop
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    def _prefill_part(self, rows: Sequence[Row], place: slice, width: int, end: int) -> Tensor:
        ids = np.zeros((len(rows), width), np.int64)
        for line, row in zip(ids, rows, strict=True):
            line[-row.num_new :] = row.prompt[-row.num_new :]
        starts = torch.from_numpy(self._window.starts[place]).to(self._device)[:, None]
        firsts = torch.tensor([[len(row.prompt) - row.num_new] for row in rows], device=self._device)
        low = int(self._window.starts[place].min())
        columns = torch.arange(end - width, end, device=self._device)
        positions = columns - starts
        seen = torch.arange(low, end, device=self._device)
        is_seen = (seen >= starts[:, :, None]) & (seen <= columns[:, None])
        written = positions >= firsts
        is_ragged = any(row.num_new != width for row in rows)
        self._window.focus(place, low, end, width, written[:, None, :, None] if is_ragged else None)
        masks = self.masks(is_seen[:, None], columns[:, None], seen)
        return self.forward(torch.from_numpy(ids).to(self._device), positions.clamp_(min=0), masks, self._window)

    def masks(self, is_seen: Tensor, queries: Tensor, keys: Tensor) -> Masks:
        """Additive masks from bool[B, 1, S, K], the queries' columns int[S, 1] and the keys' columns int[K]."""
        full = torch.where(is_seen, self._zero, self._lowest)
        window = self._attention.window
        if window is None:
            return full
        sliding = torch.where(is_seen & (keys > queries - window), self._zero, self._lowest)
        return {"full_attention": full, "sliding_attention": sliding} if self._attention.is_mixed else sliding


def _longer_prompts(first: Mapping[bytes, Row]) -> dict[int, Row]:
    """For each row whose prompt is the beginning of another one's, by `id`, a row with all of it that is none itself.

    Args:
        first: Rows of which nothing is kept, by the bytes of their prompt.
    """
    longer: dict[int, Row] = {}
    ordered = sorted(first)  # a beginning comes right before one of those that go on from it
    for prompt, following in zip(reversed(ordered[:-1]), reversed(ordered[1:]), strict=True):
        if following.startswith(prompt):
            longer[id(first[prompt])] = longer.get(id(first[following]), first[following])
    return longer


@dataclass(frozen=True, slots=True)
class _Recorded:
    """A step for any column before `end`.

    Attributes:
        step: Reads `ids` and `column`, and returns logits [B, V] that the next call overwrites.
        ids: int64[B, 1], the tokens that pass through the model.
        column: int64[1], where their keys and values go.
        end: The column after the last one.
    """

    step: Step
    ids: Tensor
    column: Tensor
    end: int

    def __call__(self, drawn: Tensor, column: int) -> Tensor:
        """Logits after the tokens drawn last, int64[B], which come to this column."""
        self.ids.copy_(drawn[:, None])
        self.column.fill_(column)
        return self.step()


class _Batch:
    """The sampling loop over the rows of one window."""

    def __init__(self, decoder: Decoder, rows: list[Row], end: int, keeps_states: bool) -> None:
        device = decoder._device
        self._decoder, self._rows, self._end, self._keeps_states = decoder, rows, end, keeps_states
        self._window = decoder._window
        self._room = max(row.budget for row in rows)
        requests = [row.request for row in rows]
        self._draws = TokenDraws([r.sampling for r in requests], [r.seed for r in requests], self._room, device)
        self._budgets = torch.tensor([row.budget for row in rows], device=device)
        self._tokens = torch.zeros((self._room, len(rows)), dtype=torch.int64, device=device)
        self._logprobs = torch.zeros((self._room, len(rows)), device=device)
        self._order = np.arange(len(rows))
        self._index: Tensor | None = None
        self._open()

    def run(self, logits: Tensor) -> None:
        """Sample until every row has ended, given the logits after the prompts."""
        decoder = self._decoder
        is_over = torch.zeros(len(self._rows), dtype=torch.bool, device=decoder._device)
        for step in range(self._room):
            drawn, logprobs = self._draws.draw(logits, step)
            if self._index is None:
                self._tokens[step], self._logprobs[step] = drawn, logprobs
            else:
                self._tokens[step, self._index], self._logprobs[step, self._index] = drawn, logprobs
            is_over |= decoder._is_stop[drawn] | (self._budgets <= step + 1)
            if (step + 1) % decoder._check_every == 0:
                num_running = len(self._order) - int(is_over.sum())
                if num_running == 0:
                    break
                if num_running <= _SPARSE * len(self._order):
                    kept = self._compact(is_over.cpu().numpy(), step + 1)
                    is_over, drawn = is_over[kept], drawn[kept]
            if step + 1 < self._room:
                logits = self._advance(drawn, self._end + step)
        self._retire(range(len(self._order)), step + 1)

    def _open(self) -> None:
        device, starts = self._decoder._device, self._window.starts
        begin = torch.from_numpy(starts).to(device)
        self._low = int(starts.min())
        self._columns = torch.arange(self._end + self._room, device=device)
        self._is_seen = (self._columns >= begin[:, None])[:, None, None]
        self._mask = torch.where(self._is_seen, self._decoder._zero, self._decoder._lowest)
        self._begin = begin[:, None]
        self._recorded: _Recorded | None = None
        self._is_warm = False

    def _advance(self, drawn: Tensor, column: int) -> Tensor:
        """Logits after the tokens drawn last, which come to this column."""
        if self._recorded is not None and column < self._recorded.end:
            return self._recorded(drawn, column)
        self._recorded = None  # frees its memory for the next one
        end = min(column + _RECORDED_COLUMNS, self._end + self._room - 1)
        record = self._decoder.record
        # The first step with these rows is not recorded: what a library sets up at first use is no part of a step.
        if record is not None and self._is_warm and end - column >= _WORTH_RECORDING:
            self._recorded = self._record(record, column, end)
            if self._recorded is not None:
                return self._recorded(drawn, column)
            self._decoder.record = None
        self._is_warm = True
        return self._advance_once(drawn, column)

    def _record(self, record: Callable[[Step], Step | None], column: int, end: int) -> _Recorded | None:
        """A step for all columns from this one up to `end`; None if the model cannot have one."""
        decoder, low = self._decoder, self._low
        ids, at = torch.zeros_like(self._begin), torch.full_like(self._columns[:1], column)
        keys, is_seen, rows = self._columns[low:end], self._is_seen[..., low:end], slice(0, len(self._order))

        def step() -> Tensor:
            self._window.focus_at(rows, low, end, at)
            masks = decoder.masks(is_seen & (keys <= at), at[:, None], keys)
            return decoder.forward(ids, at - self._begin, masks, self._window)

        recorded = record(step)
        return None if recorded is None else _Recorded(recorded, ids, at, end)

    def _advance_once(self, drawn: Tensor, column: int) -> Tensor:
        decoder, low, end = self._decoder, self._low, column + 1
        masks: Masks = self._mask[..., low:end]
        if decoder._attention.window is not None:
            queries = self._columns[column:end, None]
            masks = decoder.masks(self._is_seen[..., low:end], queries, self._columns[low:end])
        self._window.focus(slice(0, len(self._order)), low, end, 1)
        return decoder.forward(drawn[:, None], column - self._begin, masks, self._window)

    def _compact(self, is_over: NDArray[np.bool_], num_steps: int) -> Tensor:
        """Retire the rows that ended, fill their places with the last ones, and return which row is where."""
        self._retire(np.flatnonzero(is_over), num_steps)
        running = np.flatnonzero(~is_over)
        index = np.arange(len(running))
        index[is_over[: len(running)]] = running[running >= len(running)]
        # The token sampled last has not passed through the model: its column is still empty.
        self._window.keep_rows(index, self._end + num_steps - 1)
        kept = torch.from_numpy(index).to(self._decoder._device)
        self._order = self._order[index]
        self._index = torch.from_numpy(self._order).to(self._decoder._device)
        self._draws.keep_rows(kept)
        self._budgets = self._budgets[kept]
        self._open()
        return kept

    def _retire(self, places: Sequence[int] | NDArray[np.int64], num_steps: int) -> None:
        """Take over what the rows at these places sampled, and keep their keys and values if there is a next turn."""
        lines = torch.from_numpy(self._order[np.asarray(places)]).to(self._decoder._device)
        tokens, logprobs = self._tokens[:num_steps, lines].T, self._logprobs[:num_steps, lines].T
        stops = self._decoder._is_stop[tokens].cpu().numpy()
        all_ids, all_logprobs = tokens.to(torch.int32).cpu().numpy(), logprobs.cpu().numpy()
        for place, stop, ids, values in zip(places, stops, all_ids, all_logprobs, strict=True):
            row = self._rows[self._order[place]]
            row.take(ids, values, stop)
            if not self._keeps_states:
                continue
            # The last sampled token has not passed through the model; it is the first of the next turn's new tokens.
            tokens_kept = np.concatenate([row.prompt, row.ids[:-1]])
            self._decoder._store.save(row.request.episode, tokens_kept, self._window, int(place), row.known)
