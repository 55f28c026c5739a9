"""Changing files: tables, replacements, renaming, merging, other formats."""

from __future__ import annotations

import json
from random import Random

from agentgym_swe.terminal.draft import WORDS, Draft, paths, prose

CITIES = ("Lund", "Brno", "Pisa", "Gent", "Turku", "Porto")


def _table(rng: Random) -> list[tuple[str, str, int, int]]:
    names = rng.sample(WORDS, rng.randint(6, 10))
    return [
        (name, rng.choice(CITIES), amount, rng.randint(1, 99))
        for name, amount in zip(names, rng.sample(range(10, 500), len(names)), strict=True)
    ]


def csv_rows(rng: Random) -> Draft:
    """Rows of a table chosen and sorted."""
    rows = _table(rng)
    bound = sorted(amount for _, _, amount, _ in rows)[len(rows) // 2]
    header = "name,city,amount,age"
    text = "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"
    chosen = sorted((row for row in rows if row[2] >= bound), key=lambda row: -row[2])
    return Draft(
        "csv_rows",
        f"people.csv has the columns {header}. Write the rows with an amount of at least {bound} to result.csv, with the same "
        "header, the largest amount first.",
        {"people.csv": text},
        [{"path": "result.csv", "content": "\n".join([header, *(",".join(map(str, row)) for row in chosen)])}],
        [f"(head -n 1 people.csv; tail -n +2 people.csv | awk -F, '$3 >= {bound}' | sort -t, -k3,3nr) > result.csv"],
    )


def csv_columns(rng: Random) -> Draft:
    """Columns of a table in another order, with another separator."""
    rows = _table(rng)
    order = rng.sample(range(4), rng.randint(2, 3))
    names = ["name", "city", "amount", "age"]
    separator, said = rng.choice([("\t", "tabs"), (";", "semicolons"), ("|", "vertical bars")])
    text = "\n".join([",".join(names), *(",".join(map(str, row)) for row in rows)]) + "\n"
    lines = [separator.join(str(row[column]) for column in order) for row in [tuple(names), *rows]]
    fields = ", ".join(f"${column + 1}" for column in order)
    return Draft(
        "csv_columns",
        f"Write the columns {', '.join(names[column] for column in order)}, in this order, of people.csv to columns.out, "
        f"with {said} between them instead of commas; keep the header.",
        {"people.csv": text},
        [{"path": "columns.out", "content": "\n".join(lines)}],
        [
            f"awk -F, -v OFS='{separator if separator != chr(9) else chr(92) + 't'}' '{{print {fields}}}' people.csv > columns.out"
        ],
    )


def group_sum(rng: Random) -> Draft:
    """Totals by a column."""
    rows = _table(rng)
    totals: dict[str, int] = {}
    for _, city, amount, _ in rows:
        totals[city] = totals.get(city, 0) + amount
    text = "\n".join(",".join(map(str, row)) for row in rows) + "\n"
    return Draft(
        "group_sum",
        "orders.csv has the columns name, city, amount, age, and no header. Write the total amount of each city to "
        "totals.txt, as lines `city total` in alphabetical order of the cities.",
        {"orders.csv": text},
        [{"path": "totals.txt", "content": "\n".join(f"{city} {totals[city]}" for city in sorted(totals))}],
        ["awk -F, '{t[$2] += $3} END {for (c in t) print c, t[c]}' orders.csv | sort > totals.txt"],
    )


def replace_word(rng: Random) -> Draft:
    """A word replaced in files of one extension."""
    old, new = rng.sample(
        ["alpha-host", "beta-host", "gamma-host", "port 8080", "port 9090", "mode=slow", "mode=fast"], 2
    )
    extension = rng.choice(["conf", "ini"])
    files = {}
    for path in paths(rng, 8, [extension, extension, "md"]):
        lines = prose(rng, 4).splitlines()
        for _ in range(rng.randint(0, 2)):
            lines.insert(rng.randint(0, len(lines)), f"{rng.choice(WORDS)} {old} {rng.choice(WORDS)} {old}")
        files[path] = "\n".join(lines) + "\n"
    changed = {path: text.replace(old, new) for path, text in files.items() if path.endswith(extension) and old in text}
    if not changed:
        return replace_word(rng)
    return Draft(
        "replace_word",
        f"Replace every {old!r} by {new!r} in all .{extension} files below the current folder; change nothing else.",
        files,
        [{"path": path, "content": text} for path, text in changed.items()],
        [f"find . -name '*.{extension}' -exec sed -i 's|{old}|{new}|g' {{}} +"],
    )


def rename(rng: Random) -> Draft:
    """Files renamed by a pattern."""
    old, new = rng.choice([("jpeg", "jpg"), ("htm", "html"), ("yml", "yaml"), ("text", "txt")])
    every = paths(rng, 9, [old, old, "md"])
    files = {path: prose(rng, 2) for path in every}
    prefix = rng.choice(["", "old-", "v1-"])
    checks: list[dict[str, object]] = []
    for path in every:
        if path.endswith(f".{old}"):
            folder, _, name = path.rpartition("/")
            moved = f"{folder}/{prefix}{name.removesuffix(old)}{new}"
            checks += [{"path": path, "absent": True}, {"path": moved, "content": files[path]}]
    if not checks:
        return rename(rng)
    also = f" and put {prefix!r} before their names" if prefix else ""
    return Draft(
        "rename",
        f"Rename all .{old} files below the current folder to .{new}{also}; each stays in its folder.",
        files,
        checks,
        [f"find . -name '*.{old}' | while read -r p; do d=$(dirname \"$p\"); b=$(basename \"$p\" .{old}); "
         f"mv \"$p\" \"$d/{prefix}$b.{new}\"; done"],
    )  # fmt: skip


def merge(rng: Random) -> Draft:
    """Lists merged."""
    lists = {f"list{number}.txt": rng.sample(WORDS, rng.randint(5, 12)) for number in range(1, 4)}
    files = {name: "\n".join(words) + "\n" for name, words in lists.items()}
    every = [word for words in lists.values() for word in words]
    said, chosen, command = rng.choice(
        [
            ("every word that occurs in any of them, once", sorted(set(every)), "sort -u list?.txt"),
            ("every word that occurs in more than one of them, once", sorted({w for w in every if every.count(w) > 1}),
             "sort list?.txt | uniq -d"),
            ("every word that occurs in exactly one of them", sorted(w for w in every if every.count(w) == 1),
             "sort list?.txt | uniq -u"),
        ]
    )  # fmt: skip
    return Draft(
        "merge",
        f"list1.txt, list2.txt and list3.txt hold a word a line, none twice in a file. Write {said}, to merged.txt, one a "
        "line in alphabetical order.",
        files,
        [{"path": "merged.txt", "content": "\n".join(chosen)}],
        [f"{command} > merged.txt"],
    )


def from_json(rng: Random) -> Draft:
    """Values taken out of JSON."""
    items = [
        {
            "name": name,
            "tags": rng.sample(CITIES, rng.randint(1, 3)),
            "price": rng.randint(1, 50),
            "sold": rng.random() < 0.5,
        }
        for name in rng.sample(WORDS, rng.randint(5, 8))
    ]
    bound = rng.randint(10, 30)
    chosen = sorted(f"{i['name']} {i['price']}" for i in items if i["sold"] and int(str(i["price"])) > bound)
    if not chosen:
        return from_json(rng)
    return Draft(
        "from_json",
        "items.json holds a list of objects with name, tags, price and sold. Write `name price` of those that are sold "
        f"(true) at a price above {bound} to sold.txt, one a line in alphabetical order.",
        {"items.json": json.dumps(items, indent=2) + "\n"},
        [{"path": "sold.txt", "content": "\n".join(chosen)}],
        [f"jq -r '.[] | select(.sold and .price > {bound}) | \"\\(.name) \\(.price)\"' items.json | sort > sold.txt"],
    )


KINDS = (csv_rows, csv_columns, group_sum, replace_word, rename, merge, from_json)
