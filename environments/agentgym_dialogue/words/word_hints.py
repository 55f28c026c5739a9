"""Suites of hidden words with hints, in splits that games of a helped guesser share: what one holds out none trains on.

The words are in `word_helped`, the tasks in the games.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from agentgym.authoring.task_files import write_suite
from agentgym.task import Split, Task
from agentgym_dialogue.words.taboo.cards import cards
from agentgym_dialogue.words.word_helped import NUM_HINTS, hidden_words

SEED = 20_274
NUM_UNSEEN_WORDS = 14
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"known_words": 2000},
    "validation": {"known_words": 140, "unseen_words": 60},
    "test": {"known_words": 200, "unseen_words": 100},
}


def write_hinted(folder: Path, suite: str, make_hinted: Callable[..., Task]) -> None:
    """Write the three splits of a suite into a folder; no word has a hint twice.

    Args:
        folder: The folder.
        suite: The suite's name.
        make_hinted: Makes a task of its id, number, word and hint, and of further fields of tasks.
    """
    rng = random.Random(SEED)
    words = list(hidden_words())
    rng.shuffle(words)
    drawn = {
        "unseen_words": _draws(rng, words[:NUM_UNSEEN_WORDS]),
        "known_words": _draws(rng, words[NUM_UNSEEN_WORDS:]),
    }

    def make(task_id: str, index: int, split: Split, stratum: str) -> Task:
        return make_hinted(task_id, index, *next(drawn[stratum]), split=split, stratum=stratum)

    write_suite(folder, suite, NUM_TASKS, make)


def _draws(rng: random.Random, words: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Words in turns, each time with another hint."""
    hints = {word: list(itertools.combinations(cards()[word], NUM_HINTS)) for word in words}
    for choices in hints.values():
        rng.shuffle(choices)
    return ((word, hints[word][number]) for number in range(len(hints[words[0]])) for word in words)
