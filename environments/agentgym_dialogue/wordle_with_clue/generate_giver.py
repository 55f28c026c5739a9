"""Writes dialogue/wordle-clue-giver: `python -m agentgym_dialogue.wordle_with_clue.generate_giver [FOLDER]`.

Its tasks are those of `generate`, under ids of their own.
"""

from __future__ import annotations

import sys
from pathlib import Path

from agentgym_dialogue.task_files import suite_folder
from agentgym_dialogue.wordle_with_clue.generate import generate as generate_for


def generate(folder: Path) -> None:
    """Write the three splits into a folder."""
    generate_for(folder, "dialogue/wordle-clue-giver")


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "wordle-clue-giver"))
