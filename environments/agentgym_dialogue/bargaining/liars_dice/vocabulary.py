"""What a tokenizer for liar's dice must know, in both roles.

Building the tokenizer is the work of `agentgym.prompting.tiny`.
"""

from __future__ import annotations

from agentgym_dialogue.bargaining.liars_dice.bids import FACES, Bid, phrase
from agentgym_dialogue.bargaining.liars_dice.game import LiarsDiceGame

NUMBERS: range | None = range(13)
"""Numbers that must be single tokens: of dice and faces."""


def texts() -> list[str]:
    """Texts that hold every word that may occur."""
    game = LiarsDiceGame()
    inbox = game.reset(game.make_task(0))
    said = [message["content"] for messages in inbox.values() for message in messages]
    said += [phrase(Bid(count, face)) for count in (1, 2) for face in range(1, len(FACES) + 1)]
    said += ["They have 1 die.", "They bid 2 fives.", "I bid 2 fives", "You win.", "You lose."]
    said += ["You say liar. 1 five in all: 3 and 4. They lose a die.", "They say liar.", "You lose a die."]
    said += ["Say one bid, such as 2 fives. Or say liar.", "There are 6 dice in all. Bid 1 to 6 of them."]
    return [*said, "Bid higher than 2 fives, or say liar."]
