"""Writes the tasks of dialogue/text-nav-partial: `python -m agentgym_dialogue.text_nav.generate_partial [FOLDER]`.

They are those of dialogue/text-nav, partially observed; what they are stands in `generate`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from agentgym_dialogue.task_files import suite_folder
from agentgym_dialogue.text_nav import generate as text_nav


def generate(folder: Path) -> None:
    """Write the three splits into a folder."""
    text_nav.generate(folder, "text-nav-partial", "partial")


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "text-nav-partial"))
