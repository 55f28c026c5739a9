"""Writes the tasks of dialogue/car-dealer: `python -m agentgym_dialogue.car_dealer.generate [FOLDER]`.

The declaration (suite.toml) and the README beside them are written by hand. `generate_buyer` writes the other suite.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from pathlib import Path

from agentgym.task import Split
from agentgym_dialogue.car_dealer.game import car_task
from agentgym_dialogue.car_dealer.market import DEALERS, PERSONALITIES, Deal, draw
from agentgym_dialogue.task_files import suite_folder, write_split

SEED = 20_268
UNSEEN = {"personality": "suspicious", "dealer": "stubborn"}
"""What only the tasks of an unseen stratum have."""
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"cars-3": 2000},
    "validation": {"cars-3": 200},
    "test": {"cars-3": 110, "cars-5": 90},
}
NUM_UNSEEN = 100


def generate(folder: Path, suite: str = "car-dealer", unseen: str = "personality", seed: int = SEED) -> None:
    """Write the three splits of a suite into a folder; the suites differ in who is unseen, and thus plays the agent."""
    rng = random.Random(seed)
    for split, counts in NUM_TASKS.items():
        deals = [(stratum, _deal(stratum, "", rng)) for stratum, count in counts.items() for _ in range(count)]
        if split == "test":
            deals = [(f"unseen-{unseen}", _deal("cars-3", unseen, rng)) for _ in range(NUM_UNSEEN)] + deals
        tasks = [
            car_task(f"dialogue/{suite}:{split}-{index:05}", index, deal, split=split, stratum=stratum)
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


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "car-dealer"))
