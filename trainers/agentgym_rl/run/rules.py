"""What the shared tables of a configuration need of each other and of the learner; said before anything is collected.

What the keys of `[algorithm]` need of each other is among the rules of each learner.
"""

from __future__ import annotations

from typing import Any

from agentgym.config import Source
from agentgym.errors import ConfigError
from agentgym_rl.core.config.kind import KeyRule, LearnerKind
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.curricula.rules import require_consistent

SHARED_KEY_RULES = (
    KeyRule("group", lambda c: c.algorithm.collects, "with a learner that collects no episodes"),
    KeyRule("group.dynamic_sampling", lambda c: c.algorithm.compares_groups, 'without algorithm.learner = "groups"'),
    KeyRule(
        "group.max_refills",
        lambda c: c.group.dynamic_sampling == "refill",
        'without group.dynamic_sampling = "refill"',
    ),
    KeyRule("watch.max_value_ratio", lambda c: c.algorithm.has_critic, "without a critic of turns"),
    KeyRule(
        "watch.proxy", lambda c: c.algorithm.compares_groups, "without a method of attribution that shapes rewards"
    ),
    KeyRule("model.size", lambda c: not c.model.path, "with model.path, because a loaded model has its own size"),
    KeyRule("model.trust_remote_code", lambda c: bool(c.model.path), "without model.path"),
    KeyRule("model.allow_incomplete", lambda c: bool(c.model.path), "without model.path"),
    KeyRule("model.lora_alpha", lambda c: c.model.lora_rank > 0, "without model.lora_rank"),
)


def require_applicable(config: TrainConfig, kind: LearnerKind[Any], given: set[str], source: Source) -> None:
    """Refuse keys that would change nothing, and combinations that cannot work.

    Args:
        config: The configuration, presets included.
        kind: Of its learner.
        given: Dotted keys that the user set.
        source: For messages.

    Raises:
        ConfigError: Says which key, and why.
    """
    for rule in (*SHARED_KEY_RULES, *kind.key_rules):
        concerned = sorted(key for key in given if key == rule.key or key.startswith(f"{rule.key}."))
        if concerned and not rule.applies(config):
            key = concerned[0]
            how = "" if key in source.overridden or source.path is None else f", or add the override {key}="
            raise ConfigError(f"{source.place(key)} has no effect {rule.without}; remove it{how}")
    require_consistent(config)
    for require in kind.rules:
        require(config)
    _require_loadable_reference(config)


def _require_loadable_reference(config: TrainConfig) -> None:
    """Refuse adapters that a warm start trains where the policy of the start is read."""
    is_cloned = bool(config.warm_start.demonstrations or config.warm_start.run)
    if config.model.lora_rank and config.algorithm.needs_reference and is_cloned:
        raise ConfigError(
            f"model.lora_rank = {config.model.lora_rank} with a warm start has no policy of the start that a resumed "
            "run could load: the exported clone has its adapters merged in. Clone in a run of its own and give its "
            "models/cloned as model.path, or leave out lora_rank, or what compares with that policy: a KL term or a "
            'start.phase "a_lol"'
        )
