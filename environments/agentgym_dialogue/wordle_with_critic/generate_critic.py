"""Writes dialogue/wordle-critic: `python -m agentgym_dialogue.wordle_with_critic.generate_critic [FOLDER]`.

Its tasks are those of `generate`, under ids of their own.
"""

from __future__ import annotations

import sys
from pathlib import Path

from agentgym_dialogue.task_files import suite_folder
from agentgym_dialogue.wordle_with_critic.generate import generate as generate_for


def generate(folder: Path) -> None:
    """Write the three splits into a folder."""
    generate_for(folder, "dialogue/wordle-critic")


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "wordle-critic"))
