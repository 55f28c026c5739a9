"""One iteration's learning: mini-batches, micro-batches, gradient accumulation, the optimiser's steps.

Everything here works alike in one process and under torchrun: counts and metrics are added up over ranks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor

from agentgym.trajectory import HINT
from agentgym_rl.core import distributed
from agentgym_rl.core.batch import Stream, TrainBatch
from agentgym_rl.core.config.train import ConfigOf
from agentgym_rl.core.logprobs import Entropy
from agentgym_rl.core.micro_batch import MicroBatch, pad_micro_batches
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.core.packing import pack
from agentgym_rl.groups.options import GroupOptions
from agentgym_rl.maths.aggregation import Totals, count_totals, token_weights
from agentgym_rl.maths.importance import importance_weights
from agentgym_rl.maths.loss_metrics import LossMetrics
from agentgym_rl.maths.losses import TokenStreams, policy_loss
from agentgym_rl.maths.values import value_loss
from agentgym_rl.replay.successes import is_replayed

_MAIN = "fresh"


@dataclass
class UpdateReport:
    """What the updates of an iteration did.

    Attributes:
        metrics: Sums over tokens of all updates.
        grad_norms: Norm of the policy's gradient before clipping, an entry an update.
        value_losses: Loss of the value head, an entry an update.
        num_updates: Optimiser steps.
        objectives: Sums over tokens of further objectives, by name.
        mismatch: Before the first step, sum of k3 (nats), number of tokens and largest |difference| between the
            trainer's log-probabilities and those recorded when sampling, over fresh tokens of the present weights.
    """

    metrics: LossMetrics = field(default_factory=LossMetrics.zero)
    grad_norms: list[float] = field(default_factory=list)
    value_losses: list[float] = field(default_factory=list)
    num_updates: int = 0
    objectives: dict[str, LossMetrics] = field(default_factory=dict)
    mismatch: list[tuple[float, int, float]] = field(default_factory=list)


@dataclass(frozen=True)
class Objective:
    """A loss over a batch; several add up to that of an update, each with denominators of its own.

    Attributes:
        name: For the metrics.
        batch: With advantages; the same on all ranks.
        config: The run's configuration, with the loss and the aggregation of this objective.
        coefficient: Its weight.
    """

    name: str
    batch: TrainBatch
    config: ConfigOf[GroupOptions]
    coefficient: float = 1.0


def learn(
    model: PolicyModel,
    optimiser: torch.optim.Optimizer,
    batch: TrainBatch,
    config: ConfigOf[GroupOptions],
    *,
    seed: int,
    version: int,
    further: Sequence[Objective] = (),
) -> UpdateReport:
    """Train on a batch: epochs x mini-batches updates.

    Args:
        model: In training mode.
        optimiser: With the learning rate of this iteration set.
        batch: With advantages.
        config: The run's configuration.
        seed: Seed of the order of mini-batches; the same on all ranks.
        version: Version of the model's weights.
        further: Objectives that are added to that of the batch; each update takes its share of each.

    Returns:
        Metrics, added up over ranks.
    """
    report = UpdateReport(objectives={objective.name: LossMetrics.zero() for objective in further})
    objectives = [Objective(_MAIN, batch, config), *further]
    for epoch in range(config.algorithm.epochs):
        rounds = [_minibatches(one.batch, config.algorithm.minibatches, seed + epoch) for one in objectives]
        for parts in zip(*rounds, strict=True):
            shares = [replace(one, batch=part) for one, part in zip(objectives, parts, strict=True)]
            _step(model, optimiser, shares, report, version if not report.grad_norms else None)
    report.mismatch = [pair for pairs in distributed.gather(report.mismatch) for pair in pairs]
    report.metrics = distributed.add_up(report.metrics)
    report.objectives = {name: distributed.add_up(metrics) for name, metrics in report.objectives.items()}
    return report


def _minibatches(batch: TrainBatch, count: int, seed: int) -> Iterator[TrainBatch]:
    order = np.random.default_rng(seed).permutation(batch.num_sequences)
    for part in np.array_split(order, count):
        chosen = np.zeros(batch.num_sequences, np.bool_)
        chosen[part] = True
        yield batch.keep(chosen)


def _step(
    model: PolicyModel,
    optimiser: torch.optim.Optimizer,
    objectives: Sequence[Objective],
    report: UpdateReport,
    fresh_version: int | None,
) -> None:
    """One update on one mini-batch of each objective, of which this rank takes every n-th trajectory.

    `fresh_version` is the version of the weights where nothing was trained since it was published, else None.
    """
    counted = [(one, _count(one.batch)) for one in objectives]
    if not any(totals.num_tokens for _, totals in counted):
        return
    optimiser.zero_grad(set_to_none=True)
    values = [_accumulate(model, one, totals, report, fresh_version) for one, totals in counted if totals.num_tokens]
    norms = distributed.clip_groups(optimiser, objectives[0].config.optimiser.max_grad_norm)
    if all(np.isfinite(norm) for norm in norms):
        optimiser.step()
        report.num_updates += 1
    report.grad_norms.append(norms[0])
    report.value_losses.append(sum(distributed.gather(sum(values))))


def _accumulate(
    model: PolicyModel, objective: Objective, totals: Totals, report: UpdateReport, fresh_version: int | None
) -> float:
    """Add the gradient of an objective; returns this rank's part of the loss of the value head."""
    batch, config = objective.batch, objective.config
    is_mine = np.arange(batch.num_sequences) % distributed.world_size() == distributed.rank()
    mine, numbers = batch.keep(is_mine), np.flatnonzero(is_mine)
    micro_batches = pack(mine.segments, config.packing, sequence_index=numbers[mine.owner]) if mine.segments else []
    value_sum = 0.0
    device = next(model.parameters()).device
    temperature = config.rollout.sampling.temperature
    entropy: Entropy = "gradient" if config.algorithm.loss.entropy_coefficient > 0 else "value"
    value = config.algorithm.value
    value_coefficient = 0.0 if value is None else value.coefficient / _value_scale(batch)
    for micro in pad_micro_batches(micro_batches, max(distributed.gather(len(micro_batches)))):
        scores = model.score(micro.to(device), temperature, entropy)
        loss, metrics = _micro_loss(scores, micro.to(device), mine, totals, config)
        weighted = objective.coefficient * loss[0] + value_coefficient * loss[1]
        torch.autograd.backward(weighted * distributed.world_size())
        if objective.name == _MAIN:
            if fresh_version is not None:
                report.mismatch.append(_mismatch(scores[0], micro, mine, fresh_version))
            report.metrics = report.metrics + metrics
        else:
            report.objectives[objective.name] = report.objectives[objective.name] + metrics
        value_sum += float(loss[1].detach())
    return value_sum


def _count(batch: TrainBatch) -> Totals:
    owners = [
        np.full(int(segment.completion_mask.sum()), owner)
        for segment, owner in zip(batch.segments, batch.owner, strict=True)
    ]
    flat = np.concatenate(owners) if owners else np.zeros(0, np.int64)
    return count_totals(torch.from_numpy(flat), batch.num_sequences)


def _mismatch(logprobs: Tensor, micro: MicroBatch, batch: TrainBatch, version: int) -> tuple[float, int, float]:
    recorded = micro.flatten([segment.behaviour_logprobs for segment in batch.segments], torch.float64)
    # What was sampled with a hint is scored without it, and versions of an earlier run are of other weights.
    owners = [batch.trajectories[owner] for owner in batch.owner]
    is_other = [HINT in owner.metadata or is_replayed(owner) for owner in owners]
    pairs = zip(batch.segments, is_other, strict=True)
    versions = micro.flatten([np.where(other, np.nan, segment.versions) for segment, other in pairs])
    differences = (logprobs.detach().cpu().double() - recorded)[versions == version]
    if len(differences) == 0:
        return 0.0, 0, 0.0
    k3 = torch.expm1(differences) - differences
    return float(k3.sum()), len(differences), float(differences.abs().max())


def _micro_loss(
    scores: tuple[Tensor, Tensor, Tensor | None],
    micro: MicroBatch,
    batch: TrainBatch,
    totals: Totals,
    config: ConfigOf[GroupOptions],
) -> tuple[tuple[Tensor, Tensor], LossMetrics]:
    """Losses of policy and value head on one micro-batch."""
    algorithm = config.algorithm
    logprobs, entropy, values = scores
    prox = _stream(micro, batch.prox_logprobs)
    importance = None
    if algorithm.importance.mode != "none" and prox is not None:
        behaviour = micro.flatten([segment.behaviour_logprobs for segment in batch.segments])
        importance = importance_weights(prox, behaviour, micro.sequence_index, algorithm.importance)
    factors = _stream(micro, batch.token_weights)
    if factors is not None:
        importance = factors if importance is None else importance * factors
    streams = TokenStreams(
        policy_logprobs=logprobs,
        advantages=micro.flatten(batch.advantages),
        sequence_index=micro.sequence_index,
        turn_index=micro.turn_index,
        prox_logprobs=prox,
        importance=importance,
        reference_logprobs=_stream(micro, batch.reference_logprobs),
        entropy=entropy,
        is_fresh=_freshness(micro, batch),
    )
    constant = algorithm.max_episode_tokens if algorithm.aggregation == "dr_grpo" else None
    weights = token_weights(algorithm.aggregation, micro.sequence_index, totals, max_tokens=constant)
    loss, metrics = policy_loss(streams, weights, algorithm.loss)
    return (loss, _value_loss(micro, batch, values, totals, config)), metrics


def _freshness(micro: MicroBatch, batch: TrainBatch) -> Tensor | None:
    """Which tokens are of fresh episodes; None where all are."""
    fresh = [not is_replayed(trajectory) for trajectory in batch.trajectories]
    return None if all(fresh) else micro.flatten([float(fresh[owner]) for owner in batch.owner]) > 0


def _value_loss(
    micro: MicroBatch, batch: TrainBatch, values: Tensor | None, totals: Totals, config: ConfigOf[GroupOptions]
) -> Tensor:
    options = config.algorithm.value
    if options is None or values is None or batch.value_targets is None or batch.is_value_target is None:
        return torch.zeros((), device=micro.tokens.device)
    weights = micro.flatten(batch.is_value_target) / totals.num_tokens
    old = _stream(micro, batch.old_values)
    return value_loss(values, micro.flatten(batch.value_targets), weights, old_values=old, clip=options.clip)


def _value_scale(batch: TrainBatch) -> float:
    """Mean square of what the value head is trained to say, at least 1.

    The head shares the model: for returns of -14 its gradient would drown that of the policy.
    """
    if batch.value_targets is None or batch.is_value_target is None:
        return 1.0
    pairs = zip(batch.value_targets, batch.is_value_target, strict=True)
    targets = np.concatenate([np.zeros(0), *(target[is_it > 0] for target, is_it in pairs)])
    return max(1.0, float(np.square(targets).mean())) if len(targets) else 1.0


def _stream(micro: MicroBatch, stream: list[Stream] | None) -> Tensor | None:
    return None if stream is None else micro.flatten(stream)
