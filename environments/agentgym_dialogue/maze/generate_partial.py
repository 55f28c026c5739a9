"""Writes the tasks of dialogue/maze-partial: `python -m agentgym_dialogue.maze.generate_partial [FOLDER]`.

They are those of dialogue/maze, partially observed; what they are stands in `generate`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from agentgym_dialogue.maze import generate as maze
from agentgym_dialogue.task_files import suite_folder


def generate(folder: Path) -> None:
    """Write the three splits into a folder."""
    maze.generate(folder, "maze-partial", "partial")


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "maze-partial"))
