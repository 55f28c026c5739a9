"""Supervised warm start: behaviour cloning of demonstrated messages, with or without a filter on success.

L = -(1/N) sum_k log pi(token_k | tokens before it), over the N tokens of demonstrated messages of an update. With a
weight w of prompts, w times the same mean over the tokens that the policy reads is added (Shi et al. 2024,
arXiv:2405.14394). Muon makes each step of a matrix orthogonal, so that no direction of it learns last; its steps have
the size of AdamW's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from transformers import PreTrainedTokenizerFast

from agentgym.errors import ConfigError
from agentgym.policies.cast import Cast
from agentgym.store import RunStore
from agentgym.suite import Suite
from agentgym.trajectory import Segment, Trajectory
from agentgym_rl.core import distributed
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.config.tables import OptimiserConfig, PackingConfig, WarmStartConfig
from agentgym_rl.core.demonstrations import recorded_demonstrations
from agentgym_rl.core.micro_batch import pad_micro_batches
from agentgym_rl.core.models import PolicyModel, trainable_groups
from agentgym_rl.core.packing import pack
from agentgym_rl.maths.muon import Muon

_WARMUP_SHARE = 0.05
_BETAS = (0.9, 0.98)


class Optimiser(distributed.HasGroups, Protocol):
    """What `clone_step` asks of an optimiser, such as one of `torch.optim`."""

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients."""

    def step(self) -> Any:
        """Move the weights."""


class Several:
    """Several optimisers as one, each with weights of its own."""

    def __init__(self, *optimisers: torch.optim.Optimizer) -> None:
        self._optimisers = optimisers

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        """Those of all."""
        return [group for each in self._optimisers for group in each.param_groups]

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients."""
        for each in self._optimisers:
            each.zero_grad(set_to_none)

    def step(self) -> None:
        """Move the weights."""
        for each in self._optimisers:
            each.step()


def warm_optimiser(model: PolicyModel, config: WarmStartConfig) -> Optimiser:
    """The optimiser of a warm start, at its peak learning rate.

    Args:
        model: Whose policy is trained.
        config: Names the optimiser and the learning rate.
    """
    weights, rate = trainable_groups(model)["policy"], config.learning_rate
    if config.optimiser == "adamw":
        return _adamw(weights, rate)
    outside = _embeddings(model)
    matrices = [each for each in weights if each.ndim == 2 and id(each) not in outside]
    others = [each for each in weights if each.ndim != 2 or id(each) in outside]
    muon = Muon(matrices, rate)
    return Several(muon, _adamw(others, rate)) if others else muon


def _embeddings(model: PolicyModel) -> set[int]:
    """Ids of weights that hold a row for each token or place."""
    tables: list[nn.Module] = [each for each in model.causal_lm.modules() if isinstance(each, nn.Embedding)]
    tables.append(cast(Any, model.causal_lm).get_output_embeddings())
    return {id(weight) for table in tables for weight in table.parameters()}


def _adamw(weights: Iterable[nn.Parameter], rate: float) -> torch.optim.AdamW:
    return torch.optim.AdamW(weights, lr=rate, betas=_BETAS, weight_decay=0.0)


class NameSwaps:
    """Exchanges names within groups, such as those of people, or of articles.

    A small model learns the few names of its demonstrations by heart, and copies no other. With names exchanged at
    random the same episode is another one each time, and only copying is right in all of them.

    Args:
        groups: The names of each group. One that is not a single token stays as it is.
        tokenizer: What reads them.

    Raises:
        ConfigError: No group has two names that are single tokens.
    """

    def __init__(self, groups: Sequence[Sequence[str]], tokenizer: PreTrainedTokenizerFast) -> None:
        read = [[tokenizer.encode(name, add_special_tokens=False) for name in names] for names in groups]
        ids = [np.array([tokens[0] for tokens in names if len(tokens) == 1], np.int32) for names in read]
        self._groups = [group for group in ids if len(group) > 1]
        self._size = len(tokenizer)
        if not self._groups:
            raise ConfigError(
                "warm_start.swap_names needs names in NAMES of the suite's vocabulary that the model's tokenizer reads "
                "as single tokens, and there are none; set it to false"
            )

    def draw(self, rng: np.random.Generator) -> NDArray[np.int32]:
        """For each token what stands in its place, int32[V].

        Args:
            rng: What exchanges them.
        """
        table = np.arange(self._size, dtype=np.int32)
        for group in self._groups:
            table[group] = rng.permutation(group)
        return table


class CloneStep(NamedTuple):
    """What came of one update.

    Attributes:
        loss: Nats a token of the messages.
        grad_norm: Before it was scaled down.
        is_taken: False where the gradient was not finite: the weights stayed as they were.
    """

    loss: float
    grad_norm: float
    is_taken: bool


def warm_start_episodes(config: WarmStartConfig, suite: Suite, cast: Cast) -> list[Trajectory]:
    """What a warm start clones from a stored run; see `recorded_demonstrations`.

    Raises:
        StoreError: There is no run.
    """
    with RunStore.open(config.run, read_only=True) as store:
        return recorded_demonstrations(
            store, suite.name, suite.held_out_hashes, setting="warm_start.run", roles=cast.learning
        )


def successes(trajectories: Sequence[Trajectory]) -> list[Trajectory]:
    """The successful ones.

    Raises:
        ConfigError: There is none, so that filtered cloning has nothing to learn from.
    """
    kept = [trajectory for trajectory in trajectories if trajectory.success]
    if not kept:
        raise ConfigError(
            f"none of {len(trajectories)} demonstrations succeeded, so there is nothing to clone after filtering; "
            f"raise warm_start.demonstrations or use a better demonstrator"
        )
    return kept


def updates_of(config: WarmStartConfig, num_episodes: int) -> int:
    """Updates that the configured number of passes over so many demonstrations takes."""
    return math.ceil(num_episodes / config.batch_episodes) * config.epochs


def clone(
    model: PolicyModel,
    trajectories: Sequence[Trajectory],
    config: WarmStartConfig,
    packing: PackingConfig,
    *,
    seed: int,
    num_updates: int,
    max_grad_norm: float = OptimiserConfig.max_grad_norm,
    swaps: NameSwaps | None = None,
    on_update: Callable[[int, int, CloneStep], None] | None = None,
) -> list[float]:
    """Train a model on demonstrated messages.

    Args:
        model: Trained in place.
        trajectories: With derived tokens.
        config: Epochs, learning rate, batch size.
        packing: The shape of micro-batches.
        seed: Seed of the order of demonstrations.
        num_updates: Number of updates; `updates_of` says how many the configured passes take.
        max_grad_norm: Gradients are scaled down to this norm.
        swaps: Exchanges names in each episode of an update.
        on_update: Called with the update's number, their total and what came of it.

    Returns:
        The loss of each update, in nats a token.
    """
    optimiser = warm_optimiser(model, config)
    rng = np.random.default_rng(seed)
    losses: list[float] = []
    model.train()
    order = np.zeros(0, np.int64)
    for update in range(num_updates):
        if len(order) == 0:
            order = rng.permutation(len(trajectories))
        chosen, order = order[: config.batch_episodes], order[config.batch_episodes :]
        for group in optimiser.param_groups:
            group["lr"] = config.learning_rate * _schedule(update, num_updates)
        picked = [trajectories[index] for index in chosen]
        tables = None if swaps is None else [swaps.draw(rng) for _ in picked]
        step = clone_step(
            model, optimiser, picked, packing, max_grad_norm, prompt_weight=config.prompt_weight, tables=tables
        )
        losses.append(step.loss)
        if on_update is not None:
            on_update(update + 1, num_updates, step)
    return losses


def _schedule(update: int, total: int) -> float:
    """Linear warm-up, then cosine to a tenth."""
    warmup = max(1, int(total * _WARMUP_SHARE))
    if update < warmup:
        return (update + 1) / warmup
    return 0.1 + 0.45 * (1 + math.cos(math.pi * (update - warmup) / max(1, total - warmup)))


def clone_step(
    model: PolicyModel,
    optimiser: Optimiser,
    trajectories: list[Trajectory],
    packing: PackingConfig,
    max_grad_norm: float,
    *,
    prompt_weight: float = 0.0,
    tables: Sequence[NDArray[np.int32]] | None = None,
) -> CloneStep:
    """One update on all sampled tokens of some trajectories; one whose gradient is not finite is left out.

    Args:
        model: Trained in place.
        optimiser: Of its weights.
        trajectories: With tokens; each rank takes some of them.
        packing: The shape of micro-batches.
        max_grad_norm: Gradients are scaled down to this norm.
        prompt_weight: Weight of the mean over the tokens that are read, beside that over those that are written.
        tables: For each trajectory what stands in the place of each token, int32[V]; None leaves them as they are.
    """
    world, rank = distributed.world_size(), distributed.rank()
    batch = TrainBatch.of_trajectories(trajectories)
    owned = [(each, owner) for each, owner in zip(batch.segments, batch.owner, strict=True) if owner % world == rank]
    mine = [each if tables is None else _swapped(each, tables[owner]) for each, owner in owned]
    num_written = sum(int(each.completion_mask.sum()) for each in batch.segments)
    is_written = [each.completion_mask.astype(np.float32) for each in mine]
    num_read = sum(int(_scored(each).sum()) for each in batch.segments) - num_written if prompt_weight else 0
    scored = [replace(each, completion_mask=_scored(each)) for each in mine] if prompt_weight else mine
    micro_batches = pack(scored, packing) if scored else []
    device = next(model.parameters()).device
    optimiser.zero_grad(set_to_none=True)
    loss_sum = 0.0
    for micro in pad_micro_batches(micro_batches, max(distributed.gather(len(micro_batches)))):
        logprobs, _, _ = model.score(micro.to(device), entropy="none")
        if prompt_weight:
            own = micro.flatten(is_written).to(device) > 0
            written = -logprobs[own].sum() / num_written
            loss = written - prompt_weight * logprobs[~own].sum() / max(1, num_read)
        else:
            loss = written = -logprobs.sum() / num_written
        torch.autograd.backward(loss * world)
        loss_sum += float(written.detach())
    norms = distributed.clip_groups(optimiser, max_grad_norm)
    is_finite = bool(np.isfinite(norms).all())
    if is_finite:
        optimiser.step()
    return CloneStep(sum(distributed.gather(loss_sum)), math.hypot(*norms), is_finite)


def _scored(segment: Segment) -> NDArray[np.bool_]:
    """All tokens but the first, which nothing predicts, and those that stand for pictures; bool[T]."""
    mask = np.arange(segment.num_tokens) > 0
    for picture in segment.pictures:
        if picture.token >= 0:
            others = segment.tokens[picture.token :] != segment.tokens[picture.token]
            size = int(others.argmax()) if others.any() else len(others)
            mask[picture.token : picture.token + size] = False
    return mask


def _swapped(segment: Segment, table: NDArray[np.int32]) -> Segment:
    """The segment with other tokens by `NameSwaps.draw`; it stays as it is itself."""
    return replace(segment, tokens=table[segment.tokens])
