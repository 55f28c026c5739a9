"""What differs under torchrun: ranks, sums over ranks, sharding, clipping. In one process all of it is the identity."""

from __future__ import annotations

import os
import time
from typing import Any, Protocol, TypeVar, cast

import torch
from torch import Tensor, nn
from torch import distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor

from agentgym_rl.maths.loss_metrics import LossMetrics

T = TypeVar("T")
_LET_GO_S = 0.3


class HasGroups(Protocol):
    """An optimiser, or several as one."""

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        """Parameters with their settings."""


def is_distributed() -> bool:
    """Whether a process group is running."""
    return dist.is_available() and dist.is_initialized()


def rank() -> int:
    """Number of this process, from 0."""
    return dist.get_rank() if is_distributed() else 0


def world_size() -> int:
    """Number of processes."""
    return dist.get_world_size() if is_distributed() else 1


def start(device: str = "auto") -> None:
    """Join the process group that torchrun announces; without torchrun nothing happens.

    Args:
        device: As `run.device`: with "cpu" GPUs are left alone, else each process takes the one of its local rank.
    """
    if "RANK" not in os.environ or "WORLD_SIZE" not in os.environ or is_distributed():
        return
    if device == "cpu" or not torch.cuda.is_available():
        dist.init_process_group("gloo")
        return
    local_rank = int(os.environ.get("LOCAL_RANK", os.environ["RANK"]))
    # NCCL and FSDP2 take the current device. Objects, and sums of iterations without tokens, are on the CPU: Gloo's.
    torch.cuda.set_device(local_rank % torch.cuda.device_count())
    dist.init_process_group("cpu:gloo,cuda:nccl")


def stop() -> None:
    """Leave the process group.

    Gloo's threads outlive it, as sharded models hold it. One that has yet to let go of a tensor of Python's takes the
    interpreter's lock for that, and would end the process with SIGABRT if the interpreter were gone by then.
    """
    if is_distributed():
        dist.destroy_process_group()
        time.sleep(_LET_GO_S)


def add_up(metrics: LossMetrics) -> LossMetrics:
    """Metrics summed over ranks."""
    return metrics.all_reduce() if is_distributed() else metrics


def gather(item: T) -> list[T]:
    """The item of every rank, in order of rank, on every rank."""
    if not is_distributed():
        return [item]
    items: list[T | None] = [None] * world_size()
    dist.all_gather_object(items, item)
    return cast(list[T], items)


def broadcast(item: T) -> T:
    """Rank 0's item on every rank."""
    if not is_distributed():
        return item
    items = [item]
    dist.broadcast_object_list(items, src=0)
    return items[0]


def shard(model: nn.Module, layers: nn.ModuleList) -> None:
    """Shard the parameters over ranks (FSDP2): each layer on its own, and the rest."""
    if not is_distributed():
        return
    # Without a mesh FSDP2 takes the machine's GPUs, also for a model that is to stay on the CPU.
    mesh = init_device_mesh(next(model.parameters()).device.type, (world_size(),))
    for layer in layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)


def full_parameters(model: nn.Module) -> dict[str, Tensor]:
    """Whole parameters and buffers on every rank, by name; a collective call where they are sharded."""
    state = model.state_dict(keep_vars=False)
    return {name: whole(tensor.detach()) for name, tensor in state.items()}


def whole(tensor: Tensor) -> Tensor:
    """The tensor itself, or the whole of a sharded one."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def clip_groups(optimiser: HasGroups, max_norm: float) -> list[float]:
    """Scale the gradients of each parameter group down to a norm; returns the norms before."""
    norms = []
    for group in optimiser.param_groups:
        norm = nn.utils.clip_grad_norm_(group["params"], max_norm)
        norms.append(float(whole(norm)))
    return norms
