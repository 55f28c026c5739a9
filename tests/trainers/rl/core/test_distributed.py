"""One process: everything is the identity. Two ranks are in test_job.py and test_ranks.py."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from agentgym_rl.core import distributed
from agentgym_rl.maths.loss_metrics import LossMetrics


def test_one_process_talks_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RANK", raising=False)
    distributed.start()
    assert not distributed.is_distributed()
    assert (distributed.rank(), distributed.world_size()) == (0, 1)
    assert distributed.gather("item") == ["item"]
    assert distributed.broadcast("item") == "item"
    metrics = LossMetrics.zero()
    assert distributed.add_up(metrics) is metrics
    distributed.stop()


def test_nothing_is_sharded_in_one_process() -> None:
    layers = nn.ModuleList([nn.Linear(2, 2)])
    model = nn.Sequential(*layers)
    distributed.shard(model, layers)
    assert all(type(parameter) is nn.Parameter for parameter in model.parameters())
    whole = distributed.full_parameters(model)
    assert whole.keys() == model.state_dict().keys()
    assert not any(tensor.requires_grad for tensor in whole.values())


def test_gradients_are_clipped_a_group_at_a_time() -> None:
    first, second = nn.Parameter(torch.zeros(2)), nn.Parameter(torch.zeros(2))
    optimiser = torch.optim.SGD([{"params": [first]}, {"params": [second]}], lr=1.0)
    first.grad, second.grad = torch.tensor([3.0, 4.0]), torch.tensor([0.3, 0.4])
    norms = distributed.clip_groups(optimiser, 1.0)
    assert norms == pytest.approx([5.0, 0.5])
    assert first.grad.norm().item() == pytest.approx(1.0, abs=1e-4)
    assert second.grad.norm().item() == pytest.approx(0.5, abs=1e-6)
