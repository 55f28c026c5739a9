"""What a tokenizer for matrix games must know, in both roles.

Building the tokenizer is the work of `agentgym.prompting.tiny`.
"""

from __future__ import annotations

from agentgym_dialogue.bargaining.matrix_games.game import MatrixGamesGame
from agentgym_dialogue.bargaining.matrix_games.payoffs import MOVES

NUMBERS: range | None = range(100)
"""Numbers that must be single tokens: of points and rounds."""


def texts() -> list[str]:
    """Texts that hold every word that may occur."""
    game = MatrixGamesGame("stag_hunt")
    inbox = game.reset(game.make_task(0))
    said = [message["content"] for messages in inbox.values() for message in messages]
    said += ["They say: Hello.", "Say your move.", "Round 1: you stag, they hare. You get 0, they get 3."]
    said += ["The end. You have 12 points.", "I play stag.", "Say one move: stag or hare."]
    said += ["Say a line of 1 to 40 words.", "Say a line in plain English letters, at most 300 characters."]
    return [*said, *(" ".join(moves) for moves in MOVES.values())]
