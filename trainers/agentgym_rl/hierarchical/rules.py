"""Which options apply to the learners that are no group learner; `agentgym_rl.applicability` asks here.

Not here: ranges of single options, which the dataclasses check themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from agentgym.errors import ConfigError
from agentgym_rl.hierarchical.options import FROZEN

if TYPE_CHECKING:
    from agentgym_rl.config import TrainConfig

_OF_GROUPS = (
    "algorithm.credit",
    "algorithm.advantage",
    "algorithm.attribution",
    "algorithm.gae",
    "algorithm.value",
    "algorithm.is_whitened",
    "algorithm.loss",
    "algorithm.importance",
    "algorithm.prox",
    "algorithm.kl_in_reward",
    "algorithm.aggregation",
    "algorithm.max_episode_tokens",
    "algorithm.overlong_buffer",
    "algorithm.epochs",
    "algorithm.minibatches",
    "group.dynamic_sampling",
)

RULES: tuple[tuple[str, Callable[[TrainConfig], bool], str], ...] = (
    *((key, lambda c: c.algorithm.learner == "groups", 'algorithm.learner = "groups"') for key in _OF_GROUPS),
    ("group", lambda c: c.algorithm.collects, 'a learner that collects, so not algorithm.learner = "offline"'),
    ("algorithm.replay.runs_share", lambda c: c.algorithm.collects, "a learner that collects episodes of its own"),
    ("algorithm.offline", lambda c: not c.algorithm.collects, 'algorithm.learner = "offline"'),
    (
        "algorithm.offline.quantile",
        lambda c: c.algorithm.offline.method in ("cloning", "step_preference"),
        'offline.method "cloning" or "step_preference"',
    ),
    (
        "algorithm.offline.preference",
        lambda c: c.algorithm.offline.method == "step_preference",
        'offline.method = "step_preference"',
    ),
    *(
        (
            f"algorithm.offline.{key}",
            lambda c: c.algorithm.offline.method != "actor_critic",
            "another offline.method than actor_critic, whose updates are in [algorithm.critic] and [algorithm.actor]",
        )
        for key in ("updates", "batch")
    ),
    *(
        (
            f"algorithm.offline.{key}",
            lambda c: c.algorithm.offline.is_steered or c.algorithm.offline.method == "a_lol",
            'offline.method "monte_carlo", "ilql" or "a_lol"',
        )
        for key in ("discount", "width")
    ),
    *(
        (
            f"algorithm.offline.{key}",
            lambda c: c.algorithm.offline.is_steered,
            'offline.method "monte_carlo" or "ilql"',
        )
        for key in ("strength", "ilql.conservatism")
    ),
    *(
        (f"algorithm.offline.{key}", lambda c: c.algorithm.offline.method == "a_lol", 'offline.method = "a_lol"')
        for key in ("warmup", "value_learning_rate", "a_lol")
    ),
    (
        "algorithm.offline.a_lol.eps",
        lambda c: c.algorithm.offline.a_lol.ratio != "none",
        'a_lol.ratio "turn" or "token", which it clips',
    ),
    *(
        (f"algorithm.offline.{key}", lambda c: c.algorithm.offline.method == "ilql", 'offline.method = "ilql"')
        for key in ("polyak", "ilql.expectile")
    ),
    ("algorithm.critic", lambda c: c.algorithm.has_critic, 'algorithm.learner = "actor_critic"'),
    ("algorithm.actor", lambda c: c.algorithm.has_critic, 'algorithm.learner = "actor_critic"'),
    (
        "algorithm.critic.lora_rank",
        lambda c: c.algorithm.critic.tower not in ("", FROZEN),
        'algorithm.critic.tower "copy", or a folder',
    ),
    (
        "algorithm.critic.expectile",
        lambda c: c.algorithm.actor.kind in ("in_sample", "awr"),
        'actor.kind "in_sample" or "awr", where V learns from stored actions',
    ),
    (
        "algorithm.critic.network.value_range",
        lambda c: c.algorithm.actor.kind != "listed",
        'another actor.kind than "listed", whose values hold entropy beside the return',
    ),
    (
        "algorithm.actor.has_token_baseline",
        lambda c: c.algorithm.actor.kind == "resampled",
        'actor.kind "resampled"',
    ),
    ("algorithm.actor.importance", lambda c: c.algorithm.actor.kind == "in_sample", 'actor.kind "in_sample"'),
    (
        "algorithm.actor.importance.min_weight",
        lambda c: c.algorithm.actor.importance.mode == "seq_mis",
        'actor.importance.mode = "seq_mis"',
    ),
    (
        "algorithm.actor.importance.max_weight",
        lambda c: c.algorithm.actor.importance.mode != "none",
        'actor.importance.mode not "none"',
    ),
    *(
        (f"algorithm.actor.importance.{key}", lambda _: False, "weights of tokens, as learning from groups has")
        for key in ("min_gate", "max_gate")
    ),
    ("algorithm.actor.awr", lambda c: c.algorithm.actor.kind == "awr", 'actor.kind "awr"'),
    ("algorithm.actor.entropy", lambda c: c.algorithm.actor.kind == "listed", 'actor.kind "listed"'),
    (
        "algorithm.actor.entropy.learning_rate",
        lambda c: c.algorithm.actor.entropy.target is not None,
        "actor.entropy.target, without which alpha stays as it is",
    ),
)


def require_consistent(config: TrainConfig) -> None:
    """Refuse combinations that cannot work.

    Raises:
        ConfigError: Says which, and what to do.
    """
    algorithm, replay = config.algorithm, config.algorithm.replay
    if not algorithm.collects and not replay.runs:
        raise ConfigError(
            'algorithm.learner "offline" learns from stored runs and there are none; name their folders in '
            "algorithm.replay.runs"
        )
    is_a_lol = algorithm.learner == "offline" and algorithm.offline.method == "a_lol"
    if is_a_lol and algorithm.offline.warmup >= config.run.iterations > 0:
        raise ConfigError(
            f"algorithm.offline.warmup is {algorithm.offline.warmup} of {config.run.iterations} iterations, so the "
            "policy would never learn; raise run.iterations or lower it"
        )
    is_compared = algorithm.learner == "offline" and algorithm.offline.is_compared
    if (algorithm.is_steered or is_compared) and config.model.lora_rank:
        raise ConfigError(
            f'model.lora_rank is {config.model.lora_rank}, and offline.method "{algorithm.offline.method}" trains all '
            "weights: adapters are merged away on export, from under a critic or a reference; set it to 0"
        )
    if not algorithm.has_critic:
        return
    if algorithm.critic.tower == FROZEN and config.model.lora_rank:
        raise ConfigError(
            f'algorithm.critic.tower is "frozen" and model.lora_rank {config.model.lora_rank}: adapters are merged '
            'away on export, from under the frozen policy; use tower = "copy", or set lora_rank to 0'
        )
    if replay.kind not in ("uniform", "prioritised", "return_weighted"):
        raise ConfigError(
            f'algorithm.replay.kind is {replay.kind!r}; an actor-critic draws from a buffer of kind "uniform", '
            '"prioritised" or "return_weighted"'
        )
    is_by_advantage = replay.kind == "prioritised" and replay.priority.by == "advantage"
    if is_by_advantage and algorithm.actor.kind == "listed":
        raise ConfigError(
            'algorithm.replay.priority.by is "advantage", which takes a V of its own, and that of actor.kind "listed" '
            'is a sum over the list; use "td_error" or "return"'
        )
    if algorithm.critic.warmup >= config.run.iterations > 0:
        raise ConfigError(
            f"algorithm.critic.warmup is {algorithm.critic.warmup} of {config.run.iterations} iterations, so the "
            "policy would never learn; raise run.iterations or lower it"
        )
