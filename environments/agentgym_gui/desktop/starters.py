"""Two small tasks to try a desktop with: a line for a text file, and a sum for the calculator.

Suites come from `agentgym_gui.templates`.
"""

from __future__ import annotations

import random

from agentgym.task import Limits, Task
from agentgym_gui.desktop.scripted import press, step

MAX_TURNS = 20
_WORDS = ("bread", "milk", "apples", "rice", "soap", "tea", "honey", "beans")


def starter_task(seed: int) -> Task:
    """The task of a seed: even ones are about a list in Mousepad, odd ones about a sum in Galculator."""
    rng = random.Random(seed)
    return (_list_task if seed % 2 == 0 else _sum_task)(seed, rng)


def _list_task(seed: int, rng: random.Random) -> Task:
    *listed, new = rng.sample(_WORDS, 4)
    text = "".join(f"{word}\n" for word in listed)
    goal = {"name": "list", "read": "text", "path": "shopping.txt", "equals": f"{text}{new}\n"}
    return Task(
        id=f"starter-{seed}",
        seed=seed,
        instruction=f"Add a line with the word {new} at the end of shopping.txt in Mousepad, and save the file.",
        config={"files": {"shopping.txt": text}, "start": [["mousepad", "~/shopping.txt"]]},
        limits=Limits(max_turns=MAX_TURNS),
        private={
            "goals": [goal],
            "may_change": ["shopping.txt"],
            "oracle": [
                step("click", role="text"),
                press("ctrl+End"),
                step("type_text", text=f"{new}\n"),
                press("ctrl+s"),
                step("finish"),
            ],
        },
    )


def _sum_task(seed: int, rng: random.Random) -> Task:
    one, other = rng.randrange(100, 1000), rng.randrange(100, 1000)
    answer = str(one * other)
    return Task(
        id=f"starter-{seed}",
        seed=seed,
        instruction=f"Work out {one} * {other} with the calculator, and answer with the result.",
        config={"start": [["galculator"]]},
        limits=Limits(max_turns=MAX_TURNS),
        private={
            "goals": [{"name": "result", "read": "answer", "equals": answer}],
            "oracle": [
                *(step("click", role="toggle button", name=digit) for digit in f"{one}*{other}="),
                step("finish", answer=answer),
            ],
        },
    )
