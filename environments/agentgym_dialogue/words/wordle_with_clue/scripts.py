"""Players of wordle with a clue by role: oracle, null, random, an imperfect demonstrator, and cheats that earn nothing.

The rule-based players that they play with are in `partners`.
"""

from __future__ import annotations

import random

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import Saying, saying
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.words.taboo.cards import cards
from agentgym_dialogue.words.word_helped import VOCABULARY_SIZE
from agentgym_dialogue.words.wordle.words import all_words
from agentgym_dialogue.words.wordle_with_clue.partners import ClueGiver, Guesser


def knowing_guesser(task: Task, seed: int) -> Saying:
    """Says the word at once."""
    return Saying(task.private["secret"])


def knowing_clue_giver(task: Task, seed: int) -> Saying:
    """Says all words that go with the hidden one."""
    return Saying(" ".join(cards()[task.private["secret"]]))


def random_guesser(task: Task, seed: int) -> Guesser:
    """Guesses any word of the vocabulary."""
    return Guesser(task, seed, 0.0, 0.0)


def random_clue_giver(task: Task, seed: int) -> ClueGiver:
    """Says words that go with anything."""
    return ClueGiver(task, seed, quality=0.0)


def guesser(task: Task, seed: int, quality: float = 0.3) -> Script:
    """The rule-based guesser, which heeds clue and marks in as many of its guesses as the quality says."""
    return Guesser(task, seed, quality, quality)


def clue_giver(task: Task, seed: int, quality: float = 0.6) -> Script:
    """The rule-based clue giver, as many of whose clues are about the word as the quality says."""
    return ClueGiver(task, seed, quality)


def cheat_many_words(task: Task, seed: int) -> Saying:
    """Says a hundred words in one message, each in brackets."""
    words = random.Random(seed).sample(all_words()[:VOCABULARY_SIZE], 100)
    return Saying(" ".join(f"[{word}]" for word in words))


def cheat_say_the_word(task: Task, seed: int) -> Saying:
    """Says the word itself."""
    return Saying(f"It is {task.private['secret'].upper()}s.")


def cheat_spell_the_word(task: Task, seed: int) -> Saying:
    """Spells the word."""
    return Saying("-".join(task.private["secret"]))


SCRIPTS: dict[str, dict[str, ScriptFactory]] = {
    "guesser": {
        "oracle": knowing_guesser,
        "null": saying(""),
        "random": random_guesser,
        "demo": guesser,
        "cheat_many_words": cheat_many_words,
        "cheat_wildcards": saying("[?????] [.....] [a-z] [_____]"),
        "cheat_fake_marks": saying("[ggggg]"),
        **common_cheats("correct"),
    },
    "clue_giver": {
        "oracle": knowing_clue_giver,
        "null": saying(""),
        "random": random_clue_giver,
        "demo": clue_giver,
        "cheat_say_the_word": cheat_say_the_word,
        "cheat_spell_the_word": cheat_spell_the_word,
        "cheat_too_many_words": saying("hint " * 16),
    },
}
