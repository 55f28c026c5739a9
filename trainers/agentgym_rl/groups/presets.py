"""Named algorithms of groups, as values of `[algorithm]` that a file may override.

The formulas are in the files that the values select; `equations.py` prints them.
"""

from __future__ import annotations

from agentgym_rl.core.config.kind import Presets

_NARROW = {"eps_low": 0.2, "eps_high": 0.2}

PRESETS: Presets = {
    # Chen et al. 2025, arXiv 2502.01600: leave-one-out, no std, no KL, clipped per token.
    "loop": {"credit": {"estimator": "leave_one_out"}, "aggregation": "token_mean"},
    # Ahmadian et al. 2024, arXiv 2402.14740: leave-one-out, plain policy gradient of whole episodes.
    "rloo": {
        "credit": {"estimator": "leave_one_out"},
        "loss": {"surrogate": "reinforce"},
        "aggregation": "seq_mean_token_sum",
    },
    # Shao et al. 2024, arXiv 2402.03300; the KL penalty is off unless loss.kl_coefficient is set.
    "grpo": {
        "credit": {"estimator": "group_normalised"},
        "loss": {**_NARROW, "dual_clip": None, "kl_estimator": "k3"},
        "aggregation": "seq_mean_token_mean",
    },
    # Liu et al. 2025, arXiv 2503.20783; needs max_episode_tokens.
    "dr_grpo": {
        "credit": {"estimator": "mean_centred"},
        "loss": {**_NARROW, "dual_clip": None},
        "aggregation": "dr_grpo",
    },
    # Yu et al. 2025, arXiv 2503.14476; dynamic sampling is group.dynamic_sampling = "refill".
    "dapo": {
        "credit": {"estimator": "group_normalised"},
        "loss": {"eps_low": 0.2, "eps_high": 0.28, "dual_clip": None},
        "aggregation": "token_mean",
    },
    # Zheng et al. 2025, arXiv 2507.18071.
    "gspo": {
        "credit": {"estimator": "group_normalised"},
        "loss": {"ratio_level": "sequence", "eps_low": 3e-4, "eps_high": 4e-4, "dual_clip": None},
        "aggregation": "seq_mean_token_mean",
    },
    # Hu et al. 2025, arXiv 2501.03262: no group baseline, returns whitened over the batch.
    "reinforce_pp": {
        "credit": {"kind": "return_to_go", "discount": 1.0},
        "is_whitened": True,
        "loss": {**_NARROW, "dual_clip": None},
        "aggregation": "token_mean",
    },
    # Hu et al. 2025, arXiv 2501.03262: group mean as baseline, then whitened over the batch.
    "reinforce_pp_baseline": {
        "credit": {"estimator": "mean_centred"},
        "is_whitened": True,
        "loss": {**_NARROW, "dual_clip": None},
        "aggregation": "token_mean",
    },
    # Liu et al. 2025, arXiv 2508.08221: group mean, standard deviation of the batch.
    "lite_ppo": {
        "credit": {"estimator": "lite_ppo"},
        "loss": {**_NARROW, "dual_clip": None},
        "aggregation": "token_mean",
    },
    # Feng et al. 2025, arXiv 2505.10978: episodes within the group, and turns within a state of the group.
    "gigpo": {
        "credit": {"kind": "attribution", "attribution": {"method": "episode_groups+anchors"}},
        "loss": _NARROW,
        "aggregation": "token_mean",
    },
    # Zeng et al. 2025, arXiv 2505.11821, for any number of turns: turn rewards and outcomes within the group.
    "mt_grpo": {
        "credit": {"kind": "attribution", "attribution": {"method": "turn_groups"}},
        "loss": _NARROW,
        "aggregation": "token_mean",
    },
    # Schulman et al. 2017, arXiv 1707.06347, with a turn as the step.
    "ppo": {
        "credit": {"kind": "turn_gae"},
        "is_whitened": True,
        "loss": _NARROW,
        "aggregation": "token_mean",
    },
    # The same with a token as the step.
    "ppo_token": {
        "credit": {"kind": "token_gae"},
        "is_whitened": True,
        "loss": _NARROW,
        "aggregation": "token_mean",
    },
    # Deng et al. 2024, arXiv 2411.03817 (StepAgent), inverse: a discriminator of the expert's turns pays the agent's.
    "step_agent_inverse": {
        "credit": {"kind": "turn_gae", "attribution": {"method": "expert"}, "gae": {"discount": 0.95}},
        "is_whitened": True,
        "loss": _NARROW,
        "aggregation": "token_mean",
    },
    # Lu et al. 2025, arXiv 2505.16282: GRPO, and a stored success for a group without any.
    "arpo": {
        "credit": {"estimator": "group_normalised"},
        "loss": {"eps_low": 0.2, "eps_high": 0.3, "dual_clip": None},
        "aggregation": "token_mean",
        "replay": {"kind": "successes", "per_task": 8},
    },
    # Qin et al. 2025, arXiv 2509.22601: no deviation, no KL; good episodes of the last ten iterations again.
    "spear": {
        "credit": {"estimator": "mean_centred"},
        "loss": {"eps_low": 0.2, "eps_high": 0.28, "dual_clip": None},
        "aggregation": "seq_mean_token_sum",
        "replay": {"kind": "imitation", "max_age": 10, "ramp": 100},
    },
    # Andrychowicz et al. 2017, arXiv 1707.01495, beside leave-one-out: failures are cloned at goals that they reached.
    "her": {
        "credit": {"estimator": "leave_one_out"},
        "aggregation": "token_mean",
        "replay": {"max_age": 10, "hindsight": {"strategy": "final"}},
    },
}
