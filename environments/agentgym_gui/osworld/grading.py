"""The score of an episode of a task in OSWorld's form: its metrics, joined as the task says.

Nothing is pressed for the agent. A file that cannot be read, or is not what it claims to be, is worth 0.
"""

from __future__ import annotations

from agentgym_gui.osworld.loading import Check, ForeignTask
from agentgym_gui.osworld.machine import Machine
from agentgym_gui.osworld.metrics.all_metrics import METRICS
from agentgym_gui.verify.reading import UnreadableFileError


def score(task: ForeignTask, machine: Machine, *, failed: bool) -> float:
    """The score from 0 to 1.

    Args:
        task: The task.
        machine: Where the episode ended.
        failed: Whether the agent said that the task cannot be done.
    """
    if not task.feasible:
        return float(failed)
    if failed:
        return 0.0
    found = []
    for check in task.checks:
        value = _value(check, task, machine)
        if task.is_any and value == 1.0:
            return 1.0
        if not task.is_any and value == 0.0:
            return 0.0
        found.append(value)
    return max(found) if task.is_any else sum(found) / len(found)


def _value(check: Check, task: ForeignTask, machine: Machine) -> float:
    metric = METRICS[check.metric]
    try:
        result = check.result.fetch(machine, task.cache)
        if check.expected is None:
            found = metric(result, **check.options)
        else:
            found = metric(result, check.expected.fetch(machine, task.cache), **check.options)
    except UnreadableFileError:
        return 0.0
    return min(1.0, max(0.0, float(found)))
