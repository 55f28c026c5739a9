"""Writes the tasks of `SUITES`: `python -m agentgym_dialogue.words.taboo.generate [SUITE [FOLDER]]`.

The declaration (suite.toml), the README and the cards beside them are not written here; `generate_describer` writes the
same tasks for the other role.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from agentgym.authoring.task_files import Suites, write_suite, write_suites
from agentgym.task import Split, Task
from agentgym_dialogue.words.taboo.cards import ALL, cards
from agentgym_dialogue.words.taboo.game import NUM_TABOO, taboo_task

SEED = 20_264
NUM_UNSEEN_WORDS = 60
Counts = Mapping[Split, Mapping[str, int]]
NUM_TASKS: Counts = {
    "train": {"known_words": 2300},
    "validation": {"known_words": 140, "unseen_words": 60},
    "test": {"known_words": 200, "unseen_words": 100},
}
NUM_ANIMAL_TASKS: Counts = {
    "train": {"known_words": 2050},
    "validation": {"known_words": 200},
    "test": {"known_words": 300},
}


def generate(
    folder: Path, suite: str, deck: str = ALL, num_unseen: int = NUM_UNSEEN_WORDS, counts: Counts = NUM_TASKS
) -> None:
    """Write the three splits into a folder; no task occurs twice in all.

    Args:
        folder: The folder.
        suite: Name of the suite.
        deck: The deck whose cards are drawn.
        num_unseen: How many words only the strata of unseen words have.
        counts: Tasks of each split and stratum.
    """
    rng = random.Random(SEED)
    words = list(cards(deck))
    rng.shuffle(words)
    drawn = {"unseen_words": _draws(rng, words[:num_unseen]), "known_words": _draws(rng, words[num_unseen:])}

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        return taboo_task(task_id, index, *next(drawn[stratum]), deck=deck, split=split, stratum=stratum)

    write_suite(folder, suite, counts, make)


def _draws(rng: random.Random, words: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Words in turns, each time with other taboo words."""
    choices = {word: list(itertools.combinations(cards()[word], NUM_TABOO)) for word in words}
    for combinations in choices.values():
        rng.shuffle(combinations)
    rounds = range(min(map(len, choices.values()), default=0))
    return itertools.chain.from_iterable([(word, list(choices[word][number])) for word in words] for number in rounds)


SUITES: Suites = {
    "dialogue/taboo": generate,
    "dialogue/taboo-describer": generate,
    "dialogue/taboo-animals": partial(generate, deck="animals", num_unseen=0, counts=NUM_ANIMAL_TASKS),
}
"""Guesser and describer have the same tasks. The words of animals are few, for tiny models."""

if __name__ == "__main__":
    write_suites(SUITES)
