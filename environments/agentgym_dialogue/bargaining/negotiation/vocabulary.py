"""What a tokenizer for negotiation must know, in both roles.

Building the tokenizer is the work of `agentgym.prompting.tiny`.
"""

from __future__ import annotations

from agentgym_dialogue.bargaining.negotiation.game import NegotiationGame

NUMBERS: range | None = range(11)
"""Numbers that must be single tokens: of items, values and lines."""


def texts() -> list[str]:
    """Texts that hold every word that may occur."""
    game = NegotiationGame()
    inbox = game.reset(game.make_task(0))
    said = [message["content"] for messages in inbox.values() for message in messages]
    said += ["They take nothing. You get 1 book 1 hat 1 ball.", "books hats balls", "They reject.", "They say: hello"]
    said += ["Deal. You get 6 points.", "No deal.", "propose everything", "accept", "reject"]
    said += ["Say what you take of 2 books, such as: propose 1 book 1 hat.", "Say something, at most characters."]
    said += [
        "They have proposed nothing that you could accept.",
        "Say one command a message: propose, accept or reject.",
    ]
    return said
