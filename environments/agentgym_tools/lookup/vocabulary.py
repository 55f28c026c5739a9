"""The closed vocabulary of Lookup: every word of its questions, tool results and calls, and of the usual refusals.

From it a tokenizer is built in which each of these words is one token; the tokenizer itself is made elsewhere.
"""

from __future__ import annotations

from agentgym.action import EXPECTED
from agentgym_tools.lookup.env import NO_CALL, NO_ENTITY, NO_RELATION, NOT_FOUND, RIGHT, WRONG
from agentgym_tools.lookup.names import PARTS
from agentgym_tools.lookup.relations import KIND_OF_VALUE

NUMBERS: range | None = None
"""Numbers that should be single tokens: there are none in this environment."""


def texts() -> list[str]:
    """All texts from which the words are taken, without repeats."""
    parts = [part for first_parts, last_parts in PARTS.values() for part in (*first_parts, *last_parts)]
    talk = ["Who is the", "What is the", "of the", "The"]
    refusals = [NO_CALL, f"The tool call is not valid JSON near at character {EXPECTED}", "holds no readable needs"]
    return [*talk, *KIND_OF_VALUE, *parts, NO_ENTITY, NO_RELATION, NOT_FOUND, RIGHT, WRONG, *refusals]
