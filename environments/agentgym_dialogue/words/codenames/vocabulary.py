"""What a tokenizer for codenames must know, in both roles.

Building the tokenizer is the work of `agentgym.prompting.tiny`; the words stand in taboo's cards.
"""

from __future__ import annotations

from agentgym_dialogue.words.codenames.game import KINDS, PASSING, CodenamesGame
from agentgym_dialogue.words.taboo.cards import cards, clue_words

NUMBERS: range | None = range(1, 21)
"""Numbers that must be single tokens: of words."""


def texts() -> list[str]:
    """Texts that hold every word that may occur."""
    game = CodenamesGame()
    inbox = game.reset(game.make_task(0))
    said = [message["content"] for messages in inbox.values() for message in messages]
    said += [
        "Clue: water 2",
        *KINDS.values(),
        PASSING,
        "They uncover oven.",
        "You win.",
        "They win.",
        "The game is over.",
    ]
    said += [
        "Say one word and a number from 1 to 9, such as: water 2.",
        "Say 1 to 3 covered words of the board, or pass.",
    ]
    said += ["Your clue must not be, hold or be a part of a covered word of the board.", "Say a clue of 1 to 20 words."]
    said += ["Say words of the board in plain English letters, at most 300 characters."]
    return [*said, *cards(), *clue_words()]
