"""Questions about the rows of one table: filters, distinct values, missing values, dates, order and ties."""

# ruff: noqa: S608 - tables, columns and values come from the schema

from __future__ import annotations

from agentgym_tools.sql.comparing import Form
from agentgym_tools.sql.templates.drafts import Draft, Pick, Template, noun


def _list_filter(pick: Pick) -> Draft:
    table = pick.table("number")
    where = pick.condition(table)
    sql = f"SELECT {table.key} FROM {table.name} WHERE "
    return Draft(f"Give the {table.key} of all {table.plural} {where.text}.", sql + where.sql, (sql + where.near,))


def _count_filter(pick: Pick) -> Draft:
    table = pick.table("number")
    where = pick.condition(table)
    sql = f"SELECT COUNT(*) FROM {table.name} WHERE "
    return Draft(f"How many {table.plural} are there {where.text}?", sql + where.sql, (sql + where.near,))


def _list_two(pick: Pick) -> Draft:
    table = pick.table("number")
    one = pick.column(table, "of", "number", "date")
    first, second = pick.condition_on(table, one), pick.condition(table, but=one)
    word, joint = pick.rng.choice((("and", "AND"), ("or", "OR")))
    other = "OR" if joint == "AND" else "AND"
    shown = pick.column(table, "number", "date", "of", "key", nullable=None)
    sql = f"SELECT {table.key}, {shown.name} FROM {table.name} WHERE "
    return Draft(
        f"Give the {table.key} and the {shown.phrase} of all {table.plural} {first.text} {word} {second.text}.",
        f"{sql}({first.sql}) {joint} ({second.sql})",
        (f"{sql}({first.sql}) {other} ({second.sql})", f"{sql}{first.sql}"),
    )


def _distinct(pick: Pick) -> Draft:
    table = pick.table("of", "number")
    shown = pick.column(table, "of")
    where = pick.condition(table, but=shown)
    tail = f"{shown.name} FROM {table.name} WHERE {where.sql}"
    return Draft(
        f"Which different values does the {shown.phrase} have among the {table.plural} {where.text}? Give each once.",
        f"SELECT DISTINCT {tail}",
        (f"SELECT {tail}", f"SELECT DISTINCT {shown.name} FROM {table.name}"),
    )


def _missing(pick: Pick) -> Draft:
    table = pick.rng.choice([table for table in pick.schema.tables if table.of_kind("of", "later", nullable=True)])
    column = pick.column(table, "of", "later", nullable=True)
    where = pick.condition(table)
    has, test, other = pick.rng.choice((("no", "IS NULL", "= ''"), ("some", "IS NOT NULL", "IS NULL")))
    sql = f"SELECT {table.key} FROM {table.name} WHERE {where.sql} AND {column.name} "
    return Draft(
        f"Give the {table.key} of all {table.plural} {where.text} that have {has} {column.phrase} entered.",
        sql + test,
        (sql + other, f"SELECT {table.key} FROM {table.name} WHERE {column.name} {test}"),
    )


def _not_equal(pick: Pick) -> Draft:
    table = pick.rng.choice([table for table in pick.schema.tables if table.of_kind("of", nullable=True)])
    column = pick.column(table, "of", nullable=True)
    value = pick.text_of(column)
    sql = f"SELECT {table.key} FROM {table.name} WHERE {column.name} <> '{value}'"
    return Draft(
        f"Give the {table.key} of all {table.plural} whose {column.phrase} is anything but '{value}'; those without a "
        f"{column.phrase} belong to them.",
        f"{sql} OR {column.name} IS NULL",
        (sql, f"SELECT {table.key} FROM {table.name} WHERE {column.name} IS NULL"),
    )


def _month(pick: Pick) -> Draft:
    table = pick.table("date", "number")
    column = pick.column(table, "date")
    month, digits = pick.month()
    sql = f"SELECT COUNT(*) FROM {table.name} WHERE substr({column.name}, "
    return Draft(
        f"How many {table.plural} have {column.phrase} in {month}, whatever the year?",
        f"{sql}6, 2) = '{digits}'",
        (f"{sql}6, 2) = '{int(digits)}'", f"{sql}9, 2) = '{digits}'"),
    )


def _days_between(pick: Pick) -> Draft:
    table = pick.rng.choice([table for table in pick.schema.tables if table.of_kind("later", nullable=True)])
    later = pick.column(table, "later", nullable=True)
    days = pick.rng.randint(max(1, later.high // 4), later.high // 2 + 1)
    sql = f"SELECT {table.key} FROM {table.name} WHERE julianday({later.name}) - julianday({later.target}) "
    return Draft(
        f"Give the {table.key} of all {table.plural} with more than {days} days from "
        f"{later.target.replace('_', ' ')} to "
        f"{later.phrase}; leave out those without {later.phrase}.",
        f"{sql}> {days}",
        (f"{sql}>= {days}", f"SELECT {table.key} FROM {table.name} WHERE {later.name} - {later.target} > {days}"),
    )


def _highest(pick: Pick) -> Draft:
    table = pick.table("number")
    column = pick.column(table, "number")
    word, best, order = pick.rng.choice((("highest", "MAX", "DESC"), ("lowest", "MIN", "ASC")))
    where = pick.condition(table, but=column)
    return Draft(
        f"Among the {table.plural} {where.text}, which have the {word} {column.phrase}? Give the {table.key} of "
        f"each, all "
        "of them if several are equal.",
        f"SELECT {table.key} FROM {table.name} WHERE ({where.sql}) AND {column.name} = (SELECT "
        f"{best}({column.name}) FROM "
        f"{table.name} WHERE {where.sql})",
        (
            f"SELECT {table.key} FROM {table.name} WHERE {column.name} = (SELECT {best}({column.name}) FROM "
            f"{table.name})",
            f"SELECT {table.key} FROM {table.name} WHERE {where.sql} ORDER BY {column.name} {order} LIMIT 1",
        ),
    )


def _sorted(pick: Pick) -> Draft:
    table = pick.table("number")
    column = pick.column(table, "number")
    where = pick.condition(table, but=column)
    word, order, other = pick.rng.choice((("highest", "DESC", "ASC"), ("lowest", "ASC", "DESC")))
    sql = f"SELECT {table.key}, {column.name} FROM {table.name} WHERE {where.sql}"
    return Draft(
        f"Give the {table.key} and the {column.phrase} of all {table.plural} {where.text}, the {word} {column.phrase} "
        "first; equal ones in any order.",
        f"{sql} ORDER BY {column.name} {order}",
        (f"{sql} ORDER BY {column.name} {other}", f"{sql} ORDER BY {table.key}"),
        Form(order=(1,)),
    )


def _first_few(pick: Pick) -> Draft:
    table = pick.table("number")
    column = pick.column(table, "number")
    where = pick.condition(table, but=column)
    word, order, other = pick.rng.choice((("highest", "DESC", "ASC"), ("lowest", "ASC", "DESC")))
    limit = pick.rng.randint(2, 4)
    sql = f"SELECT {table.key}, {column.name} FROM {table.name} WHERE {where.sql} ORDER BY {column.name}"
    return Draft(
        f"Give the {table.key} and the {column.phrase} of the {limit} {table.plural} with the {word} "
        f"{column.phrase} of "
        f"those {where.text}, the {word} first; among equal ones take any.",
        f"{sql} {order}",
        (f"{sql} {other} LIMIT {limit}", f"{sql} {order} LIMIT {limit + 1}"),
        Form(order=(1,), limit=limit),
    )


def _names(pick: Pick) -> Draft:
    table = pick.rng.choice([table for table in pick.schema.tables if table.of_kind("person", "place", "work")])
    name = pick.column(table, "person", "place", "work")
    where = pick.condition(table)
    sql = f"SELECT {name.name} FROM {table.name} WHERE "
    return Draft(
        f"What is the {name.phrase} of each {noun(table)} {where.text}? Give one row for each {noun(table)}.",
        sql + where.sql,
        (sql + where.near, f"SELECT DISTINCT {name.name} FROM {table.name} WHERE {where.sql}"),
    )


TEMPLATES = (
    Template("list_filter", 1, "question", _list_filter),
    Template("count_filter", 1, "question", _count_filter),
    Template("names", 1, "question", _names),
    Template("list_two", 1, "question", _list_two),
    Template("distinct", 1, "question", _distinct),
    Template("missing", 1, "question", _missing),
    Template("not_equal", 2, "question", _not_equal),
    Template("month", 2, "question", _month),
    Template("days_between", 2, "question", _days_between, is_held_out=True),
    Template("highest", 2, "question", _highest),
    Template("sorted", 1, "question", _sorted),
    Template("first_few", 2, "question", _first_few),
)
