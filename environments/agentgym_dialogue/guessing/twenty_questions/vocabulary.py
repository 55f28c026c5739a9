"""What a tokenizer for twenty questions must know.

Building the tokenizer is the work of `agentgym.prompting.tiny`; what the partner understands stands in `grammar`.
"""

from __future__ import annotations

from agentgym_dialogue.guessing.secret_talk import CORRECT, NO_TURNS_LEFT
from agentgym_dialogue.guessing.twenty_questions.env import ANSWERS, NOT_UNDERSTOOD, twenty_questions_task
from agentgym_dialogue.guessing.twenty_questions.scripts import REGULAR, naming
from agentgym_dialogue.guessing.twenty_questions.table import things

NUMBERS: range | None = range(21)
"""Numbers that must be single tokens: those of turns."""


def texts() -> list[str]:
    """Texts that hold every word that may occur."""
    names = list(things())
    tasks = [twenty_questions_task("twenty-questions:words", 0, listed, names[0]) for listed in (names, [])]
    questions = [f"Is it {word}?" for word in REGULAR] + [naming(name) for name in names]
    said = [*ANSWERS.values(), NOT_UNDERSTOOD, CORRECT, NO_TURNS_LEFT]
    return [*(task.instruction for task in tasks), *said, *questions]
