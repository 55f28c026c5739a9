"""Writes the tasks of dialogue/tic-tac-toe-second: `python -m agentgym_dialogue.tic_tac_toe.generate_second [FOLDER]`.

They are those of dialogue/tic-tac-toe, played by the other role.
"""

from __future__ import annotations

import sys
from pathlib import Path

from agentgym_dialogue.task_files import suite_folder
from agentgym_dialogue.tic_tac_toe import generate as first_role


def generate(folder: Path) -> None:
    """Write the three splits into a folder."""
    first_role.generate(folder, "tic-tac-toe-second")


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "tic-tac-toe-second"))
