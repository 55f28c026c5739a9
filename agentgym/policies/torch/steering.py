"""A language model whose next-token logits are tilted by a critic over the vocabulary, and how it lies in a folder.

Not here: how the critic is learnt. A folder holds the plain model as `save_pretrained` writes it and the critic beside
it; `TorchPolicy.load` joins them, and whoever loads the model alone has the policy that is steered.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn
from transformers import PreTrainedModel

from agentgym.errors import ConfigError
from agentgym.policies.torch.sight import sight_of

STEERING_FILE = "steering.safetensors"
"""File beside exported weights that holds the critic."""


class SteeredHead(nn.Module):
    """Logits + strength * min(Q_1, Q_2), both of the last hidden state: the output layer of a steered policy.

    ILQL's decoding, Snell et al. 2022, arXiv 2206.11871; V, which the paper subtracts, changes no probability. Q starts
    at 0, so that a fresh head steers nowhere.

    Args:
        base: The plain output layer.
        num_features: Size of hidden states.
        vocabulary: Number of tokens.
        width: Units of the hidden layer of each Q.
        strength: beta; 0 leaves the policy as it is.
    """

    def __init__(self, base: nn.Module, num_features: int, vocabulary: int, width: int, strength: float) -> None:
        super().__init__()
        self.base, self.strength, self.width = base, strength, width
        self.q_heads = nn.ModuleList(
            nn.Sequential(nn.Linear(num_features, width), nn.ReLU(), nn.Linear(width, vocabulary)) for _ in range(2)
        )
        for head in self.q_heads:
            last = cast(nn.Linear, cast(nn.Sequential, head)[2])
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)

    @property
    def weight(self) -> Tensor:
        """Of the plain output layer: what scores the policy that is steered."""
        return cast(Tensor, self.base.weight)

    def q(self, hidden: Tensor) -> Tensor:
        """Q_1 and Q_2 of every next token, [2, ..., V], with gradient."""
        states = hidden.to(next(self.q_heads.parameters()).dtype)
        return torch.stack([head(states) for head in self.q_heads])

    def forward(self, hidden: Tensor) -> Tensor:
        """Tilted logits."""
        logits: Tensor = self.base(hidden)
        return logits + self.strength * self.q(hidden).min(dim=0).values.to(logits.dtype)


def steer(model: PreTrainedModel, width: int, strength: float) -> SteeredHead:
    """Give a model a steered output layer in the place of its own; returns it.

    Raises:
        ConfigError: The model has no output layer that can be replaced.
    """
    base = cast(Any, model).get_output_embeddings()
    if not isinstance(base, nn.Linear):
        raise ConfigError(
            f"{type(model).__name__} has the output layer {type(base).__name__}, expected a linear one, to which a "
            "critic can be added"
        )
    config: Any = model.config.get_text_config()
    head = SteeredHead(base, config.hidden_size, base.weight.shape[0], width, strength).to(base.weight.device)
    cast(Any, model).set_output_embeddings(head)
    return head


def save_model(model: PreTrainedModel, folder: Path) -> None:
    """Write a model as `save_pretrained` does, and beside it how it sees, and the critic where it is steered."""
    if (sight := sight_of(model)) is not None:
        sight.save(folder)
    steered: Any = model
    head = steered.get_output_embeddings()
    if not isinstance(head, SteeredHead):
        model.save_pretrained(folder)
        return
    steered.set_output_embeddings(head.base)
    try:
        model.save_pretrained(folder)
    finally:
        steered.set_output_embeddings(head)
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in head.q_heads.state_dict().items()}
    facts = json.dumps({"width": head.width, "strength": head.strength})
    save_file(tensors, folder / STEERING_FILE, metadata={"steering": facts})


def load_steering(model: PreTrainedModel, folder: Path) -> None:
    """Join a model with the critic that lies beside it; nothing happens where there is none.

    Raises:
        ConfigError: The file is damaged, or of another model.
    """
    path = folder / STEERING_FILE
    if not path.exists():
        return
    try:
        with safe_open(path, framework="pt") as opened:
            facts = json.loads(opened.metadata()["steering"])
            tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118 - no mapping
        head = steer(model, int(facts["width"]), float(facts["strength"]))
        head.q_heads.load_state_dict(tensors)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
        raise ConfigError(f"{path} holds no critic for this model: {error}; export the model again") from error
