"""What a tokenizer for tic-tac-toe must know, in both roles.

Building the tokenizer is the work of `agentgym.prompting.tiny`.
"""

from __future__ import annotations

from agentgym_dialogue.boards.tic_tac_toe.game import TicTacToeGame

NUMBERS: range | None = range(10)
"""Numbers that must be single tokens: of squares."""


def texts() -> list[str]:
    """Texts that hold every word that may occur."""
    game = TicTacToeGame()
    inbox = game.reset(game.make_task(0))
    said = [message["content"] for messages in inbox.values() for message in messages]
    return [*said, "They play 5.\nX O 3", "You win.", "You lose.", "Draw.", game.refusal()]
