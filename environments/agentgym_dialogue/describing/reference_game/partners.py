"""Rule-based players of the reference game: a describer that states a fact, and a guesser that reads facts.

Oracles, demonstrators and cheats are in `scripts`.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.describing.reference_game.facts import Fact, count_in, facts_of, fits, read_facts, regions
from agentgym_dialogue.describing.reference_game.game import ANSWERS, UNCLEAR

HASTE = 0.2
"""Share of the rule-based describer's descriptions that leave it at a fact of two grids."""


def telling_facts(task: Task, rng: random.Random) -> list[Fact]:
    """Facts, one where that will do, that are together true of the target alone."""
    size, grids = task.config["size"], task.config["grids"]
    target = grids[task.private["target"]]
    others = [grid for grid in grids if grid != target]
    useful = [fact for fact in facts_of(target, size) if not all(fact.holds(grid, size) for grid in others)]
    rng.shuffle(useful)
    telling = (fact for fact in useful if not any(fact.holds(grid, size) for grid in others))
    single = next(telling, None)
    if single is not None:
        return [single]
    pairs = itertools.combinations(useful, 2)
    return list(next(pair for pair in pairs if all(fits(pair, grid, size) < 2 for grid in others)))


def random_fact(task: Task, rng: random.Random) -> Fact:
    """A fact of any of the three grids."""
    size = task.config["size"]
    row, column = rng.choice(regions(size))
    return Fact(row, column, count_in(rng.choice(task.config["grids"]), size, row, column))


class Describer:
    """States a fact that tells the target from both others; at haste one that is true of another grid too.

    Args:
        task: The task.
        seed: Seed of its choices.
        haste: Share of its descriptions that are made at haste.
        quality: Share of its descriptions that are no random fact.
    """

    def __init__(self, task: Task, seed: int, haste: float = HASTE, quality: float = 1.0) -> None:
        rng = random.Random(seed)
        size, grids = task.config["size"], task.config["grids"]
        facts = telling_facts(task, rng)
        if rng.random() < haste:
            target = grids[task.private["target"]]
            vague = [fact for fact in facts_of(target, size) if sum(fact.holds(grid, size) for grid in grids) == 2]
            facts = [rng.choice(vague)] if vague else facts
        if rng.random() >= quality:
            facts = [random_fact(task, rng)]
        self._text = " and ".join(fact.words(size) for fact in facts)

    def act(self, messages: Sequence[Message]) -> str:
        """Its description."""
        return self._text

    def anchor(self) -> str:
        """Nothing: it says one thing."""
        return ""


class Guesser:
    """Answers with the grid of which most of the facts that it reads are true; that all is unclear where it reads none.

    Args:
        task: The task; its private part is not looked at.
        seed: Seed of how it breaks ties.
        quality: Share of its answers that heed the description.
    """

    def __init__(self, task: Task, seed: int, quality: float = 1.0) -> None:
        rng = random.Random(seed)
        self._size, self._grids = task.config["size"], task.config["grids"]
        self._order = rng.sample(range(len(ANSWERS)), len(ANSWERS))
        self._heeds = rng.random() < quality

    def act(self, messages: Sequence[Message]) -> str:
        """Its answer."""
        if not self._heeds:
            return ANSWERS[self._order[0]]
        said = [str(m["content"]) for m in messages if m["role"] == "user" and "Description: " in str(m["content"])]
        facts = read_facts(said[-1].rpartition("Description: ")[2], self._size) if said else []
        if not facts:
            return UNCLEAR
        return ANSWERS[max(self._order, key=lambda index: fits(facts, self._grids[index], self._size))]

    def anchor(self) -> str:
        """Nothing: what it says follows from the description."""
        return ""


PARTNERS: dict[str, ScriptFactory] = {"guesser": Guesser, "describer": Describer}
