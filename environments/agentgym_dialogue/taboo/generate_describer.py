"""Writes the tasks of dialogue/taboo-describer: `python -m agentgym_dialogue.taboo.generate_describer [FOLDER]`.

They are those of `generate`, under ids of their own.
"""

from __future__ import annotations

import sys
from pathlib import Path

from agentgym_dialogue.taboo.generate import generate as generate_for
from agentgym_dialogue.task_files import suite_folder


def generate(folder: Path) -> None:
    """Write the three splits into a folder."""
    generate_for(folder, "dialogue/taboo-describer")


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "taboo-describer"))
