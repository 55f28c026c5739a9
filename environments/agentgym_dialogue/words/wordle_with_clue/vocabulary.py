"""What a tokenizer for wordle with a clue must know, in both roles.

Building the tokenizer is the work of `agentgym.prompting.tiny`.
"""

from __future__ import annotations

from agentgym_dialogue.words.taboo.cards import clue_words
from agentgym_dialogue.words.word_helped import CORRECT, NO_TRIES_LEFT, VOCABULARY_SIZE
from agentgym_dialogue.words.wordle.words import all_words
from agentgym_dialogue.words.wordle_with_clue.game import WordleWithClueGame

NUMBERS: range | None = range(1, 16)
"""Numbers that must be single tokens: of tries, and of words in a refusal."""


def texts() -> list[str]:
    """Texts that hold every word that may occur."""
    game = WordleWithClueGame()
    inbox = game.reset(game.make_task(0))
    said = [message["content"] for messages in inbox.values() for message in messages]
    said += ["Clue: pie", "apple: G Y - - -", CORRECT, NO_TRIES_LEFT, "You must not say apple. The game is over."]
    said += ["Guess one word of five letters.", "It is not in the vocabulary. Guess another word of five letters."]
    said += ["Say a clue in plain English letters, at most 300 characters.", "Say a clue of 1 to 15 words."]
    return [*said, *all_words()[:VOCABULARY_SIZE], *clue_words()]
