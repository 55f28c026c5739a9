"""Questions with a word whose meaning only the user knows: the column and the bound that it stands for are drawn.

The user who tells it is in `user`.
"""

# ruff: noqa: S608 - tables, columns and values come from the schema

from __future__ import annotations

from typing import NamedTuple

from agentgym_tools.sql.schema import Table
from agentgym_tools.sql.templates.drafts import Draft, Pick, Template, UnsuitableError, noun


class _Meaning(NamedTuple):
    word: str
    text: str
    sql: str
    others: tuple[str, ...]


def _meaning(pick: Pick, table: Table, alias: str) -> _Meaning:
    """A word of a table with a meaning, and what one could take it for."""
    number, day = pick.column(table, "number"), pick.column(table, "date")
    value, year = pick.number_in(number), pick.year_of(table, day)
    by_number = f"{alias}{number.name} >= {value}"
    by_day = f"{alias}{day.name} >= '{year}-01-01'"
    middle = (number.low + number.high) // 2
    guess = f"{alias}{number.name} >= {middle if middle != value else middle + 1}"
    word = pick.rng.choice(table.words)
    if pick.rng.random() < 0.6:
        return _Meaning(word, f"{table.plural} whose {number.phrase} is at least {value}", by_number, (by_day, guess))
    return _Meaning(word, f"{table.plural} whose {day.phrase} is in {year} or later", by_day, (by_number, guess))


def _count_word(pick: Pick) -> Draft:
    table = pick.table("number", "date", "of")
    meant = _meaning(pick, table, "")
    by = pick.column(table, "of")
    value = pick.text_of(by)
    sql = f"SELECT COUNT(*) FROM {table.name} WHERE {by.name} = '{value}' AND "
    return _draft(f"How many {meant.word} {table.plural} are there whose {by.phrase} is '{value}'?", sql, "", (meant,))


def _list_word(pick: Pick) -> Draft:
    table = pick.table("number", "date")
    meant = _meaning(pick, table, "")
    sql = f"SELECT {table.key} FROM {table.name} WHERE "
    return _draft(f"Give the {table.key} of all {meant.word} {table.plural}.", sql, "", (meant,))


def _group_word(pick: Pick) -> Draft:
    table = pick.table("number", "date", "of")
    meant, by = _meaning(pick, table, ""), pick.column(table, "of")
    text = (
        f"For each {by.phrase}, how many {meant.word} {table.plural} are there? Give the {by.phrase} and the "
        f"number, without those that have none."
    )
    return _draft(text, f"SELECT {by.name}, COUNT(*) FROM {table.name} WHERE ", f" GROUP BY {by.name}", (meant,))


def _two_words(pick: Pick) -> Draft:
    child, link, parent = pick.link(child=("number", "date"), parent=("number", "date"))
    low, high = _meaning(pick, child, "c."), _meaning(pick, parent, "p.")
    if low.word == high.word:
        raise UnsuitableError(f"{low.word!r} would mean two things")
    sql = f"SELECT c.{child.key} FROM {child.name} c JOIN {parent.name} p ON c.{link.name} = p.{parent.key} WHERE "
    text = f"Give the {child.key} of all {low.word} {child.plural} of {high.word} {parent.plural}."
    return _draft(text, sql, "", (low, high))


def _change_word(pick: Pick) -> Draft:
    table = pick.table("number", "date", "of")
    meant, column = _meaning(pick, table, ""), pick.column(table, "of")
    value = pick.text_of(column)
    sql = f"UPDATE {table.name} SET {column.name} = '{value}' WHERE "
    return _draft(f"Set the {column.phrase} of all {meant.word} {table.plural} to '{value}'.", sql, "", (meant,))


def _without_word(pick: Pick) -> Draft:
    child, link, parent = pick.link(child=("number", "date"))
    meant = _meaning(pick, child, "c.")
    sql = (
        f"SELECT p.{parent.key} FROM {parent.name} p WHERE NOT EXISTS (SELECT 1 FROM {child.name} c WHERE "
        f"c.{link.name} = p.{parent.key} AND "
    )
    return _draft(
        f"Which {parent.plural} have no {meant.word} {noun(child)}? Give the {parent.key}.", sql, ")", (meant,)
    )


def _draft(text: str, start: str, end: str, meanings: tuple[_Meaning, ...]) -> Draft:
    """The draft, its near misses being what the first word could be taken for."""
    rest = "".join(f" AND {each.sql}" for each in meanings[1:])
    return Draft(
        text,
        f"{start}{meanings[0].sql}{rest}{end}",
        tuple(f"{start}{other}{rest}{end}" for other in meanings[0].others),
        meanings={each.word: each.text for each in meanings},
    )


TEMPLATES = (
    Template("count_word", 1, "ambiguous", _count_word),
    Template("list_word", 1, "ambiguous", _list_word),
    Template("group_word", 2, "ambiguous", _group_word),
    Template("change_word", 2, "ambiguous", _change_word),
    Template("two_words", 3, "ambiguous", _two_words),
    Template("without_word", 3, "ambiguous", _without_word),
)
