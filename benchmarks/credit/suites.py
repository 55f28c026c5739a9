"""Suites of this benchmark's own: the key-door task, and narrower cuts of suites that agentgym ships.

They are written anew for each process, the same each time, into a folder that goes with it.
"""

from __future__ import annotations

import atexit
import json
import random
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from agentgym.errors import TaskError
from agentgym.registration import EnvSpec, register
from agentgym.suite import load_suite
from agentgym.task import SPLITS, Task
from agentgym_dialogue.maze.env import puzzle_of
from agentgym_dialogue.maze.layouts import distances
from agentgym_tools.lookup.questions import Difficulty, draw_task
from benchmarks.credit.key_door import house_task, houses

FAMILY = "credit"
KEY_DOOR, LONG_LOOKUP, ROOK_ENDGAMES, NEAR_GOALS = (
    f"{FAMILY}/{name}" for name in ("key-door", "lookup-long", "kr-k", "maze-near")
)
HOPS = 3
NEAR, NEAR_TURNS = 7, 14
"""Moves to a near goal, at most, and turns for them."""
_ALL = "all"
_SPEC = EnvSpec(
    "credit/KeyDoor-v0",
    "benchmarks.credit.key_door:KeyDoorEnv",
    "benchmarks.credit.key_door:SCRIPTS",
    FAMILY,
    (KEY_DOOR,),
)
Maker = Callable[[str, str], Iterator[Task]]
"""Makes the tasks of a suite's name and a split."""


def register_all() -> None:
    """Make the suites known to this process."""
    _register(tuple(_MAKERS))


@cache
def _register(names: tuple[str, ...]) -> None:
    root = tempfile.TemporaryDirectory(prefix="agentgym-credit-")
    atexit.register(root.cleanup)
    for name in names:
        env, options, make = _MAKERS[name]
        write_suite(Path(root.name), name, env, options, make)
    register(_SPEC, suites_root=Path(root.name))


def write_suite(root: Path, name: str, env: str, options: Mapping[str, object], make: Maker) -> None:
    """Write one suite below a folder of suites."""
    folder = root / name
    folder.mkdir(parents=True)
    lists = "".join(f'{split} = ["{_ALL}"]\n' for split in SPLITS)
    table = "".join(f"{key} = {json.dumps(value)}\n" for key, value in options.items())
    folder.joinpath("suite.toml").write_text(
        f'name = "{name}"\nenv = "{env}"\ndescription = "For a benchmark."\nlicense = "CC0-1.0"\n'
        f'source = "benchmarks.credit.suites"\nheadline = "{_ALL}"\n'
        f'[env_options]\n{table}[splits]\n{lists}[strata]\n{_ALL} = "All of them."\n[scores]\n',
        encoding="utf-8",
    )
    for split in SPLITS:
        folder.joinpath(f"{split}.jsonl").write_text("".join(map(_line, make(name, split))), encoding="utf-8")


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


def cut_of(suite: str, strata: Sequence[str]) -> Maker:
    """The tasks of some strata of a shipped suite."""

    def make(name: str, split: str) -> Iterator[Task]:
        chosen: Iterable[Task] = (task for task in load_suite(suite).tasks(split) if task.stratum in strata)
        for number, task in enumerate(chosen):
            fields = task.to_json() | {"id": f"{name}:{split}-{number:04d}"}
            yield Task.from_json(fields)

    return make


def near_goals(name: str, split: str) -> Iterator[Task]:
    """Known mazes whose goals take few moves, and few turns for them: walks that lose their way cost little."""
    for task in cut_of("dialogue/maze-partial", ["known-maze"])(name, split):
        puzzle = puzzle_of(task)
        if distances(puzzle.rows, puzzle.goal)[puzzle.start] <= NEAR:
            yield replace(task, limits=replace(task.limits, max_turns=NEAR_TURNS, max_invalid=NEAR_TURNS))


_MAKERS: dict[str, tuple[str, Mapping[str, object], Maker]] = {
    KEY_DOOR: ("credit/KeyDoor-v0", {}, key_door_tasks),
    LONG_LOOKUP: ("agentgym/Lookup-v0", {}, long_lookup_tasks),
    ROOK_ENDGAMES: ("agentgym/ChessEndgames-v0", {}, cut_of("dialogue/chess-endgames", ["kr-k"])),
    NEAR_GOALS: ("agentgym/Maze-v0", {}, near_goals),
}
