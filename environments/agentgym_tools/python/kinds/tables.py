"""Functions on small tables: rows as dicts, chosen, grouped and summed up.

Whole numbers only, so that no rounding enters.
"""

from __future__ import annotations

from random import Random

from agentgym_tools.python.problem import Problem

TABLES = (
    ("sale", ("shop", "item"), ("units", "price"), (("Nord", "Hafen", "Markt", "Ost"), ("tea", "rice", "soap", "oil"))),
    ("trip", ("city", "driver"), ("km", "fuel"), (("Lund", "Brno", "Pisa", "Gent"), ("Ana", "Ben", "Cleo", "Dov"))),
    ("match", ("team", "venue"), ("goals", "fans"), (("Reds", "Owls", "Hawks", "Bulls"), ("home", "away", "cup"))),
    ("shift", ("worker", "site"), ("hours", "rate"), (("Eli", "Fay", "Gus", "Hal"), ("mill", "dock", "yard"))),
)


def _rows(rng: Random, table: int, count: int) -> list[dict[str, object]]:
    _, texts, numbers, values = TABLES[table]
    return [
        {
            **{name: rng.choice(choices) for name, choices in zip(texts, values, strict=True)},
            **{name: rng.randint(1, 20) for name in numbers},
        }
        for _ in range(count)
    ]


def _inputs(rng: Random, table: int) -> list[list[object]]:
    return [[_rows(rng, table, count)] for count in (3, 4, 0, 1, *(rng.randint(3, 7) for _ in range(6)))]


def _choice(rng: Random, table: int) -> tuple[str, str]:
    _, texts, numbers, values = TABLES[table]
    number, k = rng.choice(numbers), rng.randint(4, 14)
    which = rng.randrange(2)
    value = rng.choice(values[which])
    return rng.choice(
        [
            (f"with more than {k} {number}", f"r[{number!r}] > {k}"),
            (f"with at most {k} {number}", f"r[{number!r}] <= {k}"),
            (f"whose {texts[which]} is {value!r}", f"r[{texts[which]!r}] == {value!r}"),
            (f"whose {texts[which]} is not {value!r}", f"r[{texts[which]!r}] != {value!r}"),
            (f"with an even number of {number}", f"r[{number!r}] % 2 == 0"),
        ]
    )


def _measure(rng: Random, table: int) -> tuple[str, str]:
    a, b = TABLES[table][2]
    return rng.choice(
        [
            (a, f"r[{a!r}]"),
            (b, f"r[{b!r}]"),
            (f"product of {a} and {b}", f"r[{a!r}] * r[{b!r}]"),
            (f"sum of {a} and {b}", f"(r[{a!r}] + r[{b!r}])"),
        ]
    )


def grouped(rng: Random, level: int) -> Problem:
    """Rows grouped by a column."""
    table = rng.randrange(len(TABLES))
    row, texts, _, _ = TABLES[table]
    by = rng.choice(texts)
    said, term = _measure(rng, table)
    chosen, test = _choice(rng, table) if level > 1 else ("", "True")
    wanted, result = rng.choice(
        [
            ("a dict that maps each {by} to the total of the {said}", "return {{k: sum(v) for k, v in g.items()}}"),
            ("a dict that maps each {by} to the largest {said}", "return {{k: max(v) for k, v in g.items()}}"),
            ("a dict that maps each {by} to its number of {row}s", "return {{k: len(v) for k, v in g.items()}}"),
            ("the {by} with the largest total of the {said}, the alphabetically first of several, or '' if there is none",
             "return min(g, key=lambda k: (-sum(g[k]), k)) if g else ''"),
            ("the list of [{by}, total of the {said}], the largest total first, equal totals in alphabetical order",
             "return [[k, sum(g[k])] for k in sorted(g, key=lambda k: (-sum(g[k]), k))]"),
            ("the sorted list of every {by} that has at least two {row}s", "return sorted(k for k in g if len(g[k]) > 1)"),
        ]
    )  # fmt: skip
    only = f", of the {row}s {chosen} only," if chosen else ""
    text = (
        f"takes a list of {row}s, dicts with {', '.join((*texts, *TABLES[table][2]))}, and returns{only} "
        f"{wanted.format(by=by, said=said, row=row)}."
    )
    body = (
        "g = {}\n"
        f"for r in rows:\n    if {test}:\n        g.setdefault(r[{by!r}], []).append({term})\n{result.format()}"
    )
    return Problem("grouped", text, body, "group", ("rows",), _inputs(rng, table))


def ordered(rng: Random, level: int) -> Problem:
    """Rows put in order or summed up."""
    table = rng.randrange(len(TABLES))
    row, texts, _, _ = TABLES[table]
    a, b = rng.sample(texts, 2)
    said, term = _measure(rng, table)
    conditions = [_choice(rng, table) for _ in range(max(1, level - 1))]
    chosen, test = " and ".join(c for c, _ in conditions), " and ".join(t for _, t in conditions)
    k = rng.randint(1, 3)
    wanted, result = rng.choice(
        [
            (f"the list of their {a}s, the largest {said} first, equal ones in their order",
             f"return [r[{a!r}] for r in sorted(rows, key=lambda r: -{term})]"),
            (f"the {k} largest values of the {said} in descending order (fewer if there are fewer)",
             f"return sorted(({term} for r in rows), reverse=True)[:{k}]"),
            (f"the total of the {said}", f"return sum({term} for r in rows)"),
            (f"the list of different [{a}, {b}] among them in alphabetical order",
             f"return sorted({{(r[{a!r}], r[{b!r}]) for r in rows}})"),
            (f"the list of the running totals of the {said} in their order",
             f"values = [{term} for r in rows]\nreturn [sum(values[: i + 1]) for i in range(len(values))]"),
        ]
    )  # fmt: skip
    text = (
        f"takes a list of {row}s, dicts with {', '.join((*texts, *TABLES[table][2]))}, keeps those {chosen}, and returns "
        f"{wanted}."
    )
    body = f"rows = [r for r in rows if {test}]\n{result}"
    return Problem("ordered", text, body, "order", ("rows",), _inputs(rng, table))


KINDS = (grouped, ordered)
