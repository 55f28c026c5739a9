"""Writes the tasks of dialogue/taboo-animals: `python -m agentgym_dialogue.taboo.generate_animals [FOLDER]`.

Few words, for tiny models; how tasks are drawn stands in `generate`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from agentgym_dialogue.taboo.generate import Counts, write_tasks
from agentgym_dialogue.task_files import suite_folder

NUM_TASKS: Counts = {
    "train": {"known_words": 2050},
    "validation": {"known_words": 200},
    "test": {"known_words": 300},
}


def generate(folder: Path) -> None:
    """Write the three splits into a folder."""
    write_tasks(folder, "dialogue/taboo-animals", "animals", 0, NUM_TASKS)


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "taboo-animals"))
