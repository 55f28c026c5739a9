"""Reading logs: counting, choosing, summing up."""

from __future__ import annotations

from collections import Counter
from random import Random

from agentgym_swe.terminal.draft import WORDS, Draft

LEVELS = ("INFO", "INFO", "WARN", "ERROR", "DEBUG")
PAGES = ("/index", "/login", "/cart", "/search", "/help")
STATUSES = (200, 200, 200, 301, 404, 500)


def _access(rng: Random) -> list[tuple[str, str, str, int, int]]:
    """Time, address, page, status, milliseconds."""
    addresses = [f"10.0.{rng.randint(0, 9)}.{rng.randint(1, 250)}" for _ in range(5)]
    moments = sorted(rng.sample(range(24 * 60), rng.randint(25, 45)))
    return [
        (
            f"{m // 60:02d}:{m % 60:02d}",
            rng.choice(addresses),
            rng.choice(PAGES),
            rng.choice(STATUSES),
            rng.randint(1, 900),
        )
        for m in moments
    ]


def _lines(rows: list[tuple[str, str, str, int, int]]) -> str:
    return "".join(f"{t} {address} GET {page} {status} {ms}ms\n" for t, address, page, status, ms in rows)


_FORM = "access.log has lines `time address GET page status milliseconds`, such as `08:15 10.0.0.7 GET /cart 200 31ms`."


def statuses(rng: Random) -> Draft:
    """How often each status occurs."""
    rows = _access(rng)
    column, said, field = rng.choice([(3, "status", "$5"), (2, "page", "$4"), (1, "address", "$2")])
    counts = Counter(str(row[column]) for row in rows)
    return Draft(
        "statuses",
        f"{_FORM} Write how often each {said} occurs to counts.txt, as lines `{said} count` in alphabetical (byte) order of "
        f"the {said}.",
        {"access.log": _lines(rows)},
        [{"path": "counts.txt", "content": "\n".join(f"{key} {counts[key]}" for key in sorted(counts))}],
        [f"awk '{{n[{field}]++}} END {{for (k in n) print k, n[k]}}' access.log | LC_ALL=C sort > counts.txt"],
    )


def most_frequent(rng: Random) -> Draft:
    """The most frequent addresses with a status."""
    rows = _access(rng)
    status = rng.choice([200, 404, 500])
    counts = Counter(row[1] for row in rows if row[3] == status)
    ranked = sorted(counts, key=lambda key: (-counts[key], key))
    if len(ranked) < 2:
        return most_frequent(rng)
    return Draft(
        "most_frequent",
        f"{_FORM} Write the two addresses with most lines of status {status} to top.txt, one a line, the more frequent first; "
        "equally frequent ones in alphabetical (byte) order.",
        {"access.log": _lines(rows)},
        [{"path": "top.txt", "content": "\n".join(ranked[:2])}],
        [f"awk '$5 == {status} {{print $2}}' access.log | LC_ALL=C sort | uniq -c | LC_ALL=C sort -k1,1nr -k2,2 "
         "| head -n 2 | awk '{print $2}' > top.txt"],
    )  # fmt: skip


def slow(rng: Random) -> Draft:
    """Slow requests within hours."""
    rows = _access(rng)
    low = rng.randint(2, 12)
    high, bound = low + rng.randint(4, 8), rng.randint(100, 500)
    chosen = [row for row in rows if low <= int(row[0][:2]) < high and row[4] > bound]
    if not chosen:
        return slow(rng)
    return Draft(
        "slow",
        f"{_FORM} Write the lines from {low:02d}:00 up to, but without, {high:02d}:00 that took more than {bound} ms to "
        "slow.log, unchanged and in their order.",
        {"access.log": _lines(rows)},
        [{"path": "slow.log", "content": _lines(chosen)}],
        [f'awk \'$1 >= "{low:02d}:00" && $1 < "{high:02d}:00" && $6 + 0 > {bound}\' access.log > slow.log'],
    )


def totals(rng: Random) -> Draft:
    """Total milliseconds a page."""
    rows = _access(rng)
    sums: Counter[str] = Counter()
    for row in rows:
        sums[row[2]] += row[4]
    return Draft(
        "totals",
        f"{_FORM} Write the total of the milliseconds of each page to times.txt, as lines `page total`, the largest total "
        "first.",
        {"access.log": _lines(rows)},
        [{"path": "times.txt", "content": "\n".join(f"{p} {sums[p]}" for p in sorted(sums, key=lambda p: -sums[p]))}],
        ["awk '{t[$4] += $6 + 0} END {for (p in t) print p, t[p]}' access.log | sort -k2,2nr > times.txt"],
    )


def errors(rng: Random) -> Draft:
    """Messages of one level gathered from several files."""
    level = rng.choice(["ERROR", "WARN"])
    files, found = {}, []
    for day in sorted(rng.sample(range(1, 29), 4)):
        name = f"logs/app-2024-03-{day:02d}.log"
        lines = []
        for _ in range(rng.randint(6, 12)):
            kind, message = rng.choice(LEVELS), " ".join(rng.choices(WORDS, k=3))
            lines.append(f"{kind} {message}")
            if kind == level:
                found.append(message)
        files[name] = "\n".join(lines) + "\n"
    if not found:
        return errors(rng)
    return Draft(
        "errors",
        f"logs/ holds a file a day with lines `LEVEL message`. Write the messages (without the level) of all {level} lines to "
        "messages.txt, the earliest day first, within a day in their order.",
        files,
        [{"path": "messages.txt", "content": "\n".join(found)}],
        [f"cat logs/app-*.log | sed -n 's/^{level} //p' > messages.txt"],
    )


KINDS = (statuses, most_frequent, slow, totals, errors)
