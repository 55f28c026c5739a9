"""What a rollout tells a person while it runs: calls that take long, and episodes that nothing ends.

How far it came is in `agentgym.rollout.progress`; faults are in `agentgym.rollout.faults`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from math import inf

from agentgym.env import describe_running
from agentgym.rollout.episode import MAX_UNLIMITED_TURNS, Episode
from agentgym.rollout.step_pool import Call

PATIENCE_S = 10.0
"""Time after which it is said which call runs; the pauses between two such lines double."""
MANY_TURNS = 200
"""Turns after which it is said that a task has no limit."""
_log = logging.getLogger(__name__)


class Notices:
    """What one rollout has told."""

    def __init__(self) -> None:
        self._has_told_of_endless = False
        self._pause_s = PATIENCE_S
        self._told = -inf

    def slow(self, calls: Mapping[Episode, Call]) -> None:
        """These calls of environments run or wait; says where the longest is if it takes long."""
        running = [(call.started, episode, call) for episode, call in calls.items() if call.started]
        started, episode, call = min(running, key=lambda each: each[0], default=(0.0, None, None))
        now = time.monotonic()
        if episode is None or call is None or now - started < PATIENCE_S or now - self._told < self._pause_s:
            return
        if self._told > -inf:
            self._pause_s *= 2
        self._told = now
        what = describe_running(call.thread_id) or f"a call of the environment for task {episode.job.task.id!r}"
        _log.warning("%s has run for %.0f s; it is given up after %g s.", what, now - started, call.timeout_s)

    def endless(self, episode: Episode) -> None:
        """Says of the first episode that goes on for many turns without a limit when it will be cut."""
        num_turns = episode.num_unlimited_turns
        if num_turns >= MANY_TURNS and not self._has_told_of_endless:
            self._has_told_of_endless = True
            _log.warning(
                "an episode of task %r has had %d turns, and the task has no limit; it is cut at %d. Give such tasks "
                "limits=Limits(max_turns=...).",
                *(episode.job.task.id, num_turns, MAX_UNLIMITED_TURNS),
            )
