"""The closed vocabulary of PatchLine-v0: the words of statements, the tokens of programs, and usual replies.

From it a tokenizer is built in which each of these is one token; the tokenizer itself is made elsewhere.
"""

from __future__ import annotations

import random

from agentgym.action import EXPECTED
from agentgym_swe.patch_line.env import HIDDEN_FAIL, KEPT, RIGHT, TAKEN_BACK
from agentgym_swe.patch_line.grammar import draw_draft
from agentgym_swe.patch_line.language import INDENT, SIGNS, VOCABULARY

NUMBERS: range | None = range(100)
"""Numbers that are single tokens: lines, constants, inputs, and most results."""
_OPERATORS = ("//", ">=", "<=", "==", "!=", ">", "<", "+", "-", "*", "%")
_PLACES = tuple(f"{mark}{place}" for mark in "@#" for place in range(1, 65))
_UNITS = (*_OPERATORS, *SIGNS, "=")
PHRASES = (INDENT, *_UNITS, "@1", *(f" {unit}" for unit in (*_UNITS, *_PLACES)))
"""Indentation; operators and their words, with and without the space before them; more places than the suite needs.

A statement may begin with its first place; a space stands before all others.
"""
_DRAWS = 120


def texts() -> list[str]:
    """All texts from which the words are taken, without repeats."""
    found = [KEPT, TAKEN_BACK, RIGHT, HIDDEN_FAIL, " ".join(VOCABULARY), "TypeError NameError ZeroDivisionError None"]
    found += ["of pass f gave expected", "There is no line the program has lines stands times in it must stand once"]
    found += ["is no token that may be put in The old and the new token are the same", "Line cannot be read"]
    found.append(f"The message holds no readable tool call invalid syntax {EXPECTED}")
    rng = random.Random("words")
    for _ in range(_DRAWS):
        draft = draw_draft(rng, 3, lambda stage: True)
        found += [draft.text, *draft.lines]
    return list(dict.fromkeys(found))
