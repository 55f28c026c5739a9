"""The episodes whose credit a report shows, and the credit that each stored method gave their turns.

`credit` draws it, and `agentgym.attribution` assigns it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np

from agentgym.attribution import with_credit
from agentgym.attribution.steps import Floats
from agentgym.errors import UnknownNameError
from agentgym.outcome import GRADED
from agentgym.store import EpisodeRow, RunStore
from agentgym.trajectory import Trajectory

RECORDED = "as recorded"
_MAX_EPISODES = 28
_MAX_METHODS = 7
_MAX_MAPS = 4
_PURPOSES = ("train", "demo", "validation", "test")
_FEW_TURNS = 3
"""An episode of fewer turns tells little about which of them earned what."""
_FULL = 0.9
"""The share of the turns whose credit is no larger than the deepest colour stands for."""
_SAME = 1e-9
"""Credit that differs by no more from the recorded rewards repeats them."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The credit that one method gave the turns of the episodes that it was asked about.

    Attributes:
        label: The label of its credit in the store.
        kind: The meaning of its numbers, and the method if the label does not name it.
        credit: float64[T] by the number of the episode; an episode that was not attributed is missing.
        full: The |credit| of full colour: the 90th percentile, as an occurring value, of those in the map that are not
            0, so that one turn does not fade all others; 0 if there is none.
        largest: Largest |credit| of a turn that the map shows; 0 if there is none.
    """

    label: str
    kind: str
    credit: Mapping[int, Floats]
    full: float
    largest: float


@dataclass(frozen=True, slots=True)
class CreditMap:
    """The credit of several methods for the same episodes.

    Attributes:
        episodes: Solved ones first, then by number of turns.
        pair: For reading turn by turn: one that was solved and one that was not, of one task where there is such a one.
        readings: The recorded rewards, then methods.
        num_candidates: Episodes that these were chosen among.
    """

    episodes: Sequence[EpisodeRow]
    pair: Sequence[tuple[EpisodeRow, Trajectory]]
    readings: Sequence[Reading]
    num_candidates: int


@dataclass(frozen=True, slots=True)
class CreditData:
    """The credit that a report shows.

    Attributes:
        maps: One, or several if methods were asked about different episodes.
        no_room: Labels for which there is no room.
        of_none: Labels none of whose episodes is in the run.
    """

    maps: Sequence[CreditMap]
    no_room: Sequence[str]
    of_none: Sequence[str]

    @property
    def methods(self) -> list[Reading]:
        """The credit of each method, without the recorded rewards."""
        return [reading for one in self.maps for reading in one.readings if reading.label != RECORDED]


def read_credit(store: RunStore, picked: Iterable[EpisodeRow], labels: Sequence[str] = ()) -> CreditData | None:
    """The credit of a few episodes; None if no method was asked and rewards come only at the end.

    Args:
        store: The run.
        picked: Further episodes whose credit is wanted, which no map shows.
        labels: The labels to show, in order; without any, informative ones come first, and newer before older ones.

    Raises:
        UnknownNameError: The run keeps no credit under one of the labels.
    """
    records = store.credit_labels()
    asked = _in_order(records, labels)
    rows = {row.number: row for row in store.episode_rows() if row.outcome in GRADED and row.num_turns}
    covered = {label: store.credited(label) & rows.keys() for label in asked}
    graded = [row for row in picked if row.outcome in GRADED]
    left = [label for label in asked if covered[label]]
    maps: list[CreditMap] = []
    no_room: list[str] = []
    while left and len(maps) < _MAX_MAPS:
        chosen = _choose(rows, left, covered)
        found = _draw(store, chosen, graded, {label: records[label] for label in chosen.labels})
        maps.append(found if labels else _fitting(found, no_room))
        left = [label for label in left if label not in chosen.labels]
    if not maps and (alone := _without_methods(store, rows)) is not None:
        maps.append(alone)
    of_none = [label for label in asked if not covered[label]]
    return CreditData(maps, no_room + left, of_none) if maps else None


def _in_order(records: Mapping[str, Mapping[str, Any]], labels: Sequence[str]) -> list[str]:
    for label in labels:
        if label not in records:
            raise UnknownNameError("credit label", label, records)
    if labels:
        return list(dict.fromkeys(labels))
    return sorted(records, key=lambda label: str(records[label].get("made_at", "")), reverse=True)


# What a map shows.


@dataclass(frozen=True, slots=True)
class _Chosen:
    labels: Sequence[str]
    rows: Sequence[EpisodeRow]
    pair: Sequence[EpisodeRow]
    num_candidates: int


def _choose(rows: Mapping[int, EpisodeRow], labels: Sequence[str], covered: Mapping[str, AbstractSet[int]]) -> _Chosen:
    """Episodes of the first label, those that most methods were asked about first, and these methods."""
    first = covered[labels[0]]
    beside = [label for label in labels if not covered[label].isdisjoint(first)]
    num_methods = Counter(number for label in beside for number in covered[label])
    candidates = [rows[number] for number in sorted(first)]
    pair = _pair(candidates, num_methods)
    shown = _spread(candidates, pair, num_methods)
    labels = [label for label in beside if any(row.number in covered[label] for row in shown)]
    return _Chosen(labels, shown, pair, len(candidates))


def _without_methods(store: RunStore, rows: Mapping[int, EpisodeRow]) -> CreditMap | None:
    """Only the recorded rewards; None if they come only at the end."""
    found = {row.purpose for row in rows.values()}
    purpose = next((name for name in _PURPOSES if name in found), None)
    candidates = [row for row in rows.values() if row.purpose == purpose]
    if not candidates:
        return None
    pair = _pair(candidates, {})
    drawn = _draw(store, _Chosen((), _spread(candidates, pair, {}), pair, len(candidates)), (), {})
    [recorded] = drawn.readings
    return drawn if any(np.any(recorded.credit[row.number][:-1]) for row in drawn.episodes) else None


def _draw(
    store: RunStore, chosen: _Chosen, picked: Iterable[EpisodeRow], records: Mapping[str, Mapping[str, Any]]
) -> CreditMap:
    """The credit of the methods of some labels for the chosen episodes, and for the picked ones that have it."""
    wanted = {row.number: row for row in [*chosen.rows, *picked]}
    loaded = {each.id: each for each in store.load(list(wanted.values()), with_tokens=False)}
    trajectories = {number: loaded[row.id] for number, row in wanted.items() if row.id in loaded}
    shown = [row for row in chosen.rows if row.number in trajectories]  # one may have been dropped meanwhile
    numbers = [row.number for row in shown]
    recorded = {number: each.step_rewards() for number, each in trajectories.items()}
    readings = [_reading(RECORDED, "rewards", recorded, numbers)]
    for label, record in records.items():
        kept = store.credit(label, trajectories.keys())
        credit = {
            number: with_credit(trajectories[number], events, label).step_rewards() for number, events in kept.items()
        }
        readings.append(_reading(label, _kind(label, record), credit, numbers))
    pair = [(row, trajectories[row.number]) for row in chosen.pair if row.number in trajectories]
    return CreditMap(shown, pair, readings, chosen.num_candidates)


def _fitting(found: CreditMap, no_room: list[str]) -> CreditMap:
    """The map without methods that have no room; those that add nothing to the recorded rewards go first."""
    recorded, *methods = found.readings
    numbers = [row.number for row in found.episodes]
    ordered = sorted(methods, key=lambda reading: _says_nothing(reading, recorded, numbers))
    no_room += [reading.label for reading in ordered[_MAX_METHODS:]]
    return CreditMap(found.episodes, found.pair, [recorded, *ordered[:_MAX_METHODS]], found.num_candidates)


def _says_nothing(reading: Reading, recorded: Reading, numbers: Sequence[int]) -> bool:
    pairs = [(reading.credit[number], recorded.credit[number]) for number in numbers if number in reading.credit]
    return not reading.largest or all(np.allclose(credit, rewards, atol=_SAME) for credit, rewards in pairs)


def _reading(label: str, kind: str, credit: Mapping[int, Floats], numbers: Sequence[int]) -> Reading:
    sizes = np.abs(np.concatenate([np.zeros(0), *(credit[number] for number in numbers if number in credit)]))
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    if not len(sizes):
        return Reading(label, kind, credit, 0.0, 0.0)
    return Reading(label, kind, credit, float(np.quantile(sizes, _FULL, method="higher")), float(sizes.max()))


def _kind(label: str, record: Mapping[str, Any]) -> str:
    kind = str(record.get("yields")) + (", conserving" if record.get("conserves") else "")
    method = record.get("method")
    return kind if method in (None, label) else f"{kind}, {method}"


# Which episodes.


def _pair(rows: Sequence[EpisodeRow], num_methods: Mapping[int, int]) -> list[EpisodeRow]:
    """A pair drawn from the episodes with the credit of most methods."""
    draw = random.Random(0)
    long = [row for row in rows if row.num_turns >= _FEW_TURNS] or list(rows)
    solved = [row for row in long if row.success]
    failed = [row for row in long if not row.success]
    contrast = {(row.group_id, row.task_id) for row in failed}
    contrasted = [row for row in solved if (row.group_id, row.task_id) in contrast]
    chosen = [draw.choice(_most(contrasted or solved, num_methods))] if solved else []
    like = [row for row in failed if chosen and (row.group_id, row.task_id) == (chosen[0].group_id, chosen[0].task_id)]
    return chosen + ([draw.choice(_most(like or failed, num_methods))] if failed else [])


def _most(rows: Sequence[EpisodeRow], num_methods: Mapping[int, int]) -> list[EpisodeRow]:
    most = max(num_methods.get(row.number, 0) for row in rows)
    return [row for row in rows if num_methods.get(row.number, 0) == most]


def _spread(rows: Sequence[EpisodeRow], pair: Sequence[EpisodeRow], num_methods: Mapping[int, int]) -> list[EpisodeRow]:
    """The pair, then episodes spread over the run; those that more methods were asked about come first."""
    kept = dict.fromkeys(pair)
    for count in sorted({num_methods.get(row.number, 0) for row in rows}, reverse=True):
        like = [row for row in rows if row not in kept and num_methods.get(row.number, 0) == count]
        kept |= dict.fromkeys(_balanced(like, _MAX_EPISODES - len(kept)))
    return sorted(kept, key=lambda row: (not row.success, row.num_turns, row.number))


def _balanced(rows: Sequence[EpisodeRow], room: int) -> list[EpisodeRow]:
    """As many solved as unsolved episodes if there are enough."""
    solved = [row for row in rows if row.success]
    failed = [row for row in rows if not row.success]
    half = room // 2
    return [
        *_evenly(solved, max(half, room - len(failed))),
        *_evenly(failed, max(room - half, room - len(solved))),
    ]


def _evenly(rows: Sequence[EpisodeRow], count: int) -> list[EpisodeRow]:
    if len(rows) <= count:
        return list(rows)
    return [rows[index] for index in np.linspace(0, len(rows) - 1, count).round().astype(int)]
