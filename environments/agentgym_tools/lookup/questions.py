"""Questions as tasks: which chain is asked of which entity, so that guessing and shortcuts do not answer it.

The base is drawn in `knowledge_base`; the files of the suite are written by `generate`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agentgym.errors import ConfigError, TaskError
from agentgym.task import Limits, Task
from agentgym_tools.lookup.knowledge_base import KnowledgeBase, draw_base
from agentgym_tools.lookup.names import PARTS, NameSet, full_names
from agentgym_tools.lookup.relations import MAX_HOPS, Chain, chains, phrase, start_kind

HOPS_MIX = ((1, 15), (2, 60), (3, 25))
"""Hops of tasks made from a seed, with their weights."""
LIMITS = Limits(max_turns=6, max_invalid=2)
MAX_DISTRACTORS = min(len(full_names(kind, "new")) for kind in PARTS) - MAX_HOPS - 1
_TRIES = 2000


@dataclass(frozen=True)
class Difficulty:
    """What makes a question hard."""

    hops: int = 2
    """Relations that lead from the named entity to the answer, 1 to 4."""
    distractors: int = 3
    """Entities of the answer's kind beyond those that the chain could pass through, 0 to 11."""
    naming: Literal["full", "part"] = "full"
    """Whether the question gives the entity's full name, or a part of it that has to be searched for."""
    names: NameSet = "known"
    """Which combinations of name parts the base is made of: those of training, or new ones."""
    shapes: Literal["known", "held_out"] = "known"
    """Which chains are asked: those of training, or held-out ones."""

    def __post_init__(self) -> None:
        for name, value, low, high in (
            ("hops", self.hops, 1, MAX_HOPS),
            ("distractors", self.distractors, 0, MAX_DISTRACTORS),
        ):
            if type(value) is not int or not low <= value <= high:
                raise ConfigError(f"{name} must be an int from {low} to {high}: got {value!r}")
        for name, choice, options in (
            ("naming", self.naming, ("full", "part")),
            ("names", self.names, ("known", "new")),
            ("shapes", self.shapes, ("known", "held_out")),
        ):
            if choice not in options:
                raise ConfigError(f"{name} must be one of {', '.join(options)}: got {choice!r}")
        if self.shapes == "held_out" and self.hops == 1:
            raise ConfigError("held-out shapes have at least 2 hops: got hops=1")

    @property
    def per_kind(self) -> int:
        """Number of entities of each kind."""
        return self.hops + 1 + self.distractors


@dataclass(frozen=True)
class Question:
    """The hidden side of a task.

    Attributes:
        base: The facts.
        start: Full name of the entity that is asked about.
        chain: The relations to follow, in the order of the look-ups.
        answer: Full name of the entity they lead to.
        is_start_named: Whether the question gives the full name.
    """

    base: KnowledgeBase
    start: str
    chain: Chain
    answer: str
    is_start_named: bool


def draw_task(seed: int, difficulty: Difficulty, *, task_id: str = "", stratum: str = "") -> Task:
    """The task of a seed.

    The answer is neither the start, nor one of the entities on the way, nor (from two hops on) any single look-up away
    from the start; so a question takes all its look-ups.

    Raises:
        TaskError: The base of this seed holds no such question; take another seed.
    """
    base = draw_base(seed, difficulty.per_kind, difficulty.names)
    rng = random.Random(f"question {seed}")
    shapes = chains(difficulty.hops, difficulty.shapes == "held_out")
    for _ in range(_TRIES):
        chain = rng.choice(shapes)
        start = rng.choice(base.entities[start_kind(chain)])
        name = rng.choice(start.split()) if difficulty.naming == "part" else start
        way = list(base.walk(start, chain))
        if not _has_shortcut(base, start, way) and base.search(name) == [start]:
            break
    else:
        raise TaskError(f"seed {seed} gives a base without a question of {difficulty}; take another seed")
    config = {"distractors": difficulty.distractors, "hops": difficulty.hops}
    return Task(
        id=task_id or f"lookup-{seed}-{difficulty.hops}-{difficulty.distractors}",
        seed=seed,
        instruction=phrase(chain, name),
        stratum=stratum,
        config={**config, "naming": difficulty.naming, "names": difficulty.names},
        limits=LIMITS,
        private={"start": start, "chain": list(chain), "answer": way[-1]},
        seed_is_content=True,
    )


def read_question(task: Task) -> Question:
    """The hidden side of a task, drawn again from its seed and config.

    Raises:
        TaskError: The task is not one of this environment, or its answer is not what its base says.
    """
    try:
        config: dict[str, Any] = {key: task.config[key] for key in ("hops", "distractors", "naming", "names")}
        start, chain, answer = (task.private[key] for key in ("start", "chain", "answer"))
        difficulty = Difficulty(**config)
        base = draw_base(task.seed, difficulty.per_kind, difficulty.names)
        *_, found = base.walk(start, chain)
    except (KeyError, ValueError, TypeError) as error:
        raise TaskError(
            f"task {task.id!r} cannot be played by Lookup: {type(error).__name__}: {error}; expected the config keys "
            "hops, distractors, naming, names and the private keys start, chain, answer, as draw_task writes them"
        ) from error
    if found != answer:
        raise TaskError(f"task {task.id!r}: its answer is {answer!r}, but its base says {found!r}; write it anew")
    return Question(base, start, tuple(chain), answer, difficulty.naming == "full")


def _has_shortcut(base: KnowledgeBase, start: str, way: Sequence[str]) -> bool:
    answer = way[-1]
    if len({start, *way}) <= len(way):
        return True
    return len(way) > 1 and answer in base.facts[start].values()
