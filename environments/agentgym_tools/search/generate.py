"""Writes the tasks of `SUITES`: `python -m agentgym_tools.search.generate [SUITE [FOLDER]]`.

How a question is drawn is in `questions`; suite.toml and README are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from agentgym.authoring.task_files import Suites, draw_unseen, numbered_id, write_split, write_suites
from agentgym.task import Split, Task
from agentgym_tools.search.drawing import Side
from agentgym_tools.search.questions import KINDS_MIX, QuestionKind, Wanted, draw_hops, draw_task

TRAIN, VALIDATION = "train", "validation"
QUESTIONS, CHAINS, KINDS = "unseen_questions", "longer_chains", "unseen_kind"
CONTRADICTION, UNANSWERABLE = "contradiction", "unanswerable"
Sizes = Mapping[Split, Mapping[str, int]]
SIZES: Mapping[int, Sizes] = {
    50_000: {
        "train": {TRAIN: 3000},
        "validation": {VALIDATION: 200},
        "test": {QUESTIONS: 300, CHAINS: 100, KINDS: 100, CONTRADICTION: 100, UNANSWERABLE: 100},
    },
    300: {
        "train": {TRAIN: 800},
        "validation": {VALIDATION: 60},
        "test": {QUESTIONS: 100, CHAINS: 30, KINDS: 30, CONTRADICTION: 20, UNANSWERABLE: 30},
    },
}
"""For each size of the corpus the strata of each split with their numbers of tasks."""

_ANSWERED: tuple[QuestionKind, ...] = ("chain", "comparison", "count", "list")
_LONG = 4


def generate(num_articles: int, folder: Path, suite: str) -> None:
    """Write the three splits into a folder; no question is asked twice."""
    seen: set[str] = set()
    for split, strata in SIZES[num_articles].items():
        tasks: list[Task] = []
        for stratum, count in strata.items():
            rng = random.Random(f"{num_articles} {split} {stratum}")
            for _ in range(count):
                draw = partial(_draw, rng, num_articles, stratum, numbered_id(suite, split, len(tasks)))
                tasks.append(draw_unseen(draw, seen, lambda task: task.instruction))
        write_split(folder, split, tasks)


def _draw(rng: random.Random, num_articles: int, stratum: str, task_id: str) -> Task:
    kind = _draw_kind(rng, stratum)
    hops = _LONG if stratum == CHAINS else draw_hops(rng, kind)
    side: Side = "known" if stratum == TRAIN else "held_out"
    wanted = Wanted(articles=num_articles, kind=kind, hops=hops, side=side)
    return draw_task(rng.randrange(2**31), wanted, task_id=task_id, stratum=stratum)


def _draw_kind(rng: random.Random, stratum: str) -> QuestionKind:
    fixed: dict[str, QuestionKind] = {
        CHAINS: "chain",
        KINDS: "count_after_chain",
        CONTRADICTION: "contradiction",
        UNANSWERABLE: "unanswerable",
    }
    if stratum in fixed:
        return fixed[stratum]
    kinds = _ANSWERED if stratum == QUESTIONS else tuple(KINDS_MIX)
    return rng.choices(kinds, [KINDS_MIX[kind] for kind in kinds])[0]


SUITES: Suites = {"tools/search": partial(generate, 50_000), "tools/search-small": partial(generate, 300)}

if __name__ == "__main__":
    write_suites(SUITES)
