"""What a tokenizer for mastermind must know.

Building the tokenizer is the work of `agentgym.prompting.tiny`.
"""

from __future__ import annotations

from agentgym_dialogue.guessing.mastermind.env import COLOURS, mastermind_task

NUMBERS: range | None = range(10)
"""Numbers that must be single tokens."""


def texts() -> list[str]:
    """Texts that hold every word that may occur."""
    task = mastermind_task("mastermind:words", 0, COLOURS, COLOURS[:4], 8)
    colours = ", ".join(COLOURS)
    return [
        task.instruction,
        f"Name 4 colours out of {colours}.",
        " ".join(COLOURS),
        "1 black, 2 white",
        "correct",
        "No tries left.",
    ]
