"""Which options apply to what: an option that would change nothing is an error, said before anything is collected."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from agentgym.attribution.compose import is_shaping, leaves
from agentgym.attribution.expert import Expert
from agentgym.attribution.potential import Potential
from agentgym.config import Source
from agentgym.errors import ConfigError
from agentgym_rl.curricula import rules as curricula_rules
from agentgym_rl.hierarchical import rules
from agentgym_rl.replay import rules as replay_rules

if TYPE_CHECKING:
    from agentgym_rl.config import AlgorithmConfig, TrainConfig

Rule = tuple[str, Callable[["TrainConfig"], bool], str]

_RULES: tuple[Rule, ...] = (
    *rules.RULES,
    *replay_rules.RULES,
    *(
        (f"algorithm.advantage.{key}", lambda c: c.algorithm.credit == "episode", 'algorithm.credit = "episode"')
        for key in ("estimator", "spread_tolerance")
    ),
    (
        "algorithm.advantage.truncated",
        lambda c: not c.algorithm.has_value_head,
        "a credit without a value head, which values what comes after a truncation",
    ),
    (
        "algorithm.advantage.std_eps",
        lambda c: c.algorithm.advantage.estimator in ("group_normalised", "lite_ppo"),
        "an advantage estimator that divides by a standard deviation",
    ),
    ("algorithm.gae.trace", lambda c: c.algorithm.has_value_head, "credit turn_gae or token_gae"),
    (
        "algorithm.gae",
        lambda c: c.algorithm.credit not in ("episode", "attribution"),
        "credit turn_gae, token_gae or return_to_go",
    ),
    (
        "algorithm.attribution",
        lambda c: c.algorithm.credit in ("attribution", "turn_gae"),
        "credit attribution or turn_gae",
    ),
    (
        "watch.proxy",
        lambda c: bool(c.algorithm.attribution.method) and is_shaping(c.algorithm.attribution.formula),
        "algorithm.attribution.method, one that changes what episodes are paid in all",
    ),
    ("algorithm.value", lambda c: c.algorithm.has_value_head, "credit turn_gae or token_gae"),
    *(
        (f"algorithm.loss.{key}", lambda c: c.algorithm.loss.surrogate == "clipped", 'loss.surrogate = "clipped"')
        for key in ("eps_low", "eps_high", "dual_clip")
    ),
    ("algorithm.loss.cispo_max_ratio", lambda c: c.algorithm.loss.surrogate == "cispo", 'loss.surrogate = "cispo"'),
    ("algorithm.loss.dppo_max_shift", lambda c: c.algorithm.loss.surrogate == "dppo", 'loss.surrogate = "dppo"'),
    ("algorithm.loss.dppo_penalty", lambda c: c.algorithm.loss.surrogate == "dppo", 'loss.surrogate = "dppo"'),
    ("algorithm.loss.kl_estimator", lambda c: c.algorithm.loss.kl_coefficient > 0, "loss.kl_coefficient > 0"),
    ("algorithm.loss.use_kl_ratio", lambda c: c.algorithm.loss.kl_coefficient > 0, "loss.kl_coefficient > 0"),
    (
        "algorithm.kl_in_reward",
        lambda c: c.algorithm.credit not in ("episode", "attribution"),
        "credit return_to_go, turn_gae or token_gae",
    ),
    (
        "algorithm.importance.min_weight",
        lambda c: c.algorithm.importance.mode in ("token_mis", "seq_mis", "icepop"),
        "importance.mode token_mis, seq_mis or icepop",
    ),
    (
        "algorithm.importance.max_weight",
        lambda c: c.algorithm.importance.mode != "none",
        'importance.mode not "none"',
    ),
    *(
        (f"algorithm.importance.{key}", lambda c: c.algorithm.importance.mode == "geometric", 'mode = "geometric"')
        for key in ("min_gate", "max_gate")
    ),
    ("algorithm.overlong_buffer", lambda c: c.algorithm.max_episode_tokens is not None, "algorithm.max_episode_tokens"),
    ("watch.max_value_ratio", lambda c: c.algorithm.has_critic, "a critic of turns"),
    ("group.max_refills", lambda c: c.group.dynamic_sampling == "refill", 'group.dynamic_sampling = "refill"'),
    *(
        (f"rollout.{key}", lambda c, key=key: getattr(c.rollout, key) or not c.algorithm.attribution.method, "true")
        for key in ("record_anchors", "record_progress")
    ),
    ("model.size", lambda c: not c.model.path, "no model.path: a loaded model has its size"),
    ("model.trust_remote_code", lambda c: bool(c.model.path), "model.path"),
    ("model.lora_alpha", lambda c: c.model.lora_rank > 0, "model.lora_rank > 0"),
)


def require_applicable(config: TrainConfig, given: set[str], source: Source) -> None:
    """Refuse options that do not apply, and combinations that cannot work.

    Args:
        config: The configuration, presets included.
        given: Dotted keys that the user set.
        source: For messages.

    Raises:
        ConfigError: Says which key, and what it needs.
    """
    for prefix, applies, needs in _RULES:
        concerned = sorted(key for key in given if key == prefix or key.startswith(f"{prefix}."))
        if concerned and not applies(config):
            key = concerned[0]
            how = "" if key in source.overridden else f", or override it by {key}= with nothing behind"
            raise ConfigError(f"{source.place(key)} does not apply here: it needs {needs}; remove it{how}")
    _require_consistent(config)


def _require_consistent(config: TrainConfig) -> None:
    rules.require_consistent(config)
    replay_rules.require_consistent(config)
    curricula_rules.require_consistent(config)
    if config.algorithm.learner == "groups":
        _require_groups_work(config)


def _require_groups_work(config: TrainConfig) -> None:
    algorithm, group = config.algorithm, config.group
    needs_group = algorithm.credit in ("episode", "attribution") and not algorithm.is_whitened
    _require_yields(algorithm)
    _require_expert(config)
    if needs_group and group.size < 2:
        raise ConfigError(
            f"group.size is {group.size}; a group baseline needs at least 2 episodes, or choose a PPO preset"
        )
    if algorithm.aggregation == "dr_grpo" and algorithm.max_episode_tokens is None:
        raise ConfigError("algorithm.aggregation dr_grpo needs algorithm.max_episode_tokens, its constant")
    if algorithm.importance.mode != "none" and algorithm.prox == "behaviour":
        raise ConfigError('algorithm.importance.mode needs algorithm.prox = "recompute": else its weights are all 1')
    if algorithm.loss.surrogate == "reinforce" and (group.staleness or algorithm.epochs * algorithm.minibatches > 1):
        raise ConfigError(
            'algorithm.loss.surrogate "reinforce" corrects no stale samples; set group.staleness = 0, epochs = 1 and '
            'minibatches = 1, or use "clipped"'
        )
    if group.dynamic_sampling == "refill" and algorithm.credit != "episode":
        raise ConfigError('group.dynamic_sampling "refill" needs credit "episode", where equal returns teach nothing')
    is_cloned = bool(config.warm_start.demonstrations or config.warm_start.run)
    if config.model.lora_rank and algorithm.needs_reference and is_cloned:
        raise ConfigError(
            f"model.lora_rank = {config.model.lora_rank} with a warm start has no reference for the KL term that a "
            "resumed run could load: the exported clone has its adapters merged in. Clone in a run of its own and give "
            "its models/cloned as model.path, or leave the KL term or lora_rank out"
        )


def _require_expert(config: TrainConfig) -> None:
    """Refuse a comparison with an expert of whom nothing is known."""
    method = config.algorithm.attribution.method
    parts = leaves(config.algorithm.attribution.formula) if method else ()
    is_unknown = any(isinstance(part, Expert) and not part.run for part in parts)
    if is_unknown and not config.warm_start.demonstrations:
        raise ConfigError(
            f"algorithm.attribution.method {method!r} learns of an expert, and there are no demonstrations to compare "
            'with; set warm_start.demonstrations, or algorithm.attribution.options to ["expert.run=FOLDER"]'
        )


def _require_yields(algorithm: AlgorithmConfig) -> None:
    """Refuse a method of attribution whose numbers are not what the credit makes of them."""
    method = algorithm.attribution.method
    if algorithm.credit == "attribution" and not method:
        raise ConfigError(
            'algorithm.credit "attribution" needs algorithm.attribution.method, such as "episode_groups+anchors"; the '
            "presets gigpo and mt_grpo set one"
        )
    expected = "advantages" if algorithm.credit == "attribution" else "rewards"
    if method and algorithm.attribution.formula.yields != expected:
        raise ConfigError(
            f"algorithm.attribution.method {method!r} yields {algorithm.attribution.formula.yields}, but credit "
            f'"{algorithm.credit}" needs {expected}; see `agentgym attribute --help` for the methods'
        )
    if method and algorithm.credit == "turn_gae":
        _require_invariant(algorithm)
    if algorithm.credit == "attribution" and algorithm.overlong_buffer:
        raise ConfigError('algorithm.overlong_buffer does not apply to credit "attribution"; remove it')


def _require_invariant(algorithm: AlgorithmConfig) -> None:
    """Refuse a potential that would change the task of a critic, rather than move its rewards."""
    discount = algorithm.gae.discount
    for leaf in leaves(algorithm.attribution.formula):
        if isinstance(leaf, Potential) and (leaf.at_truncation != "keep" or leaf.gamma != discount):
            raise ConfigError(
                f'potential under credit "turn_gae" has at_truncation "{leaf.at_truncation}" and gamma {leaf.gamma:g}; '
                "a critic that values the state after a truncation needs its potential kept, and its own discount: "
                f'set algorithm.attribution.options = ["potential.at_truncation=keep", "potential.gamma={discount:g}"]'
            )
