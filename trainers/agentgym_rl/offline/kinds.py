"""Learners from stored runs alone as kinds of learners: what each brings to the table of learners."""

from __future__ import annotations

from agentgym.errors import ConfigError
from agentgym_rl.core.config.kind import Check, KeyRule, LearnerKind
from agentgym_rl.core.config.late import Late
from agentgym_rl.core.config.train import ConfigOf, TrainConfig
from agentgym_rl.hierarchical.kinds import (
    EXPECTILE,
    LISTED,
    POOLING,
    TOWER,
    TOWER_RANK,
    TUNED_ENTROPY,
    require_priority,
    require_warmup_ends,
    require_whole_reference,
)
from agentgym_rl.offline import equations
from agentgym_rl.offline.options import (
    AlolOptions,
    CloningOptions,
    IlqlOptions,
    MonteCarloOptions,
    OfflineActorCriticOptions,
    OfflineSoftActorCriticOptions,
    StepPreferenceOptions,
)
from agentgym_rl.replay.rules import REPLAYABLE

# Combinations that cannot work.


def _require_runs(config: TrainConfig) -> None:
    if not config.algorithm.runs:
        raise ConfigError(
            f'algorithm.learner "{config.algorithm.learner}" learns from stored runs and there are none; name their '
            "folders in algorithm.replay.runs"
        )


def _require_warmup_ends(config: ConfigOf[AlolOptions]) -> None:
    warmup = config.algorithm.warmup
    if warmup >= config.run.iterations > 0:
        raise ConfigError(
            f"algorithm.warmup is {warmup} of {config.run.iterations} iterations, so the policy would never learn; "
            "raise run.iterations or lower it"
        )


def _require_all_weights(config: TrainConfig) -> None:
    if config.model.lora_rank:
        raise ConfigError(
            f'model.lora_rank is {config.model.lora_rank}, and learner "{config.algorithm.learner}" trains all '
            "weights: adapters are merged away on export, from under a critic or a reference; set it to 0"
        )


# What must hold before a run's folder is made.

_BETTER = Check(
    "some stored episodes are better than others, where the best are learnt from",
    Late("agentgym_rl.offline.requirements:require_better"),
)

CLONING = LearnerKind(
    options=CloningOptions,
    make=Late("agentgym_rl.offline.making:make_cloning"),
    equations=equations.cloning_equations,
    presets={
        # Behaviour cloning of stored runs.
        "bc": {},
        # The best tenth by return, as LMRL-Gym does it: Abdulhai et al. 2023, arXiv 2311.18232.
        "filtered_bc": {"quantile": 0.9},
    },
    rules=(_require_runs,),
    checks=(REPLAYABLE, _BETTER),
)
MONTE_CARLO = LearnerKind(
    options=MonteCarloOptions,
    make=Late("agentgym_rl.offline.making:make_steered"),
    equations=equations.monte_carlo_equations,
    # A clone, steered by Q fitted to the returns that followed: Abdulhai et al. 2023, arXiv 2311.18232.
    presets={"mc_returns": {}},
    rules=(_require_runs, _require_all_weights),
    checks=(REPLAYABLE,),
    prepare_model=Late("agentgym_rl.offline.making:steer_model"),
)
ILQL = LearnerKind(
    options=IlqlOptions,
    make=Late("agentgym_rl.offline.making:make_steered"),
    equations=equations.ilql_equations,
    # Snell et al. 2022, arXiv 2206.11871.
    presets={"ilql": {}},
    rules=(_require_runs, _require_all_weights),
    checks=(REPLAYABLE,),
    prepare_model=Late("agentgym_rl.offline.making:steer_model"),
)
A_LOL = LearnerKind(
    options=AlolOptions,
    make=Late("agentgym_rl.offline.making:make_a_lol"),
    equations=equations.a_lol_equations,
    # Baheti et al. 2023, arXiv 2305.14718, a message being the answer.
    presets={"a_lol": {}},
    key_rules=(
        KeyRule("algorithm.clip", lambda c: c.algorithm.ratio != "none", 'without algorithm.ratio = "turn" or "token"'),
    ),
    rules=(_require_runs, _require_warmup_ends, _require_all_weights),
    checks=(REPLAYABLE,),
)
STEP_PREFERENCE = LearnerKind(
    options=StepPreferenceOptions,
    make=Late("agentgym_rl.offline.making:make_step_preference"),
    equations=equations.step_preference_equations,
    # Deng et al. 2024, arXiv 2411.03817 (StepAgent), implicit reward: an expert's message over the policy's own.
    presets={"step_agent": {}},
    rules=(_require_runs, _require_all_weights),
    checks=(REPLAYABLE, _BETTER),
)
OFFLINE_ACTOR_CRITIC = LearnerKind(
    options=OfflineActorCriticOptions,
    make=Late("agentgym_rl.offline.actor_critic:StoredActorCriticLearner"),
    equations=equations.offline_actor_critic_equations,
    presets={
        # Kostrikov et al. 2021, arXiv 2110.06169, for turns, from stored runs alone: the offline variant of ArCHer.
        "archer_offline": {
            "replay": {"kind": "uniform", "unit": "turn"},
            "critic": {
                "tower": "frozen",
                "updates": 50,
                "batch": 256,
                "warmup": 20,
                "discount": 0.95,
                "expectile": 0.9,
            },
            "actor": {"kind": "awr", "updates": 3, "batch": 256},
        },
    },
    key_rules=(
        *(TOWER_RANK, EXPECTILE, POOLING),
        KeyRule("algorithm.critic.ranking", lambda c: c.algorithm.collects, "with a learner that collects no episodes"),
    ),
    rules=(_require_runs, require_whole_reference, require_warmup_ends),
    checks=(TOWER, REPLAYABLE),
)
OFFLINE_SOFT_ACTOR_CRITIC = LearnerKind(
    options=OfflineSoftActorCriticOptions,
    make=Late("agentgym_rl.hierarchical.listed.learner:SoftActorCriticLearner"),
    equations=equations.offline_soft_actor_critic_equations,
    key_rules=(TOWER_RANK, TUNED_ENTROPY),
    rules=(_require_runs, require_whole_reference, require_priority, require_warmup_ends),
    checks=(LISTED, TOWER, REPLAYABLE),
)
