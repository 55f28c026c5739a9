"""Writes the tasks of dialogue/taboo: `python -m agentgym_dialogue.taboo.generate [FOLDER]`.

The declaration (suite.toml), the README and the cards beside them are not written here; `generate_describer` writes the
same tasks for the other role.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from agentgym.task import Split, Task
from agentgym_dialogue.taboo.cards import ALL, cards
from agentgym_dialogue.taboo.game import NUM_TABOO, taboo_task
from agentgym_dialogue.task_files import suite_folder, write_suite

SEED = 20_264
NUM_UNSEEN_WORDS = 60
Counts = Mapping[Split, Mapping[str, int]]
NUM_TASKS: Counts = {
    "train": {"known_words": 2300},
    "validation": {"known_words": 140, "unseen_words": 60},
    "test": {"known_words": 200, "unseen_words": 100},
}


def generate(folder: Path, suite: str = "dialogue/taboo") -> None:
    """Write the three splits into a folder; alike for either role, so that what one holds out no other trains on."""
    write_tasks(folder, suite, ALL, NUM_UNSEEN_WORDS, NUM_TASKS)


def write_tasks(folder: Path, suite: str, deck: str, num_unseen: int, counts: Counts) -> None:
    """Write the three splits of a suite: so many tasks of a deck in each stratum, a task once in all."""
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


if __name__ == "__main__":
    generate(suite_folder(sys.argv[1:], "taboo"))
