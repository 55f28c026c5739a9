"""The closed vocabulary of Lookup: every word that a question, a tool result or a call can hold.

From it a tokenizer is built in which each of these words is one token; the tokenizer itself is made elsewhere.
"""

from __future__ import annotations

from agentgym_tools.lookup.env import NO_ENTITY, NO_RELATION, NOT_FOUND, RIGHT, WRONG
from agentgym_tools.lookup.names import PARTS
from agentgym_tools.lookup.relations import KIND_OF_VALUE

NUMBERS: range | None = None
"""Numbers that should be single tokens: there are none in this environment."""


def texts() -> list[str]:
    """All texts from which the words are taken, without repeats."""
    parts = [part for first_parts, last_parts in PARTS.values() for part in (*first_parts, *last_parts)]
    talk = ["Who is the", "What is the", "of the", "The"]
    return [*talk, *KIND_OF_VALUE, *parts, NO_ENTITY, NO_RELATION, NOT_FOUND, RIGHT, WRONG]
