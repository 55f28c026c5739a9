"""Questions for window functions: ranks within groups, running totals, and the row before."""

# ruff: noqa: S608 - tables, columns and values come from the schema

from __future__ import annotations

from agentgym_tools.sql.templates.drafts import Draft, Pick, Template, noun


def _rank(pick: Pick) -> Draft:
    table = pick.table("number", "of")
    column, by = pick.column(table, "number"), pick.column(table, "of")
    where = pick.condition(table, but=column)
    sql = f"SELECT {table.key}, {{}}() OVER ({{}}ORDER BY {column.name} DESC) FROM {table.name} WHERE {where.sql}"
    part = f"PARTITION BY {by.name} "
    return Draft(
        f"Take the {table.plural} {where.text}. Give the {table.key} and its rank by {column.phrase} among those "
        f"with the "
        f"same {by.phrase}, the highest being 1; equal ones share a rank and the next one is left out (1, 1, 3).",
        sql.format("RANK", part),
        (sql.format("DENSE_RANK", part), sql.format("RANK", "")),
    )


def _best_of_each(pick: Pick) -> Draft:
    child, link, parent = pick.link(child=("number",))
    column = pick.column(child, "number")
    where = pick.condition(child, but=column)
    place = pick.rng.randint(1, 2)
    inner = (
        f"SELECT {child.key}, {link.name} AS k, {{}}() OVER ({{}}ORDER BY {column.name} DESC, {child.key}) AS n "
        f"FROM {child.name} WHERE {where.sql}"
    )
    sql = f"SELECT k, {child.key} FROM ({inner}) AS ranked WHERE n = {place}"
    part = f"PARTITION BY {link.name} "
    word = "first" if place == 1 else "second"
    return Draft(
        f"Take the {child.plural} {where.text}. For each {noun(parent)}, order them by {column.phrase}, the highest "
        f"first, and equal ones by "
        f"{child.key}, the lowest first. Give the {parent.key} and the {child.key} of the {word} one, where there "
        f"is one.",
        sql.format("ROW_NUMBER", part),
        (sql.format("ROW_NUMBER", ""), sql.format("ROW_NUMBER", part).replace(" DESC", "")),
    )


def _running(pick: Pick) -> Draft:
    child, link, parent = pick.link(child=("number", "date"))
    column, day = pick.column(child, "number"), pick.column(child, "date")
    where = pick.condition(child)
    sql = f"SELECT {child.key}, SUM({column.name}) OVER ({{}}{{}}) FROM {child.name} WHERE {where.sql}"
    part, order = f"PARTITION BY {link.name} ", f"ORDER BY {day.name}, {child.key}"
    return Draft(
        f"Take only the {child.plural} {where.text}. Give the {child.key} of each and the running total of "
        f"{column.phrase} "
        f"of its {noun(parent)} up to it and with it, in the order of {day.phrase} and, on the same day, of "
        f"{child.key}.",
        sql.format(part, order),
        (sql.format("", order), sql.format(part, "")),
    )


def _before(pick: Pick) -> Draft:
    child, link, parent = pick.link(child=("number", "date"))
    column, day = pick.column(child, "number"), pick.column(child, "date")
    where = pick.condition(child)
    sql = (
        f"SELECT {child.key}, {column.name} - {{}}({column.name}{{}}) OVER (PARTITION BY {link.name} ORDER BY "
        f"{day.name}, "
        f"{child.key}) FROM {child.name} WHERE {where.sql}"
    )
    return Draft(
        f"Take only the {child.plural} {where.text}. For each {noun(child)}, by how much is its {column.phrase} "
        f"higher than that of the {noun(child)} before it of the "
        f"same {noun(parent)}, in the order of {day.phrase} and, on the same day, of {child.key}? Give the "
        f"{child.key} and "
        "the difference, and NULL for the first.",
        sql.format("LAG", ""),
        (sql.format("LAG", ", 1, 0"), sql.format("LEAD", "")),
    )


TEMPLATES = (
    Template("rank", 3, "question", _rank),
    Template("best_of_each", 3, "question", _best_of_each),
    Template("running", 3, "question", _running),
    Template("before", 3, "question", _before, is_held_out=True),
)
