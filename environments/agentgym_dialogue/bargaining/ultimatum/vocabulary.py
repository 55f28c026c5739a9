"""What a tokenizer for the ultimatum game must know, in both roles.

Building the tokenizer is the work of `agentgym.prompting.tiny`.
"""

from __future__ import annotations

from agentgym_dialogue.bargaining.ultimatum.game import UltimatumGame

NUMBERS: range | None = range(101)
"""Numbers that must be single tokens: of coins and rounds."""


def texts() -> list[str]:
    """Texts that hold every word that may occur."""
    game = UltimatumGame()
    inbox = game.reset(game.make_task(0))
    said = [message["content"] for messages in inbox.values() for message in messages]
    said += ["Round 1. They offer 3 of 10.", "They accept.", "They reject. You have 3 coins.", "The end.", "They say:"]
    said += ["I accept.", "I reject. I want 4.", "This is an insult, now I want more.", "Try again."]
    said += ["I offer 4. That is my last word.", "Think about it.", "Say offer and one number from 0 to 10."]
    said += ["Say your offer of 1 to 40 words.", "Say your answer in plain English letters, at most 300 characters."]
    return said
