"""What presets need besides their name."""

from __future__ import annotations

from agentgym_rl.run.learners import LEARNER_OF_PRESET, PRESETS

_WARMED_UP = ["run.iterations=30"]
_STORED = ['algorithm.replay.runs=["runs/stored"]']
NEEDS: dict[str, list[str]] = {
    "dr_grpo": ["algorithm.max_episode_tokens=77"],
    "archer": _WARMED_UP,
    "archer_awr": _WARMED_UP,
    "archer_in_sample": _WARMED_UP,
    "archer_offline": [*_WARMED_UP, *_STORED],
    "discrete_sac": _WARMED_UP,
    "step_agent_inverse": ["warm_start.demonstrations=4"],
    "a_lol": [*_WARMED_UP, *_STORED],
    **dict.fromkeys(("bc", "filtered_bc", "mc_returns", "ilql", "step_agent"), _STORED),
}
OF_GROUPS = [name for name in PRESETS if LEARNER_OF_PRESET[name] == "groups"]
"""Presets that learn from the groups of an iteration."""


def overrides_of(preset: str) -> list[str]:
    """A run of one iteration, or of as many as the preset needs."""
    return ["run.suite=toys/bandit", "run.iterations=1", f"algorithm.preset={preset}", *NEEDS.get(preset, [])]
