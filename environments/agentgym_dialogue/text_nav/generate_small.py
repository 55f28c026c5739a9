"""Writes the tasks of dialogue/text-nav-small: `python -m agentgym_dialogue.text_nav.generate_small [FOLDER]`.

How they are made stands in `generate`; no house of dialogue/text-nav is among them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from agentgym_dialogue.task_files import suite_folder
from agentgym_dialogue.text_nav import generate as text_nav

FIRST_HOUSE = 50_000
COUNTS: text_nav.Counts = {
    "train": {("take", 2): 800, ("take", 3): 1200},
    "validation": {("take", 2): 80, ("take", 3): 120},
    "test": {("take", 2): 80, ("take", 3): 160, ("take", 4): 80},
}


def generate(folder: Path) -> None:
    """Write the three splits into a folder."""
    text_nav.generate(folder, "text-nav-small", "full", COUNTS, FIRST_HOUSE)


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "text-nav-small"))
