"""Changes of rows: setting, raising, adding and removing, with and without a look at other tables."""

# ruff: noqa: S608 - tables, columns and values come from the schema

from __future__ import annotations

from agentgym_tools.sql.schema import Column, Schema, Table
from agentgym_tools.sql.templates.drafts import Draft, Pick, Template, UnsuitableError, a_noun


def _set_where(pick: Pick) -> Draft:
    table = pick.table("of", "number")
    column = pick.column(table, "of")
    where = pick.condition(table, but=column)
    value = pick.text_of(column)
    sql = f"UPDATE {table.name} SET {column.name} = '{value}' WHERE "
    return Draft(
        f"Set the {column.phrase} of all {table.plural} {where.text} to '{value}'.",
        sql + where.sql,
        (sql + where.near, f"UPDATE {table.name} SET {column.name} = '{value}'"),
    )


def _raise_where(pick: Pick) -> Draft:
    table = pick.table("number")
    column = pick.column(table, "number")
    where = pick.condition(table, but=column)
    amount = pick.rng.randint(1, 9)
    word, sign, other = pick.rng.choice((("Raise", "+", "-"), ("Lower", "-", "+")))
    sql = f"UPDATE {table.name} SET {column.name} = {column.name} {{}} {amount} WHERE "
    return Draft(
        f"{word} the {column.phrase} of all {table.plural} {where.text} by {amount}.",
        sql.format(sign) + where.sql,
        (sql.format(other) + where.sql, sql.format(sign) + where.near),
    )


def _remove_where(pick: Pick) -> Draft:
    table = _leaf(pick.schema)
    columns = [pick.column(table, "number"), pick.column(table, "date")]
    one, two = (pick.condition_on(table, column) for column in pick.rng.sample(columns, 2))
    return Draft(
        f"Remove all {table.plural} {one.text} and {two.text}.",
        f"DELETE FROM {table.name} WHERE ({one.sql}) AND ({two.sql})",
        (f"DELETE FROM {table.name} WHERE ({one.sql}) OR ({two.sql})", f"DELETE FROM {table.name} WHERE {one.sql}"),
    )


def _add(pick: Pick) -> Draft:
    table = pick.rng.choice([table for table in pick.schema.tables if not table.of_kind("link")])
    number = pick.rng.randint(900, 989)
    values = [_value(pick, column, number) for column in table.columns]
    told = ", ".join(
        f"{column.phrase} {value}" if value != "NULL" else f"no {column.phrase}"
        for column, value in list(zip(table.columns, values, strict=True))[1:]
    )
    names = ", ".join(column.name for column in table.columns)
    sql = f"INSERT INTO {table.name} ({names}) VALUES "
    return Draft(
        f"Add {a_noun(table)} with the {table.key} {number}: {told}.",
        f"{sql}({', '.join(values)})",
        (f"{sql}({', '.join([str(number + 1), *values[1:]])})",),
    )


def _fill_missing(pick: Pick) -> Draft:
    tables = [table for table in pick.schema.tables if table.of_kind("of", nullable=True)]
    table = pick.rng.choice(tables)
    column = pick.column(table, "of", nullable=True)
    value, where = pick.text_of(column), pick.condition(table)
    sql = f"UPDATE {table.name} SET {column.name} = '{value}' WHERE "
    return Draft(
        f"Where {table.plural} {where.text} have no {column.phrase}, set it to '{value}'.",
        f"{sql}{column.name} IS NULL AND ({where.sql})",
        (f"{sql}{where.sql}", f"{sql}{column.name} IS NULL"),
    )


def _set_by_parent(pick: Pick) -> Draft:
    child, link, parent = pick.link(child=("number",), parent=("of",))
    column, where = pick.column(child, "number"), pick.condition(parent)
    value = pick.number_in(column)
    sql = (
        f"UPDATE {child.name} SET {column.name} = {value} WHERE {link.name} {{}} (SELECT {parent.key} FROM "
        f"{parent.name} WHERE {{}})"
    )
    return Draft(
        f"Set the {column.phrase} of all {child.plural} of {parent.plural} {where.text} to {value}.",
        sql.format("IN", where.sql),
        (sql.format("NOT IN", where.sql), sql.format("IN", where.near)),
    )


def _exchange(pick: Pick) -> Draft:
    table = pick.table("of")
    column = pick.column(table, "of")
    one, two = pick.rng.sample(column.texts, 2)
    sql = f"UPDATE {table.name} SET {column.name} = "
    return Draft(
        f"Exchange two values of {column.phrase}: {table.plural} with '{one}' get '{two}', and those with '{two}' get "
        f"'{one}'.",
        f"{sql}CASE {column.name} WHEN '{one}' THEN '{two}' ELSE '{one}' END WHERE {column.name} IN ('{one}', '{two}')",
        (
            f"{sql}'{two}' WHERE {column.name} = '{one}'",
            f"{sql}CASE {column.name} WHEN '{one}' THEN '{two}' ELSE '{one}' END",
        ),
    )


def _remove_of_parent(pick: Pick) -> Draft:
    leaf = _leaf(pick.schema)
    link = pick.column(leaf, "link")
    parent = pick.schema.table(link.target)
    where, high = pick.condition(leaf), pick.condition(parent)
    inner = f"{link.name} IN (SELECT {parent.key} FROM {parent.name} WHERE {high.sql})"
    return Draft(
        f"Remove the {leaf.plural} {where.text} that belong to {a_noun(parent)} {high.text}.",
        f"DELETE FROM {leaf.name} WHERE ({where.sql}) AND {inner}",
        (f"DELETE FROM {leaf.name} WHERE {inner}", f"DELETE FROM {leaf.name} WHERE {where.sql}"),
    )


def _raise_highest(pick: Pick) -> Draft:
    table = pick.table("number", "of")
    column, by = pick.column(table, "number"), pick.column(table, "of")
    value, amount = pick.text_of(by), pick.rng.randint(1, 9)
    of_all = f"SELECT MAX({column.name}) FROM {table.name}"
    sql = f"UPDATE {table.name} SET {column.name} = {column.name} + {amount} WHERE {column.name} = ({of_all}{{}})"
    mine = f" WHERE {by.name} = '{value}'"
    return Draft(
        f"Among the {table.plural} whose {by.phrase} is '{value}', raise the {column.phrase} of those that have the "
        f"highest "
        f"by {amount}.",
        f"{sql.format(mine)} AND {by.name} = '{value}'",
        (sql.format(""), sql.format(mine) + f" AND {by.name} <> '{value}'"),
    )


def _leaf(schema: Schema) -> Table:
    """The table that no row refers to."""
    targets = {target.name for _, _, target in schema.links()}
    for table in schema.tables:
        if table.name not in targets and table.of_kind("link"):
            return table
    raise UnsuitableError(f"{schema.name} has no table that nothing links to")


def _value(pick: Pick, column: Column, number: int) -> str:
    match column.kind:
        case "key":
            return str(number)
        case "number":
            return str(pick.number_in(column))
        case "date":
            year = pick.rng.randint(column.low, column.high)
            return f"'{year}-{pick.rng.randint(1, 12):02}-{pick.rng.randint(1, 28):02}'"
        case "of":
            return "NULL" if column.is_nullable and pick.rng.random() < 0.5 else f"'{pick.text_of(column)}'"
        case _:
            return (
                f"'{pick.rng.choice(('New', 'Other', 'Extra', 'Third'))} "
                f"{pick.rng.choice(('Vale', 'Quill', 'Ember', 'Thorn'))}'"
            )


TEMPLATES = (
    Template("set_where", 1, "change", _set_where),
    Template("raise_where", 1, "change", _raise_where),
    Template("add", 1, "change", _add),
    Template("remove_where", 2, "change", _remove_where),
    Template("fill_missing", 2, "change", _fill_missing),
    Template("set_by_parent", 2, "change", _set_by_parent),
    Template("remove_of_parent", 3, "change", _remove_of_parent),
    Template("raise_highest", 3, "change", _raise_highest, is_held_out=True),
    Template("exchange", 3, "change", _exchange, is_held_out=True),
)
