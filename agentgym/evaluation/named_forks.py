"""Values by forking for a finished run: the environment of its suite, and a player by name.

The method itself is `agentgym.attribution.forks`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

from agentgym.attribution.forks import Forks, ForkSettings
from agentgym.errors import ConfigError
from agentgym.evaluation.recording import RECORDING
from agentgym.policies.as_script import as_script
from agentgym.policies.by_name import load
from agentgym.policies.scripted import ScriptedPolicy
from agentgym.policy import Sampling, ScriptFactory, sampling_of
from agentgym.registration import make, spec
from agentgym.store import RunStore
from agentgym.suite import Suite, load_suite


@dataclass(frozen=True)
class NamedForks(ForkSettings):
    """The options of `agentgym attribute --method forks`."""

    player: str = "random"
    """Who plays the continuations: a script of the environment, such as demo, or a policy, such as torch:FOLDER. Values
    are those of the player. It samples as the run did (temperature, top_p), and sees the recorded conversation as the
    run showed it (history, max_context, cut_messages)."""
    max_tokens: int | None = None
    """Most tokens of a message of a policy; None takes the limit that it was trained with, else the run's."""


def forks_of(store: RunStore, options: NamedForks) -> Forks:
    """The method for the episodes of a run.

    Args:
        store: The run, which names its suite.
        options: Who plays the continuations, how often, and from where.

    Raises:
        ConfigError: The run names no suite.
        UnknownNameError: There is no such suite or player.
    """
    name = store.meta.get("suite")
    if not name:
        raise ConfigError(f"forks plays episodes on in the suite of their run, and {store.folder} says of none")
    suite = load_suite(name)
    make_player = _player_maker(suite, options, _rollout_of(store))
    make_env = partial(make, suite.env, **suite.env_options)
    return Forks(make_env, make_player, options, task_of=lambda each: suite.task(each.task_id))


def _rollout_of(store: RunStore) -> Mapping[str, Any]:
    """How a run drew and showed its messages, as its configuration or its recording says; empty where none does."""
    config: Mapping[str, Any] = store.meta.get("config") or {}
    rollout: Mapping[str, Any] = config.get("rollout") or store.meta.get(RECORDING) or {}
    return rollout


def _player_maker(suite: Suite, options: NamedForks, rollout: Mapping[str, Any]) -> ScriptFactory:
    policy = load(options.player, suite.name)
    if isinstance(policy, ScriptedPolicy):
        return policy.factory_of(spec(suite.env).role_named(suite.role))
    with closing(make(suite.env, **suite.env_options)) as env:
        role, tools = env.role, list(env.tools)
    return as_script(
        policy,
        role,
        tools,
        sampling_of(policy, Sampling(**rollout.get("sampling", {})), options.max_tokens),
        history=rollout.get("history", "full"),
        max_context=rollout.get("max_context"),
        refuses_cut=rollout.get("cut_messages", "invalid") == "invalid",
        has_budget=True,
    )
