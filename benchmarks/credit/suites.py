"""Suites of this benchmark's own: the key-door task, and narrower cuts of suites that agentgym ships.

They are written anew for each process, the same each time, into a folder that goes with it.
"""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path
from typing import cast

from agentgym.errors import TaskError
from agentgym.registration import EnvSpec, register
from agentgym.suite import load_suite, register_suites
from agentgym.task import SPLITS, Split, Task
from agentgym_dialogue.boards.chess_endgames.mates import mate_tasks
from agentgym_dialogue.guessing.twenty_questions.env import twenty_questions_task
from agentgym_dialogue.guessing.twenty_questions.table import things
from agentgym_dialogue.navigation.maze.env import puzzle_of
from agentgym_dialogue.navigation.maze.layouts import distances
from agentgym_tools.lookup.questions import Difficulty, draw_task
from benchmarks.credit.key_door import house_task, houses

FAMILY = "credit"
KEY_DOOR, LONG_LOOKUP, ROOK_ENDGAMES, NEAR_GOALS, TWO_ROOMS, FEW_QUESTIONS = (
    f"{FAMILY}/{name}"
    for name in ("key-door", "lookup-long", "kr-k", "maze-near", "text-nav-two", "twenty-questions-few")
)
HOPS = 3
NEAR, NEAR_TURNS = 7, 14
"""Moves to a near goal, at most, and turns for them."""
NUM_ROOK_MATES: Mapping[Split, Mapping[int, int]] = {
    "test": {1: 20, 2: 42},
    "validation": {1: 16, 2: 34},
    "train": {1: 1168, 2: 2304},
}
"""Tasks by moves to mate."""
TWO_ROOMS_TURNS = 10
"""Turns in a house of two rooms."""
FEW_THINGS, NUM_LISTED = 24, 8
"""Things that lists are drawn from, and things on a list."""
NUM_LISTS: Mapping[str, int] = {"train": 1000, "validation": 100, "test": 150}
_ALL = "all"
_SPEC = EnvSpec(
    "credit/KeyDoor-v0",
    "benchmarks.credit.key_door:KeyDoorEnv",
    "benchmarks.credit.key_door:SCRIPTS",
    FAMILY,
    (KEY_DOOR,),
)
FULLY_OBSERVED = (KEY_DOOR, ROOK_ENDGAMES)
"""Suites whose latest observation says all that matters for what can follow."""
Maker = Callable[[str, str], Iterator[Task]]
"""Makes the tasks of a suite's name and a split."""


def register_all() -> None:
    """Make all suites known to this process."""
    for name in _MAKERS:
        register_suite(name)


def register_suite(name: str) -> None:
    """Make a suite known to this process; one that is none of these needs nothing."""
    if name in _MAKERS:
        _register(name)


@cache
def _register(name: str) -> None:
    root = Path(tempfile.mkdtemp(prefix="agentgym-credit-"))
    # Workers of a pool leave without running `atexit`; and one that was forked must leave its parent's folder alone.
    Finalize(None, shutil.rmtree, (root,), {"ignore_errors": True}, exitpriority=0)
    env, options, make = _MAKERS[name]
    write_suite(root, name, env, options, make)
    register_suites(root)
    if name == KEY_DOOR:
        register(_SPEC)


def write_suite(root: Path, name: str, env: str, options: Mapping[str, object], make: Maker) -> None:
    """Write one suite below a folder of suites."""
    folder = root / name
    folder.mkdir(parents=True)
    lists = "".join(f'{split} = ["{_ALL}"]\n' for split in SPLITS)
    table = "".join(f"{key} = {_inline(value)}\n" for key, value in options.items())
    folder.joinpath("suite.toml").write_text(
        f'name = "{name}"\nenv = "{env}"\ndescription = "For a benchmark."\nlicense = "CC0-1.0"\n'
        f'source = "benchmarks.credit.suites"\nheadline = "{_ALL}"\n'
        f"is_fully_observed = {json.dumps(name in FULLY_OBSERVED)}\n"
        f'[env_options]\n{table}[splits]\n{lists}[strata]\n{_ALL} = "All of them."\n[scores]\n',
        encoding="utf-8",
    )
    for split in SPLITS:
        folder.joinpath(f"{split}.jsonl").write_text("".join(map(_line, make(name, split))), encoding="utf-8")


def _inline(value: object) -> str:
    """A value of TOML in one line."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {_inline(own)}' for key, own in value.items())} }}"
    return json.dumps(value)


def _line(task: Task) -> str:
    fields = task.to_json()
    del fields["suite"], fields["split"]  # the file's place says them
    return json.dumps({**fields, "stratum": _ALL}, ensure_ascii=False) + "\n"


def key_door_tasks(name: str, split: str) -> Iterator[Task]:
    """Half of the houses for training, a quarter each for validation and test."""
    order = houses()
    random.Random(0).shuffle(order)
    quarter = len(order) // 4
    chosen = {"train": order[2 * quarter :], "validation": order[:quarter], "test": order[quarter : 2 * quarter]}
    for number, house in enumerate(chosen[split]):
        yield house_task(f"{name}:{split}-{number:03d}", number, house)


def long_lookup_tasks(name: str, split: str) -> Iterator[Task]:
    """Questions of three hops, where the shipped suite trains on one and two."""
    first, count = {"train": (11_000_000, 1000), "validation": (12_000_000, 100), "test": (13_000_000, 150)}[split]
    number = 0
    for seed in range(first, first + 10 * count):
        try:
            task = draw_task(seed, Difficulty(hops=HOPS), task_id=f"{name}:{split}-{number:04d}")
        except TaskError:  # a base without such a question
            continue
        yield task
        number += 1
        if number == count:
            return


def rook_mates(name: str, split: str) -> Iterator[Task]:
    """Mates in one or two moves with a rook, where the shipped suite mates with a queen; within four moves."""
    yield from mate_tasks(name, "R", NUM_ROOK_MATES)[cast(Split, split)]


def few_things(name: str, split: str) -> Iterator[Task]:
    """Lists of eight out of the same few things; no list of one split occurs in another."""
    rng = random.Random(0)
    pool = rng.sample(list(things()), FEW_THINGS)
    lists: dict[frozenset[str], list[str]] = {}
    while len(lists) < sum(NUM_LISTS.values()):
        listed = rng.sample(pool, NUM_LISTED)
        lists.setdefault(frozenset(listed), listed)
    first = sum(count for other, count in NUM_LISTS.items() if SPLITS.index(other) < SPLITS.index(split))
    for number, listed in enumerate(list(lists.values())[first : first + NUM_LISTS[split]]):
        yield twenty_questions_task(f"{name}:{split}-{number:04d}", number, listed, rng.choice(listed))


def near_goals(name: str, split: str) -> Iterator[Task]:
    """Known mazes whose goals take few moves, and few turns for them: walks that lose their way cost little."""
    for task in cut_of("dialogue/maze-partial", "known-maze", NEAR_TURNS)(name, split):
        puzzle = puzzle_of(task)
        if distances(puzzle.rows, puzzle.goal)[puzzle.start] <= NEAR:
            yield task


def cut_of(suite: str, stratum: str, max_turns: int) -> Maker:
    """The tasks of a stratum of a shipped suite, with fewer turns."""

    def make(name: str, split: str) -> Iterator[Task]:
        chosen = (task for task in load_suite(suite).tasks(split) if task.stratum == stratum)
        for number, task in enumerate(chosen):
            limits = replace(task.limits, max_turns=max_turns, max_invalid=max_turns)
            yield replace(Task.from_json(task.to_json() | {"id": f"{name}:{split}-{number:04d}"}), limits=limits)

    return make


_MAKERS: dict[str, tuple[str, Mapping[str, object], Maker]] = {
    KEY_DOOR: ("credit/KeyDoor-v0", {}, key_door_tasks),
    LONG_LOOKUP: ("agentgym/Lookup-v0", {}, long_lookup_tasks),
    ROOK_ENDGAMES: (
        "agentgym/ChessEndgames-v0",
        {"ending": "kr-k", "max_mate_in": 2, "observation": "pieces"},
        rook_mates,
    ),
    NEAR_GOALS: ("agentgym/Maze-v0", {}, near_goals),
    TWO_ROOMS: ("agentgym/TextNav-v0", {}, cut_of("dialogue/text-nav-small", "take-2", TWO_ROOMS_TURNS)),
    FEW_QUESTIONS: ("agentgym/TwentyQuestions-v0", {"num_listed": NUM_LISTED}, few_things),
}
