"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.describing.private_shared.generate [SUITE [FOLDER]]`.

An unseen game: there is no train split. The declaration (suite.toml) and the README are not written here.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from operator import attrgetter
from pathlib import Path

from agentgym.authoring.task_files import Suites, draw_unseen, numbered_id, write_split, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.describing.private_shared.domains import DOMAINS
from agentgym_dialogue.describing.private_shared.game import draw, shared_task

SEED = 20_273
NUM_TASKS: Mapping[Split, int] = {"validation": 200, "test": 300}
GIVEN = (0, 1, 1, 2)
"""How many things are given, in turns."""


def generate(folder: Path, suite: str) -> None:
    """Write both splits into a folder, as many tasks of each domain; no talk occurs twice in all."""
    rng = random.Random(SEED)
    seen: set[str] = set()
    for split, count in NUM_TASKS.items():
        draws = [partial(_task, rng, suite, split, index) for index in range(count)]
        write_split(folder, split, [draw_unseen(draw, seen, attrgetter("content_hash")) for draw in draws])


def _task(rng: random.Random, suite: str, split: Split, index: int) -> Task:
    domain = list(DOMAINS)[index % len(DOMAINS)]
    drawn = draw(rng, domain, GIVEN[index // len(DOMAINS) % len(GIVEN)])
    task_id = numbered_id(suite, split, index)
    return shared_task(task_id, index, domain, *drawn, split=split, stratum=domain)


SUITES: Suites = {"dialogue/private-shared": generate}

if __name__ == "__main__":
    write_suites(SUITES)
