"""What a tokenizer for wordle with a critic must know, in both roles.

Building the tokenizer is the work of `agentgym.prompting.tiny`.
"""

from __future__ import annotations

from agentgym_dialogue.words.taboo.cards import clue_words
from agentgym_dialogue.words.word_helped import CORRECT, NO_TRIES_LEFT, VOCABULARY_SIZE
from agentgym_dialogue.words.wordle.words import all_words
from agentgym_dialogue.words.wordle_with_critic.game import WordleWithCriticGame
from agentgym_dialogue.words.wordle_with_critic.partners import AGAINST_CLUE, AGAINST_MARKS, AGREE

NUMBERS: range | None = range(1, 31)
"""Numbers that must be single tokens: of tries, and of words in a refusal."""


def texts() -> list[str]:
    """Texts that hold every word that may occur."""
    game = WordleWithCriticGame()
    inbox = game.reset(game.make_task(0))
    said = [message["content"] for messages in inbox.values() for message in messages]
    said += ["Proposal: apple", f"Critic: {AGREE}", AGAINST_CLUE, AGAINST_MARKS, "disagree, take [apple]"]
    said += ["apple: G Y - - -", CORRECT, NO_TRIES_LEFT, "Say agree or disagree."]
    said += ["Guess one word of five letters.", "It is not in the vocabulary. Guess another word of five letters."]
    said += ["Say agree or disagree, and why, in a line of 1 to 30 words."]
    said += ["Say agree or disagree, and why, in a line in plain English letters, at most 300 characters."]
    return [*said, *all_words()[:VOCABULARY_SIZE], *clue_words()]
