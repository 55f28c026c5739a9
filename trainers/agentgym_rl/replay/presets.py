"""Named algorithms that replay, as values of `[algorithm]` that a file may override.

Not here: those that forget (agentgym_rl/presets.py), and actor-critics (agentgym_rl/hierarchical/presets.py).
"""

from __future__ import annotations

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    # Lu et al. 2025, arXiv 2505.16282: GRPO, and a stored success for a group without any.
    "arpo": {
        "advantage": {"estimator": "group_normalised"},
        "loss": {"eps_low": 0.2, "eps_high": 0.3, "dual_clip": None},
        "aggregation": "token_mean",
        "replay": {"kind": "successes", "per_task": 8},
    },
    # Qin et al. 2025, arXiv 2509.22601: no deviation, no KL; good episodes of the last ten iterations again.
    "spear": {
        "advantage": {"estimator": "mean_centred"},
        "loss": {"eps_low": 0.2, "eps_high": 0.28, "dual_clip": None},
        "aggregation": "seq_mean_token_sum",
        "replay": {"kind": "imitation", "max_age": 10, "ramp": 100},
    },
    # Andrychowicz et al. 2017, arXiv 1707.01495, beside leave-one-out: failures are cloned at goals that they reached.
    "her": {
        "advantage": {"estimator": "leave_one_out"},
        "aggregation": "token_mean",
        "replay": {"max_age": 10, "hindsight": {"strategy": "final"}},
    },
}
