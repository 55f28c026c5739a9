"""What an actor-critic learner is made of, from the configuration: critic, baseline of tokens, replay buffer.

Not here: what is done with them (learner.py).
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

import torch
from torch import nn
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from agentgym.errors import ConfigError
from agentgym.prompting.renderer import ChatRenderer
from agentgym.rollout import draw_seed
from agentgym_rl.core.config.kind import Groundwork
from agentgym_rl.core.config.train import ConfigOf, TrainConfig
from agentgym_rl.core.learner import Workplace
from agentgym_rl.core.models import load_causal_lm, trained_dtype, with_adapters
from agentgym_rl.core.roles import tools_of, training_cast
from agentgym_rl.hierarchical.critic.network import TurnCritic
from agentgym_rl.hierarchical.critic.token_baseline import TokenBaseline
from agentgym_rl.hierarchical.options import (
    COPY,
    FROZEN,
    CriticConfig,
    ResampledActor,
    UnderCritic,
    UnderTurnCritic,
)
from agentgym_rl.replay.admission import tokenizer_digest
from agentgym_rl.replay.buffer import ReplayBuffer


def make_critic(place: Workplace[UnderCritic]) -> TurnCritic:
    """The critic of a run at its start, on the device of the model; the same for the same seed.

    Raises:
        ConfigError: The tower is not causal, or of another vocabulary.
    """
    options, model = place.config.algorithm.critic, place.model.causal_lm
    tower = None
    if options.tower == COPY:
        merged = copy.deepcopy(model)
        tower = cast(Any, merged).merge_and_unload() if hasattr(merged, "merge_and_unload") else merged
        cast(nn.Module, tower).to(trained_dtype(place.config.model)).requires_grad_(True)
    elif options.tower not in ("", FROZEN):
        tower = load_tower(place.config, place.policy.tokenizer)
    if tower is not None and options.lora_rank:
        with _seeded(place.config, "adapters"):
            tower = with_adapters(tower, options.lora_rank)
    network = options.network
    if isinstance(network, CriticConfig):
        network = replace(network, reads=network.reads_on(place.suite.is_fully_observed))
    num_features = int((tower or model).config.get_text_config().hidden_size)
    is_autocast = place.config.model.dtype == "bfloat16"
    with _seeded(place.config, "critic"):
        critic = TurnCritic(num_features, network, tower, autocast=is_autocast)
    return critic.to(model.device)


def make_token_baseline(place: Workplace[UnderTurnCritic]) -> TokenBaseline | None:
    """The head that expects advantages at tokens, where the options have one."""
    algorithm, model = place.config.algorithm, place.model.causal_lm
    if not isinstance(algorithm.actor, ResampledActor) or not algorithm.actor.has_token_baseline:
        return None
    with _seeded(place.config, "token baseline"):
        size = int(model.config.get_text_config().hidden_size)
        return TokenBaseline(size, algorithm.critic.network.width, algorithm.critic.optimiser).to(model.device)


def open_replay(place: Workplace[UnderCritic]) -> ReplayBuffer:
    """The buffer that is drawn from.

    Raises:
        ConfigError: There is no store to replay.
        StoreError: An earlier run cannot be replayed.
    """
    config = place.config
    if place.store is None:
        raise ConfigError("an actor-critic learns from the run's store, and this process has none; use one process")
    return ReplayBuffer.open(
        config.algorithm.replay.over(place.runs),
        place.store,
        place.suite,
        tokenizer=place.policy.tokenizer,
        renderer=ChatRenderer(place.policy.tokenizer),
        tools=tools_of(training_cast(config.roles, place.suite)),
        seed=config.run.seed,
        admitted="sampled" if config.algorithm.needs_behaviour_logprobs else "all",
        history=config.rollout.history,
    )


def require_tower(ground: Groundwork[UnderCritic]) -> None:
    """Refuse a tower that cannot be used, before a run is begun.

    Raises:
        CheckpointError: The folder holds no model.
        ConfigError: Its tokens are not those of the policy.
    """
    if ground.config.algorithm.critic.tower not in ("", COPY, FROZEN):
        load_tower(ground.config, ground.tokenizer)


def load_tower(config: ConfigOf[UnderCritic], tokenizer: PreTrainedTokenizerFast) -> PreTrainedModel:
    """The model in the folder that the options name.

    Raises:
        CheckpointError: The folder holds no model.
        ConfigError: Its tokens are not those of the policy.
    """
    folder = config.algorithm.critic.tower
    tower, own = load_causal_lm(folder, replace(config.model, lora_rank=0))
    if tokenizer_digest(own) != tokenizer_digest(tokenizer):
        raise ConfigError(
            f"the tokenizer of the critic's tower {folder!r} is not the policy's, so its token ids mean something "
            f'else there; use algorithm.critic.tower = "copy", or a model with the same tokenizer'
        )
    return tower


@contextmanager
def _seeded(config: TrainConfig, name: str) -> Iterator[None]:
    """Random weights that depend on the run's seed alone, and leave the run's generator as it is."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(draw_seed(config.run.seed, name))
        yield
