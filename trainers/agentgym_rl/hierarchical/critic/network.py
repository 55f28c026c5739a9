"""The critic of turns: Q and V heads over hidden states of turns, and their lagging copy.

Not here: which hidden states (valuation.py, observations.py), what heads regress to (targets.py), the step (step.py).
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor, nn
from transformers import PreTrainedModel

from agentgym.errors import ConfigError
from agentgym.policies.torch.layout import masks_for
from agentgym_rl.core.micro_batch import MicroBatch
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.hierarchical.critic.pooling import ObservationPooling, Observed, Standard
from agentgym_rl.hierarchical.options import AUTO, AnyCriticConfig

_PROBE_TOKENS = 6
_PROBE_TOLERANCE = 1e-3


@dataclass(frozen=True)
class TurnStates:
    """What heads read of turns."""

    state: Float[Tensor, "N S"]
    """The history: the hidden state at the last token of the prompt; of width 0 where it is not read."""
    action: Float[Tensor, "N D"]
    """The action, read apart from the history: the mean of the hidden states at its tokens."""
    seen: Observed | None = None
    """The observation that the state ends with, read apart from the history, and the opening where that is read too;
    None where neither is."""

    def at(self, turns: Tensor) -> TurnStates:
        """Those of some turns, by a mask or by index."""
        seen = None if self.seen is None else self.seen.at(turns)
        return TurnStates(self.state[turns], self.action[turns], seen)


@dataclass(frozen=True)
class CriticOutputs:
    """What the heads say of each turn: values, or logits of a bounded value (see `as_values`)."""

    q: Float[Tensor, "K N"]
    """Of the state and the action."""
    v: Float[Tensor, "K N"]
    """Of the state."""


def as_values(outputs: Float[Tensor, "K N"], value_range: tuple[float, float] | None) -> Float[Tensor, "K N"]:
    """Values that outputs of heads stand for: themselves, or low + (high - low) sigmoid(output)."""
    if value_range is None:
        return outputs
    low, high = value_range
    return low + (high - low) * outputs.sigmoid()


class CriticNetwork(nn.Module):
    """Heads, and the tower below them where the critic has one of its own.

    Q_j = MLP([h_state; h_action]), V_j = MLP(h_state), j = 1, 2 or more, each of two hidden layers with ReLU; state and
    action are encoded apart. ArCHer, Zhou et al. 2024, arXiv 2402.19446. Differs: causal models of any kind encode, the
    action is the mean over its tokens, and hidden states are standardised, as most of them is the same in all turns;
    the state may be what is seen now, read apart from the history, beside the history or alone.

    Args:
        num_features: Size D of the hidden states.
        config: What is read of a state, and the size and number of the heads.
        tower: A causal model from Hugging Face, trained with the heads; None: hidden states come from outside.
        autocast: Run the tower in bfloat16 autocast.

    Raises:
        ConfigError: The tower lets a token see later ones, so that V would see the action.
    """

    def __init__(
        self,
        num_features: int,
        config: AnyCriticConfig,
        tower: PreTrainedModel | None = None,
        *,
        autocast: bool = False,
    ) -> None:
        super().__init__()
        if config.reads == AUTO:
            raise ConfigError('critic.network.reads is "auto"; choose what a critic reads that no suite chooses for')
        self.num_features, self.autocast = num_features, autocast
        self.reads_history = config.reads in ("history", "both", "all")
        has_opening = config.reads in ("opening", "all")
        self.state_scale = Standard(num_features if self.reads_history else 0)
        self.action_scale = Standard(num_features)
        self.seen = None
        if config.reads != "history":
            self.seen = ObservationPooling(num_features, config.pooling, has_opening=has_opening)
        size = num_features * self.reads_history + (0 if self.seen is None else self.seen.num_features)
        self.tower: nn.Module | None = None
        if tower is not None:
            self.tower = tower.base_model
            _require_causal(self.tower, int(tower.config.vocab_size))
        self.q_heads = nn.ModuleList(_head(size + num_features, config) for _ in range(config.ensemble))
        self.v_heads = nn.ModuleList(_head(size, config) for _ in range(config.ensemble))

    def encode(self, batch: MicroBatch) -> Float[Tensor, "R L D"]:
        """Hidden states of the tower, with gradient.

        Raises:
            ConfigError: There is no tower.
        """
        if self.tower is None:
            raise ConfigError("this critic has no tower; give it hidden states of the policy, detached")
        with torch.autocast(batch.tokens.device.type, torch.bfloat16, enabled=self.autocast):
            return _last_hidden(self.tower, batch.tokens, batch.position_ids, batch.attention_mask())

    def forward(self, states: TurnStates) -> CriticOutputs:
        """Outputs of the heads; gradients reach the tower, and whatever else made the states."""
        dtype = next(self.v_heads.parameters()).dtype
        state = self.state_scale(states.state.to(dtype))
        if self.seen is not None:
            assert states.seen is not None, "whoever encodes for this network asks it whether it reads observations"
            state = torch.cat([state, self.seen(states.seen.to(dtype))], dim=-1)
        both = torch.cat([state, self.action_scale(states.action.to(dtype))], dim=-1)
        q = torch.stack([head(both).squeeze(-1) for head in self.q_heads])
        return CriticOutputs(q, torch.stack([head(state).squeeze(-1) for head in self.v_heads]))


def hidden_for(network: CriticNetwork, batch: MicroBatch, policy: PolicyModel | None) -> Float[Tensor, "R L D"]:
    """Hidden states that a critic reads: its tower's, with gradient, or the policy's, detached.

    Raises:
        ConfigError: Neither a tower nor a policy is there.
    """
    if network.tower is None and policy is not None:
        with torch.no_grad():
            return policy.hidden_states(batch.tokens, batch.position_ids, batch.attention_mask())
    return network.encode(batch)


class TurnCritic(nn.Module):
    """A critic network and its lagging copy, which targets are made of.

    Args:
        num_features: Size of the hidden states.
        config: Size, lag, range.
        tower: As for `CriticNetwork`; the copy has its own.
        autocast: As for `CriticNetwork`.
    """

    def __init__(
        self,
        num_features: int,
        config: AnyCriticConfig,
        tower: PreTrainedModel | None = None,
        *,
        autocast: bool = False,
    ) -> None:
        super().__init__()
        self.config = config
        self.online = CriticNetwork(num_features, config, tower, autocast=autocast)
        self.target = copy.deepcopy(self.online).requires_grad_(False).eval()

    def train(self, mode: bool = True) -> TurnCritic:
        """Training mode of the network alone: its copy never drops out."""
        super().train(mode)
        self.target.eval()
        return self

    def standardise(self, states: TurnStates) -> None:
        """Fit the scale of hidden states, for the network and its copy; anew where what they come from has moved."""
        for network in (self.online, self.target):
            network.state_scale.fit(states.state)
            network.action_scale.fit(states.action)
            if network.seen is not None and states.seen is not None:
                network.seen.fit(states.seen)

    @torch.no_grad()
    def update_target(self) -> None:
        """phi_target <- (1 - tau) phi_target + tau phi; call it after every update of the network."""
        for lagging, leading in zip(self.target.parameters(), self.online.parameters(), strict=True):
            lagging.lerp_(leading.to(lagging.dtype), self.config.polyak)

    def trainable_groups(self) -> dict[str, list[nn.Parameter]]:
        """The trained parameters by module: gradients are clipped group by group, apart from the policy's."""
        heads = {"q": self.online.q_heads, "v": self.online.v_heads}
        groups = {name: list(module.parameters()) for name, module in heads.items()}
        if self.online.seen is not None:
            groups["observation"] = list(self.online.seen.parameters())
        if self.online.tower is not None:
            groups["tower"] = [p for p in self.online.tower.parameters() if p.requires_grad]
        return {name: group for name, group in groups.items() if group}


def _head(num_inputs: int, config: AnyCriticConfig) -> nn.Sequential:
    layers: list[nn.Module] = []
    for size in (num_inputs, config.width):
        norm = [nn.LayerNorm(config.width)] if config.has_layer_norm else []
        layers += [nn.Linear(size, config.width), *norm, nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(config.width, 1))


def _last_hidden(tower: nn.Module, tokens: Tensor, position_ids: Tensor, attention_mask: Tensor | None) -> Tensor:
    masks = masks_for(cast(PreTrainedModel, tower), attention_mask, position_ids)
    outputs = tower(input_ids=tokens, position_ids=position_ids, attention_mask=masks, use_cache=False)
    hidden: Tensor = outputs.last_hidden_state
    return hidden


@torch.no_grad()
def _require_causal(tower: nn.Module, vocabulary: int) -> None:
    """Refuse a tower in which another last token changes the states before it."""
    device = next(tower.parameters()).device
    tokens = torch.arange(_PROBE_TOKENS, device=device).expand(2, -1).clone() % vocabulary
    tokens[1, -1] = (tokens[1, -1] + 1) % vocabulary
    positions = torch.arange(_PROBE_TOKENS, device=device).expand(2, -1)
    was_training = tower.training
    hidden = _last_hidden(tower.eval(), tokens, positions, None)[:, :-1].float()
    tower.train(was_training)
    if not torch.allclose(hidden[0], hidden[1], atol=_PROBE_TOLERANCE, rtol=_PROBE_TOLERANCE):
        raise ConfigError(
            "the critic's tower lets tokens see later ones, so V of a prompt would see the action; give it a causal "
            "model, such as a copy of the policy's"
        )
