"""What a tokenizer for guess my city must know.

Building the tokenizer is the work of `agentgym.prompting.tiny`; what the partner understands stands in `grammar`.
"""

from __future__ import annotations

from agentgym_dialogue.guessing.guess_my_city.answers import NO, REFUSED, UNKNOWN, YES
from agentgym_dialogue.guessing.guess_my_city.env import NOT_UNDERSTOOD, guess_my_city_task
from agentgym_dialogue.guessing.guess_my_city.scripts import naming, told
from agentgym_dialogue.guessing.guess_my_city.table import cities
from agentgym_dialogue.guessing.secret_talk import CORRECT, NO_TURNS_LEFT

NUMBERS: range | None = range(21)
"""Numbers that must be single tokens: those of turns."""


def texts() -> list[str]:
    """Texts that hold every word that may occur in the talks of the scripted players."""
    names = list(cities())
    tasks = [guess_my_city_task("guess-my-city:words", 0, listed, names[0]) for listed in (names, [])]
    said = sorted({text for texts in told().values() for text in texts.values()})
    fixed = [YES, NO, UNKNOWN, REFUSED, NOT_UNDERSTOOD, CORRECT, NO_TURNS_LEFT]
    return [*(task.instruction for task in tasks), *fixed, *said, *told(), *map(naming, names)]
