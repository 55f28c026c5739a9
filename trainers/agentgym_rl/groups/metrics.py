"""What learning from groups reports of an iteration: its updates, advantages and groups.

What every run reports of the groups that were collected is in agentgym_rl/core/metrics.py.
"""

from __future__ import annotations

import numpy as np

from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.metrics import Metrics
from agentgym_rl.groups.credit import CreditReport
from agentgym_rl.groups.update import UpdateReport


def learning_metrics(batch: TrainBatch, credit: CreditReport, report: UpdateReport, num_groups: int) -> Metrics:
    """Numbers of the updates.

    Returns:
        By name: `loss/…` (see `LossMetrics.summarise`), the same of objectives beside the groups' under their names,
        `grad_norm/mean`, `grad_norm/max`, `value/loss`, `updates`,
        `advantage/std`, `groups/zero_variance_share`, `groups/trained_episodes`, `groups/nonfinite`,
        `groups/truncated_excluded`, `states/mean_size` and `states/singleton_share` where turns in equal states are
        compared, `calibration/…` where a value head ran (see `calibration.py`), `mismatch/k3` (nats a token) and
        `mismatch/max`: how far the trainer's log-probabilities lie from those recorded when sampling, before the first
        update.
    """
    metrics = {f"loss/{name}": value for name, value in report.metrics.summarise().items()}
    for name, sums in report.objectives.items():
        metrics |= {f"{name}/{key}": value for key, value in sums.summarise().items()}
    if report.grad_norms:
        metrics["grad_norm/mean"] = float(np.mean(report.grad_norms))
        metrics["grad_norm/max"] = float(np.max(report.grad_norms))
    num_compared = sum(count for _, count, _ in report.mismatch)
    if num_compared:
        metrics["mismatch/k3"] = sum(total for total, _, _ in report.mismatch) / num_compared
        metrics["mismatch/max"] = max(largest for _, _, largest in report.mismatch)
    if batch.value_targets is not None and report.value_losses:
        metrics["value/loss"] = float(np.mean(report.value_losses))
    advantages = [
        stream[segment.completion_mask] for stream, segment in zip(batch.advantages, batch.segments, strict=True)
    ]
    metrics["updates"] = float(report.num_updates)
    metrics["advantage/std"] = float(np.concatenate(advantages).std()) if advantages else 0.0
    metrics["groups/zero_variance_share"] = credit.zero_variance_groups / max(1, num_groups)
    metrics["groups/trained_episodes"] = float(batch.num_sequences)
    metrics["groups/nonfinite"] = float(credit.nonfinite)
    metrics["groups/truncated_excluded"] = float(credit.truncated_excluded)
    if credit.states is not None:
        metrics["states/mean_size"] = credit.states.mean_size
        metrics["states/singleton_share"] = credit.states.singleton_share
    return metrics | dict(credit.metrics)
