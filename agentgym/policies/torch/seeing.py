"""Decoding with a model that sees: prompts with pictures pass through it once, then rows advance by a token a step.

It keeps nothing between turns, and reads each prompt from its start.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor
from transformers import DynamicCache, PreTrainedModel

from agentgym.errors import ContractError
from agentgym.picture import url_of
from agentgym.policies.torch.decoder import Row
from agentgym.policies.torch.sampling import TokenDraws, stop_mask
from agentgym.policies.torch.sight import Sight
from agentgym.policy import Request

_SPARSE = 2 / 3
"""Share of rows still running at which the others are dropped from the batch."""
_Place = tuple[int, str]
"""Index of the first token of a picture, and its data URL."""


class _State(NamedTuple):
    """What the rows of a batch have read.

    Attributes:
        logits: float[B, V] after it.
        cache: Keys and values.
        is_seen: int64[B, K], 0 at padding on the left.
        next: int64[B], the position of the next token.
    """

    logits: Tensor
    cache: DynamicCache
    is_seen: Tensor
    next: Tensor

    def rows(self, index: Tensor) -> _State:
        """Those of some rows, int64[R], again as often as they are named."""
        self.cache.batch_select_indices(index)
        return _State(self.logits[index], self.cache, self.is_seen[index], self.next[index])


class SeeingDecoder:
    """Decodes batches with one model that sees.

    Args:
        model: The model.
        sight: How it sees.
        vocab_size: Number of logits.
        stop_ids: Tokens that end a message.
        prefill_tokens: Number of prompt tokens, padding included, in one pass.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        sight: Sight,
        *,
        vocab_size: int,
        stop_ids: Collection[int],
        prefill_tokens: int,
    ) -> None:
        self._model, self._sight, self._prefill_tokens = model, sight, prefill_tokens
        self._device = model.device
        self._is_stop = stop_mask(stop_ids, vocab_size, model.device)

    def decode(self, rows: Sequence[Row], *, keeps_states: bool = True) -> None:
        """Sample the message of every row, filling in `ids` and `logprobs`.

        Args:
            rows: Of one batch; equal prompts pass through the model once.
            keeps_states: Not used: nothing is kept.

        Raises:
            ContractError: The model returned numbers that are not finite, or a picture is not in the messages.
        """
        first: dict[tuple[Any, ...], int] = {}
        places = [self._places(row) for row in rows]
        index = [
            first.setdefault((row.prompt.tobytes(), *seen), len(first)) for row, seen in zip(rows, places, strict=True)
        ]
        chosen = [index.index(number) for number in range(len(first))]
        state = self._prefill([rows[each].prompt for each in chosen], [places[each] for each in chosen])
        if len(chosen) != len(rows):
            state = state.rows(torch.tensor(index, device=self._device))
        self._run(rows, state)

    def _places(self, row: Row) -> list[_Place]:
        """The first token of each picture of a prompt, with its data URL."""
        request = row.request
        if request.turn == 0 and not request.pictures and (row.prompt == self._sight.token).any():
            raise ContractError(
                f"episode {request.episode!r}: tokens of the prompt stand for pictures, and the request has none; give "
                "it those of Conversation.prompt() as pictures"
            )
        tokens = [each.token for each in request.pictures]
        return list(zip(tokens, pictures_of(request), strict=True))

    def _run(self, rows: Sequence[Row], state: _State) -> None:
        room, device = max(row.budget for row in rows), self._device
        requests = [row.request for row in rows]
        draws = TokenDraws([each.sampling for each in requests], [each.seed for each in requests], room, device)
        budgets = torch.tensor([row.budget for row in rows], device=device)
        tokens = torch.zeros((room, len(rows)), dtype=torch.int64, device=device)
        logprobs = torch.zeros((room, len(rows)), device=device)
        order = torch.arange(len(rows), device=device)
        is_over = torch.zeros(len(rows), dtype=torch.bool, device=device)
        for step in range(room):
            drawn, likely = draws.draw(state.logits, step)
            tokens[step, order], logprobs[step, order] = drawn, likely
            is_over |= self._is_stop[drawn] | (budgets[order] <= step + 1)
            num_running = len(order) - int(is_over.sum())
            if num_running == 0:
                break
            if num_running <= _SPARSE * len(order):
                kept = (~is_over).nonzero()[:, 0]
                draws.keep_rows(kept)
                state, drawn, order, is_over = state.rows(kept), drawn[kept], order[kept], is_over[kept]
            state = self._advance(drawn, state)
        self._retire(rows, tokens[: step + 1].T, logprobs[: step + 1].T)

    def _advance(self, drawn: Tensor, state: _State) -> _State:
        is_seen = torch.cat([state.is_seen, torch.ones_like(drawn)[:, None]], dim=1)
        output = self._model(
            input_ids=self._sight.readable(drawn, ())[:, None],
            attention_mask=is_seen,
            position_ids=state.next[None, :, None].expand(3, -1, -1),
            past_key_values=state.cache,
            use_cache=True,
        )
        return _State(output.logits[:, -1], state.cache, is_seen, state.next + 1)

    def _prefill(self, prompts: Sequence[Any], places: Sequence[Sequence[_Place]]) -> _State:
        """What is known after prompts, all of them padded on the left to the longest."""
        width = max(map(len, prompts))
        parts = [self._read(prompts[part], places[part], width) for part in self._parts(len(prompts), width)]
        if len(parts) == 1:
            return parts[0]
        cache = DynamicCache()
        for number, layers in enumerate(zip(*(part.cache.layers for part in parts), strict=True)):
            cache.update(torch.cat([each.keys for each in layers]), torch.cat([each.values for each in layers]), number)
        logits, is_seen, following = (
            torch.cat([getattr(part, name) for part in parts]) for name in ("logits", "is_seen", "next")
        )
        return _State(logits, cache, is_seen, following)

    def _parts(self, count: int, width: int) -> Iterator[slice]:
        size = max(1, self._prefill_tokens // width)
        return (slice(at, at + size) for at in range(0, count, size))

    def _read(self, prompts: Sequence[Any], places: Sequence[Sequence[_Place]], width: int) -> _State:
        ids = torch.zeros((len(prompts), width), dtype=torch.int64)
        is_seen, positions = torch.zeros_like(ids), torch.zeros((3, *ids.shape), dtype=torch.int64)
        urls = [[url for _, url in own] for own in places]
        for row, (prompt, seen) in enumerate(zip(prompts, urls, strict=True)):
            own = self._sight.readable(torch.from_numpy(prompt), places[row])
            ids[row, width - len(own) :], is_seen[row, width - len(own) :] = own, 1
            positions[:, row, width - len(own) :] = self._sight.positions(cast(Any, self._model), own, seen)
        device, cache = self._device, DynamicCache()
        output = self._model(
            input_ids=ids.to(device),
            attention_mask=is_seen.to(device),
            position_ids=positions.to(device),
            past_key_values=cache,
            use_cache=True,
            logits_to_keep=1,
            **self._sight.inputs([url for seen in urls for url in seen], device),
        )
        return _State(output.logits[:, -1], cache, is_seen.to(device), positions.amax((0, 2)).to(device) + 1)

    def _retire(self, rows: Sequence[Row], tokens: Tensor, logprobs: Tensor) -> None:
        stops = self._is_stop[tokens].cpu().numpy()
        all_ids, all_logprobs = tokens.to(torch.int32).cpu().numpy(), logprobs.cpu().numpy()
        for row, stop, ids, values in zip(rows, stops, all_ids, all_logprobs, strict=True):
            row.take(ids, values, stop)


def pictures_of(request: Request) -> tuple[str, ...]:
    """The data URLs of the pictures that a request's prompt shows, in order."""
    return tuple(url_of(request.messages[each.message]["content"][each.part]) for each in request.pictures)
