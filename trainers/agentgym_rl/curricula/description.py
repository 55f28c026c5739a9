"""A curriculum in words, for `agentgym train --describe`: a line for each table that is on."""

from __future__ import annotations

from agentgym_rl.core.config.curriculum import CurriculumConfig


def describe_curriculum(config: CurriculumConfig, truncated: str) -> list[str]:
    """The lines.

    Args:
        config: The curriculum.
        truncated: What becomes of truncated episodes.
    """
    lines = []
    if (horizon := config.horizon) is not None:
        stages = ", ".join(map(str, horizon.turns))
        lines.append(f"horizon   H = {stages} turns, {horizon.every} iterations each; the cap truncates ({truncated})")
    if (bands := config.bands) is not None:
        lines.append(
            f"bands     {1 - bands.explore:.0%} of groups: tasks with {bands.low:g} <= p <= {bands.high:g},  "
            f"p = (s + {bands.prior * bands.middle:g}) / (n + {bands.prior:g}),"
        )
        lines.append(f"          s successes in n episodes, which count half after {bands.half_life:g} iterations")
    if (ladder := config.difficulty) is not None:
        lines.append(
            f"ladder    {ladder.levels} levels of difficulty, then the suite's tasks; up at success "
            f"{ladder.raise_above:g} over {ladder.window} groups"
        )
    if (guidance := config.guidance) is not None:
        lines.append(
            f"guidance  at most {guidance.share:.0%} of groups: failed tasks, hinted with probability "
            f"{guidance.probability:g} (1 - success);"
        )
        lines.append("          trained without the hint: logp_mu of W is that under the hint")
    if (starts := config.starts) is not None:
        lines.append(
            f"starts    {starts.share:.0%} of groups: the last 1/{starts.stages} of a recorded success, further back "
            f"at success {starts.raise_above:g}"
        )
    if (durations := config.durations) is not None:
        lines.append(
            f"durations A_t times clip(dt_t / mean dt, {durations.min_weight:g}, {durations.max_weight:g}), dt the "
            "environment's time"
        )
    return lines
