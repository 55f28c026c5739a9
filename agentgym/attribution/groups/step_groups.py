"""Step groups: turns of a group that are compared with each other, because they share a state or their place.

What is compared (returns, rewards) and what is made of it is in `anchors` and `turn_groups`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from agentgym.attribution.groups.baselines import STD_EPS, Baselines, has_spread
from agentgym.attribution.steps import NO_ANCHOR, Floats, Ints, Steps
from agentgym.errors import ConfigError

Baseline = Literal["leave_one_out", "mean"]


@dataclass(frozen=True)
class StepGroups:
    """Which turns are compared.

    Attributes:
        ids: int64[S], the step group of each turn, numbered from 0 without gaps.
        owner: int64[S], the trajectory of each turn.
        one_visit: Whether a trajectory enters a step group once, with its first turn in it.
    """

    ids: Ints
    owner: Ints
    one_visit: bool

    @classmethod
    def by_anchor(cls, steps: Steps, method: str, one_visit: bool) -> StepGroups:
        """Turns of a group in equal states; a turn without an anchor is alone.

        Raises:
            ConfigError: No turn has an anchor.
        """
        anchors = steps.anchors
        if anchors is None or not (anchors != NO_ANCHOR).any():
            raise ConfigError(
                f"{method} compares turns in equal states, but no anchor is in the record; collect with "
                "rollout.record_anchors = true from an environment that has anchor()"
            )
        nameless = np.flatnonzero(anchors == NO_ANCHOR)
        keys = anchors.copy()
        keys[nameless] = int(anchors.max()) + 1 + np.arange(len(nameless))
        return cls(numbered_pairs(steps.groups[steps.owner], keys), steps.owner, one_visit)

    @classmethod
    def by_turn(cls, steps: Steps) -> StepGroups:
        """Turns of a group at the same place in their episodes, of which every episode has one."""
        return cls(numbered_pairs(steps.groups[steps.owner], steps.position), steps.owner, one_visit=False)

    @cached_property
    def _entries(self) -> tuple[Ints, Ints]:
        """The turns that enter baselines, and for each turn which of them stands for its trajectory."""
        if not self.one_visit:
            every = np.arange(len(self.ids))
            return every, every
        pairs = self.ids * (int(self.owner.max(initial=0)) + 1) + self.owner
        _, first, place = np.unique(pairs, return_index=True, return_inverse=True)
        return first, place

    @cached_property
    def sizes(self) -> Ints:
        """Entries of each step group."""
        return np.bincount(self.ids[self._entries[0]])

    def compared(self, values: Floats, baseline: Baseline, is_scaled: bool = False) -> Floats:
        """What each turn's value exceeds those of its step group by.

        Args:
            values: float64[S].
            baseline: leave_one_out is the mean of the other entries (with `one_visit` of the other trajectories), mean
                that of all.
            is_scaled: Whether to divide by the unbiased standard deviation of the step group's entries (+ `STD_EPS`).

        Returns:
            float64[S]; exactly 0 for a turn that is compared with no other, and where all values (scaled: all entries)
            are equal up to `TOLERANCE`, so that float noise is never divided by a tiny deviation.
        """
        entries, place = self._entries
        baselines = Baselines(values[entries], self.ids[entries])
        compared = values - (baselines.means[self.ids] if baseline == "mean" else baselines.means_without(place))
        if is_scaled:
            compared /= baselines.deviations[self.ids] + STD_EPS
        judged = entries if is_scaled else np.arange(len(values))
        is_informative = has_spread(values[judged], self.ids[judged]) & (self.sizes > 1)
        compared[~is_informative[self.ids]] = 0.0
        return compared


@dataclass(frozen=True)
class GroupSizes:
    """How much there is to compare; with nothing but singletons a step method says nothing.

    Attributes:
        num_groups: Step groups.
        mean_size: Entries of a step group in the mean.
        singleton_share: Share of the turns that are compared with no other.
    """

    num_groups: int
    mean_size: float
    singleton_share: float


def group_sizes(groups: StepGroups) -> GroupSizes:
    """Statistics of step groups, to be logged: state keys that hold a clock or an id make all of them singletons."""
    if not len(groups.ids):
        return GroupSizes(0, 0.0, 0.0)
    alone = groups.sizes[groups.ids] == 1
    return GroupSizes(len(groups.sizes), float(groups.sizes.mean()), float(alone.mean()))


def require_baseline(name: str, value: str) -> None:
    """Refuse an unknown baseline.

    Raises:
        ConfigError: It is unknown.
    """
    if value not in ("leave_one_out", "mean"):
        raise ConfigError(f"{name} is {value!r}; expected 'leave_one_out' or 'mean'")


def numbered_pairs(first: Ints, second: Ints) -> Ints:
    """Pairs as numbers from 0 without gaps."""
    if not len(first):
        return np.zeros(0, np.int64)
    keys = (first - first.min()) * (int(second.max()) + 1) + second
    _, numbers = np.unique(keys, return_inverse=True)
    return numbers.astype(np.int64)
