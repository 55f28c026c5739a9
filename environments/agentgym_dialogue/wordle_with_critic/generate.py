"""Writes the tasks of dialogue/wordle-with-critic: `python -m agentgym_dialogue.wordle_with_critic.generate [FOLDER]`.

The declaration (suite.toml) and the README beside them are not written here; `generate_critic` writes the same tasks
for the other role.
"""

from __future__ import annotations

import sys
from pathlib import Path

from agentgym_dialogue.task_files import suite_folder
from agentgym_dialogue.word_hints import write_hinted
from agentgym_dialogue.wordle_with_critic.game import critic_task


def generate(folder: Path, suite: str = "dialogue/wordle-with-critic") -> None:
    """Write the three splits into a folder; alike for either role."""
    write_hinted(folder, suite, critic_task)


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "wordle-with-critic"))
