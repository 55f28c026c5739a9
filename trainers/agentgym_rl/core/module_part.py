"""A module with an optimiser of its own as a part of checkpoints: critics, their copies, heads."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from agentgym.errors import CheckpointError
from agentgym_rl.core.part_state import PartState


class ModulePart:
    """What a checkpoint keeps of a module.

    Args:
        module: All of its parameters and buffers are kept, trained or not.
        optimiser: Of its trained parameters.
    """

    def __init__(self, module: nn.Module, optimiser: torch.optim.Optimizer) -> None:
        self._module, self._optimiser = module, optimiser

    def state(self) -> PartState:
        """Weights and moments."""
        tensors = {f"weights.{name}": _copy(tensor) for name, tensor in self._module.state_dict().items()}
        for index, moments in self._optimiser.state_dict()["state"].items():
            tensors |= {f"moments.{index}.{name}": _copy(tensor) for name, tensor in moments.items()}
        return PartState({"num_weights": len(self._module.state_dict())}, tensors)

    def restore(self, state: PartState) -> None:
        """Go on from a state.

        Raises:
            CheckpointError: It is of a module of another shape.
        """
        weights: dict[str, Tensor] = {}
        moments: dict[int, dict[str, Tensor]] = {}
        for key, tensor in state.tensors.items():
            kind, _, name = key.partition(".")
            if kind == "weights":
                weights[name] = tensor
            else:
                index, _, moment = name.partition(".")
                moments.setdefault(int(index), {})[moment] = tensor
        groups = self._optimiser.state_dict()["param_groups"]
        try:
            self._module.load_state_dict(weights)
            self._optimiser.load_state_dict({"state": moments, "param_groups": groups})
        except (RuntimeError, ValueError) as error:
            raise CheckpointError(
                f"the checkpoint's {type(self._module).__name__} does not fit this run's: {error}; resume with the "
                "run's own configuration"
            ) from error


def _copy(tensor: Tensor) -> Tensor:
    return tensor.detach().cpu().clone()
