"""Named actor-critics and algorithms for stored runs, as values of `[algorithm]` that a file may override.

Not here: those of groups (agentgym_rl/presets.py).
"""

from __future__ import annotations

from typing import Any

_UNIFORM = {"kind": "uniform", "unit": "turn"}

PRESETS: dict[str, dict[str, Any]] = {
    # Zhou et al. 2024, arXiv 2402.19446: two Q and V of turns, new actions in stored states.
    "archer": {
        "learner": "actor_critic",
        "replay": _UNIFORM,
        "critic": {"updates": 50, "batch": 256, "warmup": 20, "discount": 0.95},
        "actor": {"kind": "resampled", "updates": 3, "batch": 256},
    },
    # The same critic; stored actions with the truncated importance weight of the turn, so nothing is sampled twice.
    "archer_in_sample": {
        "learner": "actor_critic",
        "replay": _UNIFORM,
        "critic": {"updates": 50, "batch": 256, "warmup": 20, "discount": 0.95, "expectile": 0.5},
        "actor": {"kind": "in_sample", "updates": 3, "batch": 256},
    },
    # Kostrikov et al. 2021, arXiv 2110.06169, for turns, from stored runs alone: the offline variant of ArCHer's paper.
    "archer_offline": {
        "learner": "offline",
        "offline": {"method": "actor_critic"},
        "replay": _UNIFORM,
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
    # Gaven et al. 2024, arXiv 2410.12481 (SAC-GLAM), after Christodoulou 2019, arXiv 1910.07207: all actions that the
    # environment lists, nothing sampled; no V heads.
    "discrete_sac": {
        "learner": "actor_critic",
        "replay": _UNIFORM,
        "critic": {"updates": 50, "batch": 256, "warmup": 5, "discount": 0.95, "tower": "frozen"},
        "actor": {"kind": "listed", "updates": 10, "batch": 256},
    },
    # Behaviour cloning of stored runs.
    "bc": {"learner": "offline", "offline": {"method": "cloning"}, "replay": {"kind": "uniform", "unit": "episode"}},
    # The same clone, steered by Q fitted to the returns that followed: Abdulhai et al. 2023, arXiv 2311.18232.
    "mc_returns": {
        "learner": "offline",
        "offline": {"method": "monte_carlo"},
        "replay": {"kind": "uniform", "unit": "episode"},
    },
    # Snell et al. 2022, arXiv 2206.11871.
    "ilql": {"learner": "offline", "offline": {"method": "ilql"}, "replay": {"kind": "uniform", "unit": "episode"}},
    # Baheti et al. 2023, arXiv 2305.14718, a message being the answer.
    "a_lol": {"learner": "offline", "offline": {"method": "a_lol"}, "replay": {"kind": "uniform", "unit": "episode"}},
    # Deng et al. 2024, arXiv 2411.03817 (StepAgent), implicit reward: an expert's message over the policy's own.
    "step_agent": {
        "learner": "offline",
        "offline": {"method": "step_preference"},
        "replay": {"kind": "uniform", "unit": "episode"},
    },
    # The best tenth by return, as LMRL-Gym does it: Abdulhai et al. 2023, arXiv 2311.18232.
    "filtered_bc": {
        "learner": "offline",
        "offline": {"method": "cloning", "quantile": 0.9},
        "replay": {"kind": "uniform", "unit": "episode"},
    },
}
