"""The words of tools/sql-small: those of its questions, results and statements, and of the usual refusals.

From it a tokenizer is built in which each of these words is one token; the tokenizer itself is made elsewhere.
"""

from __future__ import annotations

import random

from agentgym_tools.sql.databases import SMALL_SIZES, describe_table
from agentgym_tools.sql.env import NO_CALL, RIGHT, WRONG
from agentgym_tools.sql.filling import draw_rows
from agentgym_tools.sql.generate import SMALL_SCHEMAS, SMALL_TEMPLATES
from agentgym_tools.sql.schema import load_schema
from agentgym_tools.sql.templates import TEMPLATES, Pick

NUMBERS = (*range(200), *range(1950, 2026))
"""Numbers that should be single tokens: what is copied in one piece need not be spelt."""
PHRASES = (
    *(f"-{number:02d}" for number in range(1, 32)),
    *("In the database of a", " that have some ", " Give one row for each "),
    *("SELECT ", " IS NOT NULL", " IS NULL"),
    *(" INTEGER (key)", " INTEGER (links to ", " INTEGER\n"),
    *(" TEXT (date as YYYY-MM-DD)", " TEXT (date as YYYY-MM-DD; ", "may be NULL)"),
)
"""Pieces that should be single tokens: days and months, and what is the same in many questions and statements."""
_DRAWS = 40


def texts() -> list[str]:
    """All texts from which the words are taken, without repeats."""
    found = [NO_CALL, RIGHT, WRONG, "NULL", "(no rows)", "In the database of", "Error: near", "syntax error"]
    for name in SMALL_SCHEMAS:
        schema = load_schema(name)
        rng = random.Random(name)
        found.append(schema.title)
        found += [describe_table(name, table.name) for table in schema.tables]
        for template in SMALL_TEMPLATES:
            drafts = [TEMPLATES[template].draw(Pick(schema, rng)) for _ in range(_DRAWS)]
            found += [text for draft in drafts for text in (draft.text, draft.sql)]
        for number in range(10):
            rows = draw_rows(schema, SMALL_SIZES[-1], f"words {number}")
            found += [str(value) for of_table in rows.values() for row in of_table for value in row]
    return list(dict.fromkeys(found))
