"""What a tokenizer for wordle must know.

Building the tokenizer is the work of `agentgym.prompting.tiny`; which words may be guessed stands in `words`.
"""

from __future__ import annotations

from agentgym_dialogue.words.wordle.env import wordle_task
from agentgym_dialogue.words.wordle.words import all_words

NUMBERS: range | None = None
"""Numbers that must be single tokens: none, only the instruction holds any."""


def texts() -> list[str]:
    """Texts that hold every word that may occur."""
    task = wordle_task("wordle:words", 0, 200, all_words()[0])
    refusals = ["Guess one word of five letters.", "It is not in the vocabulary. Guess another word of five letters."]
    return [task.instruction, *refusals, "G Y - - -", "correct", "No tries left.", *all_words()]
