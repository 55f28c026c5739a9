"""Small algorithms: windows, runs, pairs, coins, paths, merged spans, subsequences, rotations, searches.

Inputs are small enough for the plainest program.
"""

from __future__ import annotations

from random import Random

from agentgym_tools.python.kinds.lists import draw_list
from agentgym_tools.python.problem import Problem


def windows(rng: Random, level: int) -> Problem:
    """Something about every window of a fixed length."""
    k = rng.randint(2, 3 + level)
    words, term = rng.choice(
        [
            ("sum", "sum(w)"),
            ("largest number", "max(w)"),
            ("difference of largest and smallest number", "max(w) - min(w)"),
            ("number of different numbers", "len(set(w))"),
            ("number of even numbers", "sum(x % 2 == 0 for x in w)"),
            ("sum of the first and the last number", "w[0] + w[-1]"),
        ]
    )
    wanted, result = rng.choice(
        [
            ("the list of them", "return vs"),
            ("the largest of them, or None if there is no window", "return max(vs, default=None)"),
            ("the position of the first window where it is largest, or -1 if there is no window",
             "return vs.index(max(vs)) if vs else -1"),
        ]
    )  # fmt: skip
    text = f"takes, for every window of {k} neighbouring numbers of a list xs, the {words}, and returns {wanted}."
    body = f"ws = [xs[i : i + {k}] for i in range(len(xs) - {k} + 1)]\nvs = [{term} for w in ws]\n{result}"
    inputs: list[list[object]] = [
        [draw_list(rng, length)] for length in (7, 6, 1, *(rng.randint(4, 14) for _ in range(7)))
    ]
    return Problem("windows", text, body, "windows", ("xs",), inputs)


def runs(rng: Random, level: int) -> Problem:
    """The longest stretch of neighbours that satisfies something."""
    k = rng.randint(2, 9)
    words, test = rng.choice(
        [
            ("each number is larger than the one before", "b > a"),
            ("each number is at most the one before", "b <= a"),
            (f"neighbours differ by at most {k}", f"abs(a - b) <= {k}"),
            (f"neighbours differ by at least {k}", f"abs(a - b) >= {k}"),
            ("even and odd numbers alternate", "(a + b) % 2 == 1"),
            (f"the sum of any two neighbours is at least {k}", f"a + b >= {k}"),
        ]
    )
    wanted, result = rng.choice(
        [
            ("its length (0 for an empty list)", "return len(best)"),
            ("the first such stretch as a list", "return best"),
            ("the sum of the first such stretch", "return sum(best)"),
        ]
    )
    text = f"looks for the longest stretch of neighbouring numbers in a list xs in which {words}, and returns {wanted}."
    body = (
        "best = run = xs[:1]\n"
        "for a, b in zip(xs, xs[1:]):\n"
        f"    run = run + [b] if {test} else [b]\n"
        f"    if len(run) > len(best):\n        best = run\n{result}"
    )
    width = 12 if level == 1 else 8
    lengths = (8, 7, 0, 1, *(rng.randint(5, 9 + 3 * level) for _ in range(6)))
    inputs: list[list[object]] = [[draw_list(rng, length, width)] for length in lengths]
    return Problem("runs", text, body, "longest_run", ("xs",), inputs)


def pair_sums(rng: Random, level: int) -> Problem:
    """Pairs of positions with a target."""
    k = rng.randint(2, 6)
    words, test = rng.choice(
        [
            ("xs[i] + xs[j] == t", "xs[i] + xs[j] == t"),
            ("xs[i] + xs[j] is greater than t", "xs[i] + xs[j] > t"),
            ("xs[j] - xs[i] == t", "xs[j] - xs[i] == t"),
            (f"xs[i] + xs[j] leaves the same remainder as t when divided by {k}", f"(xs[i] + xs[j]) % {k} == t % {k}"),
            ("the product xs[i] * xs[j] is at most t", "xs[i] * xs[j] <= t"),
        ]
    )
    far = rng.randint(2, 4) if level > 1 else 1
    bound = f"j - i >= {far}" if far > 1 else "i < j"
    wanted, result = rng.choice(
        [
            ("the number of pairs of positions", "return len(ps)"),
            ("the sorted list of the pairs [i, j] of positions (from 0)", "return ps"),
            ("the largest j - i of the pairs of positions, or 0 if there are none", "return max((j - i for i, j in ps), default=0)"),
        ]
    )  # fmt: skip
    text = f"takes a list xs and a number t and returns {wanted} with {bound} and: {words}."
    body = f"n = len(xs)\nps = [[i, j] for i in range(n) for j in range(i + {far}, n) if {test}]\n{result}"
    inputs: list[list[object]] = [[draw_list(rng, rng.randint(4, 8), 6), rng.randint(-2, 8)] for _ in range(10)]
    return Problem("pair_sums", text, body, "pairs", ("xs", "t"), inputs)


def coins(rng: Random, level: int) -> Problem:
    """Ways to pay an amount."""
    values = sorted(rng.sample(range(2, 12), 2 + level))
    if rng.random() < 0.5:
        text = (
            f"returns the smallest number of coins of the values {values} that pay the amount n exactly (each value may be "
            "used any number of times), or -1 if it cannot be paid."
        )
        body = (
            "best = [0] + [None] * n\nfor v in range(1, n + 1):\n"
            f"    known = [best[v - c] for c in {values} if c <= v and best[v - c] is not None]\n"
            "    best[v] = min(known) + 1 if known else None\nreturn -1 if best[n] is None else best[n]"
        )
    else:
        text = (
            f"returns in how many ways the amount n can be paid with coins of the values {values}, each used any number of "
            "times, where the order of the coins does not matter (there is one way to pay 0)."
        )
        body = f"ways = [1] + [0] * n\nfor c in {values}:\n    for v in range(c, n + 1):\n        ways[v] += ways[v - c]\nreturn ways[n]"
    inputs: list[list[object]] = [[n] for n in rng.sample(range(5, 60), 10)]
    return Problem("coins", text, body, "pay", ("n",), inputs)


def paths(rng: Random, level: int) -> Problem:
    """Paths over a grid of numbers."""
    steps = rng.choice([("right or down", "0, 1", "1, 0"), ("down or diagonally down to the right", "1, 0", "1, 1")])
    best, words = rng.choice([("max", "largest"), ("min", "smallest")])
    cost, said = rng.choice(
        [
            ("grid[r][c]", "the sum of the numbers on the way"),
            ("abs(grid[r][c])", "the sum of the absolute values of the numbers on the way"),
            ("grid[r][c] % 5", "the sum of the remainders after division by 5 of the numbers on the way"),
        ]
    )
    diagonal = "diagonal" in steps[0]
    end = "any field of the last row" if diagonal else "the last field of the last row"
    text = (
        f"takes a grid (a list of rows of equal length) and returns the {words} possible value of {said}, both ends "
        f"included, from the first field of the first row to {end}, going {steps[0]} by one field at each step."
    )
    moves = f"(({steps[1]}), ({steps[2]}))"
    stop = "r == len(grid) - 1" if diagonal else "(r, c) == (len(grid) - 1, len(grid[0]) - 1)"
    body = (
        "def go(r, c):\n"
        f"    if {stop}:\n        return {cost}\n"
        f"    nexts = [(r + a, c + b) for a, b in {moves} if r + a < len(grid) and c + b < len(grid[0])]\n"
        f"    return {cost} + {best}(go(*n) for n in nexts)\nreturn go(0, 0)"
    )
    inputs: list[list[object]] = []
    for _ in range(10):
        rows, columns = rng.randint(2, 3 + level), rng.randint(2, 3 + level)
        inputs.append([[[rng.randint(-9, 15) for _ in range(columns)] for _ in range(rows)]])
    return Problem("paths", text, body, "best_path", ("grid",), inputs)


def spans(rng: Random, level: int) -> Problem:
    """Overlapping spans merged."""
    gap = rng.randint(0, 2 + level)
    wanted, result = rng.choice(
        [
            ("the sorted list of merged spans", "return merged"),
            ("the number of merged spans", "return len(merged)"),
            ("the total length (end minus start) of the merged spans", "return sum(b - a for a, b in merged)"),
            ("the longest merged span, the first of several, or None if there are none",
             "return max(merged, key=lambda s: s[1] - s[0], default=None)"),
        ]
    )  # fmt: skip
    distance = "overlap or touch" if gap == 0 else f"overlap, touch or are at most {gap} apart"
    text = f"takes a list of spans [start, end], merges those that {distance} until none are left to merge, and returns {wanted}."
    body = (
        "merged = []\n"
        "for a, b in sorted(spans):\n"
        f"    if merged and a <= merged[-1][1] + {gap}:\n        merged[-1][1] = max(merged[-1][1], b)\n"
        f"    else:\n        merged.append([a, b])\n{result}"
    )
    inputs: list[list[object]] = []
    for number in range(10):
        starts = [rng.randint(0, 40) for _ in range(rng.randint(2, 5 + level) if number != 5 else 0)]
        inputs.append([[[a, a + rng.randint(1, 7)] for a in starts]])
    return Problem("spans", text, body, "merge", ("spans",), inputs)


def rearranged(rng: Random, level: int) -> Problem:
    """A list rearranged by a rule with numbers."""
    k, b = rng.randint(1, 4), rng.randint(2, 5)
    words, body = rng.choice(
        [
            (f"rotates each block of {b} numbers (from the start; the last block may be shorter) to the left by {k} places",
             f"out = []\nfor i in range(0, len(xs), {b}):\n    w = xs[i : i + {b}]\n    s = {k} % len(w)\n"
             "    out += w[s:] + w[:s]\nreturn out"),
            (f"moves all numbers divisible by {b} to the front, keeping the order within both parts",
             f"return [x for x in xs if x % {b} == 0] + [x for x in xs if x % {b}]"),
            (f"deals the numbers like cards to {b} players in turn and puts the players' cards one after another",
             f"return [x for p in range({b}) for x in xs[p::{b}]]"),
            (f"sorts the numbers by their remainder after division by {b} (never negative), and those of equal remainder in "
             "descending order", f"return sorted(xs, key=lambda x: (x % {b}, -x))"),
            (f"removes, going round in a circle and counting from the first one, every {b + 1}th number until {k} are left, "
             f"and returns those in their order (a list of at most {k} numbers stays as it is)",
             f"ys, i = list(xs), 0\nwhile len(ys) > {k}:\n    i = (i + {b}) % len(ys)\n    ys.pop(i)\nreturn ys"),
            (f"sorts the numbers at the positions divisible by {b} among themselves in ascending order and leaves the others",
             f"ys = list(xs)\nys[::{b}] = sorted(ys[::{b}])\nreturn ys"),
        ]
    )  # fmt: skip
    text = (
        f"takes a list xs of whole numbers, {words}."
        if "returns" in words
        else f"takes a list xs of whole numbers, {words}, and returns the new list."
    )
    lengths = (7, 6, 0, 1, *(rng.randint(4, 8 + 2 * level) for _ in range(6)))
    inputs: list[list[object]] = [[draw_list(rng, length)] for length in lengths]
    return Problem("rearranged", text, body, "rearrange", ("xs",), inputs)


KINDS = (windows, runs, pair_sums, coins, paths, spans, rearranged)
