"""Towers: the causal transformers whose hidden states predictors of credit read, with a head on top.

How they are fitted is the work of `estimator`.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Literal, cast

import torch
from jaxtyping import Float
from torch import Tensor, nn
from transformers import LlamaConfig, LlamaModel, PreTrainedModel

from agentgym.attribution.learned.predicted import FitConfig
from agentgym.errors import ConfigError
from agentgym.policies.torch.layout import masks_for
from agentgym.policies.torch.sight import sight_of
from agentgym_rl.core.config.tables import ModelConfig
from agentgym_rl.core.micro_batch import MicroBatch
from agentgym_rl.core.models import load_causal_lm
from agentgym_rl.core.positions import TurnPositions
from agentgym_rl.learned_attribution.reading import BUCKETS
from agentgym_rl.replay.admission import tokenizer_digest

Reads = Literal["words", "tokens"]
_WIDTH, _LAYERS, _HEADS = 64, 2, 4


@dataclass(frozen=True)
class TurnOutputs:
    """What the head says of each turn of a micro-batch."""

    before: Float[Tensor, " N"]
    """At the last token of the prompt: the history."""
    after: Float[Tensor, " N"]
    """At the last token of the turn: the history and the action."""


class TurnNetwork(nn.Module):
    """A tower and a head of one number, read before and after each turn.

    Args:
        tower: A causal transformer without its language head.
        num_features: Size of its hidden states.
        trains_tower: Whether it learns with the head.
        bias: Where the head's outputs start.
    """

    def __init__(self, tower: nn.Module, num_features: int, trains_tower: bool) -> None:
        super().__init__()
        self.tower = tower.float() if trains_tower else tower
        self.tower.requires_grad_(trains_tower)
        self.head = nn.Linear(num_features, 1)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)
        self.head.to(next(tower.parameters()).device)

    def forward(self, batch: MicroBatch, positions: TurnPositions) -> TurnOutputs:
        """The head's numbers, float32, with gradient."""
        hidden = self.hidden(batch)
        read = self.head(hidden.to(self.head.weight.dtype)).squeeze(-1)
        return TurnOutputs(read[positions.row, positions.state], read[positions.row, positions.action])

    def hidden(self, batch: MicroBatch) -> Float[Tensor, "R L D"]:
        """The tower's last hidden states."""
        masks = masks_for(cast(PreTrainedModel, self.tower), batch.attention_mask(), batch.position_ids)
        states: Tensor = self.tower(
            input_ids=batch.tokens, position_ids=batch.position_ids, attention_mask=masks, use_cache=False
        ).last_hidden_state
        return states


def require_tower(fit: FitConfig, digest: str) -> None:
    """Refuse the folder of a tower that cannot read a run's tokens.

    Args:
        fit: Which tower.
        digest: Of the run's tokenizer.

    Raises:
        CheckpointError: The folder holds no model.
        ConfigError: Its tokens are not those of the run.
    """
    if fit.tower in ("tiny", "policy"):
        return
    own = tokenizer_digest(load_causal_lm(fit.tower, ModelConfig())[1])
    if own != digest:
        raise ConfigError(
            f"the tokenizer of the tower {fit.tower!r} is not the run's, so its token ids mean something else there; "
            'set fit.tower = "policy", or a model with the same tokenizer'
        )


def make_network(fit: FitConfig, policy: PreTrainedModel | None) -> tuple[TurnNetwork, Reads]:
    """A network as configured, its weights drawn by `fit.seed`, and what it reads.

    Args:
        fit: Which tower.
        policy: The weights that training starts from; None where nothing is trained.

    Raises:
        ConfigError: A copy of the policy is asked for where there is none, or the tower is a model that sees.
        CheckpointError: The folder holds no model.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(fit.seed)
        if fit.tower == "tiny":
            network = TurnNetwork(_tiny(), _WIDTH, True)
            return network if policy is None else network.to(policy.device), "words"
        model = _policy_copy(policy) if fit.tower == "policy" else load_causal_lm(fit.tower, ModelConfig())[0]
        _require_words(model, fit)
        if fit.trains_tower:
            cast(nn.Module, model).float()  # an optimiser moves bfloat16 weights hardly
        if fit.tower != "policy" and policy is not None:
            cast(nn.Module, model).to(policy.device)
        return TurnNetwork(_transformer(model), int(model.config.hidden_size), fit.trains_tower), "tokens"


def _require_words(model: PreTrainedModel, fit: FitConfig) -> None:
    if sight_of(cast(nn.Module, model)) is not None:
        raise ConfigError(
            f'the tower {fit.tower!r} is a model that sees, and towers read no pictures; set fit.tower = "tiny", which '
            "reads words"
        )


def _tiny() -> LlamaModel:
    config = LlamaConfig(
        vocab_size=BUCKETS,
        hidden_size=_WIDTH,
        intermediate_size=2 * _WIDTH,
        num_hidden_layers=_LAYERS,
        num_attention_heads=_HEADS,
        num_key_value_heads=_HEADS,
        max_position_embeddings=65536,
    )
    return LlamaModel(config)


def _policy_copy(policy: PreTrainedModel | None) -> PreTrainedModel:
    if policy is None:
        raise ConfigError(
            'fit.tower = "policy" copies the weights that training starts from; for a run that is over give the folder '
            "of a model, such as RUN/models/cloned"
        )
    return copy.deepcopy(policy)


def _transformer(model: PreTrainedModel) -> nn.Module:
    inner: Any = model
    if hasattr(inner, "peft_config"):
        inner = inner.get_base_model()
    transformer: nn.Module = inner.base_model
    return transformer
