"""Writes the tasks of dialogue/car-dealer-buyer: `python -m agentgym_dialogue.car_dealer.generate_buyer [FOLDER]`.

What a task is made of is in `generate`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from agentgym_dialogue.car_dealer import generate as sellers
from agentgym_dialogue.task_files import suite_folder


def generate(folder: Path) -> None:
    """Write the three splits into a folder."""
    sellers.generate(folder, "car-dealer-buyer", "dealer", sellers.SEED + 1)


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "car-dealer-buyer"))
