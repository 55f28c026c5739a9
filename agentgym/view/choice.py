"""Which episodes a report shows turn by turn, and why each.

Reading them is in `run_data`, drawing them in `transcripts`.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

from agentgym.errors import UnknownNameError
from agentgym.store import EpisodeRow
from agentgym.trajectory import HINDSIGHT

STAGES = ("untrained", "cloned", "filtered_cloned", "trained")
"""The policies of a training run, in the order in which they come about."""
EVALUATED = ("test", "validation")
"""Purposes of episodes that were played to measure a policy."""
_MAX_EPISODES = 16
"""Episodes of an evaluation, or of the tasks asked for: a page opens at once with the screenshots of so many."""
_FEW_EPISODES = 4
"""Episodes of an evaluation that are shown at least, if so many have a result."""

_Wanted = list[tuple[str, EpisodeRow | None]]


def choose(
    rows: Sequence[EpisodeRow], names: Mapping[str, str], tasks: Sequence[str] = ()
) -> list[tuple[str, EpisodeRow]]:
    """A few informative episodes, each with the reason for it.

    Args:
        rows: All episodes of the run.
        names: The page's names for some policies.
        tasks: The ids of the tasks to show; without any, a training run shows its first and last iteration, best,
            worst, held-out episodes and a fault, and an evaluation shows a success and a failure of each policy,
            and at least four episodes.

    Raises:
        UnknownNameError: There is no episode of one of the tasks.
    """
    draw = random.Random(0)
    train = _of_iterations(rows)
    if tasks:
        wanted = _of_tasks(rows, names, tasks)
    elif train:
        wanted = _of_training(draw, rows, train, names)
    else:
        wanted = _of_evaluation(draw, rows, names)
    chosen: dict[int, tuple[str, EpisodeRow]] = {}
    for reason, row in wanted:
        if row is not None:
            chosen.setdefault(row.number, (reason, row))
    return list(chosen.values())


def how_chosen(rows: Sequence[EpisodeRow], tasks: Sequence[str] = ()) -> str:
    """What `choose` looks for, in a sentence for readers of the page."""
    if tasks:
        return "They are of the tasks that were asked for."
    if _of_iterations(rows):
        return (
            "Chosen are held-out episodes, some of the first and the last iteration, the best, the worst, and a fault."
        )
    return (
        "Chosen are a success and a failure of each policy if it has both, with others at least "
        f"{_FEW_EPISODES} episodes that have a result, of different strata if possible, and a fault."
    )


def _of_iterations(rows: Sequence[EpisodeRow]) -> list[EpisodeRow]:
    return [row for row in rows if row.policy != HINDSIGHT and row.purpose == "train" and row.iteration is not None]


def by_stage(names: Iterable[str]) -> list[str]:
    """Names of policies: the stages of training in their order, then others by name."""
    return sorted(names, key=lambda name: (STAGES.index(name) if name in STAGES else len(STAGES), name))


def _of_training(
    draw: random.Random, rows: Sequence[EpisodeRow], train: Sequence[EpisodeRow], names: Mapping[str, str]
) -> _Wanted:
    """First and last iteration, best, worst, held-out, and a fault."""
    iterations = sorted({row.iteration for row in train if row.iteration is not None})
    first = [row for row in train if row.iteration == iterations[0]]
    last = [row for row in train if row.iteration == iterations[-1]] if len(iterations) > 1 else []
    test = [row for row in rows if row.purpose == "test"]
    policies = by_stage({row.policy for row in test})
    final = [row for row in test if row.policy == policies[-1]]
    by_reward: Callable[[EpisodeRow], float] = lambda row: row.reward or 0.0  # noqa: E731 - a key used twice
    return [
        *_before_and_after(draw, test, names),
        ("Held out, solved", _drawn(draw, [row for row in final if row.success])),
        ("Held out, not solved", _drawn(draw, [row for row in final if row.success is False])),
        ("First iteration, drawn at random", _drawn(draw, first)),
        ("First iteration, another", _drawn(draw, first)),
        ("Last iteration, drawn at random", _drawn(draw, last)),
        ("Last iteration, another", _drawn(draw, last)),
        ("Last iteration, highest reward", max(last, key=by_reward, default=None)),
        ("Last iteration, lowest reward", min(last, key=by_reward, default=None)),
        ("Invalid", _drawn(draw, [row for row in train if row.outcome == "invalid"])),
        ("Fault, left out of learning", _drawn(draw, [row for row in rows if row.success is None])),
        ("Played again at a goal that it reached", _drawn(draw, [row for row in rows if row.policy == HINDSIGHT])),
        ("Demonstration", _drawn(draw, [row for row in rows if row.purpose == "demo"])),
    ]


def _before_and_after(draw: random.Random, test: Sequence[EpisodeRow], names: Mapping[str, str]) -> _Wanted:
    """A held-out task that the last policy solved and the first did not, as each of them played it."""
    policies = by_stage({row.policy for row in test})
    if len(policies) < 2:
        return []
    first_try = {(row.policy, row.task_id): row for row in reversed(test)}
    learnt = [
        row.task_id
        for (policy, task_id), row in sorted(first_try.items())
        if policy == policies[-1] and row.success
        if (before := first_try.get((policies[0], task_id))) is not None and before.success is False
    ]
    if not learnt:
        return []
    task_id = draw.choice(learnt)
    return [(f"One held-out task, {_name(policy, names)}", first_try.get((policy, task_id))) for policy in policies]


def _of_evaluation(draw: random.Random, rows: Sequence[EpisodeRow], names: Mapping[str, str]) -> _Wanted:
    """A success and a failure of each policy; without evaluated episodes, of each policy that was recorded."""
    evaluated = [row for row in rows if row.purpose in EVALUATED]
    return [
        *_compared(draw, evaluated or rows, names),
        ("Fault, left out of the rates", _drawn(draw, [row for row in rows if row.success is None])),
        ("Demonstration", _drawn(draw, [row for row in rows if row.purpose == "demo"])),
    ]


def _compared(draw: random.Random, rows: Sequence[EpisodeRow], names: Mapping[str, str]) -> _Wanted:
    """Tasks until they show a success and a failure of each policy, and a few episodes; each under all policies.

    Tasks are left out where the page has no more room for their episodes under all policies.
    """
    tries: dict[str, dict[tuple[str, bool], EpisodeRow]] = defaultdict(dict)
    for row in rows:
        if row.success is not None:
            tries[row.task_id].setdefault((row.policy, row.success), row)
    missing = {kind for kinds in tries.values() for kind in kinds}
    found: _Wanted = []
    strata: set[str] = set()
    while tries and len(found) < _MAX_EPISODES and (missing or len(found) < _FEW_EPISODES):
        worth = {task_id: _worth(kinds, missing, strata) for task_id, kinds in tries.items()}
        most = max(worth.values())
        task_id = draw.choice([task_id for task_id in tries if worth[task_id] == most])
        kinds = tries.pop(task_id)
        kept = kinds.keys() & missing
        beside = {policy for policy, _ in kinds} - {policy for policy, _ in kept}
        kept |= {next(kind for kind in kinds if kind[0] == policy) for policy in beside}
        some = next(iter(kinds.values()))
        strata.add(some.stratum)
        task = "Another task" if found else "One task"
        ordered = sorted(kept, key=lambda kind: (kind not in missing, kind))[: _MAX_EPISODES - len(found)]
        order = by_stage({policy for policy, _ in ordered})
        ordered.sort(key=lambda kind: (order.index(kind[0]), not kind[1]))
        found += [(f"{task}, {_name(kind[0], names)}", kinds[kind]) for kind in ordered]
        missing -= set(ordered)
    shown = {row.number for _, row in found if row is not None}
    again = [row for row in rows if row.success is not None and row.number not in shown]
    drawn = draw.sample(again, max(0, min(len(again), _FEW_EPISODES - len(found))))
    return [*found, *((f"Another attempt, {_name(row.policy, names)}", row) for row in drawn)]


def _worth(
    kinds: Mapping[tuple[str, bool], EpisodeRow], missing: Set[tuple[str, bool]], strata: Set[str]
) -> tuple[int, int, bool, bool]:
    """What a task adds: kinds that are missing, policies that differ on it, a stratum that is not shown, a failure."""
    results = {success for _, success in kinds}
    is_new = next(iter(kinds.values())).stratum not in strata
    return len(missing & kinds.keys()), len(results), is_new, False in results


def _of_tasks(rows: Sequence[EpisodeRow], names: Mapping[str, str], tasks: Sequence[str]) -> _Wanted:
    """The episodes of some tasks, the first of each task and policy before the second ones."""
    known = {row.task_id for row in rows}
    for task_id in tasks:
        if task_id not in known:
            raise UnknownNameError("task", task_id, known, owner="the run", see="; the page names others")
    played: dict[tuple[str, str], list[EpisodeRow]] = {
        (task_id, policy): [] for task_id in dict.fromkeys(tasks) for policy in by_stage({row.policy for row in rows})
    }
    for row in rows:
        if (row.task_id, row.policy) in played:
            played[row.task_id, row.policy].append(row)
    kept = {row.number for row, _ in zip(_in_turn(list(played.values())), range(_MAX_EPISODES), strict=False)}
    return [
        (f"Chosen, {_name(row.policy, names)}", row) for found in played.values() for row in found if row.number in kept
    ]


def _in_turn(lists: Sequence[Sequence[EpisodeRow]]) -> Iterator[EpisodeRow]:
    for place in range(max(map(len, lists), default=0)):
        yield from (found[place] for found in lists if place < len(found))


def _name(policy: str, names: Mapping[str, str]) -> str:
    return names.get(policy, policy).replace("_", " ")


def _drawn(draw: random.Random, rows: Sequence[EpisodeRow]) -> EpisodeRow | None:
    return draw.choice(rows) if rows else None
