"""Replayed trajectories as a batch: their log-probabilities under the weights of today, and what each token counts.

The formula of the weights is in `weights`, that of the mask in `covariance`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from agentgym.trajectory import Segment
from agentgym_rl.core.batch import Stream, TrainBatch
from agentgym_rl.groups.replay_weights import replay_weights, require_behaviour_logprobs
from agentgym_rl.maths.covariance import covariance_mask
from agentgym_rl.maths.options import CovarianceConfig
from agentgym_rl.replay.options import DrawnReplay, SuccessReplay

Score = Callable[[Sequence[Segment]], list[Stream]]
"""Log-probabilities of the sampled tokens of segments, by the weights that are about to be trained."""


def weigh_replayed(
    batch: TrainBatch, chosen: Sequence[int], options: SuccessReplay | DrawnReplay, score: Score, *, is_scored: bool
) -> dict[int, Tensor]:
    """Fill the proximal log-probabilities and weights of replayed trajectories; those of others stay, with weight 1.

    Behaviour log-probabilities are the recorded ones; nothing recomputes them.

    Args:
        batch: With `prox_logprobs` of the other trajectories.
        chosen: Indices of the replayed trajectories.
        options: Level and cap of the weights.
        score: Computes log-probabilities.
        is_scored: Whether `batch.prox_logprobs` holds those of the replayed ones by today's weights already.

    Returns:
        float64 weights of the sampled tokens of each replayed trajectory, by index.

    Raises:
        ContractError: A replayed trajectory has no behaviour log-probabilities.
    """
    require_behaviour_logprobs([batch.trajectories[index] for index in chosen], "with replay")
    if batch.prox_logprobs is None:
        batch.prox_logprobs = [np.full(segment.num_tokens, np.nan) for segment in batch.segments]
    if not is_scored:
        places = [place for index in chosen for place in batch.segments_of(index)]
        for place, stream in zip(places, score([batch.segments[place] for place in places]), strict=True):
            batch.prox_logprobs[place] = stream
    _ensure_token_weights(batch)
    assert batch.token_weights is not None
    behaviour = [segment.behaviour_logprobs.astype(np.float64) for segment in batch.segments]
    found: dict[int, Tensor] = {}
    for index in chosen:
        turns = torch.from_numpy(batch.turn_index(index))
        found[index] = replay_weights(
            torch.from_numpy(batch.sampled(batch.prox_logprobs, index)),
            torch.from_numpy(batch.sampled(behaviour, index)),
            torch.zeros_like(turns),
            turns,
            level=options.weight_level,
            cap=options.max_weight,
        )
        batch.spread(found[index].numpy(), index, batch.token_weights)
    return found


def mask_by_covariance(batch: TrainBatch, config: CovarianceConfig, seed: int) -> float:
    """Give tokens that would sharpen the policy most the weight 0; denominators count them still.

    Differs from a mask in every update: it is drawn once for all passes over the batch, by the log-probabilities at
    their start, where nothing is clipped yet.

    Args:
        batch: With advantages and proximal log-probabilities.
        config: Band and share.
        seed: Of the choice.

    Returns:
        The share of tokens that were left out.
    """
    if not batch.segments or config.share == 0:
        return 0.0
    assert batch.prox_logprobs is not None
    masks = [segment.completion_mask for segment in batch.segments]
    advantages, logprobs = (
        torch.from_numpy(np.concatenate([stream[mask] for stream, mask in zip(streams, masks, strict=True)]))
        for streams in (batch.advantages, batch.prox_logprobs)
    )
    is_unclipped = torch.ones(len(advantages), dtype=torch.bool)
    generator = torch.Generator().manual_seed(seed)
    keeps = covariance_mask(advantages, logprobs, is_unclipped, config, generator).numpy()
    _ensure_token_weights(batch)
    assert batch.token_weights is not None
    at = 0
    for stream, mask in zip(batch.token_weights, masks, strict=True):
        count = int(mask.sum())
        stream[mask] *= keeps[at : at + count]
        at += count
    return 1.0 - float(keeps.mean()) if len(keeps) else 0.0


def _ensure_token_weights(batch: TrainBatch) -> None:
    if batch.token_weights is None:
        batch.token_weights = [np.ones(segment.num_tokens) for segment in batch.segments]
