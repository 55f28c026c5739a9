"""Writes the tasks of dialogue/ultimatum-responder: `python -m agentgym_dialogue.ultimatum.generate_responder`.

They are those of dialogue/ultimatum, played by the other role; a folder may be named.
"""

from __future__ import annotations

import sys
from pathlib import Path

from agentgym_dialogue.task_files import suite_folder
from agentgym_dialogue.ultimatum import generate as proposer


def generate(folder: Path) -> None:
    """Write the three splits into a folder."""
    proposer.generate(folder, "ultimatum-responder")


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "ultimatum-responder"))
