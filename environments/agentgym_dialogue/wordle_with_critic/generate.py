"""Writes the tasks of dialogue/wordle-with-critic: `python -m agentgym_dialogue.wordle_with_critic.generate [FOLDER]`.

The declaration (suite.toml) and the README beside them are not written here; `generate_critic` writes the same tasks
for the other role.
"""

from __future__ import annotations

import sys
from pathlib import Path

from agentgym_dialogue.task_files import suite_folder, write_split
from agentgym_dialogue.word_hints import hinted_words
from agentgym_dialogue.wordle_with_critic.game import critic_task


def generate(folder: Path, suite: str = "dialogue/wordle-with-critic") -> None:
    """Write the three splits into a folder; alike for either role."""
    for split, hinted in hinted_words().items():
        tasks = [
            critic_task(f"{suite}:{split}-{index:05}", index, word, hint, split=split, stratum=stratum)
            for index, (stratum, word, hint) in enumerate(hinted)
        ]
        write_split(folder, split, tasks)


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "wordle-with-critic"))
