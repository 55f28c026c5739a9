"""Writes dialogue/codenames-spymaster: `python -m agentgym_dialogue.codenames.generate_spymaster [FOLDER]`.

Its tasks are those of `generate`, under ids of their own.
"""

from __future__ import annotations

import sys
from pathlib import Path

from agentgym_dialogue.codenames.generate import generate as generate_for
from agentgym_dialogue.task_files import suite_folder


def generate(folder: Path) -> None:
    """Write the three splits into a folder."""
    generate_for(folder, "dialogue/codenames-spymaster")


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "codenames-spymaster"))
