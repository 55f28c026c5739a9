"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.bargaining.ultimatum.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from agentgym.authoring.task_files import Suites, draw_unseen, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.bargaining.ultimatum.characters import Character, draw_proposer, draw_responder
from agentgym_dialogue.bargaining.ultimatum.game import ultimatum_task

SEED = 20_274
POTS: Mapping[str, Sequence[int]] = {
    "known_pot": (8, 10, 12, 14, 16, 18, 20),
    "unseen_pot": (9, 13, 17),
    "large_pot": (30, 40),
}
ROUNDS = (4, 5, 6, 7)
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"known_pot": 2000},
    "validation": {"unseen_pot": 120, "known_pot": 80},
    "test": {"unseen_pot": 150, "known_pot": 75, "large_pot": 75},
}


def generate(folder: Path, suite: str) -> None:
    """Write the three splits into a folder; no pot, rounds and characters occur twice in all."""
    rng, seen = random.Random(SEED), set[str]()

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        drawn = draw_unseen(partial(_draw, rng, POTS[stratum]), seen, str)
        return ultimatum_task(task_id, index, *drawn, split=split, stratum=stratum)

    write_suite(folder, suite, NUM_TASKS, make)


def _draw(rng: random.Random, pots: Sequence[int]) -> tuple[int, int, Character, Character]:
    """A pot, a number of rounds, and the characters of responder and proposer."""
    pot, rounds = rng.choice(pots), rng.choice(ROUNDS)
    return pot, rounds, draw_responder(rng, pot), draw_proposer(rng, pot)


SUITES: Suites = {"dialogue/ultimatum": generate, "dialogue/ultimatum-responder": generate}
"""The suites hold the same tasks, for the proposer and for the responder."""

if __name__ == "__main__":
    write_suites(SUITES)
