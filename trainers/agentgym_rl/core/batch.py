"""What an iteration learns from: segments of trajectories, with per-token streams.

`scoring.py` fills in log-probabilities and values, and `credit.py` advantages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from agentgym.errors import ContractError
from agentgym.trajectory import Group, Segment, Trajectory

Stream = NDArray[np.float64]


@dataclass
class TrainBatch:
    """The trained trajectories of an iteration.

    A stream has one array per segment, with one entry per token; entries of tokens that were not sampled are ignored.

    Attributes:
        groups: The groups, sealed.
        trajectories: Those that are trained on, in the groups' order.
        segments: All segments of all trajectories, in order.
        owner: Index of the trajectory of each segment; also the sequence index of the loss.
        advantages: Stream of A.
        value_targets: Stream for the value head; None without one.
        is_value_target: True where the value head is trained.
        old_values: Stream of V at the start of the batch.
        prox_logprobs: Stream of the ratio's denominator.
        reference_logprobs: Stream of the frozen reference.
        final_values: V of the final observation of each truncated trajectory; None where it terminated.
        token_weights: Stream of constant factors of the tokens' losses: importance weights of replayed tokens, 0 for
            tokens that are left out; None: 1 for all.
        baseline_weights: How much a trajectory counts in the baseline of its group, by its id, if that is not 1.
    """

    groups: list[Group]
    trajectories: list[Trajectory]
    segments: list[Segment]
    owner: NDArray[np.int64]
    advantages: list[Stream] = field(default_factory=list)
    value_targets: list[Stream] | None = None
    is_value_target: list[Stream] | None = None
    old_values: list[Stream] | None = None
    prox_logprobs: list[Stream] | None = None
    reference_logprobs: list[Stream] | None = None
    final_values: list[float | None] = field(default_factory=list)
    token_weights: list[Stream] | None = None
    baseline_weights: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, groups: Sequence[Group]) -> TrainBatch:
        """All members of sealed groups.

        Raises:
            ContractError: A group is not sealed, or a member carries no behaviour log-probabilities.
        """
        trajectories = []
        for group in groups:
            if not group.is_sealed:
                raise ContractError(f"group {group.id!r} is not sealed; only whole groups are trained on")
            for member in group.members:
                if member.is_derived:
                    raise ContractError(
                        f"trajectory {member.id!r} carries no behaviour log-probabilities (policy {member.policy!r}); "
                        f"clone it instead: a policy gradient needs to know how likely it was"
                    )
                trajectories.append(member)
        return cls.of_trajectories(trajectories, list(groups))

    @classmethod
    def of_trajectories(cls, trajectories: list[Trajectory], groups: list[Group] | None = None) -> TrainBatch:
        """Any trajectories with tokens."""
        segments, owner = [], []
        for index, trajectory in enumerate(trajectories):
            for segment in trajectory.segments():
                if segment.completion_mask.any():
                    segments.append(segment)
                    owner.append(index)
        return cls(groups or [], trajectories, segments, np.asarray(owner, np.int64))

    @property
    def num_sequences(self) -> int:
        """Trajectories, trained or not."""
        return len(self.trajectories)

    def segments_of(self, trajectory: int) -> list[int]:
        """Indices of the segments of a trajectory."""
        return self._segments_by_owner.get(trajectory, [])

    @cached_property
    def _segments_by_owner(self) -> dict[int, list[int]]:
        by_owner: dict[int, list[int]] = {}
        for index, owner in enumerate(self.owner.tolist()):
            by_owner.setdefault(owner, []).append(index)
        return by_owner

    def sampled(self, stream: Sequence[Stream], trajectory: int) -> Stream:
        """The entries of a trajectory's sampled tokens, in order."""
        pieces = [stream[index][self.segments[index].completion_mask] for index in self.segments_of(trajectory)]
        return np.concatenate(pieces) if pieces else np.zeros(0)

    def spread(self, values: Stream, trajectory: int, stream: list[Stream]) -> None:
        """The inverse of `sampled`: lay values of a trajectory's sampled tokens out over its segments."""
        at = 0
        for index in self.segments_of(trajectory):
            mask = self.segments[index].completion_mask
            count = int(mask.sum())
            laid = np.zeros(len(mask))
            laid[mask] = values[at : at + count]
            stream[index] = laid
            at += count

    def turn_index(self, trajectory: int) -> NDArray[np.int64]:
        """Turn of each sampled token of a trajectory."""
        mine = [self.segments[index] for index in self.segments_of(trajectory)]
        pieces = [segment.turn_index[segment.completion_mask] for segment in mine]
        return np.concatenate(pieces).astype(np.int64) if pieces else np.zeros(0, np.int64)

    def turn_advantages(self) -> dict[str, Stream]:
        """float64[T_i] of each trajectory by its id: the mean over a turn's sampled tokens; 0 if it has none."""
        found = {}
        for index, trajectory in enumerate(self.trajectories):
            turns, size = self.turn_index(index), len(trajectory.turns)
            sums = np.bincount(turns, self.sampled(self.advantages, index), size)
            found[trajectory.id] = sums / np.maximum(np.bincount(turns, minlength=size), 1)
        return found

    def keep(self, is_kept: NDArray[np.bool_]) -> TrainBatch:
        """The batch without the trajectories for which `is_kept` is False; streams go along."""
        kept = np.flatnonzero(is_kept)
        renumbered = np.full(len(is_kept), -1)
        renumbered[kept] = np.arange(len(kept))
        chosen = [index for index, owner in enumerate(self.owner) if is_kept[owner]]

        def pick(stream: list[Stream] | None) -> list[Stream] | None:
            return None if stream is None else [stream[index] for index in chosen]

        return TrainBatch(
            groups=self.groups,
            trajectories=[self.trajectories[index] for index in kept],
            segments=[self.segments[index] for index in chosen],
            owner=renumbered[self.owner[chosen]].astype(np.int64) if chosen else np.zeros(0, np.int64),
            advantages=pick(self.advantages) or [],
            value_targets=pick(self.value_targets),
            is_value_target=pick(self.is_value_target),
            old_values=pick(self.old_values),
            prox_logprobs=pick(self.prox_logprobs),
            reference_logprobs=pick(self.reference_logprobs),
            final_values=[self.final_values[index] for index in kept] if self.final_values else [],
            token_weights=pick(self.token_weights),
            baseline_weights=self.baseline_weights,
        )
