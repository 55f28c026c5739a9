"""Functions that read a small format: pairs, durations, ranges, signed sums, log lines, commands.

Every text is well formed; the separators are what differs.
"""

from __future__ import annotations

from random import Random

from agentgym_tools.python.problem import Problem

KEYS = ("red", "blue", "tin", "oak", "salt", "iron", "clay", "mint")
LEVELS = ("INFO", "WARN", "ERROR", "DEBUG")
HOSTS = ("alpha", "beta", "gamma", "delta")


def pairs(rng: Random, level: int) -> Problem:
    """Names with amounts."""
    outer, inner = rng.sample([";", ",", "|", "&"], 1)[0], rng.choice(["=", ":", "->"])
    wanted, result = rng.choice(
        [
            ("a dict from each name to the sum of its amounts", "return sums"),
            ("the sorted list of the names whose amounts add up to more than {k}",
             "return sorted(n for n in sums if sums[n] > {k})"),
            ("the name with the largest sum of amounts, the alphabetically first of several, or '' for an empty text",
             "return min(sums, key=lambda n: (-sums[n], n)) if sums else ''"),
            ("the difference between the largest and the smallest sum of amounts of a name, or 0 for an empty text",
             "return max(sums.values()) - min(sums.values()) if sums else 0"),
            ("the list of [name, sum of its amounts] in alphabetical order", "return [[n, sums[n]] for n in sorted(sums)]"),
        ]
    )  # fmt: skip
    k = rng.randint(8, 20)
    text = (
        f"reads a text of entries name{inner}amount with {outer!r} between them (whole amounts, a name may come several "
        f"times, the text may be empty) and returns {wanted.format(k=k)}."
    )
    body = (
        "sums = {}\n"
        f"for entry in filter(None, text.split({outer!r})):\n"
        f"    name, amount = entry.split({inner!r})\n"
        "    sums[name] = sums.get(name, 0) + int(amount)\n" + (result.format(k=k) if "{k}" in result else result)
    )
    inputs: list[list[object]] = [[""]]
    for _ in range(9):
        entries = [f"{rng.choice(KEYS[: 3 + level])}{inner}{rng.randint(1, 20)}" for _ in range(rng.randint(1, 7))]
        inputs.insert(0, [outer.join(entries)])
    return Problem("pairs", text, body, "read_pairs", ("text",), inputs)


def durations(rng: Random, level: int) -> Problem:
    """Times such as 2h 15m."""
    units = rng.choice([("h", "m", "s"), ("d", "h", "m"), ("w", "d", "h")])
    sizes = {"h m s": (3600, 60, 1), "d h m": (1440, 60, 1), "w d h": (168, 24, 1)}[" ".join(units)]
    smallest = {"s": "seconds", "m": "minutes", "h": "hours"}[units[2]]
    table = dict(zip(units, sizes, strict=True))
    k = rng.randint(1, 3)
    wanted, result = rng.choice(
        [
            (f"their total in {smallest}", "return sum(values)"),
            (f"the longest of them in {smallest}", "return max(values)"),
            (f"the list of them in {smallest}, in ascending order", "return sorted(values)"),
            (f"how many of them are longer than {k}{units[1]}", f"return sum(v > {k * sizes[1]} for v in values)"),
            (f"the difference between the longest and the shortest in {smallest}", "return max(values) - min(values)"),
            (f"the list of them in whole {units[1]}, rounded down, in their order", f"return [v // {sizes[1]} for v in values]"),
        ]
    )  # fmt: skip
    separator = rng.choice([", ", " / ", "; "])
    text = (
        f"reads durations such as '2{units[0]} 15{units[1]}' or '7{units[2]}' (parts with the units {', '.join(units)}, "
        f"largest first, single spaces between them) with {separator!r} between durations, and returns {wanted}. "
        f"1{units[0]} is {sizes[0] // sizes[1]}{units[1]}, 1{units[1]} is {sizes[1]}{units[2]}."
    )
    body = (
        f"units = {table!r}\n"
        f"values = [sum(int(p[:-1]) * units[p[-1]] for p in d.split(' ')) for d in text.split({separator!r})]\n{result}"
    )
    inputs: list[list[object]] = []
    for _ in range(10):
        several = []
        for _ in range(rng.randint(1 + (len(inputs) < 2), 2 + level)):
            kept = [unit for unit in units if rng.random() < 0.6] or [rng.choice(units)]
            several.append(" ".join(f"{rng.randint(1, 30)}{unit}" for unit in kept))
        inputs.append([separator.join(several)])
    return Problem("durations", text, body, "read_durations", ("text",), inputs)


def intervals(rng: Random, level: int) -> Problem:
    """Lists of numbers and ranges such as 1-3,7."""
    dash, comma = rng.choice(["-", "..", "~", " to "]), rng.choice([",", ";", " + "])
    k = rng.randint(2, 5)
    wanted, result = rng.choice(
        [
            ("the sorted list of all different numbers in it", "return sorted(set(ns))"),
            ("the number of different numbers in it", "return len(set(ns))"),
            ("the sum of all numbers in it, counted as often as they occur", "return sum(ns)"),
            ("the sorted list of the numbers that occur more than once", "return sorted({n for n in ns if ns.count(n) > 1})"),
            (f"how many different numbers in it are divisible by {k}", f"return len({{n for n in ns if n % {k} == 0}})"),
            ("the sorted list of the numbers that are missing between its smallest and its largest one",
             "return [n for n in range(min(ns), max(ns)) if n not in ns]"),
        ]
    )  # fmt: skip
    text = (
        f"reads a list such as '{k}{dash}{k + 3}{comma}12', in which '{k}{dash}{k + 3}' stands for the whole numbers from "
        f"{k} to {k + 3}, and returns {wanted}."
    )
    body = (
        "ns = []\n"
        f"for part in text.split({comma!r}):\n"
        f"    low, _, high = part.partition({dash!r})\n"
        f"    ns += range(int(low), int(high or low) + 1)\n{result}"
    )
    inputs: list[list[object]] = []
    for _ in range(10):
        parts = []
        for _ in range(rng.randint(2, 3 + level)):
            low = rng.randint(1, 30)
            parts.append(f"{low}{dash}{low + rng.randint(1, 6)}" if rng.random() < 0.5 else str(low))
        inputs.append([comma.join(parts)])
    return Problem("intervals", text, body, "read_intervals", ("text",), inputs)


def logs(rng: Random, level: int) -> Problem:
    """Log lines with a level, a host and a number."""
    chosen, other = rng.sample(LEVELS, 2)
    k = rng.randint(100, 400)
    test, words = rng.choice(
        [
            (f"level == {chosen!r}", f"of level {chosen}"),
            (f"level in ({chosen!r}, {other!r})", f"of level {chosen} or {other}"),
            (f"level != {chosen!r}", f"that are not of level {chosen}"),
            (f"int(ms) > {k}", f"that took more than {k} ms"),
            (f"level == {chosen!r} and int(ms) <= {k}", f"of level {chosen} that took at most {k} ms"),
        ]
    )
    wanted, result = rng.choice(
        [
            ("a dict that maps each host to its number of these lines", "return {h: sum(r[0] == h for r in rows) for h, _ in rows}"),
            ("the total of the milliseconds of these lines", "return sum(ms for _, ms in rows)"),
            ("the sorted list of different hosts of these lines", "return sorted({h for h, _ in rows})"),
            ("the largest number of milliseconds of these lines, or None if there are none",
             "return max((ms for _, ms in rows), default=None)"),
            ("the host of the slowest of these lines, the first of several, or '' if there are none",
             "return max(rows, key=lambda r: r[1])[0] if rows else ''"),
        ]
    )  # fmt: skip
    text = (
        f"reads log lines such as 'WARN alpha 120ms' (level, host, time), looks at those {words}, and returns {wanted}."
    )
    body = (
        "rows = []\n"
        "for line in text.splitlines():\n"
        "    level, host, ms = line.removesuffix('ms').split()\n"
        f"    if {test}:\n        rows.append((host, int(ms)))\n{result}"
    )
    inputs: list[list[object]] = []
    for _ in range(10):
        lines = [
            f"{rng.choice([chosen, *LEVELS])} {rng.choice(HOSTS)} {rng.randint(1, 600)}ms"
            for _ in range(rng.randint(2, 5 + level))
        ]
        inputs.append(["\n".join(lines)])
    return Problem("logs", text, body, "read_log", ("text",), inputs)


def commands(rng: Random, level: int) -> Problem:
    """A little machine that is steered by a text."""
    up, down, turn, undo = rng.sample("UDLRXFBN", 4)
    a, b = rng.randint(1, 5), rng.randint(1, 5)
    rules = {
        up: (f"adds {a}", f"v += {a}"),
        down: (f"takes {b} away", f"v -= {b}"),
        turn: ("changes the sign", "v = -v") if rng.random() < 0.5 else ("doubles the value", "v *= 2"),
        undo: ("sets the value to 0", "v = 0")
        if level < 3
        else ("goes back to the value before the last letter", "v = h[-2]"),
    }
    used = list(rules)[: 2 + min(level, 2)]
    wanted, result = rng.choice(
        [
            ("the value at the end", "return v"),
            ("the largest value that ever was, the start included", "return max(h)"),
            ("the list of all values, the start included", "return h"),
            ("how many of the values, the start included, are negative", "return sum(x < 0 for x in h)"),
        ]
    )
    said = ", ".join(f"{letter} {rules[letter][0]}" for letter in used)
    text = f"follows the letters of a text with a value that starts at {a + b}: {said}; it returns {wanted}."
    lines = "".join(
        f"    {'el' if i else ''}if c == {letter!r}:\n        {rules[letter][1]}\n" for i, letter in enumerate(used)
    )
    if level == 3:
        text = text.replace("last letter", "last letter (nothing happens where there is none)")
        lines = lines.replace("v = h[-2]", "v = h[-2] if len(h) > 1 else v")
    body = f"v = {a + b}\nh = [v]\nfor c in text:\n{lines}    h.append(v)\n{result}"
    inputs: list[list[object]] = [["".join(rng.choices(used, k=rng.randint(3, 9)))] for _ in range(10)]
    return Problem("commands", text, body, "steer", ("text",), inputs)


KINDS = (pairs, durations, intervals, logs, commands)
