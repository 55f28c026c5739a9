"""The words of tools/maths-small: its questions, the one-line programs that solve them, and usual replies.

A tiny model with it can write `print(pow(7, 20, 333))` and answer what that printed; other programs are spelt in bytes.
"""

from __future__ import annotations

import random

from agentgym.action import EXPECTED
from agentgym_tools.maths.env import RIGHT, WRONG
from agentgym_tools.maths.generate import SMALL_KINDS
from agentgym_tools.maths.kinds import KINDS
from agentgym_tools.maths.values import REFUSALS, SAYS
from agentgym_tools.python.interpreter_env import ENDINGS, NO_OUTPUT

NUMBERS: range | None = range(1000)
"""Numbers that are single tokens: all of the questions; larger results are spelt in digits."""
_DRAWS = 60


def texts() -> list[str]:
    """All texts from which the words are taken, without repeats."""
    found = [SAYS["integer"], REFUSALS["integer"], NO_OUTPUT, *ENDINGS.values(), RIGHT, WRONG]
    found += ["Traceback most recent call last File input line in module Error:", "Let me think about it."]
    found.append(f"The message holds no readable tool call invalid syntax {EXPECTED}")
    rng = random.Random("words")
    for name in SMALL_KINDS:
        kind = KINDS[name]
        assert kind.short is not None
        for _ in range(_DRAWS):
            draft = kind.draw(rng, 1)
            found += [text.format(**draft.words) for text in draft.texts]
            found.append(f"print({kind.short(**draft.values)})")
    return list(dict.fromkeys(found))
