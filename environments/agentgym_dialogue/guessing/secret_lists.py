"""Tasks that list candidates of which one is the secret: which secrets are held out, and lists that no two tasks share.

Writing the tasks into files is the work of `task_files`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from agentgym.task import Split, Task


class Group(NamedTuple):
    """One stratum: how many candidates are listed, whether its secrets are unseen ones, and the tasks of each split."""

    stratum: str
    num_listed: int
    is_unseen: bool
    train: int
    validation: int
    test: int


GROUPS = (
    Group("list-8", 8, False, 2000, 60, 50),
    Group("list-16", 16, False, 1400, 140, 150),
    Group("list-16-unseen", 16, True, 0, 0, 50),
    Group("list-32", 32, False, 0, 0, 50),
)
NUM_FREE = 50
"""Test tasks that list nothing; the unseen secrets come first in them."""

MakeTask = Callable[[Split, int, str, Sequence[str], str], Task]
"""Makes a task of its split, index, stratum, list and secret."""


def list_tasks(names: Sequence[str], unseen: Sequence[str], seed: int, make: MakeTask) -> dict[Split, list[Task]]:
    """The tasks of all splits.

    Args:
        names: Every candidate.
        unseen: Those that no task of the train and validation splits hides; they may be listed.
        seed: Seed of all draws.
        make: Makes a task.
    """
    rng = random.Random(seed)
    seen = [name for name in names if name not in unseen]
    splits: dict[Split, list[Task]] = {"train": [], "validation": [], "test": []}
    for group in GROUPS:
        for split, tasks in splits.items():
            for number in range(getattr(group, split)):
                pool = unseen if group.is_unseen else seen
                secret = pool[number % len(pool)]
                listed = [secret, *rng.sample([name for name in names if name != secret], group.num_listed - 1)]
                rng.shuffle(listed)
                tasks.append(make(split, len(tasks), group.stratum, listed, secret))
    tasks = splits["test"]
    for secret in [*unseen, *rng.sample(seen, NUM_FREE - len(unseen))]:
        tasks.append(make("test", len(tasks), "free", [], secret))
    return splits
