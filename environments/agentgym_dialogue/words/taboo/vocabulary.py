"""What a tokenizer for taboo must know, in both roles.

Building the tokenizer is the work of `agentgym.prompting.tiny`; the words stand in `cards`.
"""

from __future__ import annotations

from agentgym_dialogue.words.taboo.cards import cards, clue_words, decks
from agentgym_dialogue.words.taboo.game import TabooGame, taboo_task
from agentgym_dialogue.words.taboo.partners import CLUELESS

NUMBERS: range | None = range(1, 16)
"""Numbers that must be single tokens: of guesses, and of words in a refusal."""


def texts() -> list[str]:
    """Texts that hold every word that may occur."""
    word = next(iter(cards()))
    inbox = TabooGame().reset(taboo_task("taboo:words", 0, word, cards()[word][:5]))
    said = [message["content"] for messages in inbox.values() for message in messages]
    said += ["Clue: pie", "Guess: pear", "correct", "No guesses left.", "You must not say pie. The game is over."]
    said += ["Say a clue in plain English letters, at most 300 characters.", "Say a clue of 1 to 15 words."]
    said += [f"word ({deck})" for deck in decks()]
    return [*said, "Say one word as your guess.", CLUELESS, *cards(), *clue_words()]
