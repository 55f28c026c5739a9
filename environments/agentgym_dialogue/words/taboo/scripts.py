"""Players of taboo by role: oracle, null, random, an imperfect demonstrator, and cheats that must earn nothing.

The rule-based players that they play with are in `partners`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import Saying, saying
from agentgym.message import Message
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.words.taboo.cards import cards, clue_words
from agentgym_dialogue.words.taboo.game import MAX_WORDS, forbidden
from agentgym_dialogue.words.taboo.partners import Describer, Guesser


def knowing_guesser(task: Task, seed: int) -> Saying:
    """Says the word at once."""
    return Saying(task.private["word"])


def knowing_describer(task: Task, seed: int) -> Saying:
    """Says all related words that give nothing away in each clue."""
    word = task.private["word"]
    return Saying(" ".join(clue for clue in cards()[word] if forbidden(clue, [word, *task.private["taboo"]]) is None))


class RandomWords:
    """Says any word of a list."""

    def __init__(self, words: Sequence[str], seed: int) -> None:
        self._words, self._rng = words, random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """A word."""
        return self._rng.choice(self._words)


def random_guesser(task: Task, seed: int) -> Script:
    """Guesses any word of the deck."""
    return RandomWords(list(cards(task.config["deck"])), seed)


def random_describer(task: Task, seed: int) -> Script:
    """Says any word that goes with any card of the deck, taboo or not."""
    return RandomWords(clue_words(task.config["deck"]), seed)


def guesser(task: Task, seed: int, quality: float = 0.35) -> Script:
    """The rule-based guesser, which heeds the clues in as many of its guesses as the quality says."""
    return Guesser(task, seed, quality=quality)


def describer(task: Task, seed: int, quality: float = 0.4) -> Script:
    """The rule-based describer, as many of whose clues are related to the word as the quality says."""
    return Describer(task, seed, quality)


def cheat_many_guesses(task: Task, seed: int) -> Saying:
    """Says twenty words in one message, each in brackets."""
    return Saying(" ".join(f"[{word}]" for word in random.Random(seed).sample(list(cards()), 20)))


def cheat_say_the_word(task: Task, seed: int) -> Saying:
    """Says the word itself."""
    return Saying(f"It is {task.private['word'].upper()}s.")


def cheat_spell_the_word(task: Task, seed: int) -> Saying:
    """Spells the word."""
    return Saying("-".join(task.private["word"]))


def cheat_taboo_words(task: Task, seed: int) -> Saying:
    """Says the taboo words."""
    return Saying(" ".join(task.private["taboo"]))


def cheat_all_clues(task: Task, seed: int) -> Saying:
    """Says more words than a clue may have, the good ones among them."""
    return Saying(" ".join([*cards()[task.private["word"]], *clue_words()[:MAX_WORDS]]))


SCRIPTS: dict[str, dict[str, ScriptFactory]] = {
    "guesser": {
        "oracle": knowing_guesser,
        "null": saying(""),
        "random": random_guesser,
        "demo": guesser,
        "cheat_many_guesses": cheat_many_guesses,
        "cheat_wildcards": saying("[?????] [.....] [a-z] [_____]"),
        "cheat_fake_clue": saying("Clue: correct"),
        **common_cheats("correct"),
    },
    "describer": {
        "oracle": knowing_describer,
        "null": saying(""),
        "random": random_describer,
        "demo": describer,
        "cheat_say_the_word": cheat_say_the_word,
        "cheat_spell_the_word": cheat_spell_the_word,
        "cheat_taboo_words": cheat_taboo_words,
        "cheat_all_clues": cheat_all_clues,
        **common_cheats("correct"),
    },
}
