"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.bargaining.car_dealer.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from agentgym.authoring.task_files import Suites, numbered_id, write_split, write_suites
from agentgym.task import Split
from agentgym_dialogue.bargaining.car_dealer.game import car_task
from agentgym_dialogue.bargaining.car_dealer.market import DEALERS, PERSONALITIES, Deal, draw

SEED = 20_268
UNSEEN = {"personality": "suspicious", "dealer": "stubborn"}
"""What only the tasks of an unseen stratum have."""
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"cars-3": 2000},
    "validation": {"cars-3": 200},
    "test": {"cars-3": 110, "cars-5": 90},
}
NUM_UNSEEN = 100


def generate(folder: Path, suite: str, unseen: str, seed: int) -> None:
    """Write the three splits into a folder.

    Args:
        folder: The folder.
        suite: Name of the suite.
        unseen: Whose kind only the unseen stratum has: the "personality" of the buyer, or the "dealer".
        seed: What the tasks are drawn from.
    """
    rng = random.Random(seed)
    for split, counts in NUM_TASKS.items():
        deals = [(stratum, _deal(stratum, "", rng)) for stratum, count in counts.items() for _ in range(count)]
        if split == "test":
            deals = [(f"unseen-{unseen}", _deal("cars-3", unseen, rng)) for _ in range(NUM_UNSEEN)] + deals
        tasks = [
            car_task(numbered_id(suite, split, index), index, deal, split=split, stratum=stratum)
            for index, (stratum, deal) in enumerate(deals)
        ]
        write_split(folder, split, tasks)


def _deal(stratum: str, unseen: str, rng: random.Random) -> Deal:
    personalities = [name for name in PERSONALITIES if name != UNSEEN["personality"]]
    dealers = [name for name in DEALERS if name != UNSEEN["dealer"]]
    if unseen == "personality":
        personalities = [UNSEEN[unseen]]
    elif unseen:
        dealers = [UNSEEN[unseen]]
    return draw(rng, int(stratum[-1]), personalities, dealers)


SUITES: Suites = {
    "dialogue/car-dealer": partial(generate, unseen="personality", seed=SEED),
    "dialogue/car-dealer-buyer": partial(generate, unseen="dealer", seed=SEED + 1),
}
"""Seller and buyer meet partners of a kind that training does not have."""

if __name__ == "__main__":
    write_suites(SUITES)
