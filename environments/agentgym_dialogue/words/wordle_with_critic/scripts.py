"""Players of wordle with a critic by role: oracle, null, random, a demonstrator, and cheats that must earn nothing.

The rule-based players that they play with are in `partners`.
"""

from __future__ import annotations

import random

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import Saying, saying
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.words.word_helped import VOCABULARY_SIZE
from agentgym_dialogue.words.wordle.words import all_words
from agentgym_dialogue.words.wordle_with_critic.partners import Critic, Guesser


def knowing_guesser(task: Task, seed: int) -> Saying:
    """Says the word, whatever the critic says."""
    return Saying(task.private["secret"])


def knowing_critic(task: Task, seed: int) -> Saying:
    """Suggests the word."""
    return Saying(f"disagree, take [{task.private['secret']}]")


def random_guesser(task: Task, seed: int) -> Guesser:
    """Says any word of the vocabulary."""
    return Guesser(task, seed, care=0.0, quality=0.0)


def random_critic(task: Task, seed: int) -> Critic:
    """Agrees or not, at random."""
    return Critic(task, seed, quality=0.0)


def guesser(task: Task, seed: int, quality: float = 0.15) -> Script:
    """The rule-based guesser, as many of whose proposals and guesses heed clue and marks as the quality says."""
    return Guesser(task, seed, care=quality, quality=quality)


def critic(task: Task, seed: int, quality: float = 0.3) -> Script:
    """The rule-based critic, which suggests words, as many of whose verdicts are not random as the quality says."""
    return Critic(task, seed, quality, suggests=True)


def cheat_many_words(task: Task, seed: int) -> Saying:
    """Says a hundred words in one message, each in brackets."""
    words = random.Random(seed).sample(all_words()[:VOCABULARY_SIZE], 100)
    return Saying(" ".join(f"[{word}]" for word in words))


SCRIPTS: dict[str, dict[str, ScriptFactory]] = {
    "guesser": {
        "oracle": knowing_guesser,
        "null": saying(""),
        "random": random_guesser,
        "demo": guesser,
        "cheat_many_words": cheat_many_words,
        "cheat_wildcards": saying("[?????] [.....] [a-z] [_____]"),
        "cheat_fake_critic": saying("Critic: agree, correct"),
        **common_cheats("correct"),
    },
    "critic": {
        "oracle": knowing_critic,
        "null": saying(""),
        "random": random_critic,
        "demo": critic,
        "cheat_both_verdicts": saying("agree and disagree"),
        "cheat_no_verdict": saying("It is the hidden word."),
        **common_cheats("correct"),
    },
}
