"""Writes the suite web/papers: `python -m agentgym_web.archive.papers.generate [SUITE [FOLDER]]`.

It writes the archive and the three task files; suite.toml and README are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentgym.authoring.task_files import Suites, numbered_id, write_split, write_suites
from agentgym.errors import ConfigError
from agentgym.task import Limits, Split, Task
from agentgym_web.archive.papers.questions import COMPARISON, COUNT, HELD_OUT, KNOWN, ONE_PAGE, SEVERAL_PAGES, pool_of
from agentgym_web.archive.papers.site import HOST, site
from agentgym_web.archive.warc import ArchiveWriter

ARCHIVE = "web/papers/papers.warc.gz"
"""The archive, below the folder of all suites."""
DATE = "2026-03-02T09:00:00Z"
UNSEEN = "unseen_template"
SIZES: Mapping[Split, Mapping[str, int]] = {
    "train": {ONE_PAGE: 14, SEVERAL_PAGES: 14, COMPARISON: 12, COUNT: 10},
    "validation": {ONE_PAGE: 3, SEVERAL_PAGES: 3, COMPARISON: 2, COUNT: 2},
    "test": {SEVERAL_PAGES: 10, ONE_PAGE: 8, COMPARISON: 8, COUNT: 7, UNSEEN: 7},
}
"""How many questions each stratum of each split has."""
MAX_TURNS = 40
_FIRST_SEEDS: Mapping[str, int] = {"train": 0, "validation": 1000, "test": 2000}
_DRAWS = 1000


def draw_task(seed: int, stratum: str = "", split: Split = "train", number: int = 0, **fields: Any) -> Task:
    """A question as a task.

    Args:
        seed: What it is drawn from.
        stratum: Kind of the question; "" draws one.
        split: Whose papers it is about.
        number: Which template of its kind it is of, in turn.
        fields: Further fields of the task.

    Raises:
        ConfigError: No question of the kind was found.
    """
    rng = random.Random(f"papers question {seed}")
    stratum = stratum or rng.choice(sorted(KNOWN))
    templates = HELD_OUT if stratum == UNSEEN else KNOWN[stratum]
    template, pool = templates[number % len(templates)], pool_of(split)
    for _ in range(_DRAWS):
        question = template(rng, pool)
        if question is not None and len(question.walkthrough) < MAX_TURNS - 2:
            return Task(
                **{"id": f"papers/{stratum}/{seed}", **fields},
                seed=seed,
                instruction=question.text,
                stratum=stratum,
                config={"archive": ARCHIVE, "url": f"{HOST}/"},
                limits=Limits(max_turns=MAX_TURNS),
                private=question.private(template.__name__),
            )
    raise ConfigError(f"no question of {template.__name__} was found in {_DRAWS} draws; draw from another seed")


def generate(folder: Path, suite: str) -> None:
    """Write the archive and the splits into a folder."""
    with ArchiveWriter(folder / "papers.warc.gz", DATE) as writer:
        for capture in site():
            writer.add(capture)
    asked: set[str] = set()
    for split, strata in SIZES.items():
        tasks: list[Task] = []
        seed = _FIRST_SEEDS[split]
        for stratum, count in strata.items():
            wanted = len(tasks) + count
            while len(tasks) < wanted:
                task_id = numbered_id(suite, split, len(tasks))
                task = draw_task(seed, stratum, split, wanted - len(tasks), id=task_id)
                seed += 1
                if task.instruction not in asked:
                    asked.add(task.instruction)
                    tasks.append(task)
        write_split(folder, split, tasks)


SUITES: Suites = {"web/papers": generate}

if __name__ == "__main__":
    write_suites(SUITES)
