"""One process: everything is the identity. Two ranks are in test_job.py and test_ranks.py."""

from __future__ import annotations

import pytest
import torch
from torch import distributed as dist
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


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, object]]:
    """What a start does in the second process of the second machine of two GPUs each."""
    calls: list[tuple[str, object]] = []
    for name, value in {"RANK": "3", "LOCAL_RANK": "1", "WORLD_SIZE": "4"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", lambda device: calls.append(("device", device)))
    monkeypatch.setattr(dist, "init_process_group", lambda backend: calls.append(("group", backend)))
    return calls


def test_each_process_takes_its_gpu_before_it_joins_the_group(started: list[tuple[str, object]]) -> None:
    """Objects and tensors on the CPU need a backend too, beside NCCL."""
    distributed.start("auto")
    assert started == [("device", 1), ("group", "cpu:gloo,cuda:nccl")]


def test_processes_that_are_to_stay_on_the_cpu_leave_gpus_alone(started: list[tuple[str, object]]) -> None:
    distributed.start("cpu")
    assert started == [("group", "gloo")]


def test_a_model_on_the_cpu_is_sharded_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """FSDP2's default mesh is of the machine's GPUs."""
    meshes: list[object] = []
    monkeypatch.setattr(distributed, "is_distributed", lambda: True)
    monkeypatch.setattr(distributed, "world_size", lambda: 2)
    monkeypatch.setattr(distributed, "init_device_mesh", lambda *of: of)
    monkeypatch.setattr(distributed, "fully_shard", lambda module, mesh: meshes.append(mesh))
    layers = nn.ModuleList([nn.Linear(2, 2)])
    distributed.shard(nn.Sequential(*layers), layers)
    assert meshes == [("cpu", (2,))] * 2


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
