"""Questions that need a query inside a query, or sets of rows put together."""

# ruff: noqa: S608 - tables, columns and values come from the schema

from __future__ import annotations

from agentgym_tools.sql.templates.drafts import Draft, Pick, Template, a_noun, noun


def _above_average(pick: Pick) -> Draft:
    table = pick.table("number", "of")
    column = pick.column(table, "number")
    where = pick.condition(table, but=column)
    start = (
        f"SELECT {table.key} FROM {table.name} WHERE {where.sql} AND {column.name} > (SELECT AVG({column.name}) "
        f"FROM {table.name}"
    )
    return Draft(
        f"Give the {table.key} of all {table.plural} {where.text} and {column.phrase} above the average "
        f"{column.phrase} of all {table.plural}.",
        f"{start})",
        (
            f"{start} WHERE {where.sql})",
            f"SELECT {table.key} FROM {table.name} WHERE {column.name} > (SELECT AVG({column.name}) FROM {table.name})",
        ),
    )


def _above_own_group(pick: Pick) -> Draft:
    table = pick.table("number", "of")
    column, by = pick.column(table, "number"), pick.column(table, "of")
    start = (
        f"SELECT o.{table.key} FROM {table.name} o WHERE o.{column.name} {{}} (SELECT AVG(i.{column.name}) FROM "
        f"{table.name} i"
    )
    inner = f" WHERE i.{by.name} = o.{by.name})"
    word, sign, other = pick.rng.choice((("above", ">", "<"), ("below", "<", ">")))
    return Draft(
        f"Give the {table.key} of all {table.plural} whose {column.phrase} is {word} the average {column.phrase} of "
        f"the "
        f"{table.plural} with the same {by.phrase}.",
        start.format(sign) + inner,
        (start.format(sign) + ")", start.format(other) + inner),
    )


def _without_child(pick: Pick) -> Draft:
    child, link, parent = pick.link(child=("number",))
    where = pick.condition(child, "c.")
    sql = (
        f"SELECT p.{parent.key} FROM {parent.name} p WHERE NOT EXISTS (SELECT 1 FROM {child.name} c WHERE "
        f"c.{link.name} = p.{parent.key}"
    )
    return Draft(
        f"Which {parent.plural} have no {noun(child)} {where.text}? Give the {parent.key}.",
        f"{sql} AND {where.sql})",
        (
            f"{sql})",
            f"SELECT DISTINCT c.{link.name} FROM {child.name} c WHERE NOT ({where.sql})",
        ),
    )


def _one_not_other(pick: Pick) -> Draft:
    child, link, parent = pick.link(child=("number",))
    one, two = pick.condition(child), pick.condition(child)
    sql = (
        f"SELECT {link.name} FROM {child.name} WHERE {one.sql} {{}} SELECT {link.name} FROM {child.name} WHERE "
        f"{two.sql}"
    )
    return Draft(
        f"Which {parent.plural} have {a_noun(child)} {one.text} but none {two.text}? Give the {parent.key}, each once.",
        sql.format("EXCEPT"),
        (sql.format("UNION"), f"SELECT DISTINCT {link.name} FROM {child.name} WHERE ({one.sql}) AND NOT ({two.sql})"),
    )


def _both(pick: Pick) -> Draft:
    child, link, parent = pick.link(child=("number",))
    one, two = pick.condition(child), pick.condition(child)
    sql = (
        f"SELECT {link.name} FROM {child.name} WHERE {one.sql} {{}} SELECT {link.name} FROM {child.name} WHERE "
        f"{two.sql}"
    )
    return Draft(
        f"Which {parent.plural} have {a_noun(child)} {one.text} and also {a_noun(child)}, the same or another one, "
        f"{two.text}? Give the {parent.key}, each once.",
        sql.format("INTERSECT"),
        (sql.format("UNION"), f"SELECT DISTINCT {link.name} FROM {child.name} WHERE ({one.sql}) AND ({two.sql})"),
    )


def _united(pick: Pick) -> Draft:
    child, link, parent = pick.link(child=("number",), parent=("number",))
    high, low = pick.condition(parent), pick.condition(child)
    sql = (
        f"SELECT {parent.key} FROM {parent.name} WHERE {high.sql} {{}} SELECT {link.name} FROM {child.name} WHERE "
        f"{low.sql}"
    )
    return Draft(
        f"Give, each once, the {parent.key} of all {parent.plural} {high.text}, and of all {parent.plural} that have "
        f"{a_noun(child)} {low.text}.",
        sql.format("UNION"),
        (sql.format("UNION ALL"), sql.format("INTERSECT")),
    )


def _all_of_them(pick: Pick) -> Draft:
    child, link, parent = pick.link(child=("number",))
    where = pick.condition(child)
    sql = (
        f"SELECT {link.name} FROM {child.name} GROUP BY {link.name} HAVING {{}}(CASE WHEN {where.sql} THEN 1 ELSE 0 "
        f"END) = 1"
    )
    return Draft(
        f"Which {parent.plural} have {child.plural}, and only such {child.plural} {where.text}? Give the {parent.key}.",
        sql.format("MIN"),
        (sql.format("MAX"), sql.format("SUM")),
    )


def _most_children(pick: Pick) -> Draft:
    child, link, parent = pick.link(child=("number",))
    where = pick.condition(child)
    counts = f"SELECT {link.name} AS k, COUNT(*) AS n FROM {child.name}{{}} GROUP BY {link.name}"
    sql = f"WITH counts AS ({counts}) SELECT k, n FROM counts WHERE n = (SELECT MAX(n) FROM counts)"
    return Draft(
        f"Which {noun(parent)} has the most {child.plural} {where.text}? Give the {parent.key} and that number, a "
        f"row for "
        "each of them if several have as many.",
        sql.format(f" WHERE {where.sql}"),
        (sql.format(""), sql.format(f" WHERE {where.near}")),
    )


TEMPLATES = (
    Template("above_average", 2, "question", _above_average),
    Template("above_own_group", 3, "question", _above_own_group, is_held_out=True),
    Template("without_child", 3, "question", _without_child),
    Template("one_not_other", 3, "question", _one_not_other),
    Template("both", 3, "question", _both, is_held_out=True),
    Template("united", 3, "question", _united),
    Template("all_of_them", 3, "question", _all_of_them),
    Template("most_children", 3, "question", _most_children),
)
