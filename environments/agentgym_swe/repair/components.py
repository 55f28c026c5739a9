"""The parts of the reward, what each is worth by default, and weights for methods that use more than success."""

from __future__ import annotations

from collections.abc import Mapping

from agentgym.reward import BLAME, FORMAT
from agentgym_swe.repair.verdict.judge import Verdict

COMPONENTS = (
    "applies", "compiles", "imports", "found_file", "found_function", "fixed", "kept", "tests_run",
)  # fmt: skip
"""applies: something that can be judged was changed. compiles, imports: the changed sources do.
found_file, found_function: what was broken was seen, once; each of two functions is half.
fixed: change in the share of failing tests that pass.
kept: share of the other tests that pass at the end. tests_run: tests were run, once."""

WEIGHTS: Mapping[str, Mapping[str, float]] = {
    "success": {"success": 1.0, FORMAT: 0.0, BLAME: 0.0, **dict.fromkeys(COMPONENTS, 0.0)},
    "gated": {
        "success": 1.0,
        FORMAT: 0.1,
        BLAME: 0.0,
        **dict.fromkeys(COMPONENTS, 0.0),
        "applies": 0.05,
        "compiles": 0.05,
        "fixed": 0.3,
        "kept": 0.1,
    },
    "steps": {
        "success": 1.0,
        FORMAT: 0.1,
        BLAME: 0.0,
        **dict.fromkeys(COMPONENTS, 0.0),
        "fixed": 0.5,
        "found_function": 0.05,
    },
}
"""Weights by name. "success" pays for the verdict alone. "gated" is for the attribution `gated` with `GATED`: what
comes later counts only if what is before it was reached. "steps" is for attributions that look at single steps."""

GATED: tuple[tuple[str, float], ...] = (
    ("applies", 0.05),
    ("compiles", 0.05),
    ("kept", 0.1),
    ("fixed", 0.3),
    ("success", 1.0),
)
"""Priorities and thresholds of weighted totals for `gated`: who breaks other tests earns nothing for fixing."""


def parts_of(verdict: Verdict, fixed_before: float) -> dict[str, float]:
    """The components that a verdict issues, apart from success.

    Args:
        verdict: The verdict.
        fixed_before: Share of the failing tests that earlier steps were credited with.
    """
    found = {name: value for name, value in verdict.parts.items() if name in COMPONENTS}
    return {**found, "fixed": verdict.parts.get("fixed", 0.0) - fixed_before}
