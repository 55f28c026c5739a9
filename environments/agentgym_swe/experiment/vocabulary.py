"""The words of Experiment-v0 in menu mode: instructions, choices, metrics with two decimals, and usual replies.

A tiny model with it can choose models and submit; scripts are spelt in bytes, and nothing of them is expected.
"""

from __future__ import annotations

from typing import get_args

from agentgym.action import EXPECTED
from agentgym_swe.experiment.env import GRADED, NO_OUTPUT, Model
from agentgym_swe.experiment.problem import to_task
from agentgym_swe.experiment.themes import THEMES

NUMBERS: range | None = range(100)
"""Numbers that are single tokens: the decimals of metrics."""


def texts() -> list[str]:
    """All texts from which the words are taken, without repeats."""
    found = [to_task(theme, (), seed=0).instruction for theme in THEMES]
    found += [GRADED, NO_OUTPUT, " ".join(get_args(Model)), "true false exit code"]
    found.append(f"The message holds no readable tool call invalid syntax {EXPECTED}")
    return list(dict.fromkeys(found))
