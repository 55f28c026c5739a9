"""Hidden words with hints, in splits that games of a helped guesser share: what one holds out no other trains on.

Writing the tasks into files is the work of `task_files`.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence

from agentgym.task import Split
from agentgym_dialogue.taboo.cards import cards
from agentgym_dialogue.word_helped import NUM_HINTS, hidden_words

SEED = 20_274
NUM_UNSEEN_WORDS = 14
NUM_TASKS: Mapping[Split, Mapping[str, int]] = {
    "train": {"known_words": 2000},
    "validation": {"known_words": 140, "unseen_words": 60},
    "test": {"known_words": 200, "unseen_words": 100},
}


def hinted_words() -> dict[Split, list[tuple[str, str, Sequence[str]]]]:
    """By split the stratum, the word and the hint of each task; no word has a hint twice."""
    rng = random.Random(SEED)
    words = list(hidden_words())
    rng.shuffle(words)
    drawn = {
        "unseen_words": _draws(rng, words[:NUM_UNSEEN_WORDS]),
        "known_words": _draws(rng, words[NUM_UNSEEN_WORDS:]),
    }
    return {
        split: [(stratum, *next(drawn[stratum])) for stratum, count in wanted.items() for _ in range(count)]
        for split, wanted in NUM_TASKS.items()
    }


def _draws(rng: random.Random, words: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Words in turns, each time with another hint."""
    hints = {word: list(itertools.combinations(cards()[word], NUM_HINTS)) for word in words}
    for choices in hints.values():
        rng.shuffle(choices)
    return ((word, hints[word][number]) for number in range(len(hints[words[0]])) for word in words)
