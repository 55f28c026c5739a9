"""Attribution of a run that is over: credit by any method, kept as reward events beside the recorded ones.

The methods are those that work on live trajectories; drawing what came out is the work of `agentgym.view`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from agentgym.attribution.compose import comparing_states
from agentgym.attribution.contract import Attribution, Credited, StepFormula, Yields, require_finite
from agentgym.attribution.forks import Forks
from agentgym.attribution.groups.anchors import Anchors
from agentgym.attribution.groups.turn_groups import TurnGroups
from agentgym.attribution.learned.predicted import Predicting
from agentgym.attribution.steps import Floats, Steps
from agentgym.errors import ConfigError
from agentgym.outcome import GRADED
from agentgym.reward import RewardEvent
from agentgym.store import EpisodeRow, Purpose, RunStore
from agentgym.trajectory import HINDSIGHT, Trajectory

FIFTHS = 5
"""Parts of an episode that credit is averaged over, so that episodes of different length compare."""
_ORDER: tuple[Purpose, ...] = ("train", "demo", "validation", "test")
_CHUNK = 512
"""Episodes that are read at once, but for a group that is larger."""
_Members = tuple[int, list[tuple[int, Trajectory]]]
"""The iteration of a group, counted from 0, and the numbers and trajectories of its members."""


@dataclass(frozen=True)
class RunCredit:
    """What one method made of a run.

    Attributes:
        label: What the events are kept under.
        method: Its name.
        options: Its options, where it has any.
        purpose: What the episodes were collected for.
        conserves: Whether it says that its credit adds up to the returns.
        yields: What its numbers are.
        episodes: Attributed.
        left_out: Episodes without a reward, or without turns.
        largest_gap: Largest difference between an episode's return and the sum of its credit.
        mean_by_fifth: Mean |credit| of a turn, by the fifth of its episode that it stands in; None where none does.
        made_at: When, in UTC; "" where that is not known.
        singleton_share: Share of the turns that had no other in their state to be compared with; None for methods that
            compare no states, and for credit that was assigned elsewhere.
    """

    label: str
    method: str
    options: str
    purpose: Purpose
    conserves: bool
    yields: Yields
    episodes: int
    left_out: int
    largest_gap: float
    mean_by_fifth: tuple[float | None, ...]
    made_at: str = ""
    singleton_share: float | None = None

    def to_json(self) -> dict[str, Any]:
        """A JSON object."""
        return {**dataclasses.asdict(self), "mean_by_fifth": list(self.mean_by_fifth)}

    @classmethod
    def from_json(cls, label: str, fields: Mapping[str, Any]) -> RunCredit:
        """The inverse of `to_json`."""
        return cls(**{**fields, "label": label, "mean_by_fifth": tuple(fields["mean_by_fifth"])})


def attribute_run(
    store: RunStore,
    methods: Mapping[str, Attribution],
    *,
    purpose: Purpose | None = None,
    policies: Sequence[str] = (),
    overwrite: bool = False,
    on_group: Callable[[int, int], None] | None = None,
) -> list[RunCredit]:
    """Assign credit to the graded episodes of a run by each method, and keep it; the recorded events stay.

    Episodes of one group are attributed together; those without a group with their like of the same task, role, policy
    and iteration; bonuses that fade have their weight of that iteration. Nothing is kept where one of the methods does
    not apply.

    Args:
        store: The run, open for writing.
        methods: By the label that their credit is kept under.
        purpose: Episodes that were collected for this; None takes those trained on, else demonstrations, else what was
            evaluated.
        policies: Episodes of these policies alone; all where none is given.
        overwrite: Whether credit of the same label is replaced.
        on_group: Called after each group with how many episodes were attributed, of how many.

    Raises:
        ConfigError: There are no such episodes, a method does not apply, or a label is taken.
        ContractError: A method gives what is no finite number.
        StoreError: Writing failed.
    """
    if not overwrite:
        require_free(store, methods)
    chosen, wanted, left_out = graded_rows(store, purpose, policies)
    tallies = {label: _Tally(label, method) for label, method in methods.items()}
    done = 0
    for iteration, members in _groups(store, wanted, any(map(_reads_tokens, methods.values()))):
        trajectories = [trajectory for _, trajectory in members]
        for label, method in methods.items():
            tallies[label].add(members, _at(method, iteration).attribute(trajectories))
            tallies[label].compare(_comparing_states(method), trajectories)
        done += len(members)
        if on_group is not None:
            on_group(done, len(wanted))
    made_at = _now()
    found = [tally.result(chosen, left_out, made_at) for tally in tallies.values()]
    for each in found:
        tallies[each.label].keep(store, each, is_replacement=overwrite)
    return found


def keep_credit(
    store: RunStore,
    label: str,
    method: Credited,
    members: Sequence[tuple[int, Trajectory]],
    credit: Sequence[Floats],
    *,
    purpose: Purpose,
    left_out: int = 0,
) -> RunCredit:
    """Keep credit that was assigned elsewhere, such as while training, as `attribute_run` does.

    Args:
        store: The run, open for writing.
        label: What it is kept under; what was kept under it before is replaced.
        method: What assigned it.
        members: The numbers and trajectories of episodes that have turns.
        credit: float64[T_i] of each.
        purpose: What they were collected for.
        left_out: Episodes beside them that could not be credited.

    Raises:
        ContractError: The credit is no finite number somewhere.
        StoreError: Writing failed, or an episode is not stored.
    """
    tally = _Tally(label, method)
    tally.add(members, credit)
    found = tally.result(purpose, left_out, _now())
    tally.keep(store, found, is_replacement=True)
    return found


def require_free(store: RunStore, labels: Iterable[str]) -> None:
    """Refuse labels under which a run holds credit.

    Raises:
        ConfigError: Names them.
    """
    taken = sorted(store.credit_labels().keys() & set(labels))
    if taken:
        raise ConfigError(
            f"the run holds credit under {', '.join(taken)} already; overwrite it (--overwrite), or give another label "
            "(--label)"
        )


def graded_rows(
    store: RunStore, purpose: Purpose | None = None, policies: Sequence[str] = ()
) -> tuple[Purpose, list[EpisodeRow], int]:
    """The episodes of a run that can be credited, what they were collected for, and how many were left out.

    Args:
        store: The run.
        purpose: Episodes that were collected for this; None takes those trained on, else demonstrations, else what was
            evaluated.
        policies: Episodes of these policies alone; where none is given all but those that were played again in
            hindsight, which are not compared with fresh ones while training either.

    Raises:
        ConfigError: There are none.
    """
    rows = [row for row in store.episode_rows() if (row.policy in policies if policies else row.policy != HINDSIGHT)]
    chosen = purpose or _first_purpose(rows)
    rows = [row for row in rows if row.purpose == chosen]
    wanted = [row for row in rows if row.outcome in GRADED and row.num_turns]
    if not wanted:
        of = f" of the policies {', '.join(policies)}" if policies else ""
        raise ConfigError(f"{store.folder} holds no {chosen} episode{of} with a reward; choose another purpose or run")
    return chosen, wanted, len(rows) - len(wanted)


def stored_credit(store: RunStore) -> list[RunCredit]:
    """What methods made of the run before, by label."""
    return [RunCredit.from_json(label, record) for label, record in store.credit_labels().items()]


def credit_events(trajectory: Trajectory, credit: Floats, label: str) -> list[RewardEvent]:
    """Credit as reward events of source shaping, one for each turn that has any; known when the episode is over."""
    last = len(trajectory.turns) - 1
    return [
        RewardEvent(turn, last, trajectory.role, label, float(value), "shaping")
        for turn, value in enumerate(credit)
        if value != 0.0
    ]


def with_credit(trajectory: Trajectory, events: Sequence[RewardEvent], label: str) -> Trajectory:
    """The trajectory as if its rewards were the credit kept under a label: `step_rewards` is that credit.

    Args:
        trajectory: As recorded; it stays as it is.
        events: Its events of that label; none where all its credit is 0.
        label: The label.
    """
    return dataclasses.replace(trajectory, events=list(events), weights={label: 1.0})


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _first_purpose(rows: Sequence[EpisodeRow]) -> Purpose:
    found = {row.purpose for row in rows}
    return next((purpose for purpose in _ORDER if purpose in found), _ORDER[0])


def _at(method: Attribution, iteration: int) -> Attribution:
    return method.at(iteration) if isinstance(method, StepFormula | Predicting) else method


def _comparing_states(method: Attribution) -> Anchors | TurnGroups | None:
    formula = method.formula if isinstance(method, Predicting) else method
    return comparing_states(formula) if isinstance(formula, StepFormula) else None


def _reads_tokens(method: Attribution) -> bool:
    """Whether a method, or who predicts for it, may read token ids."""
    return isinstance(method, Predicting | Forks)


def _groups(store: RunStore, rows: Sequence[EpisodeRow], with_tokens: bool) -> Iterator[_Members]:
    """The members of each group in the order of a sealed one, so that sums round alike."""
    groups: dict[tuple[object, ...], list[EpisodeRow]] = {}
    for row in rows:
        key = (row.group_id,) if row.group_id else (row.task_id, row.role, row.policy, row.iteration)
        groups.setdefault(key, []).append(row)
    pending: list[list[EpisodeRow]] = []
    for group in groups.values():
        pending.append(sorted(group, key=lambda row: row.attempt))
        if sum(map(len, pending)) >= _CHUNK:
            yield from _loaded(store, pending, with_tokens)
            pending = []
    yield from _loaded(store, pending, with_tokens)


def _loaded(store: RunStore, groups: Sequence[Sequence[EpisodeRow]], with_tokens: bool) -> Iterator[_Members]:
    rows = [row for group in groups for row in group]
    loaded = zip(rows, store.load(rows, with_tokens=with_tokens), strict=True)
    for group in groups:
        iteration = (group[0].iteration or 1) - 1  # stored ones count from 1; what was not trained on has none
        yield iteration, [(row.number, trajectory) for _, (row, trajectory) in zip(group, loaded, strict=False)]


class _Tally:
    """The events of one method, and the figures that are told of it.

    An episode without any credit has no events, which is kept too: it was attributed, others may not have been.
    """

    def __init__(self, label: str, method: Credited) -> None:
        self.label, self.method = label, method
        self.events: dict[int, list[RewardEvent]] = {}
        self._episodes, self._gap = 0, 0.0
        self._alone, self._compared = 0.0, 0
        self._sums, self._counts = np.zeros(FIFTHS), np.zeros(FIFTHS)

    def add(self, members: Sequence[tuple[int, Trajectory]], found: Sequence[Floats]) -> None:
        require_finite(self.method.name, [trajectory for _, trajectory in members], found)
        for (number, trajectory), credit in zip(members, found, strict=True):
            self.events[number] = credit_events(trajectory, credit, self.label)
            fifth = (FIFTHS * (2 * np.arange(len(credit)) + 1)) // (2 * len(credit))
            self._sums += np.bincount(fifth, np.abs(credit), FIFTHS)
            self._counts += np.bincount(fifth, minlength=FIFTHS)
            self._episodes += 1
            gap = abs(float(credit.sum() - trajectory.step_rewards().sum()))
            self._gap = float(np.maximum(self._gap, gap))  # unlike max, which passes over NaN

    def compare(self, method: Anchors | TurnGroups | None, group: Sequence[Trajectory]) -> None:
        """Count which turns of a group have others in their state, for a method that compares them."""
        if method is not None:
            count = sum(len(trajectory.turns) for trajectory in group)
            self._alone += method.sizes(Steps.of(group)).singleton_share * count
            self._compared += count

    def result(self, purpose: Purpose, left_out: int, made_at: str) -> RunCredit:
        means = [float(total / count) if count else None for total, count in zip(self._sums, self._counts, strict=True)]
        method = self.method
        options = repr(method) if dataclasses.is_dataclass(method) else ""
        return RunCredit(
            label=self.label,
            method=method.name,
            options=options,
            purpose=purpose,
            conserves=method.conserves,
            yields=method.yields,
            episodes=self._episodes,
            left_out=left_out,
            largest_gap=self._gap,
            mean_by_fifth=tuple(means),
            made_at=made_at,
            singleton_share=self._alone / self._compared if self._compared else None,
        )

    def keep(self, store: RunStore, found: RunCredit, *, is_replacement: bool) -> None:
        record = {key: value for key, value in found.to_json().items() if key != "label"}
        store.write_credit(self.label, record, self.events, is_replacement=is_replacement)
