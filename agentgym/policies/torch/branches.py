"""Messages in many states of the same episodes: an episode passes through the model once, and all messages behind it.

Requests of their own, each with its prompt, are decoded in `agentgym.policies.torch.decoder`. Keys and values of an
episode are kept once, whatever the number of messages that go on from within it: each row is an episode, padded on the
right; its columns are the episode's tokens and then, step by step, one token of each message that still runs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agentgym.errors import ContextOverflowError, ContractError
from agentgym.policies.sampler import Continuation, Fork
from agentgym.policies.torch.cache import Layout, Prompt, Window
from agentgym.policies.torch.network import Network
from agentgym.policies.torch.sampling import TokenDraws, stop_mask
from agentgym.policy import Sampling

Pass = Callable[[Tensor, Tensor, Tensor | None, Window, int], Tensor]
"""(ids[B, S], positions[B, S], additive masks[B, 1, S, K], window, n) -> logits[B, n, V] of the last n columns; without
masks each column sees those before it. With n = 0 keys and values are all that is wanted."""


@dataclass(frozen=True)
class Trunk:
    """An episode's tokens, as far as a message follows them, and the messages that are wanted behind them."""

    tokens: Prompt
    forks: Sequence[Fork]


class BranchDecoder:
    """Samples the messages of forks.

    Args:
        forward: One pass through the model.
        layout: Shape of its keys and values.
        vocab_size: Number of logits.
        stop_ids: Tokens that end a message.
        batch_tokens: Tokens of the episodes of one batch, padding included.
        prefill_tokens: Tokens of episodes, padding included, in one pass.
    """

    def __init__(
        self,
        forward: Pass,
        layout: Layout,
        *,
        vocab_size: int,
        stop_ids: Collection[int],
        batch_tokens: int,
        prefill_tokens: int,
    ) -> None:
        self.forward = forward
        self._window = Window(layout)
        self._device, self._batch_tokens, self._prefill_tokens = layout.device, batch_tokens, prefill_tokens
        self._lowest = torch.finfo(layout.dtype).min
        self._zero = torch.zeros((), dtype=layout.dtype, device=layout.device)
        self._is_stop = stop_mask(stop_ids, vocab_size, layout.device)

    def decode(self, trunks: Sequence[Trunk], sampling: Sampling) -> list[list[Continuation]]:
        """The message of each fork of each trunk.

        Raises:
            ContractError: The model returned numbers that are not finite.
        """
        found: list[list[Continuation]] = [[] for _ in trunks]
        for places in self._batches(trunks):
            try:
                for place, messages in zip(places, self._decode([trunks[i] for i in places], sampling), strict=True):
                    found[place] = messages
            finally:
                self._window.drop()
        return found

    def _batches(self, trunks: Sequence[Trunk]) -> Iterator[list[int]]:
        """Trunks of like length, none padded to more than twice its own."""
        batch: list[int] = []
        for index in sorted(range(len(trunks)), key=lambda i: -len(trunks[i].tokens)):
            longest = len(trunks[batch[0]].tokens) if batch else 0
            size = len(trunks[index].tokens)
            if batch and ((len(batch) + 1) * longest > self._batch_tokens or 2 * size <= longest):
                yield batch
                batch = []
            batch.append(index)
        if batch:
            yield batch

    def _decode(self, trunks: Sequence[Trunk], sampling: Sampling) -> list[list[Continuation]]:
        state = _Running(trunks, sampling, self._device)
        room = state.width * sampling.max_tokens
        end = self._window.open(np.full(len(trunks), len(trunks[0].tokens)), room)
        self._prefill(trunks, end)
        state.open(end, end + room)
        for step in range(sampling.max_tokens):
            logits = self._advance(state)
            tokens, logprobs = state.draws.draw(logits, step)
            if not bool(torch.isfinite(logprobs).all()):
                raise ContractError(
                    "the model returned logits that are not finite; its weights have diverged: lower the learning rate "
                    "or load other weights"
                )
            state.take(tokens, logprobs, self._is_stop[tokens])
            if not len(state.running):
                break
        return state.messages()

    def _prefill(self, trunks: Sequence[Trunk], end: int) -> None:
        """Keys and values of all tokens of the trunks."""
        most = max(1, self._prefill_tokens // end)
        for at in range(0, len(trunks), most):
            part = trunks[at : at + most]
            width = len(part[0].tokens)
            ids = np.zeros((len(part), width), np.int64)
            for line, trunk in zip(ids, part, strict=True):
                line[: len(trunk.tokens)] = trunk.tokens
            positions = torch.arange(width, device=self._device).expand(len(part), -1)
            self._window.focus(slice(at, at + len(part)), 0, width, width)
            self.forward(torch.from_numpy(ids).to(self._device), positions, None, self._window, 0)

    def _advance(self, state: _Running) -> Tensor:
        """Logits [N, V] after the token that each running message takes next."""
        ids, positions, is_seen, first = state.step()
        width, end = ids.shape[1], first + ids.shape[1]
        self._window.focus(slice(0, ids.shape[0]), 0, end, width)
        logits = self.forward(ids, positions, self._mask(is_seen[..., :end]), self._window, width)
        return logits[state.row, state.slot]

    def _mask(self, is_seen: Tensor) -> Tensor:
        return torch.where(is_seen, self._zero, self._lowest)[:, None]


class TorchBranches:
    """Messages in the middle of episodes, by the model of a policy; no states are kept.

    Args:
        network: The model.
        decoder: Samples with it.
        max_context: Tokens of an episode and a message together.
    """

    def __init__(self, network: Network, decoder: BranchDecoder, max_context: int) -> None:
        self._network, self.decoder, self._max_context = network, decoder, max_context

    def sample(
        self, episodes: Sequence[NDArray[np.int32]], forks: Sequence[Sequence[Fork]], sampling: Sampling
    ) -> list[list[Continuation]]:
        """A message for each fork, as `generate` would give for the tokens before it.

        Args:
            episodes: The tokens of each; those after its last fork are not read.
            forks: Of each episode, at least one.
            sampling: How all of them are drawn.

        Raises:
            ContextOverflowError: A prompt leaves no room for a token.
            ContractError: The weights changed without `load_weights`, or they diverged.
        """
        self._network.require_announced()
        trunks = []
        for tokens, mine in zip(episodes, forks, strict=True):
            furthest = max(fork.start for fork in mine)
            if furthest >= self._max_context:
                raise ContextOverflowError(
                    f"a message is to follow {furthest} tokens, expected 1 to {self._max_context - 1}; shorten the "
                    "history or raise max_context"
                )
            budgets = [min(fork.budget, self._max_context - fork.start) for fork in mine]
            own = [replace(fork, budget=budget) for fork, budget in zip(mine, budgets, strict=True)]
            trunks.append(Trunk(np.asarray(tokens[:furthest], np.int64), own))
        with self._network.decoding():
            return self.decoder.decode(trunks, sampling)


class _Running:
    """The messages of a batch that have not ended, and where each of them lies."""

    def __init__(self, trunks: Sequence[Trunk], sampling: Sampling, device: torch.device) -> None:
        forks = [(row, fork) for row, trunk in enumerate(trunks) for fork in trunk.forks]
        self.width = max(len(trunk.forks) for trunk in trunks)
        self.running = np.arange(len(forks))
        self._rows = np.array([row for row, _ in forks])
        self._starts = np.array([fork.start for _, fork in forks])
        self._num_trunks, self._device = len(trunks), device
        last = [int(trunks[row].tokens[fork.start - 1]) for row, fork in forks]
        self._next = torch.tensor(last, device=device)
        self._positions = torch.from_numpy(self._starts - 1).to(device)
        self.draws = TokenDraws([sampling] * len(forks), [fork.seed for _, fork in forks], sampling.max_tokens, device)
        self._budgets = torch.tensor([fork.budget for _, fork in forks], device=device)
        self._drawn: list[tuple[NDArray[np.int64], Tensor, Tensor]] = []

    def open(self, end: int, num_columns: int) -> None:
        """Say where messages begin: each sees its trunk up to its last prompt token, a copy of which comes first."""
        is_seen = np.arange(num_columns) < (self._starts - 1)[:, None]
        self._is_seen = torch.from_numpy(is_seen).to(self._device)
        self._column = end

    def step(self) -> tuple[Tensor, Tensor, Tensor, int]:
        """Ids and positions [B, S], what is seen [B, S, K], and the first column that is written."""
        rows = self._rows[self.running]
        first_of_row = np.searchsorted(rows, rows)
        slots = np.arange(len(rows)) - first_of_row
        width, first = int(slots.max()) + 1, self._column
        self.row, self.slot = torch.from_numpy(rows).to(self._device), torch.from_numpy(slots).to(self._device)
        running = torch.arange(len(rows), device=self._device)
        self._is_seen[running, first + self.slot] = True
        shape = (self._num_trunks, width)
        ids, positions = self._next.new_zeros(shape), self._positions.new_zeros(shape)
        ids[self.row, self.slot], positions[self.row, self.slot] = self._next, self._positions
        is_seen = self._is_seen.new_zeros((*shape, self._is_seen.shape[1]))
        # A slot without a message sees something, so that no row of the mask is empty.
        is_seen[..., first : first + width] = True
        is_seen[self.row, self.slot] = self._is_seen
        self._column += width
        return ids, positions, is_seen, first

    def take(self, tokens: Tensor, logprobs: Tensor, is_stop: Tensor) -> None:
        """Take what was drawn; the messages that it ends run no longer."""
        self._drawn.append((self.running, tokens, logprobs))
        kept = (~is_stop & (self._budgets > len(self._drawn))).nonzero()[:, 0]
        self.running = self.running[kept.cpu().numpy()]
        self._next, self._positions = tokens[kept], self._positions[kept] + 1
        self._is_seen, self._budgets = self._is_seen[kept], self._budgets[kept]
        self.draws.keep_rows(kept)

    def messages(self) -> list[list[Continuation]]:
        """By trunk and fork."""
        ids: list[list[int]] = [[] for _ in self._rows]
        logprobs: list[list[float]] = [[] for _ in self._rows]
        for running, tokens, values in self._drawn:
            for index, token, value in zip(running.tolist(), tokens.tolist(), values.tolist(), strict=True):
                ids[index].append(token)
                logprobs[index].append(value)
        found: list[list[Continuation]] = [[] for _ in range(self._num_trunks)]
        for row, mine, own in zip(self._rows.tolist(), ids, logprobs, strict=True):
            found[row].append(Continuation(np.array(mine, np.int32), np.array(own, np.float32)))
        return found
