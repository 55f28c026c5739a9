"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.words.wordle_with_critic.generate [SUITE [FOLDER]]`.

The declarations (suite.toml) and READMEs beside them are written by hand.
"""

from __future__ import annotations

from pathlib import Path

from agentgym.authoring.task_files import Suites, write_suites
from agentgym_dialogue.words.word_hints import write_hinted
from agentgym_dialogue.words.wordle_with_critic.game import critic_task


def generate(folder: Path, suite: str) -> None:
    """Write the three splits into a folder."""
    write_hinted(folder, suite, critic_task)


SUITES: Suites = {"dialogue/wordle-with-critic": generate, "dialogue/wordle-critic": generate}
"""The suites hold the same tasks, for the guesser and for the critic."""

if __name__ == "__main__":
    write_suites(SUITES)
