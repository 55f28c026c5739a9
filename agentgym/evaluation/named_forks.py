"""Values by forking for a run that is over: the environment of its suite, and a player by name.

The method itself is `agentgym.attribution.forks`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from agentgym.attribution.forks import Forks, ForkSettings
from agentgym.errors import ConfigError
from agentgym.evaluation.recording import RECORDING
from agentgym.message import Message, ToolSchema
from agentgym.policies.by_name import load
from agentgym.policies.scripted import ScriptedPolicy
from agentgym.policy import Policy, Request, Sampling, ScriptFactory
from agentgym.prompting.renderer import ChatRenderer
from agentgym.registration import make, spec
from agentgym.rollout import draw_seed
from agentgym.store import RunStore
from agentgym.suite import Suite, load_suite
from agentgym.task import Task

_KEYS = itertools.count()


@dataclass(frozen=True)
class NamedForks(ForkSettings):
    """What `agentgym attribute --method forks` is told."""

    player: str = "random"
    """Who plays on: a script of the environment, such as demo, or a policy, such as torch:FOLDER. Values are those of
    the player, which draws as the run did (temperature, top_p) but is shown the whole conversation: so of the policy
    that played where it is the same, with rollout.history = "full"."""
    max_tokens: int = 256
    """Most tokens of a message of a policy."""


def forks_of(store: RunStore, options: NamedForks) -> Forks:
    """The method for the episodes of a run.

    Args:
        store: The run, which says of which suite it is.
        options: Who plays on, how often, and from where.

    Raises:
        ConfigError: The run says of no suite.
        UnknownNameError: There is no such suite or player.
    """
    name = store.meta.get("suite")
    if not name:
        raise ConfigError(f"forks plays episodes on in the suite of their run, and {store.folder} says of none")
    suite = load_suite(name)
    sampling = replace(_sampling_of(store), max_tokens=options.max_tokens)
    make_player = _player_maker(suite, options.player, sampling)
    make_env = partial(make, suite.env, **suite.env_options)
    return Forks(make_env, make_player, options, task_of=lambda each: suite.task(each.task_id))


def _sampling_of(store: RunStore) -> Sampling:
    """How the messages of a run were drawn, where it says so: a training run by its configuration, or a recording."""
    rollout = (store.meta.get("config") or {}).get("rollout") or store.meta.get(RECORDING) or {}
    return Sampling(**rollout.get("sampling", {}))


def _player_maker(suite: Suite, name: str, sampling: Sampling) -> ScriptFactory:
    policy = load(name, suite.name)
    if isinstance(policy, ScriptedPolicy):
        return policy.factory_of(spec(suite.env).role_named(suite.role))
    with closing(make(suite.env, **suite.env_options)) as env:
        tools = list(env.tools)
    renderer = ChatRenderer(policy.tokenizer) if policy.uses_tokens else None  # type: ignore[attr-defined]
    return lambda task, seed: _Asked(policy, renderer, tools, sampling, task, seed)


@dataclass
class _Asked:
    """A policy as the player of one continuation."""

    policy: Policy
    renderer: ChatRenderer | None
    tools: Sequence[ToolSchema]
    sampling: Sampling
    task: Task
    seed: int
    turn: int = 0

    def act(self, messages: Sequence[Message]) -> str:
        """The policy's next message."""
        ids = None if self.renderer is None else self.renderer.render(messages, self.tools)
        key, seed = f"fork-{next(_KEYS)}", draw_seed(self.seed, self.turn)
        request = Request(key, self.turn, self.task, messages, self.tools, ids, seed, self.sampling)
        self.turn += 1
        try:
            [reply] = self.policy.generate([request])
        finally:
            self.policy.forget(key)
        return reply.text
