"""Which episodes a report shows credit of, and what each method that is kept with the run gave their turns.

Drawing it is the work of `credit`; assigning it that of `agentgym.attribution`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from agentgym.attribution import with_credit
from agentgym.attribution.steps import Floats
from agentgym.outcome import GRADED
from agentgym.store import EpisodeRow, RunStore
from agentgym.trajectory import Trajectory

RECORDED = "as recorded"
_MAX_EPISODES = 28
_MAX_METHODS = 7
_PURPOSES = ("train", "demo", "validation", "test")
_FEW_TURNS = 3
"""An episode of fewer turns tells little about which of them earned what."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one method gave the turns of the episodes that are shown.

    Attributes:
        label: What its credit is kept under.
        yields: What its numbers are.
        conserves: Whether it says that they add up to the return.
        credit: float64[T] by the episode's number.
        largest: Largest |credit| of a turn, for scales; 0 where there is none.
    """

    label: str
    yields: str
    conserves: bool
    credit: Mapping[int, Floats]
    largest: float


@dataclass(frozen=True, slots=True)
class CreditData:
    """The credit that a report shows.

    Attributes:
        episodes: For the map: solved ones first, then by number of turns.
        pair: For reading turn by turn: one that was solved and one that was not, of one task where there is such a one.
        readings: The recorded rewards, then each method.
        left_out: Labels for which there is no room.
        purpose: What the episodes were collected for.
    """

    episodes: Sequence[EpisodeRow]
    pair: Sequence[tuple[EpisodeRow, Trajectory]]
    readings: Sequence[Reading]
    left_out: Sequence[str]
    purpose: str


def read_credit(store: RunStore, picked: Iterable[EpisodeRow]) -> CreditData | None:
    """The credit of a few episodes; None where no method was asked and rewards come at the end alone.

    Args:
        store: The run.
        picked: Further episodes whose credit is wanted, which the map does not show.
    """
    records = store.credit_labels()
    labels = list(records)[:_MAX_METHODS]
    events = {label: store.credit(label) for label in labels}
    rows = _candidates(store, records, {number for found in events.values() for number in found})
    if not rows:
        return None
    pair = _pair(rows, Counter(number for found in events.values() for number in found))
    shown = _spread(rows, pair)
    wanted = {row.number: row for row in [*shown, *picked] if row.outcome in GRADED}
    loaded = {each.id: each for each in store.load(list(wanted.values()), with_tokens=False)}
    trajectories = {number: loaded[row.id] for number, row in wanted.items() if row.id in loaded}
    shown = [row for row in shown if row.number in trajectories]  # one may have been dropped meanwhile
    numbers = [row.number for row in shown]
    credit = {number: each.step_rewards() for number, each in trajectories.items()}
    readings = [_reading(RECORDED, "rewards", True, credit, numbers)]
    for label in labels:
        credit = {
            number: with_credit(each, events[label].get(number, ()), label).step_rewards()
            for number, each in trajectories.items()
        }
        record = records[label]
        readings.append(_reading(label, str(record.get("yields")), bool(record.get("conserves")), credit, numbers))
    if not labels and not any(np.any(readings[0].credit[number][:-1]) for number in numbers):
        return None
    return CreditData(
        episodes=shown,
        pair=[(row, trajectories[row.number]) for row in pair if row.number in trajectories],
        readings=readings,
        left_out=list(records)[_MAX_METHODS:],
        purpose=rows[0].purpose,
    )


def _reading(label: str, yields: str, conserves: bool, credit: Mapping[int, Floats], numbers: Sequence[int]) -> Reading:
    largest = max((float(np.abs(credit[number]).max(initial=0.0)) for number in numbers if number in credit), default=0)
    return Reading(label, yields, conserves, credit, largest)


def _candidates(store: RunStore, records: Mapping[str, Mapping[str, object]], credited: set[int]) -> list[EpisodeRow]:
    """Graded episodes with turns of the purpose and the policies that methods were asked about."""
    rows = [row for row in store.episode_rows() if row.outcome in GRADED and row.num_turns]
    purposes = Counter(str(record.get("purpose")) for record in records.values())
    found = {row.purpose for row in rows}
    purpose = next((name for name, _ in purposes.most_common() if name in found), None)
    purpose = purpose or next((name for name in _PURPOSES if name in found), None)
    rows = [row for row in rows if row.purpose == purpose]
    policies = {row.policy for row in rows if row.number in credited}
    return [row for row in rows if row.policy in policies] if policies else rows


def _pair(rows: Sequence[EpisodeRow], num_methods: Mapping[int, int]) -> list[EpisodeRow]:
    """Drawn from those that most methods say something of."""
    draw = random.Random(0)
    long = [row for row in rows if row.num_turns >= _FEW_TURNS] or list(rows)
    solved = [row for row in long if row.success]
    failed = [row for row in long if not row.success]
    contrast = {(row.group_id, row.task_id) for row in failed}
    told = [row for row in solved if (row.group_id, row.task_id) in contrast]
    chosen = [draw.choice(_most(told or solved, num_methods))] if solved else []
    like = [row for row in failed if chosen and (row.group_id, row.task_id) == (chosen[0].group_id, chosen[0].task_id)]
    return chosen + ([draw.choice(_most(like or failed, num_methods))] if failed else [])


def _most(rows: Sequence[EpisodeRow], num_methods: Mapping[int, int]) -> list[EpisodeRow]:
    most = max(num_methods.get(row.number, 0) for row in rows)
    return [row for row in rows if num_methods.get(row.number, 0) == most]


def _spread(rows: Sequence[EpisodeRow], pair: Sequence[EpisodeRow]) -> list[EpisodeRow]:
    """As many solved as unsolved episodes where there are enough, spread over the run, the pair among them."""
    solved = [row for row in rows if row.success]
    failed = [row for row in rows if not row.success]
    room = max(_MAX_EPISODES // 2, _MAX_EPISODES - len(failed))
    kept = [*pair, *_evenly(solved, room)]
    kept += _evenly(failed, max(_MAX_EPISODES // 2, _MAX_EPISODES - len(solved)))
    return sorted(dict.fromkeys(kept), key=lambda row: (not row.success, row.num_turns, row.number))


def _evenly(rows: Sequence[EpisodeRow], count: int) -> list[EpisodeRow]:
    if len(rows) <= count:
        return list(rows)
    return [rows[index] for index in np.linspace(0, len(rows) - 1, count).round().astype(int)]
