"""The closed vocabulary of Python-v0's easiest tasks: word problems, one-line programs, numbers, and usual replies.

A tiny model with it can write `print(23 + 14)` and submit what that printed; further Python is spelt in bytes, and
nothing more is expected of such a model.
"""

from __future__ import annotations

from agentgym.action import EXPECTED
from agentgym_tools.python.env import RIGHT, WRONG
from agentgym_tools.python.generate import MAX_NUMBER
from agentgym_tools.python.interpreter_env import ENDINGS, NO_OUTPUT
from agentgym_tools.python.kinds.arithmetic import ONE_STEP, PEOPLE, THINGS, TWO_STEPS

NUMBERS: range | None = range(MAX_NUMBER + 1)
"""Numbers that are single tokens: whatever occurs in, or results from, the word problems of tools/python-arithmetic."""


def texts() -> list[str]:
    """All texts from which the words are taken, without repeats."""
    questions = [text.replace("{", " ").replace("}", " ") for text, _ in (*ONE_STEP, *TWO_STEPS)]
    refusals = [NO_OUTPUT, *ENDINGS.values(), f"The message holds no readable tool call invalid syntax {EXPECTED}"]
    trace = "Traceback most recent call last File input line in module Error: division modulo by zero"
    talk = "Let me think about it."
    return list(dict.fromkeys([*questions, *PEOPLE, *THINGS, "print", RIGHT, WRONG, *refusals, trace, talk]))
