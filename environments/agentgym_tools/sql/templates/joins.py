"""Questions that join tables along their links, one or two of them."""

# ruff: noqa: S608 - tables, columns and values come from the schema

from __future__ import annotations

from agentgym_tools.sql.templates.drafts import Draft, Pick, Template, UnsuitableError, a_noun, noun


def _join_list(pick: Pick) -> Draft:
    child, link, parent = pick.link(parent=("number",))
    where = pick.condition(parent, "p.")
    start = f"SELECT c.{child.key} FROM {child.name} c JOIN {parent.name} p ON c.{link.name} = p."
    return Draft(
        f"Give the {child.key} of all {child.plural} of {a_noun(parent)} {where.text}.",
        f"{start}{parent.key} WHERE {where.sql}",
        (
            f"{start}{parent.key} WHERE {where.near}",
            f"SELECT c.{child.key} FROM {child.name} c, {parent.name} p WHERE {where.sql}",
        ),
    )


def _join_count(pick: Pick) -> Draft:
    child, link, parent = pick.link(child=("number",), parent=("number",))
    low, high = pick.condition(child, "c."), pick.condition(parent, "p.")
    sql = f"SELECT COUNT(*) FROM {child.name} c JOIN {parent.name} p ON c.{link.name} = p.{parent.key} WHERE "
    return Draft(
        f"How many {child.plural} {low.text} belong to {a_noun(parent)} {high.text}?",
        f"{sql}({low.sql}) AND ({high.sql})",
        (f"{sql}{high.sql}", f"{sql}({low.sql}) AND ({high.near})"),
    )


def _parents_with(pick: Pick) -> Draft:
    child, link, parent = pick.link(child=("number",))
    where = pick.condition(child, "c.")
    tail = f"p.{parent.key} FROM {parent.name} p JOIN {child.name} c ON c.{link.name} = p.{parent.key} WHERE "
    return Draft(
        f"Which {parent.plural} have at least one {noun(child)} {where.text}? Give the {parent.key}, each once.",
        f"SELECT DISTINCT {tail}{where.sql}",
        (f"SELECT {tail}{where.sql}", f"SELECT DISTINCT {tail}{where.near}"),
    )


def _two_parents(pick: Pick) -> Draft:
    children = [table for table in pick.schema.tables if len(table.of_kind("link")) >= 2]
    child = pick.rng.choice(children)
    first, second = pick.rng.sample(child.of_kind("link"), 2)
    one, two = pick.schema.table(first.target), pick.schema.table(second.target)
    near, far = pick.condition(one, "a."), pick.condition(two, "b.")
    sql = (
        f"SELECT c.{child.key} FROM {child.name} c JOIN {one.name} a ON c.{first.name} = a.{one.key} "
        f"JOIN {two.name} b ON c.{second.name} = b.{two.key} WHERE "
    )
    return Draft(
        f"Give the {child.key} of all {child.plural} of {a_noun(one)} {near.text} and of {a_noun(two)} {far.text}.",
        f"{sql}({near.sql}) AND ({far.sql})",
        (f"{sql}({near.sql}) OR ({far.sql})", f"{sql}{near.sql}"),
    )


def _grandparents(pick: Pick) -> Draft:
    links = pick.schema.links()
    chains = [(low, high) for low in links for high in links if low[2] == high[0]]
    if not chains:
        raise UnsuitableError(f"{pick.schema.name} has no chain of links")
    (child, link, parent), (_, above, top) = pick.rng.choice(chains)
    where = pick.condition(top, "t.")
    sql = (
        f"SELECT COUNT(*) FROM {child.name} c JOIN {parent.name} p ON c.{link.name} = p.{parent.key} "
        f"JOIN {top.name} t ON p.{above.name} = t.{top.key} WHERE "
    )
    return Draft(
        f"How many {child.plural} belong to {a_noun(parent)} whose {noun(top)} is one {where.text}?",
        sql + where.sql,
        (sql + where.near,),
    )


TEMPLATES = (
    Template("join_list", 1, "question", _join_list),
    Template("join_count", 2, "question", _join_count),
    Template("parents_with", 2, "question", _parents_with),
    Template("two_parents", 2, "question", _two_parents),
    Template("grandparents", 3, "question", _grandparents, is_held_out=True),
)
