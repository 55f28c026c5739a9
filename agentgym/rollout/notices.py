"""What a rollout tells a person while it runs: episodes that nothing ends.

How far it came is in `agentgym.rollout.progress`; faults are in `agentgym.rollout.faults`.
"""

from __future__ import annotations

import logging

from agentgym.rollout.episode import MAX_UNLIMITED_TURNS
from agentgym.task import Task

_log = logging.getLogger(__name__)


class Notices:
    """What one rollout has told."""

    def __init__(self) -> None:
        self._has_told_of_endless = False

    def endless(self, task: Task) -> None:
        """An episode of the task was cut because nothing ended it; said of the first one."""
        if not self._has_told_of_endless:
            self._has_told_of_endless = True
            _log.warning(
                "an episode of task %r was cut after %d turns, because its environment did not end it and the task has "
                "no limit; give such tasks limits=Limits(max_turns=...).",
                *(task.id, MAX_UNLIMITED_TURNS),
            )
