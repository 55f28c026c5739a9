"""Putting a run together: suite, tokenizer, model, policy, reference, sharding."""

from __future__ import annotations

import copy
import importlib
import itertools
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import torch
from torch import nn
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from agentgym.errors import ConfigError
from agentgym.message import content_text
from agentgym.partners import Cast
from agentgym.policies.by_name import load
from agentgym.policies.tiny_model import build_tiny_model
from agentgym.policies.torch_listed import ListedPolicy
from agentgym.policies.torch_policy import TorchPolicy, read_seen_hashes
from agentgym.policies.torch_steering import steer
from agentgym.prompting.renderer import ChatRenderer
from agentgym.prompting.stability import check_template
from agentgym.prompting.tiny import build_tokenizer
from agentgym.registration import require_runtime, spec
from agentgym.rollout import game_maker
from agentgym.suite import Suite, load_suite, require_unseen
from agentgym_rl import distributed
from agentgym_rl.attributed import require_recordable
from agentgym_rl.cloning import warm_start_episodes
from agentgym_rl.config import TrainConfig
from agentgym_rl.curricula.requirements import make_curriculum
from agentgym_rl.demonstrations import collect_demonstrations
from agentgym_rl.hierarchical.building import require_tower
from agentgym_rl.hierarchical.requirements import require_listed
from agentgym_rl.learned_attribution.experts import Credited
from agentgym_rl.learned_attribution.making import require_predictors
from agentgym_rl.models import PolicyModel, apply_options, frozen_copy, load_causal_lm
from agentgym_rl.offline.recordings import Rendering, require_better, require_learnable
from agentgym_rl.replay.admission import tokenizer_digest
from agentgym_rl.replay.buffer import require_replayable
from agentgym_rl.roles import evaluated_role, tools_of, training_cast

_VOCABULARY_EPISODES = 200


@dataclass
class Parts:
    """What a run is made of.

    Attributes:
        suite: The suite.
        tokenizer: The tokenizer.
        renderer: Renders for it.
        model: The model being trained, sharded under torchrun.
        policy: Samples from its weights.
        cast: Who plays the roles of a game.
        tools: The environment's tools, or those of the learner's roles.
        seen_hashes: Content hashes of the tasks that the weights were trained on before this run.
    """

    suite: Suite
    tokenizer: PreTrainedTokenizerFast
    renderer: ChatRenderer
    model: PolicyModel
    policy: TorchPolicy
    cast: Cast
    tools: list[dict[str, Any]]
    seen_hashes: frozenset[str] = frozenset()


def assemble(config: TrainConfig) -> Parts:
    """Build everything that training needs.

    Raises:
        UnknownNameError: The suite, the runtime, a partner or the demonstrator does not exist.
        StoreError: There is no run to clone, or an earlier run cannot be replayed.
        TemplateError: The model's chat template cannot be used.
        ConfigError: Settings do not fit the model or the machine.
        HeldOutError: The model was trained on tasks that this run evaluates on.
    """
    torch.set_num_threads(config.run.threads)
    torch.manual_seed(config.run.seed)
    suite = load_suite(config.run.suite)
    playing = training_cast(config.roles, suite)
    _require_names(config, suite, playing)
    tools = tools_of(playing)
    seen_hashes = read_seen_hashes(Path(config.model.path)) if config.model.path else frozenset[str]()
    _require_unseen(suite, config, seen_hashes)
    causal_lm, tokenizer = untrained(config, suite, tools)
    check_template(tokenizer, tools)
    renderer = ChatRenderer(tokenizer)
    require_tower(config, tokenizer)
    causal_lm = apply_options(causal_lm, config.model)
    if config.algorithm.is_steered:
        steer(causal_lm, config.algorithm.offline.width, config.algorithm.offline.strength)
    device = device_of(config)
    cast(nn.Module, causal_lm).to(device)
    _check_world(config)
    sampler = copy.deepcopy(causal_lm) if distributed.is_distributed() else causal_lm
    policy = policy_class(config)(sampler, tokenizer, name="policy")
    _require_replayable(config, suite, policy, renderer, tools)
    _require_predictors(config, suite, policy)
    model = PolicyModel(causal_lm, has_value_head=config.algorithm.has_value_head, autocast=config.model.autocast)
    distributed.shard(model, _layers(causal_lm))
    if config.model.compile:
        model.compile(dynamic=True)
    return Parts(suite, tokenizer, renderer, model.train(), policy, playing, tools, seen_hashes)


def policy_class(config: TrainConfig) -> type[TorchPolicy]:
    """What plays the trained weights: a policy that writes its messages, or one that picks among listed actions."""
    return ListedPolicy if config.algorithm.picks_listed else TorchPolicy


def untrained(
    config: TrainConfig, suite: Suite, tools: list[dict[str, Any]]
) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
    """The model that the run starts from, and its tokenizer; the same one whenever it is asked for."""
    if config.model.path:
        return load_causal_lm(config.model.path, config.model)
    tokenizer = suite_tokenizer(suite, tools, training_cast(config.roles, suite))
    return build_tiny_model(tokenizer, config.model.size, config.run.seed), tokenizer


def suite_tokenizer(suite: Suite, tools: list[dict[str, Any]], cast: Cast | None = None) -> PreTrainedTokenizerFast:
    """A tiny tokenizer for the words of a suite.

    The environment's package may have a module `vocabulary` with `texts()` and `NUMBERS`; else the words are those of
    demonstrated and random episodes.
    """
    package = spec(suite.env).entry_point.partition(":")[0].rpartition(".")[0]
    try:
        vocabulary = importlib.import_module(f"{package}.vocabulary")
    except ModuleNotFoundError:
        return build_tokenizer(_spoken(suite, cast), tools)
    return build_tokenizer(vocabulary.texts(), tools, numbers=vocabulary.NUMBERS)


def reference_of(model: PolicyModel, config: TrainConfig) -> PolicyModel | None:
    """The frozen reference policy as the model stands now, where the algorithm has one.

    Raises:
        ConfigError: The model is sharded, where a copy cannot be taken yet.
    """
    if not config.algorithm.needs_reference:
        return None
    if distributed.is_distributed():
        raise ConfigError("a KL penalty under torchrun is not supported: set loss.kl_coefficient and kl_in_reward to 0")
    return cast(PolicyModel, frozen_copy(model))


def device_of(config: TrainConfig) -> torch.device:
    """Where the model lives.

    Raises:
        ConfigError: A GPU is asked for and there is none.
    """
    has_gpu = torch.cuda.is_available()
    if config.run.device == "cuda" and not has_gpu:
        raise ConfigError('run.device is "cuda", but torch sees no GPU; use "auto" or "cpu"')
    if config.run.device == "cpu" or not has_gpu:
        return torch.device("cpu")
    return torch.device("cuda", distributed.rank() % torch.cuda.device_count())


def _require_unseen(suite: Suite, config: TrainConfig, seen_hashes: frozenset[str]) -> None:
    """Say at the start, not at the end of the run, that the model knows what it will be tested on."""
    evaluated = {"validation": config.validation.every > 0, "test": config.validation.has_final_test}
    for split, is_evaluated in evaluated.items():
        if is_evaluated and seen_hashes and split in suite.splits:
            require_unseen(suite.tasks(split), seen_hashes)


def _require_names(config: TrainConfig, suite: Suite, playing: Cast) -> None:
    """Refuse names that nothing is registered under before anything is played or written."""
    role, partners = evaluated_role(config.roles, suite)
    if role:
        Cast.of(suite.env, (role,), partners, suite.env_options)
    require_runtime(suite.env, config.rollout.runtime)
    make_game = game_maker(suite, config.rollout.runtime, playing)
    if config.algorithm.attribution.method:
        require_recordable(config.algorithm.attribution, make_game, suite.train_tasks()[0])
    if config.algorithm.picks_listed:
        require_listed(make_game, suite.train_tasks()[0], config.algorithm.replay.runs)
    make_curriculum(config.curriculum, suite, playing, config.run.seed)
    if config.warm_start.run:
        warm_start_episodes(config.warm_start, suite, playing)
    elif config.warm_start.demonstrations:
        load(config.warm_start.demonstrator, suite.env)


def _require_replayable(
    config: TrainConfig,
    suite: Suite,
    policy: TorchPolicy,
    renderer: ChatRenderer,
    tools: list[dict[str, Any]],
) -> None:
    """Refuse earlier runs and recordings that cannot be learnt from, and hindsight that the environment cannot give."""
    runs = config.algorithm.replay.runs
    if runs:
        rendering = Rendering.of(config, suite, policy)
        runs = require_learnable(config, rendering)
        require_better(config, rendering)
    require_replayable(
        replace(config.algorithm.replay, runs=runs),
        suite,
        tokenizer=policy.tokenizer,
        renderer=renderer,
        tools=tools,
        admitted="sampled" if config.algorithm.needs_behaviour_logprobs else "all",
    )


def _require_predictors(config: TrainConfig, suite: Suite, policy: TorchPolicy) -> None:
    """Refuse step credit whose expert, tower or judge cannot be had."""
    attribution, warm_start = config.algorithm.attribution, config.warm_start
    if attribution.method:
        run = Credited(suite.name, tokenizer_digest(policy.tokenizer), suite.held_out_hashes)
        has_demonstrations = warm_start.demonstrations > 0 and not warm_start.run
        require_predictors(attribution.formula, run, has_demonstrations=has_demonstrations)


def _check_world(config: TrainConfig) -> None:
    world = distributed.world_size()
    if config.group.tasks % world:
        raise ConfigError(f"group.tasks is {config.group.tasks}, which {world} processes cannot share evenly")
    if world > 1 and config.algorithm.learner != "groups":
        raise ConfigError(
            f'algorithm.learner is "{config.algorithm.learner}", which learns in one process, and there are {world}; '
            "start it without torchrun"
        )


def _layers(causal_lm: PreTrainedModel) -> nn.ModuleList:
    for module in causal_lm.modules():
        if isinstance(module, nn.ModuleList):
            return module
    raise ConfigError(f"{type(causal_lm).__name__} has no list of layers, which sharding needs")


def _spoken(suite: Suite, cast: Cast | None) -> list[str]:
    texts: dict[str, None] = {}
    for script in ("demo", "random"):
        for record in collect_demonstrations(suite, script, _VOCABULARY_EPISODES, 0, cast=cast):
            final = record.metadata.get("last_messages", [])
            for message in itertools.chain(record.transcript(), final):
                texts[content_text(message)] = None
            texts |= dict.fromkeys(turn.text for turn in record.turns)
    return list(texts)
