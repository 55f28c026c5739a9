"""A causal language model that chooses among listed actions, so that every message is a legal action.

Not here: where the lists come from (`AgentEnv.legal_actions`), how such a policy is learnt (discrete soft actor-critic,
`agentgym_rl.hierarchical`). Keys and values are not kept between turns.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from transformers import PreTrainedModel

from agentgym.errors import ConfigError, ContextOverflowError, ContractError
from agentgym.policies.model_folder import POINTER_FILE
from agentgym.policies.torch.layout import attention_of, masks_by_position
from agentgym.policies.torch.policy import SEEN_FILE, TorchPolicy
from agentgym.policies.torch.sampling import uniforms
from agentgym.policies.torch.sight import sight_of
from agentgym.policy import Policy, Reply, Request
from agentgym.prompting.renderer import ChatRenderer
from agentgym.prompting.reply_ids import ActionIds
from agentgym.trajectory import Ids

PICKS_LEGAL_ACTIONS = "picks_listed"
"""Key of the file beside exported weights: whether they were trained to pick among listed actions."""


class _Asked(NamedTuple):
    """A request, its prompt and the ids of each action."""

    request: Request
    prompt: NDArray[np.int64]
    actions: list[Ids]

    @property
    def num_action_tokens(self) -> int:
        return sum(len(ids) for ids in self.actions)


class ListedPolicy(TorchPolicy):
    """Chooses one of the listed actions, with probability softmax_a(log p(a | prompt) / temperature).

    log p(a | prompt) is the sum over the tokens of the action and its end of turn. The prompt passes through the model
    once for all actions, which do not see each other. At temperature 0, the most likely one is chosen. Replies carry no
    log-probabilities: their tokens were not drawn one after another. SAC-GLAM, Gaven et al. 2024, arXiv 2410.12481.

    Args and errors are those of `TorchPolicy`.
    """

    picks_legal_actions = True

    def __init__(self, model: PreTrainedModel, *args: Any, **options: Any) -> None:
        if sight_of(cast(nn.Module, model)) is not None:
            raise ConfigError(
                "a model that sees cannot pick among listed actions; name a model that reads text alone, or an "
                "algorithm that lets the model write its messages"
            )
        super().__init__(model, *args, **options)
        self._attention = attention_of(model, self.max_context)
        self._ids = ActionIds(ChatRenderer(self.tokenizer))

    def generate(self, requests: Sequence[Request], *, keeps_states: bool = True) -> list[Reply]:
        """One listed action for each request.

        Raises:
            ContextOverflowError: Prompt and longest action do not fit into the context.
            ContractError: A request lists no actions or has no prompt ids; the weights changed without `load_weights`;
                or they diverged.
        """
        self._network.require_announced()
        asked = [self._asked(request) for request in requests]
        replies: dict[int, Reply] = {}
        for batch in self._passes(asked):
            for number, logprobs in zip(batch, self._score([asked[number] for number in batch]), strict=True):
                replies[number] = self._pick(asked[number], logprobs)
        return [replies[number] for number in range(len(asked))]

    def score(self, requests: Sequence[Request]) -> list[NDArray[np.float64]]:
        """The log p(a | prompt) of each listed action of each request, in nats: float64[A]."""
        asked = [self._asked(request) for request in requests]
        found: dict[int, NDArray[np.float64]] = {}
        for batch in self._passes(asked):
            found |= zip(batch, self._score([asked[number] for number in batch]), strict=True)
        return [found[number] for number in range(len(asked))]

    def _asked(self, request: Request) -> _Asked:
        where = f"episode {request.episode!r}, turn {request.turn}"
        if not request.legal_actions or request.prompt_ids is None:
            raise ContractError(
                f"{where}: no {'prompt ids' if request.legal_actions else 'legal actions'} to pick among; this policy "
                "plays environments that list their actions (legal_actions)"
            )
        asked = _Asked(request, np.asarray(request.prompt_ids, np.int64), [*map(self._ids, request.legal_actions)])
        longest = len(asked.prompt) + max(len(ids) for ids in asked.actions)
        if longest > self.max_context:
            raise ContextOverflowError(
                f"{where}: prompt and longest action have {longest} tokens, expected at most {self.max_context}; "
                "shorten the history or raise max_context"
            )
        return asked

    def _passes(self, asked: Sequence[_Asked]) -> Iterator[list[int]]:
        """Requests of like length, as many at once as a pass may have tokens, padding included."""
        sizes = [len(each.prompt) + each.num_action_tokens for each in asked]
        batch: list[int] = []
        longest = 0
        for number in sorted(range(len(asked)), key=lambda number: -sizes[number]):
            longest = max(longest, sizes[number])
            if batch and (len(batch) + 1) * longest > self.limits.prefill_tokens:
                yield batch
                batch, longest = [], sizes[number]
            batch.append(number)
        if batch:
            yield batch

    def _score(self, asked: Sequence[_Asked]) -> list[NDArray[np.float64]]:
        """The scores of a pass. Prompts end in the same column, actions stand one after the other behind them."""
        end = max(len(each.prompt) for each in asked)
        width = end + max(each.num_action_tokens for each in asked)
        ids = np.zeros((len(asked), width), np.int64)
        positions = np.zeros_like(ids)
        block = np.full_like(ids, -1)  # 0: the prompt; i: the i-th action; -1: padding
        for row, each in enumerate(asked):
            start = end - len(each.prompt)
            ids[row, start:end], positions[row, start:end], block[row, start:end] = each.prompt, range(end - start), 0
            at = end
            for number, action in enumerate(each.actions, 1):
                place = slice(at, at + len(action))
                ids[row, place], block[row, place] = action, number
                positions[row, place] = range(end - start, end - start + len(action))
                at += len(action)
        tokens, places, blocks = (torch.from_numpy(each).to(self.model.device) for each in (ids, positions, block))
        logits = self._logits(tokens, places, blocks, width - end + 1)
        logprobs = _taken(logits, tokens[:, end:], blocks[:, end:])
        scores: list[NDArray[np.float64]] = []
        for row, each in enumerate(asked):
            scores.append(np.zeros(len(each.actions) + 1))
            np.add.at(scores[-1], block[row, end:].clip(0), logprobs[row])
        return [each[1:] for each in scores]

    def _logits(self, ids: Tensor, positions: Tensor, block: Tensor, num_kept: int) -> Tensor:
        """Logits of the last columns, [B, num_kept, V]; a token sees its prompt, and its own action up to itself."""
        column = torch.arange(ids.shape[1], device=ids.device)
        is_own = block[:, :, None] == block[:, None, :]
        is_seen = (is_own | (block[:, None, :] == 0)) & (column[None, :] <= column[:, None])
        with self._network.decoding():
            output = self.model(
                input_ids=ids,
                attention_mask=masks_by_position(is_seen[:, None], positions, self._attention, self.model.dtype),
                position_ids=positions,
                use_cache=False,
                logits_to_keep=num_kept,
            )
        logits: Tensor = output.logits
        return logits

    def _pick(self, asked: _Asked, logprobs: NDArray[np.float64]) -> Reply:
        request = asked.request
        assert request.legal_actions is not None
        if not np.isfinite(logprobs).all():
            raise ContractError(
                f"the model returned logits that are not finite for episode {request.episode!r}, turn {request.turn}; "
                "its weights have diverged: lower the learning rate or load other weights"
            )
        if request.sampling.is_greedy:
            number = int(logprobs.argmax())
        else:
            odds = np.exp((logprobs - logprobs.max()) / request.sampling.temperature).cumsum()
            drawn = uniforms(request.seed, 1)[0] * odds[-1]
            number = min(int(np.searchsorted(odds, drawn, side="right")), len(odds) - 1)
        ids = asked.actions[number]
        usage = {"prompt_tokens": float(len(asked.prompt)), "completion_tokens": float(len(ids))}
        return Reply(request.legal_actions[number], ids, None, self.version, usage=usage)


def _taken(logits: Tensor, ids: Tensor, block: Tensor) -> NDArray[np.float64]:
    """float64[B, W]: the log-probability of each token of the actions.

    The first token of an action follows the prompt's last one, in the first column of the logits.
    """
    column = torch.arange(ids.shape[1], device=ids.device).expand_as(ids)
    is_first = torch.ones_like(ids, dtype=torch.bool)
    is_first[:, 1:] = block[:, 1:] != block[:, :-1]
    before = torch.where(is_first, 0, column)
    row = torch.arange(len(ids), device=ids.device)[:, None]
    taken = logits.float().log_softmax(-1)[row, before, ids].double()
    logprobs: NDArray[np.float64] = taken.masked_fill(block <= 0, 0.0).cpu().numpy()
    return logprobs


def load_policy(path: str | Path, **options: Any) -> Policy:
    """The policy of a folder as it was trained.

    `ListedPolicy` if it chooses among listed actions, `Pointer` if it points at pictures, else `TorchPolicy`.

    Args and errors are those of `TorchPolicy.load`; a `Pointer` takes no options.
    """
    if (Path(path) / POINTER_FILE).exists():
        from agentgym.policies.torch.pointing import load_pointer  # not at the top: it needs Pillow

        return load_pointer(Path(path), **options)
    facts = Path(path) / SEEN_FILE
    try:
        is_listed = facts.exists() and json.loads(facts.read_text(encoding="utf-8")).get(PICKS_LEGAL_ACTIONS, False)
    except (OSError, ValueError, AttributeError):
        is_listed = False  # what is damaged is refused by the load itself
    return (ListedPolicy if is_listed else TorchPolicy).load(path, **options)
