"""The trained weights for those who read them whole: the sampler, and folders as `save_pretrained` writes them.

Checkpoints, which hold the optimiser too, are the work of `checkpoint.py`.
"""

from __future__ import annotations

import copy
from typing import Any, cast

from torch import nn
from transformers import PreTrainedModel

from agentgym.policies.sampler import Sampler
from agentgym_rl.core import distributed
from agentgym_rl.core.models import PolicyModel


def publish(model: PolicyModel, sampler: Sampler, version: int) -> None:
    """Hand the present weights to the sampler; a collective call where they are sharded.

    A learner that samples between its own updates publishes them under the version that they have.
    """
    sampler.load_weights(distributed.full_parameters(model.causal_lm), version)


class WholeModel:
    """An unsharded module of the trained model's shape, to be written to a folder.

    In one process it is the trained module itself; under torchrun rank 0 keeps a copy on the CPU.

    Args:
        causal_lm: The model before it is sharded.
    """

    def __init__(self, causal_lm: PreTrainedModel) -> None:
        self._module: PreTrainedModel | None = causal_lm
        if distributed.is_distributed():
            self._module = cast(Any, copy.deepcopy(causal_lm)).cpu() if distributed.rank() == 0 else None

    def of(self, model: PolicyModel) -> PreTrainedModel | None:
        """The module with the present weights; None on ranks other than 0, which must call this too."""
        if not distributed.is_distributed():
            return model.causal_lm
        weights = distributed.full_parameters(model.causal_lm)
        if self._module is not None:
            cast(nn.Module, self._module).load_state_dict(weights)
        return self._module
