"""Which options of replay apply to what; `agentgym_rl.applicability` asks here.

Not here: ranges of single options, which the dataclasses check themselves; what only the run can tell (`buffer`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from agentgym.errors import ConfigError

if TYPE_CHECKING:
    from agentgym_rl.config import TrainConfig

OF_GROUPS = ("successes", "imitation", "return_weighted")
"""Kinds that learning from groups knows."""


def _is(*kinds: str) -> Callable[[TrainConfig], bool]:
    return lambda c: c.algorithm.replay.kind in kinds


def _learns_from_groups(config: TrainConfig) -> bool:
    return config.algorithm.learner == "groups"


def _has_episodes(config: TrainConfig) -> bool:
    return _learns_from_groups(config) and config.algorithm.replay.kind in ("imitation", "return_weighted")


_EPISODES = 'learning from groups and replay.kind "imitation" or "return_weighted"'
_HINDSIGHT = "learning from groups; an actor-critic draws what was relabelled like everything else"

RULES: tuple[tuple[str, Callable[[TrainConfig], bool], str], ...] = (
    ("algorithm.replay.capacity", lambda c: c.algorithm.replay.is_on, "replay.kind or replay.hindsight"),
    (
        "algorithm.replay.max_age",
        lambda c: c.algorithm.replay.is_on and c.algorithm.collects,
        "replay.kind or replay.hindsight, of episodes of the run's own",
    ),
    (
        "algorithm.replay.max_lag",
        lambda c: c.algorithm.replay.kind != "none" and c.algorithm.collects,
        "a replay.kind that draws what was sampled in the run; relabelled episodes have no version",
    ),
    (
        "algorithm.replay.kind",
        lambda c: c.algorithm.collects or c.algorithm.has_critic,
        "a learner that collects, or a critic of turns; episodes of stored runs are drawn alike",
    ),
    ("algorithm.replay.hindsight", lambda c: c.algorithm.collects, "a learner that collects, whose failures it uses"),
    *((f"algorithm.replay.{key}", _has_episodes, _EPISODES) for key in ("episodes", "coefficient", "ramp")),
    *(
        (
            f"algorithm.replay.{key}",
            lambda c: _learns_from_groups(c) and c.algorithm.replay.kind in OF_GROUPS,
            "learning from groups with a kind of replay",
        )
        for key in ("weight_level", "max_weight")
    ),
    ("algorithm.replay.unit", lambda c: c.algorithm.has_critic, "a critic of turns; others draw whole episodes"),
    ("algorithm.replay.per_task", _is("successes"), 'replay.kind = "successes"'),
    ("algorithm.replay.temperature", _is("return_weighted"), 'replay.kind = "return_weighted"'),
    ("algorithm.replay.priority", _is("prioritised"), 'replay.kind = "prioritised"'),
    *(
        (f"algorithm.replay.{key}", _is("imitation"), 'replay.kind = "imitation"')
        for key in ("imitation", "covariance", "fresh_covariance")
    ),
    (
        "algorithm.replay.runs",
        lambda c: c.algorithm.replay.kind != "none" or not _learns_from_groups(c),
        "a replay.kind",
    ),
    (
        "algorithm.replay.runs_share",
        lambda c: bool(c.algorithm.replay.runs) and c.algorithm.replay.kind != "successes",
        "replay.runs, and a kind that draws; successes take one from there only where this run has none",
    ),
    (
        "algorithm.replay.hindsight.goals",
        lambda c: c.algorithm.replay.hindsight is not None and c.algorithm.replay.hindsight.strategy == "future",
        'hindsight.strategy = "future"',
    ),
    ("algorithm.replay.hindsight.episodes", _learns_from_groups, _HINDSIGHT),
    ("algorithm.replay.hindsight.coefficient", _learns_from_groups, _HINDSIGHT),
)


def require_consistent(config: TrainConfig) -> None:
    """Refuse combinations that cannot work.

    Raises:
        ConfigError: Says which, and what to do.
    """
    algorithm, replay = config.algorithm, config.algorithm.replay
    if config.curriculum.starts is not None and (replay.kind == "successes" or replay.hindsight is not None):
        raise ConfigError(
            "curriculum.starts begins episodes in the middle, whose successes are none of the whole task and whose "
            'actions cannot be played again from its start; leave it out, or replay.kind "successes" and hindsight'
        )
    if replay.hindsight is not None and algorithm.has_critic and algorithm.needs_behaviour_logprobs:
        raise ConfigError(
            f"algorithm.replay.hindsight makes episodes without log-probabilities, which algorithm.actor.kind "
            f'"{algorithm.actor.kind}" needs for its weights, so none would be drawn; use actor.kind "resampled" or '
            '"awr", or leave hindsight out'
        )
    _require_failures(config)
    if not _learns_from_groups(config) or replay.kind == "none":
        return
    if replay.kind not in OF_GROUPS:
        raise ConfigError(
            f"algorithm.replay.kind is {replay.kind!r}; learning from groups replays {', '.join(OF_GROUPS)}, an "
            "actor-critic (algorithm.learner) the others"
        )
    if replay.kind == "successes":
        _require_joinable(config)
    if algorithm.loss.surrogate == "reinforce" and replay.max_lag is None and replay.max_age is None:
        raise ConfigError(
            f'algorithm.replay.kind {replay.kind!r} with loss.surrogate "reinforce" learns from episodes of any age '
            'without a clip; bound replay.max_age or max_lag, or use "clipped"'
        )


def _require_failures(config: TrainConfig) -> None:
    """Refuse refilling where replay needs the groups without variance, which the learner never sees then."""
    replay = config.algorithm.replay
    needs = {
        'replay.kind "successes"': replay.kind == "successes",
        'replay.kind "imitation"': replay.kind == "imitation",
        "replay.hindsight": replay.hindsight is not None,
    }
    concerned = [name for name, is_on in needs.items() if is_on]
    if config.group.dynamic_sampling == "refill" and concerned:
        raise ConfigError(
            f'group.dynamic_sampling "refill" throws away groups of failures or of successes alone, which '
            f'{" and ".join(concerned)} cannot do without; use "drop"'
        )


def _require_joinable(config: TrainConfig) -> None:
    """Refuse what a replayed member in a group would upset."""
    algorithm, replay = config.algorithm, config.algorithm.replay
    if algorithm.credit not in ("episode", "attribution"):
        raise ConfigError(
            f'algorithm.replay.kind "successes" adds members to groups, but credit "{algorithm.credit}" has no '
            'baseline of groups; use replay.kind "imitation", or credit "episode"'
        )
    if algorithm.credit == "attribution" and replay.runs:
        raise ConfigError(
            'algorithm.replay.runs with kind "successes" and credit "attribution": earlier runs need not have recorded '
            'what the method compares; leave runs out, or use credit "episode"'
        )
    if algorithm.importance.mode != "none":
        raise ConfigError(
            f'algorithm.importance.mode {algorithm.importance.mode!r} with replay.kind "successes" would weigh '
            'replayed tokens twice; set it to "none"'
        )
