"""The words of Tuning-v0 in menu mode: tasks, choices, measurements in per cent of the start, and usual replies.

A tiny model with it can change options, measure and submit.
"""

from __future__ import annotations

from agentgym.action import EXPECTED
from agentgym_swe.tuning.drawing import needs_of
from agentgym_swe.tuning.problem import read_task, to_task
from agentgym_swe.tuning.servers.catalogue import LOADS
from agentgym_swe.tuning.telling import GRADED, menu

NUMBERS: range | None = range(301)
"""Numbers that are single tokens: shares in per cent."""


def texts() -> list[str]:
    """All texts from which the words are taken, without repeats."""
    found = [GRADED, "Set: . failed errors lost cost change measure submit option value"]
    for load in LOADS.values():
        weights = dict.fromkeys(load.counts, 1 / len(load.counts))
        for needs in needs_of(load):
            task = to_task(load, weights, needs, seed=0, task_id="words")
            found += [task.instruction, menu(read_task(task))]
    found.append(f"The message holds no readable tool call invalid syntax {EXPECTED}")
    return list(dict.fromkeys(found))
