"""Questions that count and add up by group, with conditions on rows and on groups."""

# ruff: noqa: S608 - tables, columns and values come from the schema

from __future__ import annotations

from agentgym_tools.sql.templates.drafts import Draft, Pick, Template, noun

_MEASURES = (("average", "AVG"), ("highest", "MAX"), ("lowest", "MIN"), ("total", "SUM"))


def _group_count(pick: Pick) -> Draft:
    table = pick.table("of", "number")
    by = pick.column(table, "of")
    where = pick.condition(table, but=by)
    sql = f"SELECT {by.name}, COUNT(*) FROM {table.name} WHERE {{}} GROUP BY {by.name}"
    return Draft(
        f"For each {by.phrase}, how many {table.plural} are there {where.text}? Give the {by.phrase} and the number, "
        "without those that have none.",
        sql.format(where.sql),
        (sql.format(where.near), f"SELECT {by.name}, COUNT(*) FROM {table.name} GROUP BY {by.name}"),
    )


def _group_measure(pick: Pick) -> Draft:
    child, link, parent = pick.link(child=("number",), parent=("of",))
    by, column = pick.column(parent, "of"), pick.column(child, "number")
    (word, function), (_, other) = pick.rng.sample(_MEASURES, 2)
    where = pick.condition(child, "c.", but=column)
    sql = (
        f"SELECT p.{by.name}, {{}}(c.{column.name}) FROM {child.name} c JOIN {parent.name} p ON c.{link.name} = "
        f"p.{parent.key} WHERE {where.sql} GROUP BY p.{by.name}"
    )
    return Draft(
        f"For each {by.phrase} of {parent.plural}, what is the {word} {column.phrase} of their {child.plural} "
        f"{where.text}? "
        f"Give the {by.phrase} and the {word}, where there are any such {child.plural}.",
        sql.format(function),
        (sql.format(other), sql.format(function).replace(f"GROUP BY p.{by.name}", f"GROUP BY p.{parent.key}")),
    )


def _having(pick: Pick) -> Draft:
    child, link, parent = pick.link(child=("number",))
    least = pick.rng.randint(2, 5)
    where = pick.condition(child)
    sql = f"SELECT {link.name} FROM {child.name} WHERE {where.sql} GROUP BY {link.name} HAVING COUNT(*) "
    return Draft(
        f"Which {parent.plural} have at least {least} {child.plural} {where.text}? Give the {parent.key} and "
        f"nothing else.",
        f"{sql}>= {least}",
        (f"{sql}> {least}", f"{sql}= {least}"),
    )


def _having_where(pick: Pick) -> Draft:
    child, link, parent = pick.link(child=("number",))
    column = pick.column(child, "number")
    where = pick.condition(child, but=column)
    least = round((column.low + column.high) / 2) + pick.rng.randint(-5, 5)
    sql = (
        f"SELECT {link.name}, AVG({column.name}) FROM {child.name}{{}} GROUP BY {link.name} HAVING "
        f"AVG({column.name}) > {least}"
    )
    return Draft(
        f"Take only {child.plural} {where.text}. For which {parent.plural} is the average {column.phrase} of these "
        f"more "
        f"than {least}? Give the {parent.key} and the average.",
        sql.format(f" WHERE {where.sql}"),
        (sql.format(""), sql.format(f" WHERE {where.near}")),
    )


def _with_zero(pick: Pick) -> Draft:
    child, link, parent = pick.link(parent=("of",))
    where = pick.condition(parent, "p.")
    tail = f"{child.name} c ON c.{link.name} = p.{parent.key} WHERE {where.sql} GROUP BY p.{parent.key}"
    return Draft(
        f"Give the {parent.key} of each {noun(parent)} {where.text} and how many {child.plural} it has; 0 counts too.",
        f"SELECT p.{parent.key}, COUNT(c.{child.key}) FROM {parent.name} p LEFT JOIN {tail}",
        (
            f"SELECT p.{parent.key}, COUNT(c.{child.key}) FROM {parent.name} p JOIN {tail}",
            f"SELECT p.{parent.key}, COUNT(*) FROM {parent.name} p LEFT JOIN {tail}",
        ),
    )


def _by_year(pick: Pick) -> Draft:
    table = pick.table("date", "number")
    column, measured = pick.column(table, "date"), pick.column(table, "number")
    word, function = pick.rng.choice(_MEASURES)
    where = pick.condition(table, but=column)
    start, end = f"SELECT substr({column.name}, 1, ", f", {function}({measured.name}) FROM {table.name}"
    group = f" WHERE {where.sql} GROUP BY 1"
    return Draft(
        f"For each year of the {column.phrase} of {table.plural} {where.text}, what is the {word} "
        f"{measured.phrase}? Give the "
        f"year as a text of four digits and the {word}.",
        f"{start}4){end}{group}",
        (f"{start}7){end}{group}", f"{start}4){end} GROUP BY 1"),
    )


def _share(pick: Pick) -> Draft:
    table = pick.table("of", "number")
    column = pick.column(table, "of")
    value = pick.text_of(column)
    where = pick.condition(table, but=column)
    part = f"SUM(CASE WHEN {column.name} = '{value}' THEN 1 ELSE 0 END)"
    tail = f"FROM {table.name} WHERE {where.sql}"
    return Draft(
        f"Of the {table.plural} {where.text}, what share in percent has the {column.phrase} '{value}'? Do not round.",
        f"SELECT 100.0 * {part} / COUNT(*) {tail}",
        (f"SELECT 100 * {part} / COUNT(*) {tail}", f"SELECT 1.0 * {part} / COUNT(*) {tail}"),
    )


def _most_common(pick: Pick) -> Draft:
    table = pick.table("of", "number")
    column = pick.column(table, "of")
    where = pick.condition(table, but=column)
    counts = f"SELECT {column.name}, COUNT(*) AS n FROM {table.name} WHERE {where.sql} GROUP BY {column.name}"
    return Draft(
        f"Which {column.phrase} is the most frequent among the {table.plural} {where.text}? If several are equally "
        "frequent, give each of them.",
        f"WITH counts AS ({counts}) SELECT {column.name} FROM counts WHERE n = (SELECT MAX(n) FROM counts)",
        (
            f"WITH counts AS ({counts}) SELECT {column.name} FROM counts WHERE n = (SELECT MIN(n) FROM counts)",
            f"WITH counts AS ({counts}) SELECT {column.name} FROM counts ORDER BY n DESC, {column.name} LIMIT 1",
        ),
    )


TEMPLATES = (
    Template("group_count", 1, "question", _group_count),
    Template("group_measure", 2, "question", _group_measure),
    Template("having", 2, "question", _having),
    Template("having_where", 3, "question", _having_where),
    Template("with_zero", 3, "question", _with_zero),
    Template("by_year", 2, "question", _by_year),
    Template("share", 2, "question", _share, is_held_out=True),
    Template("most_common", 3, "question", _most_common),
)
