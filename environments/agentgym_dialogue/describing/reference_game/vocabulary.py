"""What a tokenizer for the reference game must know, in both roles.

Building the tokenizer is the work of `agentgym.prompting.tiny`.
"""

from __future__ import annotations

from agentgym_dialogue.describing.letter_grid import EMPTY
from agentgym_dialogue.describing.reference_game.facts import Fact, X
from agentgym_dialogue.describing.reference_game.game import ANSWERS, UNCLEAR, ReferenceGame

NUMBERS: range | None = range(82)
"""Numbers that must be single tokens: of rows, columns and cells."""


def texts() -> list[str]:
    """Texts that hold every word that may occur."""
    game = ReferenceGame()
    inbox = game.reset(game.make_task(0))
    said = [message["content"] for messages in inbox.values() for message in messages]
    facts = [Fact(1, 2, 1), Fact(1, 2, 0), Fact(1, None, 0), Fact(None, 1, 5), Fact(1, None, 2), Fact(None, None, 9)]
    said += [f"Description: {fact.words(5)} and" for fact in facts]
    said += ["correct", "wrong", *ANSWERS, UNCLEAR, X, EMPTY, "Say a description of 1 to 80 words."]
    said += ["Say a description in plain English letters, at most 300 characters."]
    return [*said, "Answer first, second, third or unclear."]
