"""Both actor-critics that collect as kinds of learners: what they bring to the table of learners.

Those that learn from stored runs alone are in agentgym_rl/offline/kinds.py, and share the rules below.
"""

from __future__ import annotations

from agentgym.errors import ConfigError
from agentgym_rl.core.config.kind import Check, KeyRule, LearnerKind, Presets
from agentgym_rl.core.config.late import Late
from agentgym_rl.core.config.train import ConfigOf
from agentgym_rl.hierarchical.equations import actor_critic_equations, soft_actor_critic_equations
from agentgym_rl.hierarchical.options import (
    FROZEN,
    ActorCriticOptions,
    InSampleActor,
    ResampledActor,
    SoftActorCriticOptions,
    UnderCritic,
    UnderSoftCritic,
)
from agentgym_rl.replay.options import PrioritisedBuffer, StoredPrioritised
from agentgym_rl.replay.rules import GOALS_OF_FUTURE, REPLAYABLE, require_hindsight_fits

# Keys that change something only beside certain values of others.

TOWER_RANK = KeyRule(
    "algorithm.critic.lora_rank",
    lambda c: c.algorithm.critic.tower not in ("", FROZEN),
    'without a tower that learns: algorithm.critic.tower = "copy", or a folder',
)
EXPECTILE = KeyRule(
    "algorithm.critic.expectile",
    lambda c: not isinstance(c.algorithm.actor, ResampledActor) or c.algorithm.critic.follows == "data",
    'without actor.kind = "in_sample" or "awr", or critic.follows = "data", where V learns from stored actions',
)
FOLLOWS = KeyRule(
    "algorithm.critic.follows",
    lambda c: isinstance(c.algorithm.actor, ResampledActor),
    'without actor.kind = "resampled", because V learns from stored actions anyway',
)
PHASE = KeyRule(
    "algorithm.start.phase",
    lambda c: c.algorithm.start.policy_updates > 0,
    "without start.policy_updates, which are the updates of that phase",
)
PHASE_AWR = KeyRule(
    "algorithm.start.awr",
    lambda c: c.algorithm.start.policy_updates > 0 and c.algorithm.start.phase == "awr",
    'without start.policy_updates and start.phase = "awr"',
)
PHASE_A_LOL = KeyRule(
    "algorithm.start.a_lol",
    lambda c: c.algorithm.start.policy_updates > 0 and c.algorithm.start.phase == "a_lol",
    'without start.policy_updates and start.phase = "a_lol"',
)
POOLING = KeyRule(
    "algorithm.critic.network.pooling",
    lambda c: c.algorithm.critic.network.reads != "history",
    'with critic.network.reads = "history", of which one token is read',
)
RANKING = tuple(
    KeyRule(
        f"algorithm.critic.ranking.{name}",
        lambda c: c.algorithm.critic.ranking.states > 0,
        "without critic.ranking.states, in which messages are ranked",
    )
    for name in ("every", "player", "continuations")
)
TUNED_ENTROPY = KeyRule(
    "algorithm.actor.entropy.learning_rate",
    lambda c: c.algorithm.actor.entropy.target is not None,
    "without actor.entropy.target, because alpha then stays as it is",
)
_SHARED = KeyRule(
    "algorithm.replay.runs_share", lambda c: bool(c.algorithm.runs), "without replay.runs, of which it is the share"
)


# Combinations that cannot work.


def require_warmup_ends(config: ConfigOf[UnderCritic]) -> None:
    """Refuse a run in which the policy would never learn.

    Raises:
        ConfigError: Says how long the warm-up is.
    """
    warmup = config.algorithm.critic.warmup
    if warmup >= config.run.iterations > 0:
        raise ConfigError(
            f"algorithm.critic.warmup is {warmup} of {config.run.iterations} iterations, so the policy would never "
            "learn; raise run.iterations or lower it"
        )


def require_whole_reference(config: ConfigOf[UnderCritic]) -> None:
    """Refuse adapters over a policy whose start is read.

    Raises:
        ConfigError: Says what to do.
    """
    if config.algorithm.critic.tower == FROZEN and config.model.lora_rank:
        raise ConfigError(
            f'algorithm.critic.tower is "frozen" and model.lora_rank {config.model.lora_rank}: adapters are merged '
            'away on export, from under the frozen policy; use tower = "copy", or set lora_rank to 0'
        )


def require_priority(config: ConfigOf[UnderSoftCritic]) -> None:
    """Refuse priorities by what a soft critic does not have.

    Raises:
        ConfigError: Says which it has.
    """
    replay = config.algorithm.replay
    if isinstance(replay, PrioritisedBuffer | StoredPrioritised) and replay.priority.by == "advantage":
        raise ConfigError(
            'algorithm.replay.priority.by is "advantage", which takes a V of its own, and that of learner '
            f'"{config.algorithm.learner}" is a sum over the list; use "td_error" or "return"'
        )


def _require_logprobs(config: ConfigOf[ActorCriticOptions]) -> None:
    """Refuse relabelled episodes, which have no log-probabilities, where the actor weighs stored actions."""
    algorithm = config.algorithm
    if algorithm.replay.hindsight is not None and isinstance(algorithm.actor, InSampleActor):
        raise ConfigError(
            f"algorithm.replay.hindsight makes episodes without log-probabilities, which algorithm.actor.kind "
            f'"{algorithm.actor.kind}" needs for its weights, so none would be drawn; use actor.kind "resampled" or '
            '"awr", or leave hindsight out'
        )


def _require_sampled(config: ConfigOf[ActorCriticOptions]) -> None:
    """Refuse random episodes, which have no log-probabilities, where the actor weighs stored actions."""
    algorithm = config.algorithm
    if algorithm.start.random_episodes and isinstance(algorithm.actor, InSampleActor):
        raise ConfigError(
            f"algorithm.start.random_episodes are played without log-probabilities, which algorithm.actor.kind "
            f'"{algorithm.actor.kind}" needs for its weights, so none would be drawn; use actor.kind "resampled" or '
            '"awr", or leave them out'
        )


def _require_scale(config: ConfigOf[ActorCriticOptions]) -> None:
    """Refuse scaled advantages of single messages, of which each is 0."""
    actor = config.algorithm.actor
    if isinstance(actor, ResampledActor) and actor.is_scaled and actor.samples < 2:
        raise ConfigError(
            "algorithm.actor.is_scaled divides by how far apart the messages of a state are, and there is one, as "
            "algorithm.actor.samples is 1; set it to 2 or more"
        )


def _require_hindsight(config: ConfigOf[ActorCriticOptions] | ConfigOf[SoftActorCriticOptions]) -> None:
    require_hindsight_fits(config, config.algorithm.replay.hindsight)


# What must hold before a run's folder is made.

TOWER = Check(
    "the tower of the critic can be loaded, and has the policy's vocabulary",
    Late("agentgym_rl.hierarchical.building:require_tower"),
)
PLAYER = Check(
    "the player that takes over in forked states is a script of the environment",
    Late("agentgym_rl.hierarchical.ranking:require_player"),
)
LISTED = Check(
    "the environment lists legal actions, and stored runs recorded them",
    Late("agentgym_rl.hierarchical.requirements:require_listed"),
)

_READS = {"network": {"reads": "auto"}}
_ARCHER = {"updates": 50, "batch": 256, "warmup": 20, "discount": 0.95, **_READS}
_PRESETS: Presets = {
    # Zhou et al. 2024, arXiv 2402.19446: two Q and V of turns, new actions in stored states.
    "archer": {
        "replay": {"kind": "uniform", "unit": "turn"},
        "critic": _ARCHER,
        "actor": {"kind": "resampled", "updates": 3, "batch": 256},
    },
    # The same critic; stored actions with the truncated importance weight of the turn, so nothing is sampled twice.
    "archer_in_sample": {
        "replay": {"kind": "uniform", "unit": "turn"},
        "critic": {**_ARCHER, "expectile": 0.5},
        "actor": {"kind": "in_sample", "updates": 3, "batch": 256},
    },
    # The same critic, V an expectile of stored messages, which are cloned by their advantages: nothing is sampled
    # twice, and no message is lost that was once seen to be good.
    "archer_awr": {
        "replay": {"kind": "uniform", "unit": "turn"},
        "critic": {**_ARCHER, "expectile": 0.9, "tower": "frozen"},
        "actor": {"kind": "awr", "updates": 30, "batch": 256, "awr": {"temperature": 0.5, "unit": "spread"}},
    },
}
_SOFT_PRESETS: Presets = {
    # Gaven et al. 2024, arXiv 2410.12481 (SAC-GLAM), after Christodoulou 2019, arXiv 1910.07207: all actions that the
    # environment lists, nothing sampled; no V heads.
    "discrete_sac": {
        "replay": {"kind": "uniform", "unit": "turn"},
        "critic": {"updates": 50, "batch": 256, "warmup": 5, "discount": 0.95, "tower": "frozen"},
        "actor": {"updates": 10, "batch": 256},
    },
}

ACTOR_CRITIC = LearnerKind(
    options=ActorCriticOptions,
    make=Late("agentgym_rl.hierarchical.learner:ActorCriticLearner"),
    equations=actor_critic_equations,
    presets=_PRESETS,
    key_rules=(
        *(TOWER_RANK, EXPECTILE, FOLLOWS, PHASE, PHASE_AWR, PHASE_A_LOL, POOLING, *RANKING),
        *(GOALS_OF_FUTURE, _SHARED),
    ),
    rules=(
        require_whole_reference,
        _require_hindsight,
        _require_logprobs,
        _require_sampled,
        _require_scale,
        require_warmup_ends,
    ),
    checks=(TOWER, REPLAYABLE, PLAYER),
)
SOFT_ACTOR_CRITIC = LearnerKind(
    options=SoftActorCriticOptions,
    make=Late("agentgym_rl.hierarchical.listed.learner:SoftActorCriticLearner"),
    equations=soft_actor_critic_equations,
    presets=_SOFT_PRESETS,
    key_rules=(TOWER_RANK, TUNED_ENTROPY, GOALS_OF_FUTURE, _SHARED),
    rules=(require_whole_reference, _require_hindsight, require_priority, require_warmup_ends),
    checks=(LISTED, TOWER, REPLAYABLE),
)
