"""Functions on lists of whole numbers: a choice of elements, a change of each, and what is made of the result.

The number of different combinations is what makes the tasks; a level adds a step.
"""

from __future__ import annotations

from random import Random

from agentgym_tools.python.problem import Problem

CHOICES = (
    ("are even", "x % 2 == 0"),
    ("are odd", "x % 2 == 1"),
    ("are greater than {k}", "x > {k}"),
    ("are less than {k}", "x < {k}"),
    ("are divisible by {m}", "x % {m} == 0"),
    ("are not divisible by {m}", "x % {m} != 0"),
    ("lie between -{w} and {w} (both included)", "-{w} <= x <= {w}"),
    ("do not end in the digit {m} (look at the absolute value)", "abs(x) % 10 != {m}"),
)
CHANGES = (
    ("the square of each", "x * x"),
    ("the absolute value of each", "abs(x)"),
    ("{m} times each", "{m} * x"),
    ("each plus {k}", "x + {k}"),
    ("the sum of the digits of each (of its absolute value)", "sum(map(int, str(abs(x))))"),
    ("each divided by {m}, rounded down", "x // {m}"),
    ("the remainder of each after division by {m} (never negative)", "x % {m}"),
    ("the distance of each from {k}", "abs(x - {k})"),
)
RESULTS = (
    ("returns the sum of these numbers", "return sum(ys)"),
    ("returns how many different numbers these are", "return len(set(ys))"),
    ("returns the largest of these numbers, or None if there are none", "return max(ys, default=None)"),
    ("returns the smallest of these numbers, or None if there are none", "return min(ys, default=None)"),
    ("returns these numbers in descending order", "return sorted(ys, reverse=True)"),
    ("returns these numbers in their order, each only once", "return list(dict.fromkeys(ys))"),
    ("returns these numbers in reversed order", "return ys[::-1]"),
    ("returns the list of running sums of these numbers", "return [sum(ys[: i + 1]) for i in range(len(ys))]"),
    ("returns the list of differences of neighbours (next minus previous)", "return [b - a for a, b in zip(ys, ys[1:])]"),
    ("returns the sum of every second number, starting with the first", "return sum(ys[::2])"),
    ("returns the difference of the largest and the smallest number, or 0 if there are none",
     "return max(ys) - min(ys) if ys else 0"),
    ("returns a dict that maps the text of each of these numbers to how often it occurs",
     "return {str(y): ys.count(y) for y in ys}"),
)  # fmt: skip
NAMES = ("select", "collect", "pick", "gather", "reduce_list", "summarise")


def draw_list(rng: Random, length: int, width: int = 30) -> list[int]:
    """Whole numbers of either sign, some of them several times."""
    xs = [rng.randint(-width, width) for _ in range(length)]
    return xs + [rng.choice(xs) for _ in range(length // 4)] if xs else xs


def _filled(rng: Random, parts: tuple[str, str]) -> tuple[str, str]:
    values = {"k": rng.randint(2, 15), "m": rng.randint(3, 7), "w": rng.randint(6, 20)}
    return parts[0].format(**values), parts[1].format(**values)


def _inputs(rng: Random) -> list[list[object]]:
    lengths = [6, 4, 0, 1, *(rng.randint(2, 12) for _ in range(6))]
    return [[draw_list(rng, length)] for length in lengths]


def _pipeline(rng: Random, steps: list[str]) -> Problem:
    """A function that does the steps one after another; each of them is "choose", "change" or "place"."""
    text, lines = "takes a list of whole numbers xs", ["ys = list(xs)"]
    for step in steps:
        if step == "choose":
            words, test = _filled(rng, rng.choice(CHOICES))
            text += f", keeps those that {words}"
            lines.append(f"ys = [x for x in ys if {test}]")
        elif step == "change":
            words, term = _filled(rng, rng.choice(CHANGES))
            text += f", takes {words}"
            lines.append(f"ys = [{term} for x in ys]")
        else:
            k = rng.randint(1, 3)
            words, line = rng.choice(
                [
                    (f"drops the first {k} of them", f"ys = ys[{k}:]"),
                    (f"keeps only the first {k + 3} of them", f"ys = ys[:{k + 3}]"),
                    ("sorts them in ascending order", "ys = sorted(ys)"),
                ]
            )
            text += f", {words}"
            lines.append(line)
    words, line = rng.choice(RESULTS)
    return Problem(
        "pipeline", f"{text}, and {words}.", "\n".join([*lines, line]), rng.choice(NAMES), ("xs",), _inputs(rng)
    )


def pipeline(rng: Random, level: int) -> Problem:
    """One, two or four steps and a result."""
    if level == 1:
        return _pipeline(rng, [rng.choice(("choose", "change"))])
    if level == 2:
        return _pipeline(rng, rng.sample(("choose", "change", "place"), 2))
    return _pipeline(rng, ["choose", "place", "change", "choose"])


def neighbours(rng: Random, level: int) -> Problem:
    """Counting or listing neighbours with a relation."""
    gap, low = rng.randint(1, level + 1), rng.randint(2, 12)
    words, test = rng.choice(
        [
            (f"differ by at least {low}", f"abs(a - b) >= {low}"),
            (f"add up to more than {low}", f"a + b > {low}"),
            (f"have a sum divisible by {low}", f"(a + b) % {low} == 0"),
            ("are one even and one odd", "(a + b) % 2 == 1"),
            (f"have a product less than {low}", f"a * b < {low}"),
        ]
    )
    wanted, result = rng.choice(
        [
            ("counts", "return len(pairs)"),
            ("returns the list of sums of", "return [a + b for a, b in pairs]"),
            ("returns the list of the larger numbers of", "return [max(a, b) for a, b in pairs]"),
        ]
    )
    text = (
        f"takes a list of whole numbers xs and {wanted} the pairs (xs[i], xs[i + {gap}]), in the order of i, whose "
        f"two numbers {words}."
    )
    body = f"pairs = [(a, b) for a, b in zip(xs, xs[{gap}:]) if {test}]\n{result}"
    return Problem("neighbours", text, body, "neighbours", ("xs",), _inputs(rng))


KINDS = (pipeline, pipeline, neighbours)
