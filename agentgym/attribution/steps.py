"""Steps: the turns of many trajectories as flat arrays, and the ragged arithmetic that methods share.

Each method's file says what it does with the rewards; `offline` reads trajectories from a run.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from agentgym.errors import ConfigError, ContractError
from agentgym.reward import CUTS_CREDIT
from agentgym.trajectory import FINAL_PROGRESS, Trajectory

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

NO_ANCHOR = -1


@dataclass(frozen=True)
class Steps:
    """The turns of B trajectories, one after another: S of them in all.

    Attributes:
        rewards: float64[S], reward of each turn.
        offsets: int64[B + 1]; trajectory i has the turns offsets[i] to offsets[i + 1] (exclusive).
        groups: int64[B]; trajectories with equal numbers share baselines.
        is_truncated: bool[B], the environment's own flag, never guessed from lengths.
        anchors: int64[S], equal for turns in equal states, NO_ANCHOR if the state has none; None: not recorded.
        progress: float64[S], of the state each turn was taken in, NaN where there is none; None: not recorded.
        final_progress: float64[B], of the last state of truncated trajectories, NaN elsewhere; None: not recorded.
        tool_calls: int64[S], valid tool calls of each turn; None: not known.
        is_valid: bool[S], whether the environment took each turn as an action; None: not known.
        is_cut: bool[S], whether what follows a turn is not its doing; None: no turn is cut.
        parts: The rewards by component, float64[S] each; None once a method has replaced the rewards.
        predictions: float64[S] outputs of learned predictors, by name.
        recorded: float64[S], the rewards as the environment gave them; None: `rewards` are those.
    """

    rewards: Floats
    offsets: Ints
    groups: Ints
    is_truncated: Bools
    anchors: Ints | None = None
    progress: Floats | None = None
    final_progress: Floats | None = None
    tool_calls: Ints | None = None
    is_valid: Bools | None = None
    is_cut: Bools | None = None
    parts: Mapping[str, Floats] | None = None
    predictions: Mapping[str, Floats] | None = None
    recorded: Floats | None = None

    def __post_init__(self) -> None:
        offsets = self.offsets
        if offsets.ndim != 1 or len(offsets) < 1 or offsets[0] != 0 or np.any(np.diff(offsets) < 0):
            raise ConfigError(f"offsets must rise from 0, one more of them than trajectories: got {offsets}")
        arrays = {field.name: getattr(self, field.name) for field in fields(self)}
        arrays |= self.parts or {}
        arrays |= self.predictions or {}
        num_trajectories, num_steps = len(offsets) - 1, int(offsets[-1])
        for name, array in arrays.items():
            if isinstance(array, np.ndarray) and name != "offsets":
                expected = num_trajectories if name in _PER_TRAJECTORY else num_steps
                if array.shape != (expected,):
                    raise ConfigError(f"{name} has the shape {array.shape}; the offsets say ({expected},)")
        if not np.isfinite(self.rewards).all():
            at = int(np.flatnonzero(~np.isfinite(self.rewards))[0])
            raise ConfigError(
                f"the reward of turn {self.position[at]} of trajectory {self.owner[at]} is {self.rewards[at]}; leave "
                "out episodes without a finite reward, they count as not graded"
            )

    @classmethod
    def of(
        cls,
        trajectories: Sequence[Trajectory],
        predictions: Mapping[str, Sequence[Floats]] | None = None,
    ) -> Steps:
        """The turns of finished, graded trajectories.

        Baselines are shared within a `group_id`; trajectories without one share them with those of the same task, role
        and policy.

        Args:
            trajectories: In any order; those of one group need not be neighbours.
            predictions: Of each learned predictor, by name, an array float64[T_i] for each trajectory.

        Raises:
            ConfigError: A trajectory has not ended, carries no reward, or one that is not finite.
            ContractError: A reward event names a component that is not declared.
        """
        for trajectory in trajectories:
            _require_graded(trajectory)
        offsets = np.cumsum([0, *(len(trajectory.turns) for trajectory in trajectories)])
        keys = [each.group_id or (each.task_id, each.role, each.policy) for each in trajectories]
        rewards, parts = _rewards(trajectories, offsets)
        turns = [turn for trajectory in trajectories for turn in trajectory.turns]
        finals = [trajectory.metadata.get(FINAL_PROGRESS) for trajectory in trajectories]
        return cls(
            rewards=rewards,
            offsets=offsets,
            groups=_numbered(keys),
            is_truncated=np.array([each.is_truncated for each in trajectories], np.bool_),
            anchors=_numbered([turn.anchor for turn in turns])
            if any(turn.anchor is not None for turn in turns)
            else None,
            progress=_optional([turn.progress for turn in turns]),
            final_progress=_optional(finals),
            tool_calls=np.array(
                [0 if turn.was_invalid else len(turn.reply.get("tool_calls") or ()) for turn in turns], np.int64
            ),
            is_valid=np.array([not turn.was_invalid for turn in turns], np.bool_),
            is_cut=_cuts(trajectories, offsets),
            parts=parts,
            predictions={name: _joined(name, found, offsets) for name, found in (predictions or {}).items()},
        )

    @property
    def num_trajectories(self) -> int:
        """B."""
        return len(self.offsets) - 1

    @cached_property
    def lengths(self) -> Ints:
        """int64[B], turns of each trajectory."""
        return np.diff(self.offsets)

    @cached_property
    def pieces(self) -> Ints:
        """int64[P + 1], `offsets` with a further bound after each turn that is cut; returns stay within a piece."""
        if self.is_cut is None:
            return self.offsets
        return np.union1d(self.offsets, np.flatnonzero(self.is_cut) + 1)

    @cached_property
    def owner(self) -> Ints:
        """int64[S], the trajectory of each turn."""
        return np.repeat(np.arange(self.num_trajectories), self.lengths)

    @cached_property
    def position(self) -> Ints:
        """int64[S], index of each turn in its trajectory."""
        return np.arange(int(self.offsets[-1])) - self.offsets[:-1][self.owner]

    @cached_property
    def last(self) -> Ints:
        """The last turn of each trajectory that has any."""
        return self.offsets[1:][self.lengths > 0] - 1

    @property
    def as_recorded(self) -> Floats:
        """float64[S], the rewards before any method replaced them."""
        return self.rewards if self.recorded is None else self.recorded

    def with_rewards(self, rewards: Floats, parts: Mapping[str, Floats] | None = None) -> Steps:
        """The same turns with other rewards, which the next method of a chain uses like the environment's."""
        return replace(self, rewards=rewards, parts=parts, recorded=self.as_recorded)

    def totals(self, values: Floats) -> Floats:
        """float64[B], the sum of a value over each trajectory; 0 for one without turns."""
        return np.bincount(self.owner, values, self.num_trajectories).astype(np.float64, copy=False)

    def spread(self, values: Floats) -> Floats:
        """float64[S], an equal share of each trajectory's value on each of its turns."""
        return (values / np.maximum(self.lengths, 1))[self.owner]

    def split(self, values: Floats) -> list[Floats]:
        """A value of each turn as an array for each trajectory, in order; each may be written."""
        return [values[start:end].copy() for start, end in zip(self.offsets[:-1], self.offsets[1:], strict=True)]


_PER_TRAJECTORY = frozenset(("groups", "is_truncated", "final_progress"))


def returns_to_go(values: Floats, offsets: Ints, discount: float) -> Floats:
    """G_t = v_t + discount * G_{t+1} within each trajectory, G being 0 after its end.

    It is the one backward recursion of returns, value targets and generalised advantages, of turns or of tokens.

    Args:
        values: float64[S].
        offsets: int64[B + 1], as in `Steps`.
        discount: In [0, 1].

    Returns:
        float64[S]. What stands in one trajectory never enters the sum of another.
    """
    terms: list[float] = values.tolist()
    sums = [0.0] * len(terms)
    for start, end in itertools.pairwise(offsets.tolist()):
        total = 0.0
        for at in range(end - 1, start - 1, -1):
            total = terms[at] + discount * total
            sums[at] = total
    return np.array(sums, np.float64)


def require_discount(name: str, value: float) -> None:
    """Refuse a discount outside [0, 1].

    Raises:
        ConfigError: It is outside.
    """
    if not 0 <= value <= 1:
        raise ConfigError(f"{name} must be in [0, 1]: got {value}")


def _require_graded(trajectory: Trajectory) -> None:
    outcome = trajectory.outcome
    if outcome is None:
        raise ConfigError(f"trajectory {trajectory.id!r} has not ended; credit is assigned to finished episodes")
    if not outcome.is_graded:
        raise ConfigError(
            f"trajectory {trajectory.id!r} ended as {outcome} and carries no reward; give the graded ones alone, such "
            "as the members of a sealed group"
        )


def _rewards(trajectories: Sequence[Trajectory], offsets: Ints) -> tuple[Floats, dict[str, Floats]]:
    """The rewards as `Trajectory.step_rewards` has them, and by component."""
    rewards = np.zeros(offsets[-1])
    names = dict.fromkeys(name for trajectory in trajectories for name in trajectory.weights)
    parts = {name: np.zeros(offsets[-1]) for name in names}
    for trajectory, start, end in zip(trajectories, offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        for event in trajectory.events if end > start else ():
            weight = trajectory.weights.get(event.component)
            if weight is None:
                raise ContractError(
                    f"trajectory {trajectory.id!r} has a reward event of the component {event.component!r}, which is "
                    f"not declared; declared: {', '.join(sorted(trajectory.weights))}"
                )
            value = weight * event.value
            if not math.isfinite(value):
                raise ConfigError(
                    f"trajectory {trajectory.id!r} has the reward event {event}, which is not finite; leave it out, it "
                    "counts as not graded"
                )
            at = min(max(start + event.turn, start), end - 1)
            rewards[at] += value
            parts[event.component][at] += value
    return rewards, parts


def _cuts(trajectories: Sequence[Trajectory], offsets: Ints) -> Bools | None:
    """The turns that an event of theirs cuts; None if there are none."""
    cut = [
        start + event.turn
        for trajectory, start in zip(trajectories, offsets[:-1].tolist(), strict=True)
        for event in trajectory.events
        if event.detail and event.detail.get(CUTS_CREDIT) and 0 <= event.turn < len(trajectory.turns)
    ]
    if not cut:
        return None
    is_cut = np.zeros(int(offsets[-1]), np.bool_)
    is_cut[cut] = True
    return is_cut


def _numbered(keys: Sequence[object]) -> Ints:
    """Numbers from 0 in the order of appearance; NO_ANCHOR for None."""
    number_of: dict[object, int] = {}
    return np.array([NO_ANCHOR if key is None else number_of.setdefault(key, len(number_of)) for key in keys], np.int64)


def _optional(values: Sequence[float | None]) -> Floats | None:
    if all(value is None for value in values):
        return None
    return np.array([np.nan if value is None else value for value in values], np.float64)


def _joined(name: str, arrays: Sequence[Floats], offsets: Ints) -> Floats:
    lengths = [len(array) for array in arrays]
    if lengths != np.diff(offsets).tolist():
        raise ConfigError(f"the prediction {name!r} has {lengths} values, the trajectories {np.diff(offsets)} turns")
    return np.concatenate(arrays).astype(np.float64) if arrays else np.zeros(0)
