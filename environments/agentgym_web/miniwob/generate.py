"""Writes the tasks of `SUITES`: `python -m agentgym_web.miniwob.generate [SUITE [FOLDER]]`.

A task is a page and a seed. Pages without an oracle are in no suite, because nobody has shown that their tasks can be
solved; `MiniWoBEnv(pages=...)` plays them too. suite.toml and README are written by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from agentgym.authoring.task_files import Suites, numbered_id, write_split, write_suites
from agentgym.task import Split
from agentgym_web.miniwob.env import make_task
from agentgym_web.miniwob.oracles.player import all_oracles
from agentgym_web.miniwob.pages import EASY, HARD, MEDIUM, SMALL, UNSEEN
from agentgym_web.miniwob.unsolved import LEFT_OUT, UNSOLVED

TRAIN, VALIDATION, SEEDS, PAGES = "train", "validation", "unseen_seeds", "unseen_pages"
_SEEDS: Mapping[str, range] = {
    TRAIN: range(10_000, 10_030),
    VALIDATION: range(20_000, 20_003),
    SEEDS: range(30_000, 30_005),
    PAGES: range(40_000, 40_008),
}
"""Seeds of each page in each stratum."""
_SMALL_SEEDS: Mapping[str, range] = {
    TRAIN: range(110_000, 110_100),
    VALIDATION: range(120_000, 120_006),
    SEEDS: range(130_000, 130_012),
    PAGES: range(140_000, 140_012),
}
_SMALL_TURNS = 4
SPLITS: Mapping[Split, Sequence[str]] = {"train": (TRAIN,), "validation": (VALIDATION,), "test": (SEEDS, PAGES)}
"""Strata of each split."""


def generate(
    pages: Sequence[str], folder: Path, suite: str, *, seeds: Mapping[str, range] = _SEEDS, max_turns: int | None = None
) -> None:
    """Write the three splits of some pages into a folder; every stratum has seeds of its own."""
    solvable = [page for page in pages if page in all_oracles() and page not in LEFT_OUT]
    for split, strata in SPLITS.items():
        drawn = [(page, seed, name) for name in strata for page, seed in _instances(solvable, name, seeds[name])]
        tasks = [
            make_task(
                page,
                seed,
                task_id=numbered_id(suite, split, index),
                suite=suite,
                stratum=stratum,
                split=split,
                max_turns=max_turns,
            )
            for index, (page, seed, stratum) in enumerate(drawn)
        ]
        write_split(folder, split, tasks)


def _instances(pages: Sequence[str], stratum: str, seeds: range) -> list[tuple[str, int]]:
    """The tasks of a stratum: all pages in turn, seed by seed, without those that the oracle does not solve."""
    chosen = [page for page in pages if (page in UNSEEN) == (stratum == PAGES)]
    return [(page, seed) for seed in seeds for page in chosen if seed not in UNSOLVED.get(page, ())]


SUITES: Suites = {
    "web/miniwob-easy": partial(generate, EASY),
    "web/miniwob-medium": partial(generate, MEDIUM),
    "web/miniwob-hard": partial(generate, HARD),
    "web/miniwob-small": partial(generate, SMALL, seeds=_SMALL_SEEDS, max_turns=_SMALL_TURNS),
}

if __name__ == "__main__":
    write_suites(SUITES)
