"""What `relabel` of any game needs: the task of a recorded episode, and the guard of held-out tasks.

The game finds which goal an episode reached. Nothing is rendered here: a trainer replays the recorded actions in the
task that `relabel` returns, so that prompts and rewards are those of the new goal.
"""

from __future__ import annotations

from functools import cache

from agentgym.suite import find_task, load_suite
from agentgym.task import Task
from agentgym.trajectory import Trajectory


def task_of(trajectory: Trajectory, current: Task | None) -> Task:
    """The task that a trajectory was played on: the environment's current one, or one of a suite.

    Raises:
        TaskError: The trajectory's task id names neither.
    """
    if current is not None and current.id == trajectory.task_id:
        return current
    return find_task(trajectory.task_id)


def unless_held_out(task: Task) -> Task | None:
    """The relabelled task, or None if a held-out split of its suite has the same task, which training must not see."""
    if task.suite and task.content_hash in _held_out(task.suite):
        return None
    return task


@cache
def _held_out(suite_name: str) -> frozenset[str]:
    suite = load_suite(suite_name)
    held_out = [split for split in suite.splits if split != "train"]
    return frozenset(task.content_hash for split in held_out for task in suite.tasks(split))
