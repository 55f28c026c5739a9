"""Known bugs of step credit, each under its own name, for the tests that must fail on them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from agentgym.attribution.groups.anchors import Anchors
from agentgym.attribution.groups.episode_groups import EpisodeGroups
from agentgym.attribution.return_to_go import ReturnToGo
from agentgym.attribution.shaping.bounded import Bounded
from agentgym.attribution.shaping.corrected import Corrected
from agentgym.attribution.shaping.gated import Gated
from agentgym.attribution.shaping.potential import Potential
from agentgym.attribution.steps import Steps, returns_to_go


@dataclass(frozen=True)
class ReturnsAcrossBranches(ReturnToGo):
    """D-24: the turns of all trajectories run through one backward pass."""

    def credit(self, steps):
        return returns_to_go(steps.rewards, np.array([0, len(steps.rewards)]), self.gamma)


@dataclass(frozen=True)
class LastRewardOnly(ReturnToGo):
    """D-24: only the last reward counts."""

    def credit(self, steps):
        kept = np.zeros(len(steps.rewards))
        kept[steps.last] = steps.rewards[steps.last]
        return returns_to_go(kept, steps.offsets, self.gamma)


@dataclass(frozen=True)
class AnchorsOfAnyTask(Anchors):
    """D-10: equal states of different groups share a baseline, as when two groups of a task are merged."""

    def credit(self, steps):
        return super().credit(dataclasses.replace(steps, groups=np.zeros_like(steps.groups)))


@dataclass(frozen=True)
class AnchorsRawWhereAlone(Anchors):
    """D-11: a state that one rollout was in gets mean 0, so its raw return."""

    def credit(self, steps):
        returns = returns_to_go(steps.rewards, steps.offsets, self.gamma)
        compared = super().credit(steps)
        return np.where(compared == 0.0, returns, compared)


@dataclass(frozen=True)
class AnchorsCountingEveryVisit(Anchors):
    """A state that one rollout came back to enters its baseline several times, though one visit was declared."""

    def credit(self, steps):
        return Anchors(self.gamma, self.baseline, one_visit=False).credit(steps)


@dataclass(frozen=True)
class BaselineOverSteps(EpisodeGroups):
    """D-12: the mean return is taken over turns, so that long rollouts dominate it."""

    def credit(self, steps):
        returns = steps.totals(steps.rewards)[steps.owner]
        means = np.bincount(steps.groups[steps.owner], returns) / np.bincount(steps.groups[steps.owner])
        return returns - means[steps.groups[steps.owner]]


@dataclass(frozen=True)
class CentredOverSteps(Bounded):
    """D-12: shaping is centred by the mean over the group's turns, so that long rollouts dominate it."""

    def credit(self, steps):
        shaping = np.clip(steps.rewards - steps.as_recorded, -self.limit, self.limit)
        groups = steps.groups[steps.owner]
        return steps.as_recorded + shaping - (np.bincount(groups, shaping) / np.bincount(groups))[groups]


@dataclass(frozen=True)
class PotentialKeptAtTruncation(Potential):
    """D-12: the potential of a truncated rollout's last state is not taken back, though nothing bootstraps there."""

    def credit(self, steps):
        return Potential(self.weight, self.gamma, self.is_relative, "keep").credit(steps)


@dataclass(frozen=True)
class BonusForProgress(Potential):
    """D-12: progress is paid as it is, rather than its change."""

    def credit(self, steps):
        return steps.rewards + self.weight * steps.progress


@dataclass(frozen=True)
class UngatedRewards(Gated):
    """D-25: lesser rewards accumulate whatever the outcome."""

    def _kept(self, steps):
        return dict(steps.parts)


@dataclass(frozen=True)
class GateByTurn(Gated):
    """D-25: the gate looks at the turn at hand instead of the whole episode."""

    def _kept(self, steps):
        is_open = np.ones(len(steps.rewards), bool)
        kept = {}
        for component, threshold in zip(self.priorities, self.thresholds, strict=True):
            kept[component] = np.where(is_open, steps.parts[component], 0.0)
            is_open &= steps.parts[component] >= threshold
        return kept | {name: np.where(is_open, part, 0.0) for name, part in steps.parts.items() if name not in kept}


@dataclass(frozen=True)
class CorrectedTowardsItself(Corrected):
    """D-25: the correction takes the predicted sum for the return."""

    def credit(self, steps: Steps):
        return steps.rewards + steps.spread(steps.totals(steps.rewards - steps.rewards))
