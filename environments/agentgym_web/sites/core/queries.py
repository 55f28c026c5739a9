"""Queries that pages make: one row, one number, and words that a visitor searches for."""

from __future__ import annotations

import re
import sqlite3
from typing import Any


def one(db: sqlite3.Connection, sql: str, *values: Any) -> sqlite3.Row | None:
    """The first row of a query, or None."""
    row: sqlite3.Row | None = db.execute(sql, values).fetchone()
    return row


def number(db: sqlite3.Connection, sql: str, *values: Any) -> int:
    """The one number that a query returns."""
    found: int = db.execute(sql, values).fetchone()[0]
    return found


def match_words(text: str) -> str:
    """An FTS5 query for rows that hold all the words of a text, in any order; "" for a text without words."""
    return " ".join(f'"{word}"' for word in re.findall(r"\w+", text)[:12])
