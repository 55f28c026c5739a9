"""Policies of models that are made from nothing."""

import pytest

from agentgym.policies.torch.policy import TorchPolicy


@pytest.fixture
def policy_of(make_model, tokenizer):
    def make(family="llama", **options):
        model = options.pop("model", None)
        return TorchPolicy(model or make_model(family), tokenizer, **{"stop_ids": [tokenizer.eos_token_id], **options})

    return make
