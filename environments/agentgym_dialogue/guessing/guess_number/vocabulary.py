"""What a tokenizer for guess-number must know.

Building the tokenizer is the work of `agentgym.prompting.tiny`.
"""

from __future__ import annotations

NUMBERS: range | None = range(1, 100)
"""Numbers that must be single tokens: spelt in digits they are not learnt."""


def texts() -> list[str]:
    """Texts that hold every word that may occur."""
    return [
        "Guess the number between 1 and 99. You have 7 tries.",
        "Guess one number between 1 and 99.",
        "higher",
        "lower",
        "correct",
        "No tries left.",
    ]
