"""Putting a run together: suite, tokenizer, model, policy, reference, sharding.

What must hold before is checked in preflight.py.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch
from rich.console import Console
from torch import nn
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from agentgym.errors import ConfigError
from agentgym.message import content_text
from agentgym.policies.cast import Cast
from agentgym.policies.sampler import Sampler
from agentgym.policies.torch.policy import read_seen
from agentgym.policies.torch.tiny_model import build_tiny_model
from agentgym.policy import NOTHING_SEEN, Seen
from agentgym.prompting.renderer import ChatRenderer
from agentgym.prompting.tiny import build_tokenizer
from agentgym.registration import spec
from agentgym.rollout import ProgressDisplay, game_maker
from agentgym.suite import Suite
from agentgym_rl.core import distributed
from agentgym_rl.core.cloning import NameSwaps
from agentgym_rl.core.config.kind import Groundwork
from agentgym_rl.core.config.train import LearnerOptions, TrainConfig
from agentgym_rl.core.demonstrations import collect_demonstrations
from agentgym_rl.core.models import PolicyModel, apply_options, computes_in_bfloat16, frozen_copy, load_causal_lm
from agentgym_rl.core.publishing import WholeModel
from agentgym_rl.core.roles import tools_of, training_cast
from agentgym_rl.run.learners import kind_of
from agentgym_rl.run.names import suite_of
from agentgym_rl.run.preflight import preflight
from agentgym_rl.run.sampling import MakeSampler, make_torch_sampler

_VOCABULARY_EPISODES, _COSTLY_EPISODES = 200, 24
"""Episodes of each script that show which words occur; fewer where an episode takes seconds."""


@dataclass
class Parts:
    """What a run is made of.

    Attributes:
        suite: The suite.
        tokenizer: The tokenizer.
        renderer: Renders for it.
        model: The model being trained, sharded under torchrun.
        policy: Samples from its weights.
        whole: The model unsharded, to be exported.
        cast: Who plays the roles of a game.
        tools: The environment's tools, or those of the learner's roles.
        seen: Which tasks the weights were trained on before this run.
        swaps: Exchanges names while cloning; None where they stay.
    """

    suite: Suite
    tokenizer: PreTrainedTokenizerFast
    renderer: ChatRenderer
    model: PolicyModel
    policy: Sampler
    whole: WholeModel
    cast: Cast
    tools: Sequence[dict[str, Any]]
    seen: Seen = NOTHING_SEEN
    swaps: NameSwaps | None = None


def assemble(config: TrainConfig, make_sampler: MakeSampler = make_torch_sampler) -> Parts:
    """Build everything that training needs, after all checks (preflight.py).

    Args:
        config: The configuration.
        make_sampler: Makes what samples from the weights.

    Raises:
        UnknownNameError: The suite, the runtime, a partner or the demonstrator does not exist.
        StoreError: There is no run to clone, or an earlier run cannot be replayed.
        TemplateError: The model's chat template cannot be used.
        ConfigError: Settings do not fit the model or the machine.
        HeldOutError: The model was trained on tasks that this run evaluates on.
    """
    _require_whole_matrices(config)
    torch.set_num_threads(config.run.threads)
    torch.manual_seed(config.run.seed)
    ground = groundwork(config, make_sampler)
    preflight(ground)
    suite, tools = ground.suite, ground.tools
    causal_lm, tokenizer = ground.loaded
    swaps = NameSwaps(suite_names(suite), tokenizer) if config.warm_start.swap_names else None
    policy, whole = ground.policy, WholeModel(causal_lm)
    autocast = computes_in_bfloat16(config.model)
    model = PolicyModel(causal_lm, has_value_head=config.algorithm.has_value_head, autocast=autocast)
    distributed.shard(model, _layers(causal_lm))
    if config.model.compile:
        model.compile(dynamic=True)
    seen = read_seen(Path(config.model.path)) if config.model.path else NOTHING_SEEN
    return Parts(suite, tokenizer, ground.renderer, model.train(), policy, whole, ground.cast, tools, seen, swaps)


def groundwork(config: TrainConfig, make_sampler: MakeSampler = make_torch_sampler) -> Groundwork[LearnerOptions]:
    """What there is before a run begins.

    Raises:
        UnknownNameError: The suite, a role or a partner does not exist.
    """
    suite = suite_of(config.run)
    playing = training_cast(config.roles, suite)
    tools = tools_of(playing)
    return Groundwork(
        config=config,
        suite=suite,
        cast=playing,
        make_game=game_maker(suite, config.rollout.runtime, playing),
        tools=tools,
        load=lambda: _prepared(config, suite, tools),
        make_policy=lambda model, tokenizer: make_sampler(model, tokenizer, config),
    )


def _prepared(
    config: TrainConfig, suite: Suite, tools: Sequence[dict[str, Any]]
) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
    """The model as it will be trained, on its device, and its tokenizer."""
    causal_lm, tokenizer = untrained(config, lambda: suite_tokenizer(suite, tools, training_cast(config.roles, suite)))
    causal_lm = apply_options(causal_lm, config.model)
    kind_of(config).prepare_model(causal_lm, config.algorithm)
    cast(nn.Module, causal_lm).to(device_of(config))
    return causal_lm, tokenizer


def untrained(
    config: TrainConfig, make_tokenizer: Callable[[], PreTrainedTokenizerFast]
) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
    """The model that the run starts from, and its tokenizer; the same one whenever it is asked for.

    Args:
        config: The configuration.
        make_tokenizer: Gives the tokenizer of a tiny model, which has no folder with one.
    """
    if config.model.path:
        return load_causal_lm(config.model.path, config.model)
    tokenizer = make_tokenizer()
    model = build_tiny_model(tokenizer, config.model.size, config.run.seed, config.model.first_weights)
    return model, tokenizer


def suite_tokenizer(suite: Suite, tools: Sequence[dict[str, Any]], cast: Cast | None = None) -> PreTrainedTokenizerFast:
    """A tiny tokenizer for the words of a suite.

    The environment's package may have a module `vocabulary` with `texts()`, or with `texts_of(suite)` where suites
    differ; else the words are those of demonstrated and random episodes. It has `NUMBERS` that are single tokens, and
    may have fixed phrases that are: `PHRASES`, or `phrases_in(texts)`, and the names of `NAMES` or `names_of(suite)`.
    """
    vocabulary = _vocabulary(suite)
    if vocabulary is None:
        return build_tokenizer(_spoken(suite, cast), tools)
    if hasattr(vocabulary, "texts_of"):
        texts = vocabulary.texts_of(suite.name)
    else:
        texts = vocabulary.texts() if hasattr(vocabulary, "texts") else _spoken(suite, cast)
    has_own = hasattr(vocabulary, "phrases_in")
    phrases = vocabulary.phrases_in(texts) if has_own else getattr(vocabulary, "PHRASES", ())
    names = list(itertools.chain.from_iterable(suite_names(suite)))
    return build_tokenizer(texts, tools, numbers=vocabulary.NUMBERS, phrases=phrases, names=names)


def suite_names(suite: Suite) -> Sequence[Sequence[str]]:
    """Groups of names that mean nothing in themselves: `NAMES` or `names_of(suite)` of its `vocabulary`, or none."""
    vocabulary = _vocabulary(suite)
    if hasattr(vocabulary, "names_of"):
        found: Sequence[Sequence[str]] = vocabulary.names_of(suite.name)
        return found
    return getattr(vocabulary, "NAMES", ())


def _vocabulary(suite: Suite) -> Any:
    package = spec(suite.env).entry_point.partition(":")[0].rpartition(".")[0]
    try:
        return importlib.import_module(f"{package}.vocabulary")
    except ModuleNotFoundError:
        return None


def _require_whole_matrices(config: TrainConfig) -> None:
    if config.warm_start.optimiser == "muon" and distributed.world_size() > 1:
        raise ConfigError(
            f'warm_start.optimiser is "muon", which needs whole matrices, and they are split over '
            f'{distributed.world_size()} processes; use "adamw", or make the warm start in one process'
        )


def reference_of(model: PolicyModel, config: TrainConfig) -> PolicyModel | None:
    """The frozen reference policy as the model stands now, where the algorithm has one."""
    return cast(PolicyModel, frozen_copy(model)) if config.algorithm.needs_reference else None


def device_of(config: TrainConfig) -> torch.device:
    """Where the model lives."""
    if config.run.device == "cpu" or not torch.cuda.is_available():
        return torch.device("cpu")
    return torch.device("cuda", torch.cuda.current_device())


def _layers(causal_lm: PreTrainedModel) -> nn.ModuleList:
    for module in causal_lm.modules():
        if isinstance(module, nn.ModuleList):
            return module
    raise ConfigError(f"{type(causal_lm).__name__} has no list of layers, which sharding needs")


def _spoken(suite: Suite, cast: Cast | None) -> list[str]:
    count = _COSTLY_EPISODES if spec(suite.env).is_costly else _VOCABULARY_EPISODES
    is_shown = distributed.rank() == 0
    if is_shown:
        why = f"{suite.env} has no vocabulary of its own: {count} episodes each of demo and random show its words"
        Console(stderr=True, highlight=False).print(why, markup=False, soft_wrap=True)
    texts: dict[str, None] = {}
    for script in ("demo", "random"):
        progress = ProgressDisplay(f"episodes of {script} for the vocabulary") if is_shown else None
        for record in collect_demonstrations(suite, script, count, 0, cast=cast, progress=progress):
            final = record.metadata.get("last_messages", [])
            for message in itertools.chain(record.transcript(), final):
                texts[content_text(message)] = None
            texts |= dict.fromkeys(turn.text for turn in record.turns)
    return list(texts)
