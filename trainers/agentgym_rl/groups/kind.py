"""Learning from groups as a kind of learner: what it brings to the table of learners."""

from __future__ import annotations

from agentgym_rl.core.config.kind import Check, LearnerKind
from agentgym_rl.core.config.late import Late
from agentgym_rl.groups.equations import group_equations
from agentgym_rl.groups.options import GroupOptions
from agentgym_rl.groups.presets import PRESETS
from agentgym_rl.groups.rules import KEY_RULES, RULES, completed
from agentgym_rl.replay.rules import REPLAYABLE

GROUPS = LearnerKind(
    options=GroupOptions,
    make=Late("agentgym_rl.groups.learner:GroupLearner"),
    equations=group_equations,
    presets=PRESETS,
    key_rules=KEY_RULES,
    rules=RULES,
    completed=completed,
    checks=(
        Check(
            "the environment tells what the method of attribution reads",
            Late("agentgym_rl.groups.requirements:require_recordable"),
        ),
        REPLAYABLE,
        Check(
            "experts, towers and judges of the method of attribution can be had",
            Late("agentgym_rl.groups.requirements:require_predictors"),
        ),
    ),
    has_signal=Late("agentgym_rl.groups.credit:has_signal"),
    is_parallel=True,
    reads_pictures=True,
)
