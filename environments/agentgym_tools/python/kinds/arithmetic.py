"""Word problems and sums with one number as answer.

The reference is an expression; what a level adds is a step of calculation.
"""

from __future__ import annotations

from random import Random

from agentgym_tools.python.problem import Problem

PEOPLE = ("Mara", "Ilo", "Perrin", "Doro", "Senna", "Tavi", "Kesh", "Lune")
THINGS = ("apples", "stamps", "marbles", "books", "shells", "coins", "pencils", "cards")

ONE_STEP = (
    ("{p} has {a} {t} and gets {b} more. How many {t} does {p} have now?", "{a} + {b}"),
    ("{p} has {a} {t} and {q} has {b}. How many {t} do they have together?", "{a} + {b}"),
    ("{p} had {c} {t} and gave {b} away. How many {t} are left?", "{c} - {b}"),
    ("{p} has {c} {t}, {q} has {b}. How many more {t} does {p} have?", "{c} - {b}"),
    ("{p} fills {a} boxes with {m} {t} each. How many {t} is that?", "{a} * {m}"),
    ("{m} friends bring {a} {t} each. How many {t} do they bring?", "{a} * {m}"),
    ("{p} has {c} {t} for {m} friends, the same number for each. How many {t} can each get at most?", "{c} // {m}"),
    ("{p} packs {c} {t} into bags of {m}. How many {t} are left over?", "{c} % {m}"),
)
TWO_STEPS = (
    ("{p} fills {a} boxes with {m} {t} each and finds {b} more. How many {t} is that?", "{a} * {m} + {b}"),
    ("{p} had {c} {t}, gave {b} away and then got {m} more. How many {t} are there now?", "{c} - {b} + {m}"),
    ("{p} puts {a} and {b} {t} together and fills bags of {m}. How many bags become full?", "({a} + {b}) // {m}"),
    ("{p} buys {m} packs of {a} {t} and {n} packs of {b}. How many {t} is that?", "{a} * {m} + {b} * {n}"),
    ("{p} has {c} {t}, loses {b} and packs the rest into bags of {m}. How many are left over?", "({c} - {b}) % {m}"),
    ("{p} had {c} {t} and gave {m} to each of {n} friends. How many {t} are left?", "{c} - {m} * {n}"),
)


def draw_words(rng: Random, templates: tuple[tuple[str, str], ...], largest: int) -> tuple[str, str]:
    """A question and its expression; every number in them is at most `largest`, and so is no result negative."""
    text, expression = rng.choice(templates)
    first, second = rng.sample(PEOPLE, 2)
    b = rng.randint(2, largest // 4)
    values = {"a": rng.randint(2, largest // 4), "b": b, "m": rng.randint(2, 9), "n": rng.randint(2, 9)}
    values["c"] = rng.randint(max(b, values["m"] * values["n"]) + 1, max(largest, 90))
    return text.format(p=first, q=second, t=rng.choice(THINGS), **values), expression.format(**values)


def words(rng: Random, level: int) -> Problem:
    """A word problem of one or two steps; larger numbers at higher levels."""
    templates = ONE_STEP if level == 1 else TWO_STEPS
    text, expression = draw_words(rng, templates, (100, 5_000, 900_000)[level - 1])
    return Problem("words", text, expression)


def sums(rng: Random, level: int) -> Problem:
    """A sum over whole numbers in a range."""
    low, high = rng.randint(1, 40), rng.randint(60, (150, 900, 9_000)[level - 1])
    m, r = rng.randint(3, 9), rng.randint(1, 2)
    wanted, test = rng.choice(
        [
            (f"are divisible by {m}", f"x % {m} == 0"),
            (f"leave the remainder {r} when divided by {m}", f"x % {m} == {r}"),
            (f"contain the digit {m}", f"'{m}' in str(x)"),
            (f"have a digit sum divisible by {m}", f"sum(map(int, str(x))) % {m} == 0"),
        ]
    )
    of, term = rng.choice([("", "x"), ("the squares of ", "x * x"), ("the cubes of ", "x ** 3")][: level + 1])
    text = f"What is the sum of {of}the whole numbers from {low} to {high} (both included) that {wanted}?"
    return Problem("sums", text, f"sum({term} for x in range({low}, {high} + 1) if {test})")


def counts(rng: Random, level: int) -> Problem:
    """How many pairs in a range have a property."""
    high, total = rng.randint(12, (30, 60, 200)[level - 1]), rng.randint(15, 50)
    m = rng.randint(3, 7)
    wanted, test = rng.choice(
        [
            (f"x * y leaves the remainder {rng.randint(1, m - 1)} when divided by {m}", ""),
            (f"x * x + y is divisible by {m}", f"(x * x + y) % {m} == 0"),
            (f"x + y is at least {total} and x * y is even", f"x + y >= {total} and x * y % 2 == 0"),
            (f"y - x is larger than {m} and not divisible by {m}", f"y - x > {m} and (y - x) % {m} != 0"),
        ]
    )
    if not test:
        test = f"x * y % {m} == {wanted.split('remainder ')[1].split()[0]}"
    text = f"How many pairs of whole numbers (x, y) with 1 <= x < y <= {high} are there such that {wanted}?"
    return Problem("counts", text, f"sum(1 for y in range(1, {high} + 1) for x in range(1, y) if {test})")


def growth(rng: Random, level: int) -> Problem:
    """A sequence of whole numbers followed for some steps."""
    start, steps, m = rng.randint(3, 60), rng.randint(5, (12, 30, 80)[level - 1]), rng.choice([97, 101, 211, 509, 1009])
    a, b = rng.randint(2, 9), rng.randint(1, 20)
    text = (
        f"A sequence starts with {start}. Each next number is {a} times the one before plus {b}, "
        f"of which the remainder after division by {m} is kept. What is the number after {steps} steps?"
    )
    expression = f"__import__('functools').reduce(lambda x, _: ({a} * x + {b}) % {m}, range({steps}), {start})"
    return Problem("growth", text, expression)


KINDS = (words, sums, counts, growth)
