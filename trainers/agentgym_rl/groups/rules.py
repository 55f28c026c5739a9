"""Combinations of options that learning from groups cannot work with, said where the file is read.

Keys of choices that were not made are unknown already; ranges of single options are checked by their dataclasses.
"""

from __future__ import annotations

from dataclasses import replace

from agentgym.attribution.compose import is_shaping, leaves
from agentgym.attribution.learned.expert import Expert
from agentgym.attribution.shaping.potential import Potential
from agentgym.errors import ConfigError
from agentgym_rl.core.config.kind import KeyRule
from agentgym_rl.core.config.train import ConfigOf
from agentgym_rl.groups.options import (
    AttributionCredit,
    EpisodeCredit,
    GroupOptions,
    TurnGaeCredit,
)
from agentgym_rl.replay.options import ImitationReplay, NoReplay, SuccessReplay
from agentgym_rl.replay.rules import GOALS_OF_FUTURE, require_hindsight_fits

Config = ConfigOf[GroupOptions]


def _divides_by_deviation(config: Config) -> bool:
    credit = config.algorithm.credit
    return isinstance(credit, EpisodeCredit) and credit.estimator in ("group_normalised", "lite_ppo")


def _shapes(config: Config) -> bool:
    attribution = config.algorithm.attribution
    return bool(attribution.method) and is_shaping(attribution.formula)


KEY_RULES = (
    KeyRule(
        "algorithm.credit.std_eps",
        _divides_by_deviation,
        "without an estimator that divides by a standard deviation: group_normalised or lite_ppo",
    ),
    *(
        KeyRule(f"algorithm.loss.{key}", lambda c: c.algorithm.loss.kl_coefficient > 0, "without loss.kl_coefficient")
        for key in ("kl_estimator", "use_kl_ratio")
    ),
    *(
        KeyRule(
            f"algorithm.replay.{key}", lambda c: c.algorithm.replay.is_on, "without replay.kind or replay.hindsight"
        )
        for key in ("capacity", "max_age")
    ),
    GOALS_OF_FUTURE,
    KeyRule(
        "algorithm.replay.runs_share", lambda c: bool(c.algorithm.runs), "without replay.runs, of which it is the share"
    ),
    KeyRule(
        "algorithm.overlong_buffer",
        lambda c: c.algorithm.max_episode_tokens is not None,
        "without algorithm.max_episode_tokens",
    ),
    KeyRule(
        "watch.proxy",
        _shapes,
        "without algorithm.credit.attribution.method, one that changes what episodes are paid in all",
    ),
    *(
        KeyRule(
            f"rollout.{key}",
            lambda c, key=key: getattr(c.rollout, key) or not c.algorithm.attribution.method,  # type: ignore[misc]
            "with algorithm.credit.attribution.method, because the method reads what it records",
        )
        for key in ("record_anchors", "record_progress")
    ),
)


def completed(config: Config) -> Config:
    """With whole sequences in a micro-batch where ratios need them, and recorded what a method of attribution reads."""
    algorithm = config.algorithm
    if algorithm.loss.ratio_level == "sequence" or algorithm.importance.mode in ("seq_tis", "seq_mis", "geometric"):
        config = replace(config, packing=replace(config.packing, keep_sequences_whole=True))
    if algorithm.attribution.method:
        config = replace(config, rollout=replace(config.rollout, record_anchors=True, record_progress=True))
    return config


def require_credit(config: Config) -> None:
    """Refuse a credit without what it compares.

    Raises:
        ConfigError: Says what it needs.
    """
    algorithm, group, kind = config.algorithm, config.group, config.algorithm.credit.kind
    _require_yields(algorithm)
    _require_expert(config)
    needs_group = kind in ("episode", "attribution") and not algorithm.is_whitened
    if needs_group and group.size < 2:
        raise ConfigError(
            f"group.size is {group.size}; a group baseline needs at least 2 episodes, or choose a PPO preset"
        )
    if group.dynamic_sampling == "refill" and kind != "episode":
        raise ConfigError(
            'group.dynamic_sampling "refill" needs algorithm.credit.kind = "episode", where equal returns teach nothing'
        )


def require_loss(config: Config) -> None:
    """Refuse a loss that lacks what it reads.

    Raises:
        ConfigError: Says what it needs.
    """
    algorithm, group = config.algorithm, config.group
    if algorithm.aggregation == "dr_grpo" and algorithm.max_episode_tokens is None:
        raise ConfigError("algorithm.aggregation dr_grpo needs algorithm.max_episode_tokens, its constant")
    if algorithm.importance.mode != "none" and algorithm.prox == "behaviour":
        raise ConfigError('algorithm.importance.mode needs algorithm.prox = "recompute": else its weights are all 1')
    if algorithm.loss.surrogate == "reinforce" and (group.staleness or algorithm.epochs * algorithm.minibatches > 1):
        raise ConfigError(
            'algorithm.loss.surrogate "reinforce" corrects no stale samples; set group.staleness = 0, epochs = 1 and '
            'minibatches = 1, or use "clipped"'
        )


def require_guidance_weighed(config: Config) -> None:
    """Refuse hints without the weights that correct for them.

    Raises:
        ConfigError: Says which weights.
    """
    if config.curriculum.guidance is not None and config.algorithm.importance.mode == "none":
        raise ConfigError(
            "curriculum.guidance samples with a hint and trains without it, which needs importance weights: set "
            'algorithm.importance.mode = "token_tis" and algorithm.prox = "recompute"'
        )


def require_replay(config: Config) -> None:
    """Refuse replay that would upset the groups, or lack the failures that it needs.

    Raises:
        ConfigError: Says which keys, and what to do.
    """
    algorithm, replay = config.algorithm, config.algorithm.replay
    if config.curriculum.starts is not None and isinstance(replay, SuccessReplay):
        raise ConfigError(
            "curriculum.starts begins episodes in the middle, whose successes are not successes of the whole task; "
            'remove it, or replay.kind "successes"'
        )
    require_hindsight_fits(config, replay.hindsight)
    _require_failures(config)
    if isinstance(replay, NoReplay):
        return
    if isinstance(replay, SuccessReplay):
        _require_joinable(algorithm, replay)
    if algorithm.loss.surrogate == "reinforce" and replay.max_lag is None and replay.max_age is None:
        raise ConfigError(
            f'algorithm.replay.kind {replay.kind!r} with loss.surrogate "reinforce" learns from episodes of any age '
            'without a clip; bound replay.max_age or max_lag, or use "clipped"'
        )


def _require_failures(config: Config) -> None:
    """Refuse refilling where replay needs the groups without variance, which the learner never sees then."""
    replay = config.algorithm.replay
    needs = {
        'replay.kind "successes"': isinstance(replay, SuccessReplay),
        'replay.kind "imitation"': isinstance(replay, ImitationReplay),
        "replay.hindsight": replay.hindsight is not None,
    }
    concerned = [name for name, is_on in needs.items() if is_on]
    if config.group.dynamic_sampling == "refill" and concerned:
        raise ConfigError(
            f'group.dynamic_sampling "refill" throws away groups of failures or of successes alone, which '
            f'{" and ".join(concerned)} cannot do without; use "drop"'
        )


def _require_joinable(algorithm: GroupOptions, replay: SuccessReplay) -> None:
    """Refuse what a replayed member in a group would upset."""
    if algorithm.credit.kind not in ("episode", "attribution"):
        raise ConfigError(
            f'algorithm.replay.kind "successes" adds members to groups, but credit "{algorithm.credit.kind}" has no '
            'baseline of groups; use replay.kind "imitation", or credit "episode"'
        )
    if algorithm.credit.kind == "attribution" and replay.runs:
        raise ConfigError(
            'algorithm.replay.runs with kind "successes" and credit "attribution": earlier runs need not have recorded '
            'what the method compares; leave runs out, or use credit "episode"'
        )
    if algorithm.importance.mode != "none":
        raise ConfigError(
            f'algorithm.importance.mode {algorithm.importance.mode!r} with replay.kind "successes" would weigh '
            'replayed tokens twice; set it to "none"'
        )


def _require_expert(config: Config) -> None:
    """Refuse a comparison with an expert of whom nothing is known."""
    attribution = config.algorithm.attribution
    parts = leaves(attribution.formula) if attribution.method else ()
    is_unknown = any(isinstance(part, Expert) and not part.run for part in parts)
    if is_unknown and not config.warm_start.demonstrations:
        raise ConfigError(
            f"algorithm.credit.attribution.method {attribution.method!r} learns from an expert, and there are no "
            "demonstrations to compare with; set warm_start.demonstrations, or algorithm.credit.attribution.options to "
            '["expert.run=FOLDER"]'
        )


def _require_yields(algorithm: GroupOptions) -> None:
    """Refuse a method of attribution whose numbers are not what the credit makes of them."""
    credit, method = algorithm.credit, algorithm.attribution.method
    if isinstance(credit, AttributionCredit) and not method:
        raise ConfigError(
            'algorithm.credit.kind "attribution" needs algorithm.credit.attribution.method, such as '
            '"episode_groups+anchors"; the presets gigpo and mt_grpo set one'
        )
    expected = "advantages" if isinstance(credit, AttributionCredit) else "rewards"
    if method and algorithm.attribution.formula.yields != expected:
        raise ConfigError(
            f"algorithm.credit.attribution.method {method!r} yields {algorithm.attribution.formula.yields}, but credit "
            f'"{credit.kind}" needs {expected}; see `agentgym attribute --help` for the methods'
        )
    if method and isinstance(credit, TurnGaeCredit):
        _require_invariant(credit)
    if isinstance(credit, AttributionCredit) and algorithm.overlong_buffer:
        raise ConfigError('algorithm.overlong_buffer does not apply to credit "attribution"; remove it')


def _require_invariant(credit: TurnGaeCredit) -> None:
    """Refuse a potential that would change the task of a critic, rather than move its rewards."""
    discount = credit.gae.discount
    for leaf in leaves(credit.attribution.formula):
        if isinstance(leaf, Potential) and (leaf.at_truncation != "keep" or leaf.gamma != discount):
            raise ConfigError(
                f'potential under credit "turn_gae" has at_truncation "{leaf.at_truncation}" and gamma {leaf.gamma:g}; '
                "a critic that values the state after a truncation needs its potential kept, and its own discount: set "
                'algorithm.credit.attribution.options = ["potential.at_truncation=keep", '
                f'"potential.gamma={discount:g}"]'
            )


RULES = (require_credit, require_loss, require_guidance_weighed, require_replay)
