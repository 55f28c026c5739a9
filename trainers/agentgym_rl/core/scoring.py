"""Forward passes without gradient over a batch: log-probabilities and values at the start of an update."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from agentgym.trajectory import Segment
from agentgym_rl.core import distributed
from agentgym_rl.core.batch import Stream, TrainBatch
from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.micro_batch import pad_micro_batches
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.core.packing import pack


@torch.no_grad()
def score_segments(
    model: PolicyModel, segments: Sequence[Segment], packing: PackingConfig, temperature: float
) -> tuple[list[Stream], list[Stream] | None]:
    """Log-probabilities and values of sampled tokens.

    Returns:
        A stream of log-probabilities, and one of values where there is a value head; NaN where nothing was sampled.
    """
    logprobs: list[Stream] = [np.zeros(0)] * len(segments)
    values: list[Stream] = [np.zeros(0)] * len(segments)
    mine = range(distributed.rank(), len(segments), distributed.world_size())
    for scored, valued in distributed.gather(_score(model, [segments[i] for i in mine], packing, temperature)):
        for index, stream in scored.items():
            logprobs[index] = stream
        for index, stream in valued.items():
            values[index] = stream
    return logprobs, values if model.value_head is not None else None


def _score(
    model: PolicyModel, segments: list[Segment], packing: PackingConfig, temperature: float
) -> tuple[dict[int, Stream], dict[int, Stream]]:
    """This rank's share: log-probabilities and values by index of the segment over all ranks."""
    first, step = distributed.rank(), distributed.world_size()
    device = next(model.parameters()).device
    logprobs: dict[int, Stream] = {}
    values: dict[int, Stream] = {}
    batches = pack(segments, replace(packing, keep_sequences_whole=False)) if segments else []
    for batch in pad_micro_batches(batches, max(distributed.gather(len(batches)))):
        scored, _, valued = model.score(batch.to(device), temperature, "none")
        for index, stream in batch.unflatten(scored).items():
            logprobs[first + step * index] = stream.astype(np.float64)
        for index, stream in batch.unflatten(valued).items() if valued is not None else ():
            values[first + step * index] = stream.astype(np.float64)
    return logprobs, values


def fill_scores(
    batch: TrainBatch,
    model: PolicyModel,
    reference: PolicyModel | None,
    packing: PackingConfig,
    temperature: float,
    *,
    recompute_prox: bool,
) -> None:
    """Fill the streams that advantages and the loss read: old values, prox and reference log-probabilities."""
    if recompute_prox or model.value_head is not None:
        logprobs, values = score_segments(model, batch.segments, packing, temperature)
        batch.prox_logprobs = logprobs if recompute_prox else None
        batch.old_values = values
    if not recompute_prox:
        batch.prox_logprobs = [segment.behaviour_logprobs.astype(np.float64) for segment in batch.segments]
    if reference is not None:
        batch.reference_logprobs, _ = score_segments(reference, batch.segments, packing, temperature)
    if model.value_head is not None:
        batch.final_values = _final_values(batch, model, packing)


def _final_values(batch: TrainBatch, model: PolicyModel, packing: PackingConfig) -> list[float | None]:
    """V at the final observation of truncated episodes, None for the others.

    Where the final observation does not fit into a row, or the episode was cut before there was one, the state after
    the last sampled token stands in for it.
    """
    wanted = [i for i, each in enumerate(batch.trajectories) if each.is_truncated]
    wanted = [i for i in wanted if batch.segments_of(i)]
    probes = [final_probe(batch, index, packing.row_length) for index in wanted]
    _, values = score_segments(model, probes, packing, 1.0)
    finals: list[float | None] = [None] * batch.num_sequences
    for index, stream in zip(wanted, values or [], strict=True):
        finals[index] = float(stream[-1])
    return finals


def final_probe(batch: TrainBatch, trajectory: int, row_length: int) -> Segment:
    """The final observation as a segment whose last token is marked as sampled, so that V before it is V there."""
    last = batch.segments[batch.segments_of(trajectory)[-1]]
    final = batch.trajectories[trajectory].final_prompt()
    shown = last if final is None or len(final.tokens) >= row_length else final
    num_left_out = max(0, len(shown.tokens) - (row_length - 1))
    tokens = np.append(shown.tokens[num_left_out:], 0).astype(np.int32)
    mask = np.zeros(len(tokens), np.bool_)
    mask[-1] = True
    filler = np.zeros(len(tokens), np.int32)
    return Segment(
        tokens,
        mask,
        filler,
        np.full(len(tokens), np.nan, np.float32),
        filler,
        f"probe-{trajectory}",
        tuple(place.moved(-num_left_out) for place in shown.pictures),
        shown.picture_urls,
    )
