"""Semi-online episodes on recorded traces (Lu et al. 2025, UI-S1, arXiv:2509.11543): where one is, and their measures.

While the agent does what the expert did, it sees what the expert saw next. Where it differs, the expert's step takes
the place of its own (a patch), as often as the task allows; then the episode ends. What a step shows, and when two
actions agree, is up to each environment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from agentgym.reward import CUTS_CREDIT


def semi_online_performance(successes: Sequence[float], scores: Sequence[float]) -> float:
    """SOP, as UI-S1's published evaluation computes it: the mean of TSR and PG.

    Args:
        successes: Of each trace, the share of its episodes without a differing step; their mean is TSR.
        scores: Of each trace, the mean share of steps before the first that differs; their mean is PG.
    """
    return (fmean(successes) + fmean(scores)) / 2


MEASURES: Mapping[str, Callable[[Sequence[float], Sequence[float]], float]] = {"SOP": semi_online_performance}
"""What evaluations report beside success and score."""


class Taken(NamedTuple):
    """What a step of the agent came to.

    Attributes:
        value: Value of its reward event: 1 / steps if it agreed, else 0.
        detail: Detail of the event; a patched step cuts credit (`CUTS_CREDIT`).
        is_patched: Whether the expert's step takes its place.
        is_over: Whether the episode ends.
    """

    value: float
    detail: Mapping[str, Any]
    is_patched: bool
    is_over: bool


class Course:
    """How far an episode on a trace has come.

    Args:
        num_steps: Steps of the trace.
        first: Index of the step that the episode begins with.
        max_patches: How many differing steps are replaced by the expert's.

    Attributes:
        at: Index of the step that is played now.
    """

    def __init__(self, num_steps: int, first: int, max_patches: int) -> None:
        self.at = first
        self._num_steps = num_steps
        self._num_played = num_steps - first
        self._max_patches = max_patches
        self._num_patches = self._num_right = 0

    def take(self, agrees: bool) -> Taken:
        """Go on after a step of the agent.

        Args:
            agrees: Whether it did what the expert did.
        """
        if agrees and not self._num_patches:
            self._num_right += 1
        is_patched = not agrees and self._num_patches < self._max_patches
        self._num_patches += is_patched
        self.at += agrees or is_patched
        is_over = self.at == self._num_steps or not (agrees or is_patched)
        detail = {"agrees": agrees, CUTS_CREDIT: is_patched}
        return Taken(agrees / self._num_played, detail, is_patched, is_over)

    @property
    def score(self) -> float:
        """The share of steps before the first difference."""
        return self._num_right / self._num_played

    def anchor(self, num_invalid: int) -> str:
        """The step of the trace, the patches so far, the right steps so far, and the invalid messages so far."""
        return f"{self.at}, {self._num_patches} patched, {self._num_right} right, {num_invalid} invalid"


def what_follows(taken: Taken, expert: str, show: Callable[[], str]) -> str:
    """What the agent is told after a step: the next screen, and the expert's step if the agent's was another.

    Args:
        taken: What its step came to.
        expert: The expert's step.
        show: What the agent sees next; it is asked only if there is a next step.
    """
    if taken.is_over and not taken.value and not taken.is_patched:
        return f"The expert did: {expert}"
    note = f"Instead, this was done: {expert}\n\n" if taken.is_patched else ""
    return note + ("The trace has ended." if taken.is_over else show())
