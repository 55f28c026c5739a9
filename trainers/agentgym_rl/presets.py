"""Named algorithms as values of `[algorithm]` that a file may override; those of groups are spelt out here.

The formulas are in the files that the values select; `describe.py` prints them.
"""

from __future__ import annotations

from typing import Any

from agentgym_rl.hierarchical.presets import PRESETS as ACTOR_CRITICS
from agentgym_rl.replay.presets import PRESETS as REPLAYING

PRESETS: dict[str, dict[str, Any]] = {
    # Chen et al. 2025, arXiv 2502.01600: leave-one-out, no std, no KL, clipped per token.
    "loop": {"advantage": {"estimator": "leave_one_out"}, "aggregation": "token_mean"},
    # Ahmadian et al. 2024, arXiv 2402.14740: leave-one-out, plain policy gradient of whole episodes.
    "rloo": {
        "advantage": {"estimator": "leave_one_out"},
        "loss": {"surrogate": "reinforce"},
        "aggregation": "seq_mean_token_sum",
    },
    # Shao et al. 2024, arXiv 2402.03300; the KL penalty is off unless loss.kl_coefficient is set.
    "grpo": {
        "advantage": {"estimator": "group_normalised"},
        "loss": {"eps_low": 0.2, "eps_high": 0.2, "dual_clip": None, "kl_estimator": "k3"},
        "aggregation": "seq_mean_token_mean",
    },
    # Liu et al. 2025, arXiv 2503.20783; needs max_episode_tokens.
    "dr_grpo": {
        "advantage": {"estimator": "mean_centred"},
        "loss": {"eps_low": 0.2, "eps_high": 0.2, "dual_clip": None},
        "aggregation": "dr_grpo",
    },
    # Yu et al. 2025, arXiv 2503.14476; dynamic sampling is group.dynamic_sampling = "refill".
    "dapo": {
        "advantage": {"estimator": "group_normalised"},
        "loss": {"eps_low": 0.2, "eps_high": 0.28, "dual_clip": None},
        "aggregation": "token_mean",
    },
    # Zheng et al. 2025, arXiv 2507.18071.
    "gspo": {
        "advantage": {"estimator": "group_normalised"},
        "loss": {"ratio_level": "sequence", "eps_low": 3e-4, "eps_high": 4e-4, "dual_clip": None},
        "aggregation": "seq_mean_token_mean",
    },
    # Hu et al. 2025, arXiv 2501.03262: no group baseline, returns whitened over the batch.
    "reinforce_pp": {
        "credit": "return_to_go",
        "is_whitened": True,
        "gae": {"discount": 1.0},
        "loss": {"eps_low": 0.2, "eps_high": 0.2, "dual_clip": None},
        "aggregation": "token_mean",
    },
    # Hu et al. 2025, arXiv 2501.03262: group mean as baseline, then whitened over the batch.
    "reinforce_pp_baseline": {
        "advantage": {"estimator": "mean_centred"},
        "is_whitened": True,
        "loss": {"eps_low": 0.2, "eps_high": 0.2, "dual_clip": None},
        "aggregation": "token_mean",
    },
    # Liu et al. 2025, arXiv 2508.08221: group mean, standard deviation of the batch.
    "lite_ppo": {
        "advantage": {"estimator": "lite_ppo"},
        "loss": {"eps_low": 0.2, "eps_high": 0.2, "dual_clip": None},
        "aggregation": "token_mean",
    },
    # Feng et al. 2025, arXiv 2505.10978: episodes within the group, and turns within a state of the group.
    "gigpo": {
        "credit": "attribution",
        "attribution": {"method": "episode_groups+anchors"},
        "loss": {"eps_low": 0.2, "eps_high": 0.2},
        "aggregation": "token_mean",
    },
    # Zeng et al. 2025, arXiv 2505.11821, for any number of turns: turn rewards and outcomes within the group.
    "mt_grpo": {
        "credit": "attribution",
        "attribution": {"method": "turn_groups"},
        "loss": {"eps_low": 0.2, "eps_high": 0.2},
        "aggregation": "token_mean",
    },
    # Schulman et al. 2017, arXiv 1707.06347, with a turn as the step.
    "ppo": {
        "credit": "turn_gae",
        "is_whitened": True,
        "loss": {"eps_low": 0.2, "eps_high": 0.2},
        "aggregation": "token_mean",
    },
    # The same with a token as the step.
    "ppo_token": {
        "credit": "token_gae",
        "is_whitened": True,
        "loss": {"eps_low": 0.2, "eps_high": 0.2},
        "aggregation": "token_mean",
    },
    # Deng et al. 2024, arXiv 2411.03817 (StepAgent), inverse: a discriminator of the expert's turns pays the agent's.
    "step_agent_inverse": {
        "credit": "turn_gae",
        "attribution": {"method": "expert"},
        "is_whitened": True,
        "gae": {"discount": 0.95},
        "loss": {"eps_low": 0.2, "eps_high": 0.2},
        "aggregation": "token_mean",
    },
    **ACTOR_CRITICS,
    **REPLAYING,
}
