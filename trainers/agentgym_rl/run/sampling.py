"""What samples for a run: the one place that makes a policy in this process.

The rest of the trainer knows `agentgym.policies.sampler.Sampler` alone; `train(..., make_sampler=...)` takes another.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

from transformers import PreTrainedModel, PreTrainedTokenizerFast

from agentgym.policies.sampler import Sampler
from agentgym.policies.torch.listed import ListedPolicy, load_policy
from agentgym.policies.torch.policy import TorchPolicy
from agentgym.policy import Policy, Seen
from agentgym_rl.core import distributed
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.core.models import computes_in_bfloat16

MakeSampler = Callable[[PreTrainedModel, PreTrainedTokenizerFast, TrainConfig], Sampler]
"""(model, tokenizer, configuration) -> a sampler of that model's weights, which are version 0."""


def make_torch_sampler(
    causal_lm: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, config: TrainConfig
) -> TorchPolicy:
    """A policy in this process, which picks among listed actions where the algorithm does.

    It samples from the model's own module, or from a whole copy where that will be sharded, and it computes in the
    dtype of the scoring forward pass: weights that are rounded on one side only would make two policies of one.

    Args:
        causal_lm: The model that is trained, before it is sharded.
        tokenizer: Its tokenizer.
        config: The run's configuration.
    """
    module = copy.deepcopy(causal_lm) if distributed.is_distributed() else causal_lm
    return _kind(config)(module, tokenizer, name="policy", autocast=computes_in_bfloat16(config.model))


def untrained_policy(
    causal_lm: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, config: TrainConfig, seen: Seen
) -> Policy:
    """The model that a run started from, to be tested.

    Args:
        causal_lm: The model.
        tokenizer: Its tokenizer.
        config: The run's configuration.
        seen: Which tasks it was trained on.
    """
    policy = _kind(config)(causal_lm, tokenizer, name="untrained")
    policy.seen_hashes, policy.knows_seen = seen
    return policy


def stored_policy(folder: Path, name: str) -> Policy:
    """The model of an exported stage, to be tested."""
    return load_policy(folder, name=name)


def _kind(config: TrainConfig) -> type[TorchPolicy]:
    return ListedPolicy if config.algorithm.picks_legal_actions else TorchPolicy
